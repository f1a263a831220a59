"""The examples run as they stand and show what they promise.

Those that use real data run on them where the folder is there, and always without it.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from waiting import PATIENCE

import rosenblatt

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
DATA = Path(os.environ.get("ROSENBLATT_DATA", ROOT.parent / "shared" / "data"))


def sources(file: str) -> list[object]:
    """Without the data, and with them where they are."""
    missing = pytest.mark.skipif(not (DATA / file).exists(), reason=f"{file} is not there")
    return [pytest.param(False, id="made"), pytest.param(True, id="real", marks=missing)]


def output_of(name: str, tmp_path: Path, *, with_data: bool = False) -> str:
    """What an example prints, run elsewhere, with warnings as errors."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(rosenblatt.__file__).parents[1]),
        "PYTHONIOENCODING": "utf-8",
        "ROSENBLATT_DATA": str(DATA if with_data else tmp_path),
    }
    run = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    assert not list(tmp_path.iterdir()), "an example leaves no files behind"
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("with_data", sources("sms_spam/SMSSpamCollection.gz"))
def test_the_spam_stream_is_learned_better_than_saying_ham(tmp_path: Path, with_data: bool) -> None:
    """L1.4, L1.12."""
    shown = output_of("spam_stream.py", tmp_path, with_data=with_data)
    assert ("simulated" in shown) != with_data
    rows = [
        list(map(int, line.split())) for line in shown.splitlines() if re.match(r"[\d ]+$", line)
    ]
    seen = [row[0] for row in rows]
    assert seen[:-1] == [2**k for k in range(len(seen) - 1)]
    _, always_ham, *learners = rows[-1]
    assert len(learners) == 3
    assert max(learners) < always_ham
    assert learners[1] < learners[0], "the average makes fewer mistakes than the last weights"
    for earlier, later in pairwise(rows):
        assert all(m <= n for m, n in zip(earlier, later, strict=True)), "mistakes add up"


@pytest.mark.slow
@pytest.mark.parametrize("with_data", sources("elec2/elec.csv.gz"))
def test_electricity_is_foreseen_better_than_by_yesterday(tmp_path: Path, with_data: bool) -> None:
    """L1.12."""
    shown = output_of("electricity.py", tmp_path, with_data=with_data)
    assert ("simulated" in shown) != with_data
    errors = {
        match[1]: float(match[2])
        for match in re.finditer(r"^ *(\S.*?)  .*\| +([\d.]+)%", shown, re.M)
    }
    assert len(errors) == 7
    for name in ("Soft, eta0=0.3", "PA-I, C=0.1"):
        assert errors[name] < min(errors["as yesterday"], errors["Perceptron"])
    assert errors["Perceptron"] < errors["Averaged"], "the stream drifts"


def columns_of(shown: str) -> dict[str, list[float]]:
    """The table that an example prints, by the names in its first line after the empty one."""
    head, *rows = shown.split("\n\n")[1].splitlines()
    names = re.split(r"  +", head.strip())
    values = [[float(cell.rstrip("%")) for cell in row.split()] for row in rows]
    return dict(zip(names, map(list, zip(*values, strict=True)), strict=True))


@pytest.mark.slow
def test_recommended_films_are_watched_more_often_the_longer_it_learns(tmp_path: Path) -> None:
    """L1.12: against what is popular, and against what a simulation that knows all can reach."""
    found = columns_of(output_of("film_recommendation.py", tmp_path))
    learned, best = found["learned"], found["best possible"]
    assert learned[-1] > learned[0] + 5
    for k in range(4):
        assert found["at random"][k] < found["most popular"][k] < learned[k] < best[k]
    assert learned[-1] > 0.8 * best[-1]


@pytest.mark.slow
def test_in_a_new_market_it_is_best_to_go_on_learning(tmp_path: Path) -> None:
    """L1.12: what was learned elsewhere helps at first; who stops learning is overtaken."""
    found = columns_of(output_of("new_market.py", tmp_path))
    assert len(found["goes on"]) == 4
    assert found["goes on"][0] > max(found["from nothing"][0], found["as it was"][0])
    assert found["from nothing"][0] < found["as it was"][0]
    for k in range(1, 4):
        learners = found["from nothing"][k], found["goes on"][k]
        assert found["at random"][k] < found["as it was"][k] < min(learners)
        assert max(learners) < found["best possible"][k]


@pytest.mark.slow
def test_the_mistakes_add_up_to_the_difference_of_the_scores(tmp_path: Path) -> None:
    """L1.9."""
    shown = output_of("digits_by_mistakes.py", tmp_path)
    difference = re.search(r"minus score of \d: (\S+)", shown)
    total = re.search(r"sum over \d+ training pictures: (\S+)", shown)
    assert difference
    assert total
    assert float(difference[1]) == float(total[1]) > 0
    spoken = [float(number) for number in re.findall(r"a \d: ([+-]\d+)", shown)]
    assert [number > 0 for number in spoken] == [True] * 3 + [False] * 3


def test_every_example_is_short_and_says_how_to_run_it() -> None:
    for file in EXAMPLES.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 100, file
        assert f"python examples/{file.name}" in (ast.get_docstring(ast.parse(text)) or ""), file
