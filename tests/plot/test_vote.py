"""Survival times: those of the plain algorithm, and all of them together are the examples seen."""

import numpy as np
import pytest
from hypothesis import given
from reference import binary, steps, voted
from strategies import integers, seeds

from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron, datasets, load, plot, save
from rosenblatt.errors import InputError

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@given(seeds)
@quiet
def test_the_times_are_those_of_the_plain_algorithm(seed):
    X, y = integers(seed)
    options = {"shuffle": False, "max_iter": 3, "tol": None}
    model = VotedPerceptron(**options).fit(X, y)
    signs = np.where(y == model.classes_[1], 1, -1)
    run = binary.train(
        X, signs, steps.perceptron, epochs=model.n_iter_, fit_intercept=True, ties="mistake"
    )
    expected = voted.survivals(run)
    for source in (model, recorded := Perceptron(record=True, **options).fit(X, y)):
        (lives,) = plot.vote(source).lives
        assert lives.survival.tolist() == expected
        assert lives.survival.sum() == model.t_
    assert plot.vote(recorded.ledger_).lives[0].survival.tolist() == expected


def test_the_longest_life_is_named():
    iris = datasets.iris()
    shown = plot.vote(VotedPerceptron(shuffle=False).fit(iris.X, iris.y == 0))
    (lives,) = shown.lives
    assert lives.survival.tolist() == [0, 50, 100, 50, 100, 300]
    assert lives.longest == 5
    assert lives.share == 0.5
    assert "lived longest, 300 examples, and has 50% of the votes" in shown.caption


def test_a_kernel_model_has_times_for_each_class_or_for_all_together():
    iris = datasets.iris()
    apart = KernelPerceptron(kernel="rbf").fit(iris.X, iris.labels)
    shown = plot.vote(apart)
    assert [lives.name for lives in shown.lives] == ["setosa", "versicolor", "virginica"]
    for lives, times in zip(shown.lives, apart.survival_, strict=True):
        assert np.array_equal(lives.survival, times)
        assert lives.survival.sum() == apart.t_
    together = KernelPerceptron(kernel="rbf", multiclass="argmax").fit(iris.X, iris.labels)
    (lives,) = plot.vote(together).lives
    assert lives.survival.sum() == together.t_
    assert len(lives.survival) == together.n_mistakes_ + 1


def test_with_two_classes_a_linear_kernel_lives_as_the_perceptron_does():
    X, y = [[1.0, 2.0], [-1.0, 0.5], [2.0, -1.0], [-2.0, -2.0]], [1, 0, 1, 0]
    kernel = KernelPerceptron(kernel="linear", shuffle=False).fit(X, y)
    plain = VotedPerceptron(shuffle=False, fit_intercept=False).fit(X, y)
    ours, theirs = (plot.vote(model).lives[0].survival for model in (kernel, plain))
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("learner", [VotedPerceptron, KernelPerceptron])
def test_a_saved_model_shows_the_same(learner, tmp_path):
    iris = datasets.iris()
    model = learner().fit(iris.X, iris.y == 0)
    save(model, tmp_path / "model.rbt")
    ours, theirs = (plot.vote(m) for m in (model, load(tmp_path / "model.rbt")))
    assert ours.lives[0].survival.tolist() == theirs.lives[0].survival.tolist()
    assert ours.caption == theirs.caption


def test_a_long_life_among_short_ones_makes_the_axis_logarithmic():
    shown = plot.vote(VotedPerceptron(shuffle=False).fit([[1.0], [-1.0]] * 200, [1, 0] * 200))
    assert shown.lives[0].survival.max() > 300
    assert shown.log_axis
    iris = datasets.iris()
    assert not plot.vote(VotedPerceptron(shuffle=False).fit(iris.X, iris.y == 0)).log_axis


def test_a_learner_that_kept_no_times_is_refused():
    with pytest.raises(InputError, match="record=True"):
        plot.vote(Perceptron().fit([[1.0], [-1.0]], [1, 0]))
    with pytest.raises(InputError, match="record=True"):
        plot.vote(VotedPerceptron())
    with pytest.raises(InputError, match="without a budget"):
        plot.vote(KernelPerceptron(budget=5).fit([[1.0], [-1.0]], [1, 0]))


def test_of_a_kernel_that_stopped_early_those_are_shown_that_vote():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), random.integers(0, 2, 60)
    options = {"early_stopping": True, "n_iter_no_change": 2, "validation_fraction": 0.3}
    learner = KernelPerceptron(gamma=1.0, **options).fit(X, y)
    assert learner.best_iter_ < learner.n_iter_
    (shown,) = plot.vote(learner).lives
    assert shown.survival.tolist() == learner.survival_[0].tolist()
    assert len(shown.survival) <= len(learner.ledger_)
