"""Captions say what is so: of other learners, other bounds, other ends."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from rosenblatt import (
    Hyperplane,
    PassiveAggressive,
    Perceptron,
    SequenceTagger,
    VotedPerceptron,
    plot,
    theory,
)
from rosenblatt.errors import ParameterError
from rosenblatt.plot.mistakes import EpochCounts

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 2))
Y = (X @ [1.0, 2.0] > 0.3).astype(int)


def test_weights_that_not_only_mistakes_move_are_counted_by_updates():
    model = PassiveAggressive(record=True).fit(X, Y)
    assert len(model.ledger_) > model.n_mistakes_
    assert plot.vote(model).lives[0].moved_by == "update"
    assert "mistake" not in plot.vote(model).caption
    assert "mistake" not in plot.vote(model.ledger_).caption
    assert "mistake" in plot.vote(VotedPerceptron().fit(X, Y)).caption


def test_a_bound_that_is_exceeded_is_not_said_to_hold():
    study = theory.order_study(Perceptron(), X, Y, n_orders=3)
    bound = theory.mistake_bound(X, Y)
    assert "never more than the bound" in plot.orders(study, bound=bound).caption
    assert "more than R²/γ² = 1, which bounds a plain" in plot.orders(study, bound=1).caption
    model = Perceptron().fit(X, Y)
    assert "the bound R²/γ² is" in plot.mistakes(model, bound=bound).caption
    assert "more than R²/γ² = 1, which" in plot.mistakes(model, bound=1).caption


@pytest.mark.parametrize(
    ("reason", "kept", "ending"),
    [
        ("separated", 1, "epoch 3 without a mistake, epoch 1 kept"),
        ("separated", 3, "epoch 3 without a mistake"),
        ("separated", None, "epoch 3 without a mistake"),
        ("early_stopping", 3, "no more gain on held-out rows, epoch 3 kept"),
    ],
)
def test_an_ending_names_the_epoch_that_answers(reason, kept, ending):
    assert EpochCounts("Perceptron", np.array([3, 1, 0]), reason, kept).ending == ending


def test_one_update_of_many_has_none_between():
    model = Perceptron(record=True).fit(X, Y)
    n = len(model.ledger_)
    assert plot.updates(model, X, Y, max_frames=1).caption.startswith(
        f"The first of {n} updates; {n - 1} after it left out."
    )


def test_weights_that_are_all_0_are_said_to_be():
    model = Perceptron().partial_fit([[0.0, 0.0]], [0], classes=[0, 1])
    assert plot.weights(model).caption == "All 2 weights are 0; the bias is −1."


def test_weights_that_come_back_to_0_are_left_out_of_logarithmic_axes(tmp_path):
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    ledger = Perceptron(record=True, shuffle=False).fit(rows, [0, 1, 1, 0]).ledger_
    shown = plot.proof(theory.proof(ledger, rows), axes="log")
    assert shown.length.min() == 0
    assert shown.caption.endswith("; 1 value at 0 or below cannot be seen on these axes.")
    shown.save(tmp_path / "log.png")


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e12])
def test_the_plane_of_a_lift_has_its_corners_at_any_scale(scale):
    shown = plot.lift(Hyperplane([0, 0, 1], 0), X[:6] * scale, 2 * (X[:6].prod(axis=1) > 0) - 1)
    assert shown.corners.shape == (4, 3)
    assert len(np.unique(shown.corners, axis=0)) == 4
    assert shown.wrong.tolist() == []


def test_a_plane_outside_the_picture_is_said_to_be(tmp_path):
    shown = plot.lift(Hyperplane([0, 0, 1], -100), X, 2 * Y - 1)
    assert shown.caption.endswith("The plane lies outside the picture.")
    shown.save(tmp_path / "outside.png")


def test_the_word_of_a_mapping_is_its_first_value():
    sentence = [{"word": "the", "shape": "x"}, {"word": "dog", "shape": "x"}]
    tagger = SequenceTagger().fit([sentence], [["DET", "NOUN"]])
    assert plot.tag_path(tagger, sentence).tokens == ["the", "dog"]


@pytest.mark.parametrize(("low", "high", "words"), [(-3, -1, ["wrong"]), (1, 3, ["right"])])
def test_sides_of_the_margin_that_are_not_seen_are_not_named(low, high, words):
    ax = Figure().subplots()
    plot.losses(low=low, high=high).plot(ax)
    assert [text.get_text().strip() for text in ax.texts] == words
    assert all(low <= text.get_position()[0] <= high for text in ax.texts)


@pytest.mark.parametrize("wrong", [{"low": "a"}, {"names": 5}, {"low": np.nan}])
def test_losses_refuse_what_is_no_loss_and_no_number(wrong):
    with pytest.raises(ParameterError):
        plot.losses(**wrong)
