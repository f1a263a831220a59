"""Reader of svmlight and LIBSVM files: ``label index:value index:value ... # comment``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.checks import refusal
from rosenblatt.engine.text.parsing import Parser
from rosenblatt.engine.text.svmlight import SvmlightParser
from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.fault_messages import ProblemAndCures, number_problem
from rosenblatt.tables.readers.reader import Reader, SparseFormat, TextReader
from rosenblatt.tables.readers.reader_options import (
    ReaderSettings,
    RowOptions,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sources import Given

if TYPE_CHECKING:
    from rosenblatt.arrays import Table

LARGEST_INDEX = np.iinfo(np.int32).max
# Matches an invalid label: empty, or with characters that separate the parts of a line.
NO_LABEL = re.compile(r"[\s#:,;\x00]|^$")
PAIR = "write index:value, as in 3:0.5"
AS_CSV = Message("if this is CSV, read it as a table with ", Setting("format", "csv"))
FROM_ZERO = Message("if this file counts from 0, say ", Setting("zero_based", True))
FAULTS: dict[str, ProblemAndCures] = {
    "no label": ("the row begins with {found}, not with a label", "put a label first"),
    "several labels": (
        "the label {found} holds more than one value",
        ["give one label a row", AS_CSV],
    ),
    "no colon": ("{found} is not index:value", PAIR),
    "bad index": ("the index {found} is not a whole number", PAIR),
    "zero index": ("index 0, but indices begin at 1", FROM_ZERO),
    "repeated index": ("index {number} stands twice in this row", "keep one of them"),
    "unsorted index": ("index {number} comes after a larger one", "sort the row by index"),
}


class SvmlightFormat(SparseFormat[Block]):
    """Format of svmlight rows."""

    cure_of_number = PAIR
    faults = FAULTS
    parser: SvmlightParser

    def __init__(self, n_features: int | None, zero_based: bool, settings: ReaderSettings) -> None:
        if n_features is not None and not 1 <= n_features <= LARGEST_INDEX:
            raise refusal("n_features", n_features, f"a whole number from 1 to {LARGEST_INDEX:,}")
        super().__init__(settings)
        self._n_features = n_features
        self._zero_based = bool(zero_based)
        self._float32 = settings.dtype == np.float32
        self.parser = self.second_parser()
        self.parser.admits = self.labels.fault

    def second_parser(self) -> SvmlightParser:
        width = self._n_features or LARGEST_INDEX
        return SvmlightParser(self._float32, self._limit, self._most, self._zero_based, width)

    def take(self) -> Block:
        width = self._n_features or max(self.parser.widest, 1)
        values, columns, starts = self.parser.take()
        codes, names, lines = self.parser.take_rows()
        rows = SparseRows(values, columns, starts, width)
        return Block(rows, self.labels.values(codes, names), lines)

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault == "large index":
            return self._large_index(found.decode())
        if parser.fault == "not a number" and not found.strip():
            return number_problem(found), "write a number after the colon"
        return super().explain(parser, found)

    def _large_index(self, index: str) -> ProblemAndCures:
        if self._n_features is None:
            return f"index {index} is beyond {LARGEST_INDEX:,}", "hash the features first"
        least = 0 if self._zero_based else 1
        most = self._n_features - 1 + least
        problem = (
            f"index {index}, but with {self._n_features:,} features indices go from {least} to "
            f"{most:,}"
        )
        return problem, Message("raise ", Setting("n_features"))


@takes(RowOptions)
def iter_svmlight(
    path: Given,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    **options: Unpack[RowOptions],
) -> Reader[Block]:
    """Read an svmlight file block by block, in memory that does not grow with the file.

    The reader counts rows that were skipped (``reader.skipped``, ``reader.first_faults``) instead
    of warning. Each block unpacks into ``X, y``; ``block.lines`` holds the line of every row.
    Without `n_features` the width of a block is the largest index so far.

    Parameters
    ----------
    n_features : int, default=None
        Columns of the matrix; by default the largest index. Larger indices are refused.
    zero_based : bool, default=False
        Whether indices begin at 0.

    See Also
    --------
    read_svmlight : All of it at once.

    Examples
    --------
    >>> import io
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.io import iter_svmlight
    >>> model = Perceptron()
    >>> for X, y in iter_svmlight(io.BytesIO(b"1 1:1\\n2 2:1\\n" * 3), n_features=2):
    ...     model = model.partial_fit(X, y)
    >>> model.t_
    6
    """
    settings = ReaderSettings(**options)
    return TextReader(SvmlightFormat(n_features, zero_based, settings), path, settings)


@of_whole_file(iter_svmlight)
def read_svmlight(block: Block) -> tuple[Any, npt.NDArray[Any]]:
    """Read an svmlight or LIBSVM file into a sparse matrix and labels.

    A row is ``label index:value index:value ...``; indices begin at 1 and increase. ``qid:``,
    everything after ``#`` and blank lines are skipped. Values are rounded correctly, as by
    ``float()``.

    Returns
    -------
    X : csr_array of shape (n_samples, n_features)
        Needs SciPy (extra ``sklearn``); the rows alone are ``iter_svmlight(path).whole().rows``.
    y : ndarray of shape (n_samples,)

    See Also
    --------
    iter_svmlight : The same, block by block.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_svmlight
    >>> X, y = read_svmlight(io.BytesIO(b"+1 1:0.5 3:2  # a row\\n-1 2:0.25\\n"))
    >>> X.toarray()
    array([[0.5 , 0.  , 2.  ],
           [0.  , 0.25, 0.  ]])
    >>> y
    array([ 1, -1])

    A fault is named with its place:

    >>> read_svmlight(io.BytesIO(b"+1 1:0.5\\n-1 1:abc\\n"))
    Traceback (most recent call last):
        ...
    rosenblatt.errors.DataError: <stream>:2:6: "abc" is not a number
      -1 1:abc
           ^^^
    help: write index:value, as in 3:0.5
          or skip such rows with on_bad='skip'
    """
    return block.X, block.y


def svmlight_lines(X: Table, labels: Sequence[object]) -> Iterator[str]:
    """Yield rows as lines of svmlight text, which parse back to exactly the same values.

    Parameters
    ----------
    X : array or SparseRows of shape (n_samples, n_features)
        Zeros of an array are left out.
    labels : sequence of length n_samples
        Numbers, or texts without blanks, colons, commas, semicolons and number signs.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.io import svmlight_lines
    >>> list(svmlight_lines(np.array([[0.0, 0.1], [2.0, 0.0]]), ["no", "yes"]))
    ['no 2:0.1\\n', 'yes 1:2.0\\n']
    """
    if isinstance(X, SparseRows):
        columns = X.indices
        values = X.data
        starts = X.indptr.tolist()
    else:
        rows, columns = np.nonzero(X)
        values = X[rows, columns]
        starts = np.searchsorted(rows, np.arange(len(labels) + 1)).tolist()

    # Lists of Python's own numbers are several times as fast to go through.
    indices = (columns + 1).tolist()
    numbers = values.tolist()
    for row, label in enumerate(labels):
        if NO_LABEL.search(str(label)):
            raise InputError(
                f"the label {label!r} cannot stand in svmlight text; --number-labels writes "
                "numbers instead."
            )
        parts = [str(label)]
        for at in range(starts[row], starts[row + 1]):
            # `repr` has the shortest digits that give the same number again.
            parts.append(f"{indices[at]}:{numbers[at]!r}")
        yield " ".join(parts) + "\n"
