"""Sentences in columns with the lines they came from, to be written again with other tags."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.errors import DataError
from rosenblatt.io.conll import Conll, ConllReader
from rosenblatt.io.lines import Lines
from rosenblatt.io.reader_options import ReaderSettings
from rosenblatt.io.sentence_blocks import SentenceBlock
from rosenblatt.io.sources import Given

__all__ = ["ConllLinesReader", "TextPart"]


class TextPart(NamedTuple):
    """Lines up to a blank one, as they stood; ``words`` are the places of those that are words.

    Without words these are remarks or blank lines. ``line`` is the number of the first line.
    """

    lines: list[bytes]
    words: list[int]
    line: int


class ConllLinesReader(ConllReader):
    """As `ConllReader`; `parts` gives the lines that the last block was read from.

    Sentences that were skipped are in no part.
    """

    def __init__(self, form: Conll, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        self._ready: list[TextPart] = []
        self._lines: list[tuple[int, bytes]] = []
        self._faults: set[int] = set()
        self._of: Lines | None = None
        self._ended = True

    def parts(self, block: SentenceBlock) -> list[TextPart]:
        """As many with words as the block has sentences, in order, and what stands between them."""
        starts = set(block.lines.tolist())
        parts, self._ready = self._ready, []
        group: list[tuple[int, bytes]] = []
        for number, line in self._lines:
            group.append((number, line))
            if _is_blank(line):
                self._close(group, starts, parts)
                group = []
        if any(number in starts for number, _ in group):  # the last sentence of a file
            self._close(group, starts, parts)
            group = []
        self._lines = group
        self._faults = {number for number in self._faults if group and number >= group[0][0]}
        return parts

    def rest(self) -> list[TextPart]:
        """What stands behind the last sentence."""
        parts, self._ready = self._ready, []
        self._close(self._lines, set(), parts)
        self._lines = []
        return parts

    def _close(
        self, group: list[tuple[int, bytes]], starts: set[int], parts: list[TextPart]
    ) -> None:
        if not group or any(number in self._faults for number, _ in group):
            return
        lines = [line for _, line in group]
        first = next((i for i, (number, _) in enumerate(group) if number in starts), len(lines))
        words = [i for i in range(first, len(lines)) if self._is_word(lines[i])]
        parts.append(TextPart(lines, words, group[0][0]))

    def _is_word(self, line: bytes) -> bool:
        if _is_blank(line):
            return False
        if self.columns is None or self.columns.format != "conllu":
            return True
        return line.partition(b"\t")[0].isdigit()

    # ------------------------------------------------------------------ on the way

    def _parse(self, lines: Lines) -> None:
        if self._of is not lines:
            self._begin_file(lines)
        number, start = self._form.parser.line, lines.at
        super()._parse(lines)
        text = bytes(lines.buffer[start : lines.at])
        if text:
            found = text.split(b"\n")[:-1]
            self._lines += [(i, line + b"\n") for i, line in enumerate(found, number + 1)]
            self._ended = _is_blank(found[-1])

    def _begin_file(self, lines: Lines) -> None:
        """A blank line comes between the last sentence of a file and the next file."""
        self._close(self._lines, set(), self._ready)
        if not self._ended:
            self._ready.append(TextPart([b"\n"], [], 0))
        self._of, self._lines, self._faults, self._ended = lines, [], set(), True

    def _fault(self, lines: Lines) -> DataError:
        self._faults.add(self._form.parser.fault_line)
        return super()._fault(lines)

    def _give_up_line(self, lines: Lines, *, header: bool) -> None:
        super()._give_up_line(lines, header=header)
        # The line is gone; the rest of its sentence is still to come.
        self._faults.add(self._form.parser.line + 1)


def _is_blank(line: bytes) -> bool:
    """As the parser sees it: any other character, and be it a form feed, is a word."""
    return not line.strip(b" \t\r\n")
