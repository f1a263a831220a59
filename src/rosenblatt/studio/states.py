"""The state of a page: what is learned from, by which learners, in which order.

It is what the address of the page holds, so every field may be missing or mistyped; `complete`
fills in and checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.studio import fields
from rosenblatt.studio.controls import complete_learner
from rosenblatt.studio.presets import PRESETS

MAPS = ("none", "product", "quadratic")
VIEWS = ("plane", "weights", "lift", "mistakes", "table")
# What the columns are called where nothing else is said.
COLUMNS = ("x", "y")
MAX_ROWS = 10_000
MAX_LEARNERS = 4
MAX_EPOCHS = 10_000
# Every so many-th point may be held out: learned from never, and only looked at for errors.
MAX_HELD = 10
# More examples than this are a matter of seconds, and no page shows them one by one.
MAX_EXAMPLES = 1_000_000
LONGEST_NAME = 200


@dataclass(frozen=True)
class PageState:
    """A state with every field filled in and checked; ``data`` as it was given."""

    data: dict[str, Any]
    map: str
    learners: list[dict[str, Any]]
    order: str
    seed: int
    epochs: int
    held: int
    at: int
    view: str

    def to_json(self) -> dict[str, Any]:
        return {"v": 1, **vars(self)}

    @property
    def columns(self) -> list[str]:
        return list(self.data.get("columns", COLUMNS))

    @property
    def rows(self) -> list[list[Any]]:
        """Two numbers and a class each."""
        if "preset" in self.data:
            return PRESETS[self.data["preset"]].rows()
        rows: list[list[Any]] = self.data["rows"]
        return rows


def complete(given: Any) -> PageState:
    """A state with its gaps filled; an error names the first field that cannot be."""
    asked = fields.mapping("state", given)
    fields.refuse_unknown("state", asked, "v", *PageState.__dataclass_fields__)
    if asked.get("v", 1) != 1:
        raise ParameterError(
            f"v is {fields.shown(asked['v'])}: this studio knows version 1 of its state."
        )
    data = complete_data(asked.get("data", {"preset": "six"}))
    own = PRESETS[data["preset"]].learners if "preset" in data else [{"kind": "perceptron"}]
    listed = own if asked.get("learners") is None else asked["learners"]
    learners = fields.sequence("learners", listed, of="learners", least=1, most=MAX_LEARNERS)
    state = PageState(
        data=data,
        map=fields.choice("map", asked.get("map", "none"), *MAPS),
        learners=[complete_learner(f"Learner {i + 1}", one) for i, one in enumerate(learners)],
        order=fields.choice("order", asked.get("order", "given"), "given", "shuffled"),
        seed=fields.whole("seed", asked.get("seed", 0), at_least=0, at_most=2**32 - 1),
        epochs=fields.whole("epochs", asked.get("epochs", 100), at_least=1, at_most=MAX_EPOCHS),
        held=fields.whole("held", asked.get("held", 0), at_least=0, at_most=MAX_HELD),
        at=fields.whole("at", asked.get("at", 0), at_least=0, at_most=10**9),
        view=fields.choice("view", asked.get("view", "plane"), *VIEWS),
    )
    _refuse_long_runs(state)
    return state


def complete_data(given: Any) -> dict[str, Any]:
    """A preset by name, or columns and rows."""
    data = fields.mapping("data", given)
    if "preset" in data:
        fields.refuse_unknown("data", data, "preset")
        return {"preset": fields.choice("data.preset", data["preset"], *PRESETS)}
    fields.refuse_unknown("data", data, "columns", "rows")
    named = data.get("columns", COLUMNS)
    columns = fields.sequence("data.columns", named, of="names", least=2, most=2)
    rows = fields.sequence("data.rows", data.get("rows", []), of="rows", most=MAX_ROWS)
    if not rows:
        raise ParameterError("data.rows is empty: add a point, or choose a preset.")
    checked = [_row(f"Point {i + 1}", row) for i, row in enumerate(rows)]
    n_classes = len({row[2] for row in checked})
    if n_classes > fields.MOST_CLASSES:
        raise ParameterError(
            f"data.rows has {n_classes:,} classes, the last entries of the rows: give at most "
            f"{fields.MOST_CLASSES}."
        )
    places = ((f"data.columns[{i}]", name) for i, name in enumerate(columns))
    names = [fields.text(place, name, most=LONGEST_NAME) for place, name in places]
    return {"columns": names, "rows": checked}


def _row(name: str, given: Any) -> list[Any]:
    x, y, label = fields.sequence(name, given, of="entries (x, y and a class)", least=3, most=3)
    point = [fields.coordinate(f"{name}: x", x), fields.coordinate(f"{name}: y", y)]
    return [*point, fields.text(f"{name}: the class", label, most=LONGEST_NAME)]


def _refuse_long_runs(state: PageState) -> None:
    n_rows = len(state.rows)
    if n_rows * state.epochs > MAX_EXAMPLES:
        raise ParameterError(
            f"epochs is {state.epochs:,}: for {n_rows:,} points give at most "
            f"{MAX_EXAMPLES // n_rows:,}."
        )
