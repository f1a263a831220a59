"""The table of frozen outcomes: case, attribute, value.

    PYTHONPATH=tests python -m frozen.table            writes all of it anew
    PYTHONPATH=tests python -m frozen.table fit/mira   only the cases whose name holds this text

A commit that writes values anew explains which of them changed, and why that is an improvement.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from frozen import kernel_cases, linear_cases, shell_cases, structured_cases

FILE = Path(__file__).with_name("outcomes.json")

CASES: dict[str, Callable[[Path], dict[str, Any]]] = {}
for _module in (linear_cases, kernel_cases, structured_cases, shell_cases):
    for _name, _case in _module.cases():
        assert _name not in CASES, _name
        CASES[_name] = _case


def frozen() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def outcome_of(name: str, folder: Path) -> dict[str, Any]:
    """Of one case, as it is today and as JSON would bring it back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most runs end at max_iter, as they are meant to
        found: dict[str, Any] = json.loads(json.dumps(CASES[name](folder)))
    return found


def main(part: str = "") -> None:
    before = frozen() if part else {}
    table = {}
    for name in CASES:
        if part in name:
            with TemporaryDirectory() as folder:
                table[name] = outcome_of(name, Path(folder))
        else:
            table[name] = before[name]
    FILE.write_text(_text(table), encoding="utf-8")


def _text(table: dict[str, dict[str, Any]]) -> str:
    """JSON with an attribute a line, so that a change of one shows as one."""
    parts = []
    for name, outcome in table.items():
        lines = (f"  {_json(attribute)}: {_json(value)}" for attribute, value in outcome.items())
        parts.append(f" {_json(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
