"""rosenblatt check: what is to be known of data before anything is learned from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.findings import (
    SHOWN,
    row_findings,
    row_keys,
    small_verdict,
    sparse_findings,
    table_findings,
)
from rosenblatt.cli.data.models import notices
from rosenblatt.cli.data.reading import DATA, TABLES, Reading, named, reading_options
from rosenblatt.cli.data.training_data import guessed, refuse_one_class
from rosenblatt.cli.data.training_report import LONGEST_LABEL, counted_classes
from rosenblatt.cli.frame.json_output import baseline, say_json
from rosenblatt.cli.frame.options import Command, use_one_thread
from rosenblatt.cli.frame.terminal import cut, say

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = ["command"]


@click.command(
    cls=Command,
    name="check",
    epilog="\b\nExamples:\n  rosenblatt check iris.csv --target species\n"
    "  rosenblatt check mail.tsv --format text --json\n\n"
    "Exit codes: 0 can be learned from, 1 nothing to learn, 2 usage, 3 bad data.",
)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@reading_options
def command(data: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Look at DATA before training: what the columns are, and what will get in the way.

    Counts classes, gaps, constant and repeated columns, repeated rows and rows that contradict
    each other; small data are also asked whether a hyperplane separates them.
    """
    with notices(quiet):
        use_one_thread()
        found = checked(Reading(**options), data)
    if as_json:
        say_json(found)
    else:
        say(_report(found))
    return 1 if found["errors"] else 0


def checked(reading: Reading, paths: Sequence[str]) -> dict[str, Any]:
    """Everything the command tells, as what becomes the JSON object."""
    kind = reading.format_of(paths)
    block = reading.reader(paths).whole()
    labels = block.labels.tolist()
    counts = Counter(labels)
    refuse_one_class(labels, named(paths), of_table=kind in TABLES)
    schema = guessed(reading, kind, block)
    found: dict[str, Any] = {
        "files": list(paths),
        "format": kind,
        "rows": len(labels),
        "target": getattr(block, "target", None),
        "classes": {str(label): counts[label] for label in sorted(counts)},
        "baseline": baseline(counts),
        "features": schema.n_features,
        "columns": _columns(schema),
        "told": schema.told(),
        **(
            table_findings(schema, block)
            if kind in TABLES
            else sparse_findings(kind, schema, block)
        ),
        **row_findings(row_keys(kind, block), labels, block.lines.tolist()),
        "separability": None,
    }
    found["errors"] = _errors(found)
    found["separability"] = small_verdict(schema, block, len(counts))
    return found


def _columns(schema: AnySchema) -> list[dict[str, str]]:
    columns = getattr(schema, "columns", [])
    return [{"name": c.name, "kind": c.kind, "about": c.told()} for c in columns]


def _errors(found: dict[str, Any]) -> list[str]:
    """What makes learning pointless."""
    errors = []
    used = [column["name"] for column in found["columns"] if column["kind"] != "ignored"]
    if used and set(used) <= set(found["constant"]):
        errors.append("every column has the same value in all rows: there is nothing to learn from")
    if 2 * len(found["classes"]) > found["rows"] > 10:
        errors.append(
            f"{len(found['classes']):,} classes in {found['rows']:,} rows: most labels occur once; "
            "is the right column the target? (--target)"
        )
    return errors


# ---------------------------------------------------------------------- for people


def _report(found: dict[str, Any]) -> list[str]:
    columns = len(found["columns"])
    what = f"{columns:,} column{'s' * (columns != 1)}, " if columns else ""
    said = [
        f"{', '.join(found['files'])}: {found['rows']:,} rows, {what}"
        f"{found['features']:,} features ({found['format']})",
        *(f"  {line}" for line in found["told"]),
        _classes(found),
        f"baseline: always {cut(str(found['baseline']['label']), LONGEST_LABEL)} is right in "
        f"{found['baseline']['accuracy']:.1%}",
        *(line if line.startswith(" ") else f"warning: {line}" for line in _warnings(found)),
        *(f"wrong: {line}" for line in found["errors"]),
    ]
    verdict = found["separability"]
    if verdict is not None:
        said.append(f"a hyperplane between the classes: {_verdict(verdict)}")
    else:
        said.append("a hyperplane between the classes: not asked; rosenblatt certify does")
    return said


def _verdict(verdict: dict[str, str]) -> str:
    words = {
        "separable": "there is one; training ends without a mistake",
        "not separable": "there is none; some mistakes always remain",
    }
    return words.get(verdict["verdict"], "could not be decided")


def _classes(found: dict[str, Any]) -> str:
    frequent_first = sorted(found["classes"].items(), key=lambda one: -one[1])
    return counted_classes(
        dict(frequent_first), "" if found["target"] is None else f" of {found['target']}"
    )


def _warnings(found: dict[str, Any]) -> list[str]:
    said = []
    if found["constant"]:
        said.append(f"the same value in all rows: {_listed(found['constant'])}")
    for names in found["repeated_columns"][:SHOWN]:
        said.append(f"columns that say the same: {_listed(names, ' = ')}")
    if len(found["repeated_columns"]) > SHOWN:
        said.append(f"and {len(found['repeated_columns']) - SHOWN:,} more columns said twice")
    if found["row_numbers"]:
        said.append(f"counts the rows, which says nothing: {_listed(found['row_numbers'])}")
    if found["missing"]:
        gaps = [f"{name} ({n:,})" for name, n in found["missing"].items()]
        said.append(f"numbers missing: {_listed(gaps)}; an extra feature marks them")
    for name, gaps in list(found["look_missing"].items())[:SHOWN]:
        marks = ", ".join(f"{text or 'nothing'} ({n:,})" for text, n in gaps.items())
        said.append(f"{name} has {marks}: it looks like a gap, but is a level like others")
    for name, n in list(found["levels_met_once"].items())[:SHOWN]:
        said.append(f"{name} has {n:,} level{'s' * (n != 1)} that occur{'s' * (n == 1)} once")
    if found["scales"]:
        small, large = found["scales"]["smallest"], found["scales"]["largest"]
        cure = "training scales them" if found["columns"] else "scale them"
        said.append(
            f"sizes far apart: {small['name']} ({small['size']:.3g}) and {large['name']} "
            f"({large['size']:.3g}); {cure}"
        )
    return said + _row_warnings(found)


def _row_warnings(found: dict[str, Any]) -> list[str]:
    said = []
    repeated, fights = found["repeated_rows"], found["conflicts"]
    if repeated["rows"]:
        lines = "; ".join(", ".join(map(str, lines)) for lines in repeated["first"][:3])
        rows = f"{repeated['rows']:,} row{'s' * (repeated['rows'] != 1)}"
        said.append(f"{rows} repeat an earlier one: lines {lines}")
    if fights["rows"]:
        said.append(
            f"{fights['rows']:,} rows are equal to one with another label; "
            f"{fights['never_right']:,} of them no model gets right:"
        )
        for group in fights["first"]:
            said.append("  " + ", ".join(f"line {one['line']}: {one['label']}" for one in group))
    return said


def _listed(names: list[str], between: str = ", ") -> str:
    shown = between.join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"
