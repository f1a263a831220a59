"""What a structured perceptron tells, refuses and keeps."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from strategies import seeds

from rosenblatt import StructuredPerceptron
from rosenblatt.errors import InputError, OverflowRefused, ParameterError
from rosenblatt.estimators.structured.spaces import Candidates, Space

from . import problems

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
XS, YS, _ = problems.separable_sentences(1, 10, 0.05)


def size(x: Any, y: Any) -> dict[str, float]:
    return {"size": y}


def largest(**settings: Any) -> StructuredPerceptron:
    return StructuredPerceptron(Candidates(size), **settings)


# ---------------------------------------------------------------------- conventions


def test_it_can_be_cloned_and_pickled_and_goes_on_alike() -> None:
    model = StructuredPerceptron(
        features=problems.tag_mapping, argmax=problems.plain_argmax, max_iter=50, record=True
    ).fit(XS, YS)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "weights_")
    assert twin.fit(XS, YS).weights_ == model.weights_
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.weights_ == model.weights_
    assert loaded.predict(XS) == model.predict(XS)
    more = problems.sentences(3)
    assert loaded.partial_fit(*more).raw_weights_ == model.partial_fit(*more).raw_weights_
    assert list(loaded.ledger_) == list(model.ledger_)


def test_a_space_of_ours_is_a_space() -> None:
    space: Space = Candidates(size)
    assert StructuredPerceptron(space).fit([[1, 2]], [2]).predict([[3, 4]]) == [4]


def test_before_fit_there_is_nothing_to_tell() -> None:
    model = largest()
    for name in ("weights_", "raw_weights_", "t_", "n_mistakes_", "n_invalid_", "ledger_"):
        assert not hasattr(model, name)
    with pytest.raises(NotFittedError):
        model.predict([[1, 2]])
    assert not hasattr(largest().fit([[1, 2]], [2]), "ledger_")


def test_a_feature_never_seen_weighs_nothing() -> None:
    model = largest().fit([[1, 2]], [2])
    assert model.weights_["colour"] == 0.0
    assert model.decision([1, 2], 2) == 2 * model.weights_["size"]


def test_the_notebook_shows_the_weights_without_scripts() -> None:
    space = Candidates(lambda x, y: {f"<script>{y}": 1.0})
    model = StructuredPerceptron(space, max_iter=20).fit([["a", "b"], ["c", "b"]], ["b", "b"])
    html = model._repr_html_()
    assert "mistake in" in html
    assert "&lt;script&gt;b&nbsp;+" in html
    assert "<script>b" not in html


def test_progress_is_told_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    largest(verbose=2).fit([[1, 2]], [2])
    assert "StructuredPerceptron: epoch 1" in capsys.readouterr().err


# ---------------------------------------------------------------------- stopping


@quiet
@given(seeds)
def test_the_weights_that_did_best_on_the_examples_held_out_answer(seed: int) -> None:
    xs, ys = problems.sentences(seed, n=12)
    dev = problems.sentences(seed + 1, n=8)
    model = StructuredPerceptron(problems.tagging(), max_iter=8, n_iter_no_change=2)
    model.fit(xs, ys, validation_set=dev)
    assert model.score(*dev) == max(model.validation_scores_)
    assert 1 <= model.best_iter_ <= model.n_iter_
    if model.stop_reason_ == "early_stopping":
        assert model.n_iter_ == model.best_iter_ + 2
    again = StructuredPerceptron(problems.tagging(), max_iter=model.best_iter_).fit(xs, ys)
    assert again.weights_ == model.weights_
    whole = StructuredPerceptron(problems.tagging(), max_iter=model.n_iter_).fit(xs, ys)
    assert whole.raw_weights_ == model.raw_weights_


def test_learning_on_leaves_the_best_weights_behind() -> None:
    xs, ys = problems.sentences(5, n=12)
    model = StructuredPerceptron(problems.tagging(), max_iter=6, n_iter_no_change=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(xs, ys, validation_set=problems.sentences(6, n=8))
    model.partial_fit(xs, ys)
    assert not hasattr(model, "best_iter_")
    assert model.weights_ == model._model.weights.average()


def test_answers_of_the_same_features_end_the_run_at_once() -> None:
    """No weights tell them apart: another epoch would be the same."""
    space = Candidates(lambda x, y: {"always": 1.0})
    model = StructuredPerceptron(space, max_iter=50).fit([["a", "b"]], ["b"])
    assert (model.stop_reason_, model.n_iter_, model.n_mistakes_) == ("cycle", 1, 1)
    assert not model.converged_
    assert model.weights_ == {}


def test_mira_stops_only_when_the_last_weights_are_right_on_all() -> None:
    model = StructuredPerceptron(
        problems.tagging(cost=problems.hamming), update="mira", averaged=False, max_iter=200
    ).fit(XS, YS)
    assert model.stop_reason_ == "separated"
    assert model.score(XS, YS) == 1.0


def test_an_epoch_without_a_mistake_that_spoils_an_answer_is_not_called_separated() -> None:
    """MIRA learns from right answers too; learning from (1, 0) spoils the answer to (-2, 1)."""
    space = Candidates(lambda x, y: {j: v * y for j, v in enumerate(x)}, lambda x: (1, 0))
    xs, ys = [(0, 1), (-2, 1), (1, 0)], [1, 1, 1]
    model = StructuredPerceptron(
        space, update="mira", C=5.0, averaged=False, shuffle=False, max_iter=1
    ).fit(xs, ys)
    assert model.mistakes_per_epoch_ == [0]
    assert model.predict(xs) == [1, 0, 1]
    assert (model.stop_reason_, model.converged_) == ("max_iter", False)
    model.set_params(max_iter=20).fit(xs, ys)
    assert (model.stop_reason_, model.score(xs, ys)) == ("separated", 1.0)


def test_lists_tuples_and_arrays_of_equal_parts_are_the_same_answer() -> None:
    def argmax(x: Any, score: Any) -> Any:
        return np.array(problems.plain_argmax(x, score))

    model = StructuredPerceptron(features=problems.tag_mapping, argmax=argmax, max_iter=50)
    model.fit(XS, [list(y) for y in YS])
    assert model.stop_reason_ == "separated"


# ---------------------------------------------------------------------- errors of the search


def greedy(x: Any, score: Any) -> tuple[int, ...]:
    """Tag by tag, never looking back."""
    done: tuple[int, ...] = ()
    for k in range(1, len(x) + 1):
        done = max(((*done, tag) for tag in range(problems.N_TAGS)), key=lambda y: score.of(
            problems.tag_mapping(x[:k], y)))  # fmt: skip
    return done


def test_an_answer_that_scores_less_than_the_right_one_changes_nothing() -> None:
    model = StructuredPerceptron(features=size, argmax=lambda x, score: min(x, key=score))
    model.partial_fit([[1, 2]], [2])
    assert model.raw_weights_ == {"size": 1.0}
    with pytest.warns(UserWarning, match=r"found 1 wrong .*xs\[0\], where it scores 1 less"):
        model.partial_fit([[1, 2]], [2])
    assert model.raw_weights_ == {"size": 1.0}
    assert (model.n_mistakes_, model.n_invalid_, model.t_) == (2, 1, 2)


def test_a_search_that_only_errs_ends_the_run() -> None:
    model = StructuredPerceptron(features=size, argmax=lambda x, score: min(x), max_iter=50)
    with pytest.warns(UserWarning, match="there is an error in it"):
        model.fit([[1, 2]], [2])
    assert (model.stop_reason_, model.n_iter_, model.n_invalid_) == ("cycle", 2, 1)


@quiet
@given(seeds)
def test_exact_search_makes_no_invalid_update_though_it_sums_in_another_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    scale = random.normal(size=21)

    def features(x: Any, y: Any) -> Any:
        return problems.tag_vector(x, y) * scale

    def argmax(x: Any, score: Any) -> Any:
        return max(problems.all_tags(x), key=lambda y: float(features(x, y) @ score.vector))

    xs, ys = problems.sentences(seed)
    for update in ("perceptron", "mira"):
        model = StructuredPerceptron(features=features, argmax=argmax, update=update).fit(xs, ys)
        assert model.n_invalid_ == 0


class MaxViolation:
    """Greedy search that learns from the parts that are furthest the wrong way round."""

    def features(self, x: Any, y: Any) -> Any:
        return problems.tag_mapping(x[: len(y)], y)

    argmax = staticmethod(greedy)

    def violation(self, x: Any, gold: Any, score: Any) -> Any:
        found = greedy(x, score)
        if found == gold:
            return None
        parts = [(gold[:k], found[:k]) for k in range(1, len(x) + 1) if gold[:k] != found[:k]]
        return max(parts, key=lambda pair: score(pair[1]) - score(pair[0]))


@quiet
@given(seeds)
def test_parts_of_answers_make_every_update_of_an_inexact_search_valid(seed: int) -> None:
    xs, ys = problems.sentences(seed)
    model = StructuredPerceptron(MaxViolation(), record=True, max_iter=4).fit(xs, ys)
    assert model.n_invalid_ == 0
    for k, update in enumerate(model.ledger_):
        weights, x = model.ledger_.replay(xs, upto=k), xs[update.row]
        scores = [
            sum(weights[f] * v for f, v in MaxViolation().features(x, y).items())
            for y in (update.y_true, update.y_pred)
        ]
        assert scores[1] >= scores[0]
    assert model.margin_ceiling_ == np.inf


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("xs", "ys", "says"),
    [
        ([[1, 2]], [1, 2], "xs has 1 examples but ys has 2 outputs"),
        ([], [], "there are 0 examples"),
        ("ab", [1, 2], "xs is a str"),
        ([[1, 2]], {"a": 1}, "ys is a dict"),
        (3, [1], "xs is a int"),
        ([[1, 2]], [None], r"ys\[0\] is None"),
    ],
)
def test_wrong_examples_are_refused(xs: Any, ys: Any, says: str) -> None:
    for call in (largest().fit, largest().partial_fit):
        with pytest.raises(InputError, match=says):
            call(xs, ys)


@pytest.mark.parametrize(
    ("features", "says"),
    [
        (lambda x, y: {"a": np.nan}, "the feature 'a' is nan; features must be finite"),
        (lambda x, y: {"a": 1.0, "b": -np.inf}, "the feature 'b' is -inf"),
        (lambda x, y: {"a": "1"}, "the feature 'a' is '1', which is not a number"),
        (lambda x, y: {"a": None}, "which is not a number"),
        (lambda x, y: {"a": 10**5000}, "too many digits to print, beyond the range of float64"),
        (lambda x, y: {"a": 1e308, "b": 1e308}, "their sum overflows"),
        (lambda x, y: ["a"], "is a list; give a mapping"),
        (lambda x, y: None, "is a NoneType"),
        (lambda x, y: np.zeros((2, 2)), r"shape \(2, 2\)"),
        (lambda x, y: np.array(["a"]), "no vector of numbers"),
        (lambda x, y: np.array([1.0, np.inf]), "the feature 1 is inf"),
        (lambda x, y: {"a": 1.0} if y == 2 else np.ones(3), "a vector of length 3, but before"),
        (lambda x, y: np.ones(y), "a vector of length 1, but before it returned a vector of"),
        (lambda x, y: {}[y], r"features\(x, y\) failed for ys\[0\], 2: KeyError"),
        (
            lambda x, y: {"a": 1.0} if y == 2 else {}[y],
            r"features\(x, y\) failed for the output of argmax for xs\[0\], 1: KeyError",
        ),
    ],
)
def test_wrong_features_are_refused(features: Any, says: str) -> None:
    model = StructuredPerceptron(features=features, argmax=lambda x, score: x[0])
    for call in (model.fit, model.partial_fit):
        with pytest.raises(InputError, match=says):
            call([[1, 2]], [2])
    assert not hasattr(model, "weights_")


def test_a_sparse_matrix_of_several_rows_is_no_feature_vector() -> None:
    from scipy.sparse import csr_array

    model = StructuredPerceptron(
        features=lambda x, y: csr_array(np.eye(2)), argmax=lambda x, score: x[0]
    )
    with pytest.raises(InputError, match=r"shape \(2, 2\) is not one row"):
        model.fit([[1, 2]], [2])


def test_a_wrong_search_is_named() -> None:
    model = StructuredPerceptron(features=size, argmax=lambda x, score: None)
    with pytest.raises(InputError, match=r"argmax returned None for xs\[0\]"):
        model.fit([[1, 2]], [2])
    model = StructuredPerceptron(features=size, argmax=lambda x, score: x[7])
    with pytest.raises(IndexError) as caught:
        model.fit([[1, 2]], [2])
    assert caught.value.__notes__ == ["raised by argmax for xs[0]"]
    with pytest.raises(InputError, match="no output to choose from"):
        largest().fit([[]], [2])
    model = StructuredPerceptron(features=size, argmax=lambda x, score: score.vector)
    with pytest.raises(InputError, match=r"use score\.weights"):
        model.fit([[1, 2]], [2])


@pytest.mark.parametrize("cost", [lambda gold, y: -1.0, lambda gold, y: np.nan, lambda g, y: "a"])
def test_a_wrong_cost_is_named(cost: Any) -> None:
    with pytest.raises(InputError, match=r"cost\(gold, y\) returned"):
        largest(update="mira", cost=cost).fit([[1, 2]], [2])


def test_weights_cannot_be_changed_by_a_search() -> None:
    def meddling(x: Any, score: Any) -> Any:
        score.weights["size"] = 7.0

    with pytest.raises(TypeError):
        StructuredPerceptron(features=size, argmax=meddling).fit([[1, 2]], [2])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "features=None is not allowed: give a function, or a space"),
        ({"features": size}, "argmax=None is not allowed"),
        ({"space": 3}, "space=3: features=None is not allowed"),
        ({"space": Candidates(size), "features": size}, "features belongs to the space"),
        ({"space": Candidates(size), "cost": 1.0}, "cost=1.0 is not allowed"),
        ({"space": Candidates(size), "update": "pa"}, "update='pa' is not known"),
        ({"space": Candidates(size), "C": 0.0}, "C=0.0 is not allowed"),
        ({"space": Candidates(size), "max_iter": 0}, "max_iter=0"),
        ({"space": Candidates(size), "n_iter_no_change": 0}, "n_iter_no_change=0"),
        ({"space": Candidates(size), "averaged": "yes"}, "averaged='yes'"),
        ({"space": Candidates(size), "random_state": -1}, "random_state=-1"),
    ],
)
def test_a_wrong_parameter_is_named(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        StructuredPerceptron(**settings).fit([[1, 2]], [2])


def test_a_wrong_validation_set_is_named() -> None:
    with pytest.raises(ParameterError, match="must be a pair"):
        largest().fit([[1, 2]], [2], validation_set=3)
    with pytest.raises(InputError, match="validation_set: xs has 1 examples but ys has 0"):
        largest().fit([[1, 2]], [2], validation_set=([[1]], []))


def test_a_refused_example_neither_begins_nor_ends_a_ledger() -> None:
    model = largest().partial_fit([[1, 2]], [2]).set_params(record=True)
    with pytest.raises(TypeError, match="not iterable"):
        model.partial_fit([[1, 2], None], [2, 3])
    assert not hasattr(model, "ledger_")
    model.partial_fit([[1, 2]], [2]).set_params(record=False)
    with pytest.raises(TypeError, match="not iterable"):
        model.partial_fit([[1, 2], None], [2, 3])
    assert model.ledger_.n_examples == 2


def state_of(model: StructuredPerceptron) -> Any:
    learned, weights = model._model, model._model.weights
    tables = [list(table.items()) for table in (weights.raw, weights._running_sum, model.weights_)]
    counts = learned.n_mistakes, learned.n_invalid, learned.n_updates, learned.step_sum
    return tables, counts, weights.t, weights.raw.length, learned.random, list(learned.recorder)


@pytest.mark.parametrize("vectors", [False, True])
def test_a_refused_example_changes_nothing(vectors: bool) -> None:
    def features(x: Any, y: Any) -> Any:
        if 99 in x:
            raise KeyError(99)
        return problems.tag_vector(x, y) if vectors else problems.tag_mapping(x, y)

    xs, ys = problems.sentences(2, n=8)
    model = StructuredPerceptron(problems.tagging(features), record=True)
    model.partial_fit(xs[:4], ys[:4])
    before, answers = state_of(model), model.predict(xs)
    for call in (model.partial_fit, model.set_params(warm_start=True).fit):
        with pytest.raises(InputError):
            call([*xs[4:], (99,)], [*ys[4:], (0,)])
        assert state_of(model) == before
        assert model.predict(xs) == answers
    whole = StructuredPerceptron(problems.tagging(features), record=True).partial_fit(xs, ys)
    assert model.partial_fit(xs[4:], ys[4:]).raw_weights_ == whole.raw_weights_
    assert list(model.ledger_) == list(whole.ledger_)


def test_the_array_of_weights_is_taken_back_as_well() -> None:
    def argmax(x: Any, score: Any) -> Any:
        assert score.vector.tolist() == [score.weights[j] for j in range(3)]
        if x == "bad":
            raise ValueError("bad")
        return int(score.vector.argmax())

    model = StructuredPerceptron(features=lambda x, y: np.eye(3)[y], argmax=argmax)
    model.partial_fit(["good"], [1])
    with pytest.raises(ValueError, match="bad"):
        model.partial_fit(["good", "bad"], [2, 2])
    assert model.raw_weights_ == {1: 1.0, 0: -1.0}
    model.partial_fit(["good"], [2])
    assert model.raw_weights_ == {0: -1.0, 2: 1.0}


def test_an_update_that_overflows_is_refused() -> None:
    model = largest(averaged=False).partial_fit([[-1e308, 1e307]], [1e307])
    with pytest.raises(OverflowRefused, match="the weight of the feature 'size' would leave"):
        StructuredPerceptron(features=size, argmax=lambda x, score: x[0]).partial_fit(
            [[-1e308, 1e308]], [1e308]
        )
    with pytest.raises(InputError, match="beyond the range of float64"):
        model.predict([[1e200, 2.0]])


def test_a_ledger_asks_for_the_examples_of_training() -> None:
    model = largest(record=True).fit([[1, 2]], [2])
    with pytest.raises(InputError, match="0 examples for a ledger that names example 0"):
        model.ledger_.replay([])
    with pytest.raises(ParameterError, match="this ledger has 1 updates"):
        model.ledger_.replay([[1, 2]], upto=2)
    assert "1 updates in 2 examples" in repr(model.ledger_)
    assert model.ledger_[0].y_pred == 1


def test_an_unfinished_run_warns() -> None:
    with pytest.warns(ConvergenceWarning, match="Try a larger max_iter"):
        StructuredPerceptron(problems.tagging(), max_iter=1).fit(XS, YS)
