"""--templates: a file with one a line, or the templates themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt.errors import ParameterError

if TYPE_CHECKING:
    from rosenblatt.structured.templates import TemplateError

__all__ = ["GivenTemplates"]


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

    def checked(self, n_inputs: int) -> list[str]:
        """The templates; the first that cannot be understood is refused with its place."""
        from rosenblatt.io.sentence_layout import input_names
        from rosenblatt.structured.templates import TemplateError, Templates

        columns = input_names(n_inputs)
        for text, (line, column) in zip(self.texts, self._places, strict=True):
            try:
                Templates([text], columns)
            except TemplateError as error:
                raise self._placed(error, line, column) from None
        return self.texts

    def _placed(self, error: TemplateError, line: int, column: int) -> ParameterError:
        if self.path is None:
            hint = "" if "[" in error.text else " Nor is there a file of this name."
            place = f"--templates: {error.text} at character {error.position}"
            return ParameterError(f"{place}: {error.reason}{hint}")
        place = f"{self.path}:{line}:{column + error.position - 1}"
        return ParameterError(f"{place}: {error.text}: {error.reason}")
