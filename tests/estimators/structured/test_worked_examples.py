"""The examples of ranking and segmentation show what they say."""

from __future__ import annotations

import re
import runpy
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


class Weighed:
    """Weights without a learner."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random, self._known = random, {}

    @property
    def weights(self) -> Weighed:
        return self

    def __getitem__(self, feature: str) -> float:
        return self._known.setdefault(feature, self._random.normal())

    def of(self, features: dict[str, float]) -> float:
        return sum(self[feature] * value for feature, value in features.items())


def shown(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_an_order_is_learned_nearly_as_well_as_the_hidden_taste_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """L1.16."""
    row = re.compile(r"^(\S.*?) {2,}([\d.]+)% +([\d.]+)% +([\d.]+)%$", re.M)
    table = row.findall(shown("ranking.py", capsys))
    shares = {name: [float(share) for share in row] for name, *row in table}
    assert len(shares) == 7
    pairs = {name: row[0] for name, row in shares.items()}
    taste = pairs["the hidden taste"]
    for name in ("perceptron, averaged", "MIRA, cost = swapped pairs"):
        assert pairs["best rated first"] + 10 < pairs[name] <= taste + 1
        assert pairs[name] > taste - 1
    assert pairs["perceptron, last"] < pairs["perceptron, averaged"]


def test_words_are_found_better_than_by_the_longest_known_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """L1.16."""
    told = shown("segmentation.py", capsys)
    f1 = dict(re.findall(r"^(longest known word|structured perceptron) .* ([\d.]+)$", told, re.M))
    assert "separated" in told
    assert float(f1["longest known word"]) < 0.8
    assert float(f1["structured perceptron"]) > 0.9


@pytest.mark.parametrize("seed", range(20))
def test_sorting_finds_the_best_of_all_orders(seed: int) -> None:
    example = runpy.run_path(str(EXAMPLES / "ranking.py"))
    random = np.random.default_rng(seed)
    score, hotels = Weighed(random), random.normal(size=(5, 4))
    orders = list(permutations(range(5)))
    best = max(orders, key=lambda order: score.of(example["features"](hotels, order)))
    assert example["sort"](hotels, score) == best


@pytest.mark.parametrize("seed", range(20))
def test_dynamic_programming_finds_the_best_of_all_cuts(seed: int) -> None:
    space = runpy.run_path(str(EXAMPLES / "segmentation.py"))["Segmentation"]()
    score, text = Weighed(np.random.default_rng(seed)), "thecatsees"[: 4 + seed % 7]
    inner = range(1, len(text))
    answers = [
        tuple(text[a:b] for a, b in zip((0, *cut), (*cut, len(text)), strict=True))
        for k in range(len(text))
        for cut in combinations(inner, k)
    ]
    assert len(answers) == 2 ** (len(text) - 1)
    best = max(answers, key=lambda words: score.of(space.features(text, words)))
    assert space.argmax(text, score) == best
