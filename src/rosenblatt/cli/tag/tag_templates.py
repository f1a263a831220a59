"""--templates: a file with one a line, or the templates themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rosenblatt.errors import ParameterError

__all__ = ["GivenTemplates"]

PLACE = re.compile(r"templates: (?P<text>'.*?'|\".*?\") at character (?P<place>\d+): (?P<what>.*)")


class GivenTemplates:
    """Templates and where each of them stands."""

    def __init__(self, given: str) -> None:
        self.path = given if os.path.exists(given) else None
        self.texts: list[str] = []
        self._places: list[tuple[int, int]] = []
        for line, column, text in self._read(given):
            self.texts.append(text)
            self._places.append((line, column))
        if not self.texts:
            raise ParameterError(f"--templates {given}: there are none in it; give some, as w[0].")

    def _read(self, given: str) -> Iterator[tuple[int, int, str]]:
        if self.path is None:
            for word in re.finditer(r"[^\s,]+", given):
                yield 1, word.start() + 1, word[0]
            return
        try:
            with open(self.path, encoding="utf-8-sig") as file:
                for number, line in enumerate(file, 1):
                    text = line.strip()
                    if text and not text.startswith("#"):
                        yield number, line.index(text) + 1, text
        except UnicodeDecodeError as error:
            raise ParameterError(f"--templates {given}: not UTF-8 text ({error}).") from None

    def check(self, columns: list[str]) -> None:
        """Refuse the first that cannot be understood, with its place."""
        from rosenblatt.structured.templates import Templates

        for text, (line, column) in zip(self.texts, self._places, strict=True):
            try:
                Templates([text], columns)
            except ParameterError as error:
                raise self._placed(error, line, column) from None

    def _placed(self, error: ParameterError, line: int, column: int) -> ParameterError:
        found = PLACE.match(str(error))
        if found is None:
            return error
        if self.path is None:
            hint = "" if "[" in found["text"] else " Nor is there a file of this name."
            return ParameterError(
                f"--templates: {found['text']} at character {found['place']}: {found['what']}{hint}"
            )
        place = f"{self.path}:{line}:{column + int(found['place']) - 1}"
        return ParameterError(f"{place}: {found['text']}: {found['what']}")
