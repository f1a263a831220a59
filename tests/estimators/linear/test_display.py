"""What a learner shows: in a notebook, and while it trains."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Perceptron, SequenceTagger, SoftPerceptron
from rosenblatt.estimators.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


X = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]])
y = np.array([-1, 1, 1, -1, -1, 1])


def test_html_tells_mistakes_reason_and_weights_by_name() -> None:
    frame = pd.DataFrame(X, columns=["height", "width"])
    html = Perceptron(shuffle=False).fit(frame, y)._repr_html_()
    assert "mistakes in " in html
    assert "an epoch without a mistake: the last weights separate the training rows" in html
    assert re.search(r"height&nbsp;\+\d", html)
    assert re.findall("<th scope=col[^>]*>([^<]*)<", html) == ["class", "features", "bias"]
    assert "<svg" in html


def test_html_shows_labels_and_names_as_text_never_as_markup() -> None:
    frame = pd.DataFrame(X, columns=["<i>a</i>", "b"])
    html = Perceptron().fit(frame, np.where(y > 0, "<script>yes", "no"))._summary_html()
    assert "<script>" not in html
    assert "<i>a" not in html
    assert "no against &lt;script&gt;yes" in html


def test_html_of_many_classes_says_how_many_are_not_shown() -> None:
    learner = SoftPerceptron().partial_fit(np.eye(20), np.arange(20))
    assert "8 more classes not shown" in learner._repr_html_()


def test_html_works_before_fit_and_in_a_stream() -> None:
    assert "mistakes in" not in Perceptron()._repr_html_()
    learner = Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")
    html = learner._repr_mimebundle_()["text/html"]
    assert " in 2 examples" in html


def test_quiet_learners_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Perceptron().fit(X, y)
    assert capsys.readouterr() == ("", "")


def test_verbose_prints_plain_lines_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    learner = Perceptron(verbose=1, shuffle=False).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == f"Perceptron: epoch 1, {learner.mistakes_per_epoch_[0]} mistakes"
    assert lines[-1] == f"Perceptron: epoch {learner.n_iter_}, 0 mistakes"


def test_plain_lines_do_not_flood_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(1, 1000, "x") as told:
        assert told is not None
        for epoch in range(1, 1001):
            told(epoch, 5, None)
    assert len(capsys.readouterr().err.splitlines()) <= 5


def test_verbose_tells_the_score_on_what_is_held_out(capsys: pytest.CaptureFixture[str]) -> None:
    tagger = SequenceTagger(verbose=1).fit([["a", "b"]], [["A", "B"]], ([["a", "b"]], [["A", "X"]]))
    assert tagger.validation_scores_[1] == 0.5
    second = capsys.readouterr().err.splitlines()[1]
    assert second == "SequenceTagger: epoch 2, 1 mistake, 50.00% right on those held out"


def test_verbose_overwrites_one_line_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    learner = Perceptron(verbose=1, shuffle=False, max_iter=50).fit(X, y)
    text = screen.getvalue()
    last = f"\rPerceptron: epoch {learner.n_iter_} of at most 50, 0 mistakes"
    assert text.startswith("\rPerceptron: epoch 1 of at most 50, ")
    assert text.rstrip(" \n").endswith(last)
    assert (text.count("\n"), text[-1]) == (1, "\n")
