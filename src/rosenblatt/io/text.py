"""Labelled text: ``label<TAB>text``, one a line, or one text a line without labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy.typing as npt

from rosenblatt._kernels.text.texts import TextParser
from rosenblatt.io.fault_messages import encoding_words
from rosenblatt.io.labels import Labels
from rosenblatt.io.lines import Lines
from rosenblatt.io.reader import MAX_LINE_BYTES, Reader
from rosenblatt.io.sources import Given
from rosenblatt.io.sparse import Block

__all__ = ["TextBlock", "iter_text", "read_text"]


class TextBlock(Block):
    """Some lines of a file; ``texts, y = block`` gives texts and labels."""

    @property
    def texts(self) -> list[str]:
        return self.rows  # type: ignore[no-any-return]


class Text:
    """The format for the reader."""

    def __init__(self, *, labelled: bool, labels: Labels) -> None:
        self._labelled, self.labels = bool(labelled), labels
        self.parser = TextParser(self._labelled)
        self.parser.admits = labels.fault

    def begin(self, lines: Lines) -> bool:
        return True

    def take(self) -> TextBlock:
        codes, names, lines = self.parser.take_rows()
        y = self.labels.values(codes, names) if self._labelled else None
        return TextBlock(self.parser.take(), y, lines)

    def explain(self, fault: str, found: bytes) -> tuple[str, str | None]:
        if fault == "label":
            return self.parser.reason  # type: ignore[no-any-return]
        if fault == "not text":
            return encoding_words(found)
        if fault == "no label":
            return "no label before the tab", "write label<TAB>text"
        assert fault == "no tab", fault
        return (
            "no tab between label and text",
            "write label<TAB>text\nor read lines without labels with labelled=False",
        )


def read_text(
    path: Given,
    *,
    labelled: bool = True,
    labels: str = "auto",
    classes: Iterable[Any] | None = None,
    on_bad: str = "fail",
    encoding: str = "utf-8",
    max_line_bytes: int = MAX_LINE_BYTES,
) -> tuple[list[str], npt.NDArray[Any] | None]:
    """Read texts and their labels, one ``label<TAB>text`` a line.

    The text is what stands between the first tab and the end of the line (a line feed, or carriage
    return and line feed), as it is: quotes and further tabs have no meaning, and it may be empty.
    Blanks around the label are dropped, and blank lines are passed over.

    Parameters
    ----------
    path : path, "-", binary file, or list of these
        Where to read; ``"-"`` is standard input. Packed data (gzip, xz, bzip2, zstd) are unpacked.
    labelled : bool, default=True
        Whether a label and a tab stand before each text. If not, every line is a text, also a blank
        one, so that there are as many texts as lines.
    labels : {"auto", "number", "text"}, default="auto"
        ``"auto"``: whole numbers or floats if all labels are numbers, else text.
    classes : list, default=None
        Labels that may occur; any other is refused.
    on_bad : {"fail", "skip", "rejects=FILE"}, default="fail"
        What to do with a line that cannot be read: raise, pass over it with a warning at the end,
        or also write it to FILE as JSON with place and reason.
    encoding : str, default="utf-8"
        Of the text.
    max_line_bytes : int
        Limit for one line, so that a damaged file cannot fill the memory.

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
          or pass over such rows with on_bad="skip" (--on-bad skip)
    """
    reader = iter_text(
        path,
        labelled=labelled,
        labels=labels,
        classes=classes,
        on_bad=on_bad,
        encoding=encoding,
        max_line_bytes=max_line_bytes,
    )
    block = reader.whole()
    return block.texts, block.y


def iter_text(
    path: Given,
    *,
    labelled: bool = True,
    labels: str = "auto",
    classes: Iterable[Any] | None = None,
    on_bad: str = "fail",
    encoding: str = "utf-8",
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Reader[TextBlock]:
    """Read texts and their labels block by block, in memory that does not grow with the file.

    Parameters as for :func:`read_text`. Each block unpacks into ``texts, y``; ``block.lines`` holds
    the line of every text.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import iter_text
    >>> for texts, y in iter_text(io.BytesIO(b"1\\tfine\\n0\\tbad\\n")):
    ...     print(texts, y)
    ['fine', 'bad'] [1 0]
    """
    form = Text(labelled=labelled, labels=Labels(labels, classes, any_text=True))
    return Reader(form, path, on_bad=on_bad, encoding=encoding, max_line_bytes=max_line_bytes)
