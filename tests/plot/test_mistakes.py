"""Mistakes by epoch: the counts of an oracle, the end in words, the bound where it belongs."""

import numpy as np
import pytest
from hypothesis import given
from matplotlib.figure import Figure
from reference import binary, steps
from strategies import LINEAR, seeds, separable

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    datasets,
    evaluate,
    load,
    plot,
    save,
    theory,
)
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.plot.curves import FURTHEST_BOUND, is_within_sight
from rosenblatt.plot.mistakes import StreamDisplay

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def setosa(**options):
    iris = datasets.iris()
    return Perceptron(**options).fit(iris.X, iris.labels == "setosa")


@given(seeds)
def test_the_bars_are_the_mistakes_of_the_plain_algorithm(seed):
    X, y, _ = separable(seed, gamma=0.1)
    fit = Perceptron(shuffle=False, fit_intercept=False).fit(X, y)
    signs = np.where(np.asarray(y) == fit.classes_[1], 1, -1)
    run = binary.train(X, signs, steps.perceptron, epochs=1000, fit_intercept=False, ties="mistake")
    shown = plot.mistakes(fit).runs[0]
    assert shown.mistakes.tolist() == run.mistakes
    assert shown.total.tolist() == np.cumsum(run.mistakes).tolist()
    assert shown.epochs.tolist() == list(range(1, len(run.mistakes) + 1))


@quiet
@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ({"max_iter": 3, "tol": None}, "stopped at 3 epochs, mistakes left"),
        ({"shuffle": False}, "weights repeat after epoch 1: not separable"),
    ],
)
def test_a_run_that_did_not_separate_says_so(options, ending):
    assert plot.mistakes(Perceptron(**options).fit(*XOR)).runs[0].ending == ending


def test_the_epoch_without_a_mistake_is_named():
    run = plot.mistakes(setosa(shuffle=False)).runs[0]
    assert run.mistakes.tolist() == [2, 2, 1, 0]
    assert run.ending == "epoch 4 without a mistake"


@quiet
def test_after_early_stopping_the_epoch_that_was_kept_is_named():
    noisy = datasets.noisy(n_rows=300)
    fit = AveragedPerceptron(early_stopping=True, n_iter_no_change=2, random_state=0)
    run = plot.mistakes(fit.fit(noisy.X, noisy.y)).runs[0]
    assert run.stop_reason == "early_stopping"
    assert run.ending.endswith(f"epoch {fit.best_iter_} kept")


def test_several_learners_are_named_by_a_mapping_or_numbered():
    first, second = setosa(random_state=1), setosa(random_state=2)
    assert [r.name for r in plot.mistakes([first, second]).runs] == ["Perceptron 1", "Perceptron 2"]
    assert [r.name for r in plot.mistakes({"a": first, 2: second}).runs] == ["a", "2"]


@quiet
@pytest.mark.parametrize("learner", [*LINEAR, KernelPerceptron])
def test_every_learner_and_its_saved_twin_show_the_same(learner, tmp_path):
    iris = datasets.iris()
    fit = learner(max_iter=5).fit(iris.X, iris.labels)
    save(fit, tmp_path / "model.rbt")
    ours, theirs = (plot.mistakes(m) for m in (fit, load(tmp_path / "model.rbt")))
    assert ours.runs[0].mistakes.tolist() == theirs.runs[0].mistakes.tolist()
    assert ours.caption == theirs.caption


def test_structured_learners_count_their_sentences():
    sentences, tags = [["a", "dog"], ["the", "cat"]], [["D", "N"], ["D", "N"]]
    tagger = SequenceTagger().fit(sentences, tags)
    assert plot.mistakes(tagger).runs[0].mistakes.tolist() == tagger.mistakes_per_epoch_


def test_the_bound_is_taken_from_theory_or_given_as_a_number():
    iris = datasets.iris()
    found = theory.mistake_bound(iris.X, iris.y == 0)
    fit = setosa(shuffle=False)
    assert plot.mistakes(fit, bound=found).bound == found.bound
    assert plot.mistakes(fit, bound=50).bound == 50.0
    assert plot.mistakes(fit, bound=np.inf).bound is None
    assert int(plot.mistakes(fit, bound=found).runs[0].total[-1]) <= found.bound


def test_a_bound_far_away_is_said_and_not_drawn():
    assert is_within_sight(FURTHEST_BOUND * 10, 10)
    assert not is_within_sight(FURTHEST_BOUND * 10 + 1, 10)


@pytest.mark.parametrize("bound", [-1, "many", float("nan")])
def test_what_is_no_bound_is_refused(bound):
    with pytest.raises(ParameterError, match="bound="):
        plot.mistakes(setosa(), bound=bound)


def test_a_learner_that_was_not_fitted_is_refused():
    with pytest.raises(InputError, match="mistakes_per_epoch_"):
        plot.mistakes(Perceptron())
    with pytest.raises(InputError, match="0 learners"):
        plot.mistakes([])


def test_a_stream_shows_the_points_of_its_progress():
    iris = datasets.iris()
    order = np.random.default_rng(0).permutation(150)
    pairs = zip(iris.X[order], iris.labels[order].tolist(), strict=True)
    progress = evaluate.progressive(Perceptron(), pairs)
    shown = plot.mistakes(progress)
    assert isinstance(shown, StreamDisplay)
    assert shown.examples.tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 150]
    assert np.array_equal(shown.rate, shown.mistakes / shown.examples)
    assert shown.mistakes[-1] == progress.mistakes
    assert shown.baseline == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="0 examples"):
        plot.mistakes(evaluate.Progress())
    with pytest.raises(InputError, match="stream has none"):
        plot.mistakes(progress, bound=3)


@quiet
def test_the_bound_of_rows_that_are_not_separable_grows_with_the_epochs():
    iris = datasets.iris()
    X, y = iris.X[50:], iris.labels[50:]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    p = Perceptron(max_iter=12, tol=None).fit(X, y)
    bound = theory.mistake_bound(X, y, epochs=100)
    shown = plot.mistakes(p, bound=bound)
    assert shown.bound_after.tolist() == [bound.after(epoch) for epoch in range(1, 13)]
    assert (shown.runs[0].total <= shown.bound_after).all()
    assert f"the bound ((R + D)/γ)² is {shown.bound:.1f}." in shown.caption
    ax = Figure().subplots()
    shown.plot(ax)
    np.testing.assert_array_equal(ax.lines[-1].get_ydata(), shown.bound_after)
    assert any("((R + D)/γ)²" in text.get_text() for text in ax.texts)
    study = theory.order_study(p, X, y, n_orders=2)
    with pytest.raises(ParameterError, match=r"about 100 epochs.*plot.mistakes shows how it grows"):
        plot.orders(study, bound=bound)
