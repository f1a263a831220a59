"""Sentences a line each, words apart by blanks: with tags (``dog/NOUN``) or without."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.io.conll import RAISE_MAX_TOKENS
from rosenblatt.io.excerpt import located, quoted
from rosenblatt.io.fault_messages import SKIP
from rosenblatt.io.labelled_text import Text
from rosenblatt.io.labels import Labels
from rosenblatt.io.lines import Lines
from rosenblatt.io.reader_options import ReaderSettings
from rosenblatt.io.sentence_blocks import SentenceBlock, SentenceReader
from rosenblatt.io.sources import Given
from rosenblatt.plurals import count

__all__ = ["WORD", "TaggedText", "TaggedTextReader"]

WORD = re.compile(r"[^ \t]+")


class TaggedText(Text):
    """The format for the reader: lines as lists of words."""

    def __init__(self, labelled: bool, mark: str, settings: ReaderSettings) -> None:
        super().__init__(labelled=False, labels=Labels("text", None, any_text=True))
        self._tagged, self._mark, self._most = labelled, mark, settings.max_tokens
        self.source = ""
        self.bad: Any = None

    def take(self) -> SentenceBlock:  # type: ignore[override]
        block = super().take()
        sentences, tags, lines = [], [], []
        for text, line in zip(block.texts, block.lines.tolist(), strict=True):
            words = WORD.findall(text)
            if len(words) > self._most:
                self.bad.meet(self._long(text, line), text.encode())
                continue
            if self._tagged:
                if not all(map(self._is_tagged, words)):
                    self.bad.meet(self._untagged(text, line), text.encode())
                    continue
                if not words:
                    continue
                pairs = [word.rpartition(self._mark) for word in words]
                words = [word for word, _, _ in pairs]
                tags.append([tag for _, _, tag in pairs])
            sentences.append(words)
            lines.append(line)
        return SentenceBlock(sentences, tags if self._tagged else None, np.array(lines, np.int64))

    def _long(self, text: str, line: int) -> DataError:
        return located(
            f"more than {count(self._most, 'word')} in one sentence",
            name=self.source,
            line=line,
            text=text.encode(),
            at=0,
            end=1,
            cures=["put each sentence on a line", RAISE_MAX_TOKENS, SKIP],
        )

    def _untagged(self, text: str, line: int) -> DataError:
        word = next(found for found in WORD.finditer(text) if not self._is_tagged(found[0]))
        return located(
            f"{quoted(word[0])} is not a word with its tag",
            name=self.source,
            line=line,
            text=text.encode(),
            at=len(text[: word.start()].encode()),
            end=len(text[: word.end()].encode()),
            cures=[f"write word{self._mark}TAG", SKIP],
        )

    def _is_tagged(self, word: str) -> bool:
        return all(word.rpartition(self._mark)[::2])


class TaggedTextReader(SentenceReader):
    """Tells the format where it is."""

    _form: TaggedText

    def __init__(self, form: TaggedText, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        form.bad = self._bad

    def _parse(self, lines: Lines) -> None:
        self._form.source = lines.name
        super()._parse(lines)
