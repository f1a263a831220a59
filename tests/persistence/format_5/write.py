"""The files of format 5, written once and kept for good.

    PYTHONPATH=tests python -m persistence.format_5.write    writes the files that are missing

A file that is there is never written again: it stands for those that users have. A case that is
added is written as long as this is the present format.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from frozen.outcomes import outcome, plain, shown

from persistence.format_5.cases import CASES, Case
from rosenblatt import load
from rosenblatt.errors import SlimModelError
from rosenblatt.persistence.card import FORMAT
from rosenblatt.persistence.file import write_learner

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected.json"


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.rbt"


def outcomes(case: Case, path: Path) -> dict[str, Any]:
    """What a learner says when it was loaded, and what else after one more example.

    Kernels go through a matrix product, so that margins and coefficients that a projection makes
    are not promised to the last bit.
    """
    learner = load(path)
    before = told(learner, case)
    found: dict[str, Any] = {"learner": type(learner).__name__, "loaded": before}
    try:
        case.learn(learner)
    except (SlimModelError, AttributeError) as error:  # slim, or a kernel that knows no new rows
        found["learned"] = type(error).__name__
    else:
        after = told(learner, case)
        found["learned"] = {
            name: value for name, value in after.items() if before.get(name) != value
        }
    as_kept: dict[str, Any] = json.loads(json.dumps(found))
    return as_kept


def told(learner: Any, case: Case) -> dict[str, Any]:
    answers = case.ask(learner)
    found = outcome(learner, plain(answers.pop("predict")))
    found |= {name: shown(values) for name, values in answers.items()}
    if hasattr(learner, "kernel"):
        for inexact in ("margin_ceiling_", "dual_coef_"):
            found.pop(inexact, None)
    return found


def main() -> None:
    if FORMAT != 5:
        raise SystemExit(f"files of format 5 cannot be written any more: this is format {FORMAT}.")
    warnings.simplefilter("ignore")  # most runs end at max_iter, as they are meant to
    expected = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    for name, case in CASES.items():
        if not path_of(name).exists():
            write_learner(case.build(), path_of(name), **case.saved_with)
        if name not in expected:
            expected[name] = outcomes(case, path_of(name))
    EXPECTED.write_text(_text(expected), encoding="utf-8")


def _text(expected: dict[str, dict[str, Any]]) -> str:
    """JSON with a line for each part of a case, so that a change of one shows as one."""
    cases = []
    for name, parts in expected.items():
        lines = [f"  {_json(part)}: {_json(value)}" for part, value in parts.items()]
        cases.append(f" {_json(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(cases) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
