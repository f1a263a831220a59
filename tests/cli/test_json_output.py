"""Words in what is printed for programs mean the same for every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import PETS, run, trained, written

MANY_CATS = PETS.replace("lawn,dog", "lawn,cat")


@pytest.mark.parametrize(
    ("data", "label", "accuracy"),
    [(MANY_CATS, "cat", 4 / 6), (PETS, "cat", 3 / 6), ("a,y\n0,7\n1,5\n3,5\n", 5, 2 / 3)],
    ids=["text", "equal", "number"],
)
def test_the_baseline_is_the_same_object_wherever_it_stands(
    tmp_path: Path, data: str, label: str | int, accuracy: float
) -> None:
    model, file = trained(tmp_path, data=data), written(tmp_path, "rows.csv", data)
    expected = {"label": label, "accuracy": accuracy}
    for command in (("check", file), ("evaluate", model, file), ("stream", file)):
        assert run(*command, "--json").json["baseline"] == expected, command
