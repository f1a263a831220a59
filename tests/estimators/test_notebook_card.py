"""What a notebook shows of a learner."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.estimators.notebook_card import TOP_CLASSES, TOP_WEIGHTS, sparkline, top_weights


class Strict(HTMLParser):
    """Refuses tags that are not closed in order, and text between the rows of a table."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "input":  # of scikit-learn's diagram, which never ends
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("table", "thead", "tbody", "tr"):
            assert not data.strip(), data


@pytest.mark.parametrize("learner", [Perceptron(), KernelPerceptron()], ids=["linear", "kernel"])
@pytest.mark.parametrize("n_classes", [2, 3, 40])
def test_it_is_sound_html(learner: Perceptron, n_classes: int) -> None:
    X = np.random.default_rng(0).standard_normal((80, 4))
    learner.partial_fit(X, [f"<b>{k % n_classes}" for k in range(80)])
    parser = Strict()
    parser.feed(learner._repr_html_())
    assert not parser.open


@pytest.mark.parametrize("n", [1, 59, 60, 61, 1000])
def test_a_long_run_is_drawn_by_the_worst_of_each_stretch(n: int) -> None:
    counts = np.random.default_rng(n).integers(1, 100, n)
    counts[-1] = 100
    heights = [float(h) for h in re.findall(r'height="([\d.]+)"/>', sparkline(counts.tolist()))]
    assert 30 < len(heights) <= 60 or len(heights) == n
    stretches = np.split(counts, np.arange(-(-n // 60), n, -(-n // 60)))
    expected = [36 * part.max() / 100 for part in stretches]
    np.testing.assert_allclose(heights, expected, atol=0.06)


def test_the_largest_weights_are_named_and_the_others_counted() -> None:
    weights = np.arange(TOP_WEIGHTS + 2.0)
    names = [f"<{j}>" for j in range(len(weights))]
    assert top_weights(weights, names).startswith(f"&lt;{TOP_WEIGHTS + 1}&gt;&nbsp;+")
    assert top_weights(weights, names).endswith(" and 1 more")
    assert top_weights(np.array([0.0, -2.5]), None) == "x[1]&nbsp;-2.5"
    assert top_weights(np.zeros(2), None) == "none yet"


@pytest.mark.parametrize(("n_classes", "left_out"), [(3, 0), (40, 40 - TOP_CLASSES)])
def test_classes_that_are_not_shown_are_counted(n_classes: int, left_out: int) -> None:
    X = np.random.default_rng(0).standard_normal((80, 4))
    shown = Perceptron().partial_fit(X, np.arange(80) % n_classes)._repr_html_()
    assert ("more classes" in shown) == (left_out > 0)
    assert f"<p>{left_out} more classes not shown.</p>" in shown or not left_out
