"""Options shared by readers of several formats, with defaults, checks and documentation."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt import numpydoc
from rosenblatt.checks import refusal
from rosenblatt.tables.readers.lines import check_encoding

if TYPE_CHECKING:
    from rosenblatt.tables.readers.reader import Reader

Arguments = ParamSpec("Arguments")
Block = TypeVar("Block", bound=Sized)
Result = TypeVar("Result")
LARGEST_LIMIT = 1 << 62


class TextOptions(TypedDict, total=False):
    """Options that all readers of text have in common; `ReaderSettings` holds the defaults."""

    on_bad: str
    encoding: str | None
    max_line_bytes: int


class SentenceOptions(TextOptions, total=False):
    """Options of readers of sentences."""

    max_tokens: int


class LabelOptions(TextOptions, total=False):
    """Options of readers of rows with a label."""

    labels: str
    classes: Iterable[Any] | None


class RowOptions(LabelOptions, total=False):
    """Options of readers of rows of numbers."""

    dtype: npt.DTypeLike
    max_features: int


DOCUMENTED = """
path : path, "-", binary file, or list of these
    Where to read; ``"-"`` is standard input. Compressed data (gzip, xz, bzip2, zstd) are
    decompressed.
dtype : float64 or float32, default=float64
    Type of the numbers.
labels : {"auto", "number", "text"}, default="auto"
    ``"auto"``: whole numbers or floats if all labels are numbers, otherwise text.
classes : list, default=None
    Labels that may occur; any other is refused.
on_bad : {"fail", "skip", "blank", "rejects=FILE"}, default="fail"
    What to do with a row or a sentence that cannot be read: raise, skip it with a warning at the
    end, or also write it to FILE as JSON with place and reason. "blank" also skips it; on the
    command line, each such row is then reported, the exit code is 3, and `predict` writes an empty
    line for it.
encoding : str, default=None
    Encoding of the text. By default UTF-8; for CSV and plain text, UTF-16 is detected by its first
    bytes, and other text is read as cp1252, with a warning.
max_line_bytes : int, default=16777216
    The longest row or sentence, so that a damaged file cannot fill the memory.
max_features : int, default=1000000
    The most features of a row, or columns of a table.
max_tokens : int, default=100000
    The most words of a sentence.
"""


@dataclass
class ReaderSettings:
    """Validated values of the options that readers share."""

    dtype: npt.DTypeLike = np.float64
    labels: str = "auto"
    classes: Iterable[Any] | None = None
    on_bad: str = "fail"
    encoding: str | None = None
    max_line_bytes: int = 1 << 24
    max_features: int = 1_000_000
    max_tokens: int = 100_000

    def __post_init__(self) -> None:
        self.dtype = _float_type(self.dtype)
        check_encoding(self.encoding)
        _check_limit("max_line_bytes", self.max_line_bytes)
        _check_limit("max_features", self.max_features)
        _check_limit("max_tokens", self.max_tokens)


def _check_limit(name: str, limit: int) -> None:
    is_whole = isinstance(limit, int) and not isinstance(limit, bool)
    if not is_whole or not 1 <= limit <= LARGEST_LIMIT:
        raise refusal(name, limit, "a whole number from 1 to 2**62")


def _float_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return float32 or float64 as a dtype; raise ParameterError for any other type."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind not in (np.float32, np.float64):
        raise refusal("dtype", dtype, "float32 or float64")
    return np.dtype(np.float32 if kind == np.float32 else np.float64)


def takes(options: type) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Return a decorator that adds `options` to the signature and docstring of a reader."""

    def complete(reader: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        own = inspect.signature(reader)
        *parameters, _ = own.parameters.values()
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters += [
            inspect.Parameter(field.name, keyword, default=field.default, annotation=field.type)
            for field in dataclasses.fields(ReaderSettings)
            if field.name in options.__annotations__
        ]
        shared = numpydoc.entries(inspect.cleandoc(DOCUMENTED))
        return _shown(reader, reader, own.replace(parameters=parameters), shared)

    return complete


def of_whole_file(
    blocks: Callable[Arguments, Reader[Block]],
) -> Callable[[Callable[[Block], Result]], Callable[Arguments, Result]]:
    """Return a decorator that makes ``read_x`` from ``iter_x``.

    The decorated function gets the block of the whole file, and returns the result of ``read_x``.
    """

    def make(result: Callable[[Block], Result]) -> Callable[Arguments, Result]:
        def read(*path: Arguments.args, **options: Arguments.kwargs) -> Result:
            return result(blocks(*path, **options).whole())

        returns = inspect.signature(result).return_annotation
        signature = inspect.signature(blocks).replace(return_annotation=returns)
        _, sections = numpydoc.sections(blocks.__doc__ or "")
        return _shown(read, result, signature, numpydoc.entries(sections.get("Parameters", "")))

    return make


def _shown(
    work: Callable[Arguments, Result],
    reader: Callable[..., object],
    signature: inspect.Signature,
    shared: dict[str, str],
) -> Callable[Arguments, Result]:
    """Return `work` with the name, the docstring and the signature of a reader."""

    @wraps(reader)
    def called(*path: Arguments.args, **options: Arguments.kwargs) -> Result:
        for name in options.keys() - signature.parameters.keys():
            raise TypeError(f"{reader.__name__}() got an unexpected keyword argument {name!r}")
        return work(*path, **options)

    shown: Any = called
    shown.__signature__ = signature
    if reader.__doc__ is not None:  # python -OO
        opening, sections = numpydoc.sections(reader.__doc__)
        known = shared | numpydoc.entries(sections.get("Parameters", ""))
        sections["Parameters"] = "".join(known[name] for name in signature.parameters)
        shown.__doc__ = numpydoc.join(opening, sections)
    return called
