"""Predictions as text: bare labels, CSV, TSV or JSON lines, one for each input row."""

from __future__ import annotations

import csv
import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.terminal import (
    CONTROL,
    as_json,
    escape_controls,
    escape_in_json,
)
from rosenblatt.tables.readers.formats import listed, named, names_of

if TYPE_CHECKING:
    from rosenblatt.tables.readers.row_texts import RowText

# Formats of predictions with columns; "labels" is one label per line.
TABULAR = tuple(named(name) for name in ("csv", "tsv", "jsonl"))
FORMATS = ("labels", *names_of(TABULAR))
# All characters at which `str.splitlines` ends a line.
LINE_ENDS = tuple("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def format_for(out: str | None, said: str | None, *, json: bool, columns: bool) -> str:
    """Return the format of predictions: as requested, by the suffix of ``out``, or the default."""
    if said == "labels" and columns:
        raise click.UsageError(f"--format-out labels has no columns; take {listed(TABULAR)}.")
    if json and said not in (None, "jsonl"):
        raise click.UsageError(f"--json prints JSON lines; leave it or --format-out {said} out.")
    if said is not None or json:
        return said or "jsonl"
    for found in TABULAR:
        if out is not None and out.endswith(tuple(f".{suffix}" for suffix in found.suffixes)):
            return found.name
    return "csv" if columns else "labels"


def bare_label(label: object, *, on_terminal: bool) -> str:
    """Return a label as one line of text, as a JSON string where that is needed.

    A label that would take several lines, or that begins with a quotation mark, is written as a
    JSON string; so is one with any other control character on a terminal. Every line is then either
    the label itself or, if it begins with a quotation mark, JSON that gives the label again.
    """
    text = str(label)
    breaks = len(text.splitlines()) > 1 or text.endswith(LINE_ENDS)
    if breaks or text.startswith('"') or (on_terminal and CONTROL.search(text)):
        return escape_in_json(json.dumps(text, ensure_ascii=False))
    return text


@dataclass
class PredictionFormat:
    """Output format of predictions: the kind of file, its columns and their order.

    ``by_class`` names the numbers that are written for every class, such as scores; a format with
    columns has at most one of them. ``id_column`` or all ``columns`` of the input come before the
    prediction. In CSV and TSV a row is a record: a field with a line break is quoted, and reads
    back unchanged; on a terminal it is escaped instead, so that every row is one line.
    """

    kind: str
    classes: list[str]
    by_class: list[str]
    id_column: str | None = None
    columns: Sequence[str] = ()
    on_terminal: bool = False
    _lines: dict[Any, str] = field(default_factory=dict)  # output line of each label

    def head(self) -> str:
        """Return the header line; an empty string if the format has none."""
        if self.kind not in ("csv", "tsv"):
            return ""
        taken = list(self.columns)
        for name in ("label", *(self.classes if self.by_class else ())):
            while name in taken:
                name = f"predicted_{name}"
            taken.append(name)
        return self._delimited([taken])

    def lines(
        self, rows: Iterable[RowText], labels: Sequence[Hashable], by_class: Sequence[Any]
    ) -> str:
        """Return the rows as lines; ``by_class`` has the scores or probabilities of each row."""
        if self.kind == "jsonl":
            return "".join(self._json(row, labels, by_class) + "\n" for row in rows)
        if self.kind == "labels":
            return "".join("\n" if r.number is None else self._line(labels[r.number]) for r in rows)
        return self._delimited(self._fields(row, labels, by_class) for row in rows)

    def _line(self, label: Hashable) -> str:
        line = self._lines.get(label)
        if line is None:
            line = self._lines[label] = bare_label(label, on_terminal=self.on_terminal) + "\n"
        return line

    def _fields(
        self, row: RowText, labels: Sequence[Hashable], by_class: Sequence[Any]
    ) -> list[object]:
        fields = [_cell(row.record.get(name)) for name in self.columns]
        if row.number is None:
            return [*fields, "", *([""] * len(self.classes) if self.by_class else [])]
        numbers = by_class[row.number]
        return [*fields, labels[row.number], *(numbers[0] if numbers else ())]

    def _json(self, row: RowText, labels: Sequence[Hashable], by_class: Sequence[Any]) -> str:
        facts: dict[str, object] = {"line": row.line}
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

    def _delimited(self, rows: Iterable[Sequence[object]]) -> str:
        if self.on_terminal:
            rows = ([_shown(value) for value in row] for row in rows)
        lines: list[str] = []
        # csv quotes fields that contain a character of its line end: with this one also those with
        # a carriage return, which at the end of a line would be taken for a part of the line end.
        end = "\r\n"
        sink = SimpleNamespace(write=lambda line: lines.append(line.removesuffix(end) + "\n"))
        delimiter = "\t" if self.kind == "tsv" else ","
        csv.writer(sink, delimiter=delimiter, lineterminator=end).writerows(rows)
        return "".join(lines)


def _shown(value: object) -> object:
    return escape_controls(value) if isinstance(value, str) else value


def _cell(value: object) -> object:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else value
