"""Files of every format that has landed are kept, and stay readable for good.

Those of format 5 are in ``format_5/``, and `persistence.format_5.write` wrote them. A new format
gets a folder beside it; the folders before it stay, with their tests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from persistence.families import FAMILIES
from persistence.forging import closed, opened, parsed
from persistence.format_5.cases import CASES
from persistence.format_5.write import EXPECTED, FOLDER, outcomes, path_of
from rosenblatt import load, save
from rosenblatt.estimators.catalogue import entries
from rosenblatt.persistence import file as model_file
from rosenblatt.persistence.card import FORMAT

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KEPT = json.loads(EXPECTED.read_text(encoding="utf-8"))
MAX_BYTES = 300_000


def test_all_that_is_kept_is_tested() -> None:
    files = {path.stem for path in FOLDER.glob("*.rbt")}
    assert files == set(CASES) == set(KEPT)
    assert sum(path_of(name).stat().st_size for name in CASES) < MAX_BYTES


@pytest.mark.parametrize("name", CASES)
def test_a_kept_file_predicts_and_learns_as_it_did(name: str) -> None:
    assert outcomes(CASES[name], path_of(name)) == KEPT[name]


@pytest.mark.parametrize(
    "name", [name for name in CASES if not isinstance(KEPT[name]["learned"], str)]
)
def test_a_kept_file_that_learned_on_is_saved_and_loaded_again(name: str, tmp_path: Path) -> None:
    learner = load(path_of(name))
    CASES[name].learn(learner)
    save(learner, tmp_path / "again.rbt")
    again = load(tmp_path / "again.rbt")
    save(again, tmp_path / "once more.rbt")
    assert again.t_ == learner.t_ == load(path_of(name)).t_ + 1
    assert (tmp_path / "once more.rbt").read_bytes() == (tmp_path / "again.rbt").read_bytes()


@pytest.mark.skipif(FORMAT != 5, reason="another format is written now")
@pytest.mark.parametrize("name", CASES)
def test_what_is_loaded_is_saved_to_the_same_bytes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field more or less, or another order, is a new format, with a number of its own."""
    before = path_of(name).read_bytes()
    card, arrays = opened(before)
    # The version says who wrote a file, and grows without a change of the format.
    monkeypatch.setattr(model_file, "__version__", card["version"])
    learner = load(path_of(name))
    save(learner, tmp_path / "again.rbt")
    after = (tmp_path / "again.rbt").read_bytes()
    younger = opened(after)[0]["parameters"].keys() - card["parameters"].keys()
    if younger:
        assert without(younger, after, type(learner).options()) == closed(card, arrays)
    else:
        assert after == before


def without(younger: set[str], data: bytes, options: dict[str, Any]) -> bytes:
    """The file without parameters that its learner got later, which have their defaults."""
    card, arrays = opened(data)
    for name in younger:
        assert card["parameters"].pop(name) == options[name].default
    return closed(card, arrays)


def test_every_learner_is_kept() -> None:
    """Of ours; those of other packages have formats of their own."""
    ours = (entry for entry in entries() if entry.module.startswith("rosenblatt."))
    saved = {entry.class_name for entry in ours if entry.is_saved}
    assert {kept["learner"] for kept in KEPT.values()} == saved


@pytest.mark.parametrize("family", FAMILIES)
def test_every_array_of_a_layout_is_kept_in_some_file(family: str) -> None:
    states = [parsed(path_of(name).read_bytes()) for name in CASES]
    found = {name for state in states if state.family == family for name in state.arrays}
    layout = next(entries(family)).load().file_layout()
    assert found == {array.name for array in layout.arrays}
