"""Rows that cannot be read: counted, remembered, put aside, or the end of reading."""

from __future__ import annotations

import json
import os
from typing import TextIO

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import DataError, Message, ParameterError
from rosenblatt.plurals import count
from rosenblatt.tables.readers.fault_messages import SkippedRows, notice
from rosenblatt.tables.readers.sources import Source

REMEMBERED = 5


class BadRows:
    """Counts the rows skipped and remembers the first faults.

    ``on_bad`` is ``"fail"``, ``"skip"``, or ``"rejects=FILE"``, which puts each bad row into FILE
    as a line of JSON with its place, the reason and the text as it stood. ``"blank"`` skips as
    well; who predicts has an empty prediction for such a row.
    """

    def __init__(self, on_bad: str, sources: list[Source]) -> None:
        self.count = 0
        self.first: list[DataError] = []
        self.stops = on_bad == "fail"
        self._path: str | None = None
        self._file: TextIO | None = None
        if isinstance(on_bad, str) and on_bad.startswith("rejects="):
            self._path = on_bad.removeprefix("rejects=")
        if self._path == "" or (self._path is None and on_bad not in ("fail", "skip", "blank")):
            ways = Message(
                one_of(["fail", "skip", "blank", "rejects=FILE"]), ", which puts bad rows into FILE"
            )
            raise refusal("on_bad", on_bad, ways, verdict="is not known")
        if self._path is not None:
            self._refuse_to_overwrite(sources)

    def _refuse_to_overwrite(self, sources: list[Source]) -> None:
        assert self._path is not None
        if not os.path.exists(self._path):
            return
        for source in sources:
            if source.is_file(os.stat(self._path)):
                raise ParameterError(
                    f"{self._path} is the file to be read",
                    where="on_bad",
                    cures="name another file for the rejects",
                )

    def meet(self, error: DataError, row: bytes) -> None:
        if self.stops:
            raise error
        self.count += 1
        if len(self.first) < REMEMBERED:
            self.first.append(error)
        if self._path is None:
            return
        if self._file is None:
            self._file = open(self._path, "w", encoding="utf-8")  # noqa: SIM115
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
        """Forget all bad rows, as the files are read once more from their beginning."""
        self.count = 0
        self.first = []
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()

    def close(self) -> None:
        """Finish the file of rejects; it is there, if empty, even when nothing was rejected."""
        if self._path is not None and self._file is None:
            self._file = open(self._path, "w", encoding="utf-8")  # noqa: SIM115
        if self._file is not None:
            self._file.close()
            self._file = self._path = None

    def tell(self, read: int, unit: str) -> None:
        """Warn of the rows, or whatever the unit is, that were skipped."""
        if self.count:
            first = str(self.first[0]).splitlines()[0]
            skipped = f"{count(self.count, unit)} skipped, {read:,} read; the first: {first}"
            notice(SkippedRows, skipped)
