"""Rows that cannot be read: raise an error, skip and count them, or write them to a file."""

from __future__ import annotations

import json
import os
from typing import TextIO

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import DataError, Message, ParameterError
from rosenblatt.plurals import count
from rosenblatt.tables.readers.fault_messages import SkippedRows, notice
from rosenblatt.tables.readers.sources import Source

REMEMBERED = 5  # first errors that are stored
WAYS = ("fail", "skip", "blank")
REJECTS = "rejects="


class BadRows:
    """Handler of bad rows, as set by ``on_bad``: counts them and stores the first errors.

    ``on_bad`` is ``"fail"``, ``"skip"``, or ``"rejects=FILE"``, which writes each bad row to FILE
    as a line of JSON with its location, the reason and the original text. ``"blank"`` also skips;
    `rosenblatt predict` writes an empty prediction for such a row.
    """

    def __init__(self, on_bad: str, sources: list[Source]) -> None:
        self.count = 0
        self.first: list[DataError] = []
        self.stops = on_bad == "fail"
        self._path: str | None = None
        self._file: TextIO | None = None
        if isinstance(on_bad, str) and on_bad.startswith(REJECTS):
            self._path = on_bad.removeprefix(REJECTS)

        is_known = self._path != "" if self._path is not None else on_bad in WAYS
        if not is_known:
            ways = one_of([*WAYS, "rejects=FILE"])
            allowed = Message(ways, ", which puts bad rows into FILE")
            raise refusal("on_bad", on_bad, allowed, verdict="is not known")
        if self._path is not None:
            _refuse_to_overwrite(self._path, sources)

    def handle(self, error: DataError, row: bytes) -> None:
        """Raise the error of a bad row, or skip the row."""
        if self.stops:
            raise error
        self.count += 1
        if len(self.first) < REMEMBERED:
            self.first.append(error)
        if self._path is not None:
            self._write(self._path, error, row)

    def _write(self, path: str, error: DataError, row: bytes) -> None:
        if self._file is None:
            self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115
        reject = {
            "file": error.name,
            "line": error.line,
            "column": error.column,
            "reason": error.message,
            "text": row.decode("utf-8", "surrogateescape"),
        }
        json.dump(reject, self._file)
        self._file.write("\n")

    def restart(self) -> None:
        """Discard all bad rows, also those in the file of rejects, before files are read again."""
        self.count = 0
        self.first = []
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()

    def close(self) -> None:
        """Close the file of rejects; create it, empty, if no row was rejected."""
        if self._path is not None and self._file is None:
            self._file = open(self._path, "w", encoding="utf-8")  # noqa: SIM115
        if self._file is not None:
            self._file.close()
            self._file = None
            self._path = None

    def warn(self, n_read: int, unit: str) -> None:
        """Warn about skipped rows, if there are any; `unit` is the noun, such as "sentence"."""
        if self.count == 0:
            return
        first = str(self.first[0]).splitlines()[0]
        skipped = f"{count(self.count, unit)} skipped, {n_read:,} read; the first: {first}"
        notice(SkippedRows, skipped)


def _refuse_to_overwrite(path: str, sources: list[Source]) -> None:
    """Raise ParameterError if the file of rejects is one of the input files."""
    if not os.path.exists(path):
        return
    for source in sources:
        if source.is_file(os.stat(path)):
            raise ParameterError(
                f"{path} is the file to be read",
                where="on_bad",
                cures="name another file for the rejects",
            )
