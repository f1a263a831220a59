"""Reader of Vowpal Wabbit text: ``label importance 'tag |namespace:weight name:value name ...``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Self, Unpack

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.checks import refusal
from rosenblatt.engine.text.names import Names
from rosenblatt.engine.text.parsing import Parser
from rosenblatt.engine.text.vw import VWParser
from rosenblatt.errors import Message, ParameterError, Setting, Value
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.fault_messages import ProblemAndCures, quoted
from rosenblatt.tables.readers.reader import Reader, SparseFormat, TextReader
from rosenblatt.tables.readers.reader_options import (
    ReaderSettings,
    RowOptions,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sources import Given

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray
    from rosenblatt.models.classes import LabelCodes

BITS = 18
MAX_BITS = 30
LARGEST_INT32 = np.iinfo(np.int32).max
FORM = "write label |namespace name:value, as in 1 |f height:1.5"
ONE_CLASS = "this reader takes one class a row; write label |namespace name:value"


class VWRows(NamedTuple):
    """Contents of a file: features, labels, importance weights, and column names unless hashed."""

    X: Any
    y: Any
    weights: npt.NDArray[np.float64]
    names: list[str] | None


class VWBlock(Block):
    """Block of rows of Vowpal Wabbit text; ``X, y = block`` unpacks features and labels.

    Attributes
    ----------
    weights : ndarray of float64
        The importance of every row; 1 if none is written.
    """

    weights: npt.NDArray[np.float64]

    def __init__(
        self,
        rows: SparseRows,
        labels: AnyArray | LabelCodes | None,
        lines: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
        vocabulary: Names | None,
    ) -> None:
        super().__init__(rows, labels, lines)
        self.weights = weights
        self._vocabulary = vocabulary

    def __getitem__(self, rows: slice) -> Self:
        part = super().__getitem__(rows)
        part.weights = self.weights[rows]
        return part

    @property
    def names(self) -> list[str] | None:
        """Return the names of the columns; None if names are hashed."""
        if self._vocabulary is None:
            return None
        # Blocks share one vocabulary, which may have grown since.
        known = min(self._vocabulary.count, self.rows.shape[1])
        return [name.decode() for name in self._vocabulary.listed()[:known]]


FAULTS: dict[str, ProblemAndCures] = {
    "no bar": ("no bar | in this row", FORM),
    "tab": ("a tab before the first bar", "put a blank there"),
    "costs": ("{found} has a colon: costs and probabilities of actions are not labels", ONE_CLASS),
    "initial": (
        "{found} would be an initial prediction, which no learner here takes",
        "leave it out; a tag needs a quote before it, as in 'tag",
    ),
    "many words": (
        "more than label, importance and tag before the first bar",
        "is a bar missing? " + FORM[0].upper() + FORM[1:],
    ),
    "importance": (
        "the importance {found} is not a finite number",
        "write label importance |..., or a quote before a tag, as in 'tag",
    ),
    "negative importance": ("the importance {found} is negative", "write 0 or more"),
    "no namespace": ("{found} is not a namespace: it has no name", "write |name:weight"),
    "no name": ("{found} is not a feature: it has no name", "write name:value"),
    "caret": (
        'the namespace {found} has a "^", which divides namespace and feature in exact names',
        Message("hash the names with ", Setting("bits", BITS)),
    ),
}


class VWFormat(SparseFormat[VWBlock]):
    """Format of Vowpal Wabbit rows."""

    cure_of_number = "write a number after the colon, or name=word for a word"
    faults = FAULTS
    parser: VWParser

    def __init__(
        self,
        bits: int | None,
        names: Iterable[str] | None,
        labelled: bool,
        settings: ReaderSettings,
    ) -> None:
        if names is not None:
            bits = None
        if bits is not None and not (isinstance(bits, int) and 1 <= bits <= MAX_BITS):
            exact = Message(f"a whole number from 1 to {MAX_BITS}, or ", Value(None))
            raise refusal("bits", bits, Message(exact, " for exact names"))
        super().__init__(settings)
        self._bits = bits
        self._width = None if bits is None else 1 << bits
        self._labelled = bool(labelled)
        self._float32 = settings.dtype == np.float32
        self.parser = self._new_parser(_vocabulary(names), is_closed=names is not None)
        self.parser.admits = self._label_fault

    def _new_parser(self, vocabulary: Names, *, is_closed: bool) -> VWParser:
        return VWParser(
            self._float32,
            self._limit,
            min(self._most, LARGEST_INT32),
            self._labelled,
            self._bits or 0,
            vocabulary,
            is_closed,
        )

    def second_parser(self) -> VWParser | None:
        # Exact names are numbered in the order of the text, which takes a single parser.
        if self._width is None:
            return None
        return self._new_parser(Names(), is_closed=False)

    def take(self) -> VWBlock:
        vocabulary = self.parser.names if self._width is None else None
        width = self._width or max(self.parser.names.count, 1)
        values, columns, starts, weights = self.parser.take()
        codes, names, lines = self.parser.take_rows()
        y = self.labels.values(codes, names) if self._labelled else None
        rows = SparseRows(values, columns, starts, width)
        return VWBlock(rows, y, lines, weights, vocabulary)

    def _label_fault(self, name: bytes) -> ProblemAndCures | None:
        """Return why a text cannot be a label, with the cures; None if it can."""
        if name == b"shared":
            return '"shared" begins an example of several lines', ONE_CLASS
        if b"," in name:
            return f"{quoted(name)} is a list of labels", ONE_CLASS
        if name.startswith(b"'"):
            return f"the tag {quoted(name)} stands where the label belongs", "put the label first"
        return self.labels.fault(name)

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault == "no label":
            return self._no_label(found)
        if parser.fault == "large sum":
            problem = (
                f"features of this row add up beyond {self._limit:g}, where the square overflows"
            )
            return problem, "scale the features"
        if parser.fault == "large product":
            problem = (
                f"{quoted(found)} times the weight of its namespace is beyond {self._limit:g}, "
                "where its square overflows"
            )
            return problem, "scale the feature"
        return super().explain(parser, found)

    def _no_label(self, found: bytes) -> ProblemAndCures:
        unlabelled = Message("read rows without labels with ", Setting("labelled", False))
        if not found:
            return "no label before the bar", ["put a label first", unlabelled]
        return (
            f"no label: {quoted(found)} is a tag, as it touches the bar or begins with a quote",
            ["put a label first, and a blank between it and the bar", unlabelled],
        )


def _vocabulary(names: Iterable[str] | None) -> Names:
    """Return the vocabulary of the given names; an empty one if `names` is None."""
    known = Names()
    if names is None:
        return known
    if isinstance(names, str | bytes):
        raise refusal("names", names, "a list of names")
    for number, name in enumerate(names):
        if known.number(name.encode()) != number:
            raise ParameterError(f"names has {name!r} twice.")
    if known.count == 0:
        raise ParameterError(
            Message(Setting("names"), " is empty"),
            where="names",
            cures=Message(Setting("bits", None), " finds the names in the file"),
        )
    return known


@takes(RowOptions)
def iter_vw(
    path: Given,
    *,
    bits: int | None = BITS,
    names: Iterable[str] | None = None,
    labelled: bool = True,
    **options: Unpack[RowOptions],
) -> Reader[VWBlock]:
    """Read a text file of Vowpal Wabbit block by block, in memory that does not grow with it.

    Each block unpacks into ``X, y``; ``block.weights`` holds the importance and ``block.lines`` the
    line of every row, ``block.names`` the exact names so far. With ``bits=None`` a block has one
    column for each name so far, and the names are kept in memory.

    Parameters
    ----------
    bits : int or None, default=18
        The matrix has ``2**bits`` columns, which different names may share; with ``None`` it has
        one for every name ``namespace^feature``, in the order in which they first occur.
    names : list of str, default=None
        Exact names of the columns, such as those of another file; features of other names are
        skipped. Implies ``bits=None``.
    labelled : bool, default=True
        Whether every row must have a label. If not, everything before the first bar is skipped.

    See Also
    --------
    read_vw : All of it at once.

    Examples
    --------
    >>> import io
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.io import iter_vw
    >>> model = Perceptron()
    >>> for block in iter_vw(io.BytesIO(b"1 |f a b\\n-1 |f b c\\n" * 3), bits=10):
    ...     model = model.partial_fit(*block, sample_weight=block.weights)
    >>> model.t_
    6
    """
    settings = ReaderSettings(**options)
    return TextReader(VWFormat(bits, names, labelled, settings), path, settings)


@of_whole_file(iter_vw)
def read_vw(block: VWBlock) -> VWRows:
    """Read a text file of Vowpal Wabbit into a sparse matrix, labels and weights.

    A row is ``label importance 'tag |namespace:weight name:value name ...``; everything except the
    label and a bar is optional. A value is 1 unless it is written, and is multiplied by the weight
    of its namespace; the values of a feature that occurs several times in a row are added. Tags
    and blank lines are skipped.

    Columns are those of ``vw``: the hash of the name (MurmurHash3, seeded with the hash of the
    namespace), or, if the name is a number, that number plus the hash of the namespace, cut to
    `bits` bits. Numbered features therefore do not collide. No column is added for a constant.

    Returns
    -------
    X : csr_array of shape (n_samples, n_features)
        Needs SciPy (extra ``sklearn``); the rows alone are ``iter_vw(path).whole().rows``.
    y : ndarray of shape (n_samples,), or None if not `labelled`
    weights : ndarray of shape (n_samples,)
        Importance of the rows, for ``sample_weight``.
    names : list of str, or None if hashed

    See Also
    --------
    iter_vw : The same, block by block.

    Notes
    -----
    These are refused because ``vw`` silently reads them as something else: a label that touches the
    bar (it would be a tag), a value that is a word (write ``city=paris``), ``nan``, a tab before
    the bar. Initial predictions, several labels, costs, and examples of several lines are also
    refused.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_vw
    >>> text = b"yes |animal:2 legs:4 stripes |says neigh\\nno 0.5 |animal legs:2 |says moo moo\\n"
    >>> X, y, weights, names = read_vw(io.BytesIO(text), bits=None)
    >>> names
    ['animal^legs', 'animal^stripes', 'says^neigh', 'says^moo']
    >>> X.toarray()
    array([[8., 2., 1., 0.],
           [2., 0., 0., 2.]])
    >>> y, weights
    (array(['yes', 'no'], dtype='<U3'), array([1. , 0.5]))

    Hashed names always have the same number of columns:

    >>> read_vw(io.BytesIO(text)).X.shape
    (2, 262144)
    >>> read_vw(io.BytesIO(b"1|f a:3\\n"))
    Traceback (most recent call last):
        ...
    rosenblatt.errors.DataError: <stream>:1:1: no label: "1" is a tag, as it touches the bar ...
      1|f a:3
      ^
    help: put a label first, and a blank between it and the bar
          or read rows without labels with labelled=False
          or skip such rows with on_bad='skip'
    """
    return VWRows(block.X, block.y, block.weights, block.names)
