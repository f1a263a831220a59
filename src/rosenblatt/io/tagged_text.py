"""Sentences a line each, words apart by blanks: with tags (``dog/NOUN``) or without."""

from __future__ import annotations

import re
from typing import Any, Unpack

import numpy as np

from rosenblatt.checks import refusal
from rosenblatt.errors import DataError
from rosenblatt.io.conll import RAISE_MAX_TOKENS, ConllBlock
from rosenblatt.io.excerpt import located, quoted
from rosenblatt.io.fault_messages import SKIP
from rosenblatt.io.labelled_text import Text
from rosenblatt.io.labels import Labels
from rosenblatt.io.lines import Lines
from rosenblatt.io.reader import Reader
from rosenblatt.io.reader_options import ReaderSettings, SentenceOptions, takes
from rosenblatt.io.sources import Given
from rosenblatt.plurals import count

__all__ = ["SentenceReader", "iter_tagged_text"]

WORD = re.compile(r"[^ \t]+")


class Sentences(Text):
    """The format for the reader: lines as lists of words."""

    def __init__(self, labelled: bool, mark: str, settings: ReaderSettings) -> None:
        super().__init__(labelled=False, labels=Labels("text", None, any_text=True))
        if not mark or any(c.isspace() for c in mark):
            raise refusal("mark", mark, "one or more characters, none a blank")
        self._tagged, self._mark, self._most = labelled, mark, settings.max_tokens
        self.source = ""
        self.bad: Any = None

    def take(self) -> ConllBlock:  # type: ignore[override]
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
        return ConllBlock(sentences, tags if self._tagged else None, np.array(lines, np.int64))

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


class SentenceReader(Reader[ConllBlock]):
    """Knows which file the last block is from; blocks may be empty."""

    unit = "sentence"
    source = ""
    columns = None
    _form: Sentences

    def __init__(self, form: Sentences, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        form.bad = self._bad

    def _parse(self, lines: Lines) -> None:
        self.source = self._form.source = lines.name
        super()._parse(lines)


@takes(SentenceOptions)
def iter_tagged_text(
    path: Given, *, labelled: bool = True, mark: str = "/", **options: Unpack[SentenceOptions]
) -> SentenceReader:
    """Read sentences, one a line, block by block.

    Parameters
    ----------
    labelled : bool, default=True
        Whether a tag stands behind each word; lines without words are skipped then. If not,
        every line is a sentence, also one without words, so that there are as many as lines.
    mark : str, default="/"
        Stands between a word and its tag; the last one in ``1/2/NUM`` counts.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io.tagged_text import iter_tagged_text
    >>> for sentences, tags in iter_tagged_text(io.BytesIO(b"half/DET of/ADP it/PRON\\n")):
    ...     print(sentences, tags)
    [['half', 'of', 'it']] [['DET', 'ADP', 'PRON']]
    """
    settings = ReaderSettings(**options)
    return SentenceReader(Sentences(labelled, mark, settings), path, settings)
