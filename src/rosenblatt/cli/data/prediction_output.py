"""Predictions as text: bare labels, CSV, TSV or JSON lines, one for each row that came in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.terminal import as_json

if TYPE_CHECKING:
    from rosenblatt.io.row_texts import RowText

FORMATS = ("labels", "csv", "tsv", "jsonl")
ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def format_for(out: str | None, said: str | None, *, json: bool, columns: bool) -> str:
    """The format of predictions: as said, by the ending of the file, or the plainest that does."""
    if said == "labels" and columns:
        raise click.UsageError("--format-out labels has no columns; take csv, tsv or jsonl.")
    if json and said not in (None, "jsonl"):
        raise click.UsageError(f"--json prints JSON lines; leave it or --format-out {said} out.")
    if said is not None or json:
        return said or "jsonl"
    by_ending = [kind for ending, kind in ENDINGS.items() if out and out.endswith(ending)]
    return by_ending[0] if by_ending else "csv" if columns else "labels"


@dataclass
class PredictionFormat:
    """How predictions are written: with which columns, in which order.

    ``by_class`` names what each row has a number of for every class, at most one of them if the
    format has columns. ``id_column`` or all ``columns`` of the input stand before the prediction.
    """

    kind: str
    classes: list[str]
    by_class: list[str]
    id_column: str | None = None
    columns: Sequence[str] = ()

    def head(self) -> str:
        """What stands before the first prediction."""
        if self.kind not in ("csv", "tsv"):
            return ""
        taken = list(self.columns)
        for name in ("label", *(self.classes if self.by_class else ())):
            while name in taken:
                name = f"predicted_{name}"
            taken.append(name)
        return self._delimited([taken])

    def lines(self, rows: Iterable[RowText], labels: Sequence[Any], by_class: Sequence[Any]) -> str:
        """A line for each row; ``by_class`` has for each a list of numbers of every kind."""
        if self.kind == "jsonl":
            return "".join(self._json(row, labels, by_class) + "\n" for row in rows)
        if self.kind == "labels":
            return "".join(f"{'' if r.number is None else labels[r.number]}\n" for r in rows)
        return self._delimited(self._fields(row, labels, by_class) for row in rows)

    def _fields(self, row: RowText, labels: Sequence[Any], by_class: Sequence[Any]) -> list[Any]:
        fields = [_cell(row.record.get(name)) for name in self.columns]
        if row.number is None:
            return [*fields, "", *([""] * len(self.classes) if self.by_class else [])]
        numbers = by_class[row.number]
        return [*fields, labels[row.number], *(numbers[0] if numbers else ())]

    def _json(self, row: RowText, labels: Sequence[Any], by_class: Sequence[Any]) -> str:
        facts: dict[str, Any] = {"line": row.line}
        if self.id_column is not None:
            facts["id"] = row.record.get(self.id_column)
        if self.columns and self.id_column is None:
            facts["input"] = row.record
        if row.number is None:
            return as_json({**facts, "label": None, "error": str(row.error).splitlines()[0]})
        facts["label"] = labels[row.number]
        for name, numbers in zip(self.by_class, by_class[row.number], strict=True):
            facts[name] = dict(zip(self.classes, numbers, strict=True))
        return as_json(facts)

    def _delimited(self, rows: Iterable[list[Any]]) -> str:
        text = io.StringIO()
        delimiter = "\t" if self.kind == "tsv" else ","
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return text.getvalue()


def _cell(value: Any) -> Any:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else value
