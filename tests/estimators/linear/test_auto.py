"""AutoLinear chooses on held-out rows, and what it chose is an ordinary learner."""

from __future__ import annotations

import pickle
import threading
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from estimators.linear.test_sklearn import EXEMPTIONS
from rosenblatt import AutoLinear, PassiveAggressive, datasets
from rosenblatt.errors import InputError, ModelFileError, NotFittedError, Notice, ParameterError
from rosenblatt.estimators import selection
from rosenblatt.estimators.calibration import calibrate
from rosenblatt.estimators.linear import auto, portfolio
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.models.result import stopping_when

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    X, y = datasets.digits()
    return X[:400], y[:400], X[400:800], y[400:800]


@pytest.fixture(scope="module")
def fitted(digits):
    X, y, *_ = digits
    return AutoLinear(max_iter=12, record=True).fit(X, y)


def mean_square(X):
    """The mean of ‖(x, 1)‖²."""
    return 1 + (X**2).sum(axis=1).mean()


def made(arm, epochs):
    """A rule of the portfolio as `AutoLinear` makes it."""
    return arm.learner(**portfolio.SHARED, **arm.parameters, max_iter=epochs)


def overlapping(n, seed=0, d=4):
    """Two classes that overlap, in columns of very different sizes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, d)) + 0.8 * (2 * y[:, None] - 1) * rng.normal(1, 0.2, d)
    return X * 10.0 ** np.arange(d) + 5.0, y


@parametrize_with_checks([AutoLinear()], expected_failed_checks=lambda _: EXEMPTIONS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


# ---------------------------------------------------------------------- what is chosen


def test_the_leaderboard_names_every_rule_after_every_look(fitted):
    tried = {(candidate.name, candidate.epochs) for candidate in fitted.leaderboard_}
    names = {arm.name for arm in portfolio.PORTFOLIO}
    assert tried == {(name, epochs) for name in names for epochs in (3, 12)}
    rates = [candidate.error_rate for candidate in fitted.leaderboard_]
    assert rates == sorted(rates)
    assert sum(candidate.chosen for candidate in fitted.leaderboard_) == 1
    [default] = [candidate for candidate in fitted.leaderboard_ if candidate.is_default]
    assert (default.name, default.epochs) == (portfolio.PORTFOLIO[0].name, 12)


def test_what_was_chosen_is_what_a_fit_of_it_on_all_rows_gives(digits):
    X, y, X_test, _ = digits
    found = AutoLinear(standardize=False).fit(X, y)
    [chosen] = [candidate for candidate in found.leaderboard_ if candidate.chosen]
    arm = auto.ARMS[chosen.name]
    alone = made(arm, chosen.epochs).fit(X, y)
    assert type(found.best_learner_) is arm.learner
    np.testing.assert_array_equal(found.coef_, alone.coef_)
    np.testing.assert_array_equal(found.predict(X_test), alone.predict(X_test))


def test_errors_on_the_leaderboard_are_those_of_fits_without_the_held_out_rows(digits):
    X, y, X_dev, y_dev = digits
    found = AutoLinear(standardize=False, max_iter=12).fit(X, y, validation_set=(X_dev, y_dev))
    for candidate in found.leaderboard_:
        arm = auto.ARMS[candidate.name]
        alone = made(arm, candidate.epochs)
        errors = 1 - alone.fit(X, y).score(X_dev, y_dev)
        assert candidate.error_rate == pytest.approx(errors), candidate


def test_a_rule_that_is_surely_better_is_chosen(monkeypatch):
    X, y = overlapping(600)
    bad = portfolio.Arm("bad", PassiveAggressive, {"C": 1e-12})
    good = portfolio.PORTFOLIO[0]
    monkeypatch.setattr(auto, "PORTFOLIO", (bad, good))
    X[y == 0] += 3.0  # so that the first steps alone are no good
    found = AutoLinear(max_iter=3, fit_intercept=False, standardize=False).fit(X, y)
    by_name = {candidate.name: candidate for candidate in found.leaderboard_}
    assert by_name["bad"].is_default
    assert found.best_learner_.C == 1.0
    assert by_name[good.name].chosen


def test_without_search_it_is_averaged_pa_of_12_epochs(digits):
    X, y, *_ = digits
    found = AutoLinear(search=False, standardize=False).fit(X, y)
    alone = PassiveAggressive(average="tail", tol=None, C=1 / mean_square(X), max_iter=12).fit(X, y)
    np.testing.assert_allclose(found.coef_, alone.coef_, rtol=1e-9)
    assert found.leaderboard_ == []
    assert not hasattr(found, "predict_proba")
    assert not hasattr(AutoLinear(search=False), "predict_proba")
    assert hasattr(AutoLinear(), "predict_proba")


def test_sparse_rows_of_unit_length_are_texts_with_a_plan_of_their_own():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    texts = rosenblatt.arrays.SparseRows.from_dense(unit)
    for other in (rosenblatt.arrays.SparseRows.from_dense(rows), unit):
        assert portfolio.Plan.of(other, 3, 150) == ([3, 12, 50, 150], np.inf, 2.0, True)
    assert portfolio.Plan.of(texts, 3, 150) == ([3, 12], 3.0, 1.0, False)
    assert portfolio.Plan.of(texts, 2, 150) == ([3, 12], 3.0, 1.0, True)


class Backwards(PassiveAggressive):
    """Learns, and says the opposite."""

    def _scores(self, model, table):
        return -super()._scores(model, table)


@pytest.mark.parametrize(("learner", "looks"), [(Backwards, [3]), (PassiveAggressive, [3, 12])])
def test_a_rule_far_behind_on_texts_is_tried_no_further(monkeypatch, learner, looks):
    default, *_ = portfolio.PORTFOLIO
    monkeypatch.setattr(auto, "PORTFOLIO", (default, portfolio.Arm("other", learner, {"C": 0.1})))
    words = np.random.default_rng(0).integers(40, size=600)
    texts = sp.csr_array((np.ones(600), words, np.arange(601)), shape=(600, 40))
    board = AutoLinear(max_iter=12, random_state=0).fit(texts, words % 4).leaderboard_
    assert sorted(tried.epochs for tried in board if tried.name == "other") == looks
    assert sorted(tried.epochs for tried in board if tried.name == default.name) == [3, 12]


@pytest.mark.parametrize("search", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_texts_of_more_than_two_classes_have_no_bias(n_classes, search):
    texts = sp.csr_array(np.tile(np.eye(6), (10, 1)))
    found = AutoLinear(search=search).fit(texts, np.arange(60) % n_classes)
    assert found.best_learner_.fit_intercept is (n_classes == 2)
    assert found.intercept_.any() == (n_classes == 2)


@pytest.mark.parametrize(
    ("n_rows", "most", "looks"),
    [(100, 150, [3, 12, 50, 150]), (3000, 150, [3, 12, 30]), (100, 20, [3, 12, 20]), (9, 1, [1])],
)
def test_rules_are_looked_at_after_a_few_epochs_of_one_path(n_rows, most, looks):
    table = np.zeros((n_rows, 2))
    assert portfolio.Plan.of(table, 2, most).looks == looks


def test_the_slowest_rule_is_tried_for_fewer_epochs():
    X, y = overlapping(60)
    tried = {(c.name, c.epochs) for c in AutoLinear().fit(X, y).leaderboard_}
    assert ("AdaGrad, log", 50) in tried
    assert ("AdaGrad, log", 150) not in tried
    assert ("AdaGrad, hinge", 150) in tried


def test_of_a_thousand_classes_no_rule_is_tried_that_moves_all_of_them_at_every_row():
    random = np.random.default_rng(0)
    y = np.arange(2000) % 1000
    X = random.normal(size=(1000, 2))[y]
    tried = {candidate.name for candidate in AutoLinear(max_iter=1).fit(X, y).leaderboard_}
    every = {arm.name for arm in portfolio.PORTFOLIO}
    assert every - tried == {"soft", "AdaGrad, log"}
    fewer = y < 999
    tried = {c.name for c in AutoLinear(max_iter=1).fit(X[fewer], y[fewer]).leaderboard_}
    assert tried == every


def test_scores_of_many_classes_are_not_kept_for_every_candidate():
    """Ten candidates are tried; of each, the scores of rows times classes would be a table."""
    random = np.random.default_rng(0)
    n_classes = 2000
    y = np.arange(2 * n_classes) % n_classes
    X = random.normal(size=(n_classes, 3))[y]
    tracemalloc.start()
    found = AutoLinear(max_iter=12).fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.leaderboard_) == 10
    one_table = 8 * n_classes * n_classes
    assert most < 5 * one_table


@pytest.mark.parametrize("n_of_each", [1, 2])
def test_of_very_many_scores_a_sample_calibrates(monkeypatch, n_of_each):
    """Of one row of each class nothing is held out, and the scores of training have to do."""
    sizes = list[tuple[int, ...]]()

    def counted(scores, labels, weights):
        sizes.append((*scores.shape, len(labels), len(weights)))
        return calibrate(scores, labels, weights)

    monkeypatch.setattr(auto, "calibrate", counted)
    monkeypatch.setattr(selection, "MAX_CALIBRATED", 200 * 70)
    random = np.random.default_rng(0)
    y = np.arange(200 * n_of_each) % 200
    X = random.normal(size=(200, 5))[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        found = AutoLinear(max_iter=3).fit(X, y, sample_weight=np.ones(len(y)))
    assert sizes == [(70, 200, 70, 70)]
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1)


def test_equal_seeds_give_equal_models_with_any_number_of_threads(digits):
    X, y, *_ = digits
    one, two = (AutoLinear(max_iter=12, n_jobs=n).fit(X, y) for n in (None, 3))
    assert one.leaderboard_ == two.leaderboard_
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    other = AutoLinear(max_iter=12, random_state=1).fit(X, y)
    assert other.leaderboard_ != one.leaderboard_


def test_weights_of_rows_and_classes_count_in_the_choice_and_in_the_model():
    X, y = overlapping(300)
    rare = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:15]]
    X, y = X[rare], y[rare]
    plain, balanced = AutoLinear(max_iter=3), AutoLinear(max_iter=3, class_weight="balanced")
    recall = [learner.fit(X, y).predict(X)[y == 1].mean() for learner in (plain, balanced)]
    assert recall[1] > recall[0]
    by_rows = AutoLinear(max_iter=3).fit(X, y, sample_weight=np.where(y == 1, 12.0, 1.0))
    assert by_rows.leaderboard_ != plain.leaderboard_


# ---------------------------------------------------------------------- scales


def test_columns_of_any_size_do_no_harm_and_weights_are_for_the_columns_as_they_are():
    X, y = overlapping(400)
    found = AutoLinear(max_iter=12).fit(X, y)
    np.testing.assert_allclose(
        found.decision_function(X), X @ found.coef_[0] + found.intercept_[0], rtol=1e-9
    )
    rescaled = AutoLinear(max_iter=12).fit(X * 4.0 ** np.arange(4), y)
    np.testing.assert_array_equal(found.predict(X), rescaled.predict(X * 4.0 ** np.arange(4)))
    assert found.score(X, y) > 0.85


def test_sparse_rows_and_records_with_texts_are_not_scaled():
    X, y = overlapping(60)
    sparse = AutoLinear(max_iter=3).fit(sp.csr_matrix(X), y)
    as_it_is = AutoLinear(max_iter=3, standardize=False).fit(X, y)
    np.testing.assert_allclose(sparse.coef_, as_it_is.coef_)
    records = [{"size": row[0], "colour": "red" if row[1] > 5 else "blue"} for row in X]
    found = AutoLinear(max_iter=3).fit(records, y)
    assert found.best_learner_._scaling is None
    assert found.schema_.n_features == 3
    assert found.predict_one(records[0]) == found.predict(records[:1])[0]


def test_a_column_that_is_constant_and_a_frame_with_names_are_taken():
    pandas = pytest.importorskip("pandas")
    X, y = overlapping(40, d=2)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": 7.0})
    found = AutoLinear(max_iter=3).fit(frame, y)
    assert found.feature_names_in_.tolist() == ["a", "b", "c"]
    assert found.coef_[0, 2] == 0
    one = dict(frame.iloc[0])
    assert found.predict_one(one) == found.predict(frame.iloc[:1])[0]
    found.learn_one(one, y[0])
    with pytest.raises(InputError, match="not there in training"):
        found.learn_one({**one, "d": 1.0}, y[0])


def test_what_has_scales_is_not_widened():
    X, y = overlapping(40)
    found = AutoLinear(max_iter=3).fit(X, y)
    with pytest.raises(ParameterError, match="without names and scales"):
        found.grow(9)
    assert not found.can_predict_then_learn()
    twin = pickle.loads(pickle.dumps(found))
    tested = found.predict_then_learn(X[:9], y[:9])
    np.testing.assert_array_equal(tested.wrong[:1], twin.predict(X[:1]) != y[:1])
    twin.partial_fit(X[:9], y[:9])
    np.testing.assert_array_equal(found.coef_, twin.coef_)


# ---------------------------------------------------------------------- an ordinary learner


def test_it_has_what_the_chosen_learner_has(fitted, digits):
    X, _, X_test, _ = digits
    learner = fitted.best_learner_
    assert isinstance(learner, LinearLearner)
    assert fitted.classes_.tolist() == list(range(10))
    assert fitted.n_features_in_ == X.shape[1]
    assert fitted.n_iter_ == learner.n_iter_
    assert len(fitted.ledger_) == len(learner.ledger_) > 0
    np.testing.assert_array_equal(fitted.predict(X_test), learner.predict(X_test))
    why = fitted.explain(X_test[0], X=X)
    assert sum(part.contribution for part in why.contributions) == pytest.approx(why.score)
    assert why.mistakes


def test_a_file_holds_the_chosen_learner_which_goes_on_learning(fitted, digits, tmp_path):
    _, _, X, y = digits
    found = pickle.loads(pickle.dumps(fitted))
    rosenblatt.save(found, tmp_path / "m.rbt")
    loaded = rosenblatt.load(tmp_path / "m.rbt")
    assert type(loaded) is type(found.best_learner_)
    np.testing.assert_array_equal(loaded.predict_proba(X), found.predict_proba(X))
    for learner in (found, loaded):
        learner.partial_fit(X[:50], y[:50]).learn_one(X[50], y[50])
    np.testing.assert_array_equal(loaded.decision_function(X), found.decision_function(X))
    assert loaded.predict_one(X[60]) == found.predict_one(X[60])
    rosenblatt.save(loaded, tmp_path / "again.rbt")
    card = rosenblatt.model.read(tmp_path / "again.rbt").card
    assert card.record.search == [tuple(candidate) for candidate in found.leaderboard_]


def test_a_file_that_names_autolinear_or_tried_what_has_no_name_is_refused(fitted, tmp_path):
    state = fitted.to_state()
    state.card.record.search[0] = ("bell \a", *state.card.record.search[0][1:])
    with pytest.raises(ModelFileError, match="which is no name"):
        rosenblatt.model.write(state, tmp_path / "m.rbt")
    state = fitted.to_state()
    state.card.learner = "AutoLinear"
    with pytest.raises(ModelFileError, match="'AutoLinear' is not known"):
        rosenblatt.model.write(state, tmp_path / "m.rbt")


def test_before_a_fit_it_learns_as_the_default_does():
    X, y = overlapping(30)
    found = AutoLinear().partial_fit(X[:20], y[:20], classes=[0, 1]).learn_one(X[20], y[20])
    alone = PassiveAggressive().partial_fit(X[:20], y[:20], classes=[0, 1]).learn_one(X[20], y[20])
    np.testing.assert_array_equal(found.coef_, alone.coef_)
    assert AutoLinear().predict_one(X[0]) is None
    assert AutoLinear().learn_one({"win": 1}, "spam").predict_one({"win": 1}) == "spam"


def test_an_unfitted_one_says_so_and_a_clone_is_unfitted(fitted):
    with pytest.raises(NotFittedError, match="this AutoLinear instance is not fitted yet"):
        AutoLinear().predict([[1.0]])
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "coef_")
    assert repr(copy) == "AutoLinear(max_iter=12, record=True)"


def test_probabilities_are_calibrated_on_rows_that_were_held_out():
    X, y = overlapping(2000, seed=3, d=2)
    found = AutoLinear(max_iter=12).fit(X[:1000], y[:1000])
    shares = found.predict_proba(X[1000:])[:, 1]
    np.testing.assert_allclose(shares.mean(), y[1000:].mean(), atol=0.05)
    for low in (0.0, 0.5, 0.9):
        some = (shares >= low) & (shares < low + 0.5)
        assert abs(shares[some].mean() - y[1000:][some].mean()) < 0.1
    one = found.predict_proba_one(X[1000])
    np.testing.assert_allclose(list(one.values()), found.predict_proba(X[1000:1001])[0])


# ---------------------------------------------------------------------- odd input


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], ["a", "b"]),
        (np.eye(10), np.arange(10)),
        ([[1.0], [1.0], [1.0], [2.0]], [0, 0, 0, 1]),
    ],
)
def test_where_nothing_can_be_held_out_it_is_the_default_and_says_so(X, y):
    with pytest.warns(Notice, match="nothing was held out, because no two classes have two rows"):
        found = AutoLinear().fit(X, y)
    assert found.leaderboard_ == []
    assert found.n_iter_ <= 12
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("more", [1, 2])
def test_a_row_or_two_of_a_third_class_leave_the_search_and_the_probabilities_held_out(more):
    """150 rows of 300 numbers are separated, so that scores of training are far too sure."""
    random = np.random.default_rng(5)
    X = random.normal(size=(450, 300))
    y = (X[:, :3].sum(axis=1) + random.normal(size=450) > 0).astype(int)
    with_rare = np.append(y[:150], [2] * more)
    rows = np.vstack([X[:150], random.normal(size=(more, 300))])

    what = rf"^one class is too small to be held out: 2 \({more} rows?\)\. Learners were trained"
    with pytest.warns(Notice, match=what):
        found = AutoLinear(max_iter=12).fit(rows, with_rare)

    assert len(found.leaderboard_) == 14
    # Held out, two of three rows are right; in training, all of them.
    shares = found.predict_proba(X[150:])
    assert found.score(rows, with_rare) == 1.0
    assert shares.max(axis=1).mean() < found.score(X[150:], y[150:])


def test_a_warning_names_a_few_of_many_classes_that_were_never_held_out():
    X = np.random.default_rng(0).normal(size=(108, 2))
    y = [f"c{i % 2}" for i in range(100)] + [f"rare {i}" for i in range(8)]
    with pytest.warns(Notice) as caught:
        AutoLinear(max_iter=3).fit(X, y)
    [said] = [str(one.message) for one in caught if isinstance(one.message, Notice)]
    assert said.startswith("8 classes are too small to be held out: 'rare 0' (1 row), ")
    assert "'rare 4' (1 row) and 3 more. " in said


def test_nothing_is_said_of_held_out_rows_that_the_caller_gave_or_did_not_ask_for():
    X, y = np.eye(4), [0, 0, 1, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error", Notice)
        AutoLinear(search=False).fit(X, y)
        AutoLinear(max_iter=3).fit(X, y, validation_set=(X, y))


def test_one_class_nan_and_an_unknown_parameter_are_refused_and_change_nothing(fitted):
    before = dict(fitted.__dict__)
    with pytest.raises(InputError, match="only one class"):
        fitted.fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(InputError, match="NaN at row 0"):
        fitted.fit([[np.nan], [2.0]], [0, 1])
    with pytest.raises(InputError, match="validation_set holds the label 5"):
        fitted.fit([[1.0], [2.0]], [0, 1], validation_set=([[1.0]], [5]))
    assert fitted.__dict__ == before
    with pytest.raises(TypeError, match="no parameter 'penalty'"):
        AutoLinear(penalty="l2")


def test_somebody_who_asks_to_stop_gets_a_model_of_what_was_learned(digits):
    X, y, *_ = digits
    asked = threading.Event()

    def ask() -> bool:
        stopped = asked.is_set()
        asked.set()
        return stopped

    with stopping_when(ask):
        found = AutoLinear(n_jobs=2).fit(X, y)
    assert found.stop_reason_ == "interrupted"
    assert found.predict(X).shape == y.shape


def test_progress_is_shown_trial_by_trial(digits, capsys):
    X, y, *_ = digits
    AutoLinear(max_iter=1, verbose=2).fit(X, y)
    shown = capsys.readouterr().err.splitlines()
    n = 5 * len(portfolio.PORTFOLIO)
    assert [line.split(",")[0] for line in shown[:n]] == [
        f"AutoLinear: trial {number}" for number in range(1, n + 1)
    ]
