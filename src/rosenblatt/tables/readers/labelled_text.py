"""Reader of labelled text: lines of ``label<TAB>text``, or lines of text without labels."""

from __future__ import annotations

from typing import Any, Unpack

import numpy.typing as npt

from rosenblatt.engine.text.parsing import TextParser
from rosenblatt.errors import Message, Setting
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.fault_messages import ProblemAndCures
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.reader import Reader, TextFormat, TextReader
from rosenblatt.tables.readers.reader_options import (
    LabelOptions,
    ReaderSettings,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sources import Given

UNLABELLED = Message("read lines without labels with ", Setting("labelled", False))
FAULTS: dict[str, ProblemAndCures] = {
    "no label": ("no label before the tab", "write label<TAB>text"),
    "no tab": ("no tab between label and text", ["write label<TAB>text", UNLABELLED]),
}


class TextBlock(Block):
    """Block of texts with their labels; ``texts, y = block`` unpacks both."""

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self.rows
        return texts


class LabelledTextFormat(TextFormat[TextBlock]):
    """Format of text lines, with or without labels."""

    faults = FAULTS
    finds_encoding = True
    parser: TextParser
    labels: Labels

    def __init__(self, *, labelled: bool, labels: Labels) -> None:
        self._labelled = bool(labelled)
        self.labels = labels
        self.parser = TextParser(self._labelled)
        self.parser.admits = labels.fault

    def take(self) -> TextBlock:
        codes, names, lines = self.parser.take_rows()
        y = self.labels.values(codes, names) if self._labelled else None
        return TextBlock(self.parser.take(), y, lines)


@takes(LabelOptions)
def iter_text(
    path: Given, *, labelled: bool = True, **options: Unpack[LabelOptions]
) -> Reader[TextBlock]:
    """Read texts and their labels block by block, in memory that does not grow with the file.

    Each block unpacks into ``texts, y``; ``block.lines`` holds the line of every text.

    Parameters
    ----------
    labelled : bool, default=True
        Whether each text has a label and a tab before it. If not, every line is a text, even a
        blank one, so that there are as many texts as lines.

    See Also
    --------
    read_text : All of them at once.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import iter_text
    >>> for texts, y in iter_text(io.BytesIO(b"1\\tfine\\n0\\tbad\\n")):
    ...     print(texts, y)
    ['fine', 'bad'] [1 0]
    """
    settings = ReaderSettings(**options)
    labels = Labels(settings.labels, settings.classes, any_text=True)
    form = LabelledTextFormat(labelled=labelled, labels=labels)
    return TextReader(form, path, settings)


@of_whole_file(iter_text)
def read_text(block: TextBlock) -> tuple[list[str], npt.NDArray[Any] | None]:
    """Read texts and their labels, one ``label<TAB>text`` per line.

    The text is everything between the first tab and the end of the line (a line feed, or carriage
    return and line feed), unchanged: quotes and further tabs have no meaning, and it may be empty.
    Blanks around the label are removed, and blank lines are skipped.

    Returns
    -------
    texts : list of str
    y : ndarray of shape (n_samples,), or None if not `labelled`

    See Also
    --------
    iter_text : The same, block by block.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_text
    >>> read_text(io.BytesIO(b'ham\\tSee you at "six"\\nspam\\tYou have won\\n'))
    (['See you at "six"', 'You have won'], array(['ham', 'spam'], dtype='<U4'))

    A fault is named with its place:

    >>> read_text(io.BytesIO(b"ham\\tSee you\\nspam You have won\\n"))
    Traceback (most recent call last):
        ...
    rosenblatt.errors.DataError: <stream>:2:1: no tab between label and text
      spam You have won
      ^^^^^^^^^^^^^^^^^
    help: write label<TAB>text
          or read lines without labels with labelled=False
          or skip such rows with on_bad='skip'
    """
    return block.texts, block.y
