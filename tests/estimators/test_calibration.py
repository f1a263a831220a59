"""Probabilities from out-of-fold scores, of every linear and kernel learner."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import calibration as reference
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import csr, floats

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    SoftPerceptron,
    VotedPerceptron,
    distribute,
    distributed,
    io,
    load,
    save,
)
from rosenblatt.errors import InputError, NotFittedError, ParameterError
from rosenblatt.estimators.calibration import calibrate
from rosenblatt.estimators.catalogue import entries
from rosenblatt.models.classes import stratified_folds
from rosenblatt.models.result import stopping_when

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS = [entry.load() for family in ("linear", "kernel") for entry in entries(family)]
every_learner = pytest.mark.parametrize("learner", LEARNERS)
FEW = {"max_iter": 4, "tol": None}


def noisy(k, n=60, seed=3):
    """Rows of classes that overlap."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % k
    return random.normal(size=(n, 4)) + 1.5 * np.eye(k, 4)[y], y


# ---------------------------------------------------------------------- the two fits


numbers = st.floats(-3, 3).map(lambda value: round(value, 3))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(numbers, st.integers(0, 1), st.integers(1, 3)), min_size=4, max_size=12),
    st.sampled_from([1.0, 1e-3, 1e4]),
)
def test_platt_finds_the_least_loss_that_a_plain_search_finds(rows, unit):
    scores, labels, weights = (np.array(column, float) for column in zip(*rows, strict=True))
    labels = labels.astype(int)
    labels[:2] = 0, 1
    found = calibrate(scores * unit, labels, weights)
    slope, offset = reference.platt(scores, labels, weights)
    least = reference.sigmoid_loss(slope, offset, scores, labels, weights)
    reached = reference.sigmoid_loss(found.slope * unit, found.offset, scores, labels, weights)
    assert found.slope >= 0
    assert reached <= least * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=4, max_size=12), st.data())
def test_a_temperature_has_the_least_loss_that_a_plain_search_finds(rows, data):
    scores = np.array(rows)
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    labels, weights = np.array(labels), np.ones(len(rows))
    found = calibrate(scores * 1e5, labels)
    least = reference.softmax_loss(
        reference.temperature(scores, labels, weights), scores, labels, weights
    )
    reached = reference.softmax_loss(found.slope * 1e5, scores, labels, weights)
    assert found.slope >= 0
    assert found.offset == 0
    assert reached <= least * (1 + 1e-9)


def test_scores_that_separate_have_a_finite_slope_and_sure_rows_the_smoothed_target():
    scores, labels = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 0, 1, 1])
    found = calibrate(scores, labels)
    assert 0 < found.slope < 2
    assert found.offset == pytest.approx(0, abs=1e-12)
    assert np.exp(found.log_probabilities(np.array([1e200])))[0] == pytest.approx([0, 1])


@pytest.mark.parametrize("scores", [[0.0] * 6, [7.0] * 6, [1.0, 2.0, 3.0, -1.0, -2.0, -3.0]])
def test_scores_that_say_nothing_give_the_shares_of_the_classes(scores):
    found = calibrate(np.array(scores), np.array([0, 0, 0, 1, 1, 1]))
    assert found[:2] == pytest.approx((0.0, 0.0), abs=1e-12)
    found = calibrate(np.array(scores[:5]), np.array([0, 0, 0, 1, 1]))
    share = (3 * 1 / 5 + 2 * 3 / 4) / 5  # of the targets of three rows and of two
    assert np.exp(found.log_probabilities(np.zeros(1)))[0, 1] == pytest.approx(share)


def test_huge_scores_of_another_row_are_no_nan():
    found = calibrate(np.array([[1e-200, 0, 0], [0, 1e-200, 0], [0, 0, 1e-200]]), np.arange(3))
    assert np.isfinite(found.slope)
    assert np.exp(found.log_probabilities(np.array([[1e150, 0.0, -1e150]]))).tolist() == [[1, 0, 0]]


def test_folds_are_stratified_and_seeded():
    labels = np.array([0] * 23 + [1] * 12 + [2] * 7, np.int32)
    folds = stratified_folds(labels, 5, 1)
    for label, least in ((0, 4), (1, 2), (2, 1)):
        sizes = np.bincount(folds[labels == label], minlength=5)
        assert set(sizes) <= {least, least + 1}
    assert set(np.bincount(folds)) <= {8, 9}
    assert (folds == stratified_folds(labels, 5, 1)).all()
    assert (folds != stratified_folds(labels, 5, 2)).any()


# ---------------------------------------------------------------------- learners


@every_learner
@pytest.mark.parametrize("k", [2, 3])
def test_what_is_calibrated_is_scores_of_models_that_did_not_learn_the_row(learner, k):
    X, y = noisy(k)
    found = learner(calibrate=True, random_state=5, **FEW).fit(X, y)
    folds, scores = stratified_folds(y.astype(np.int32), 5, 5), []
    epochs = {**FEW, "max_iter": found.n_iter_}
    for fold in range(5):
        part = learner(random_state=5, **epochs).fit(X[folds != fold], y[folds != fold])
        scores.append(part.decision_function(X[folds == fold]))
    order = np.concatenate([np.flatnonzero(folds == fold) for fold in range(5)])
    fitted = calibrate(np.concatenate(scores), y[order])
    assert found.calibration_[:2] == pytest.approx(fitted[:2], rel=1e-6)
    shares = found.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    z = found.calibration_.slope * found.decision_function(X)
    if k == 2:
        np.testing.assert_allclose(shares[:, 1], 1 / (1 + np.exp(-z - found.calibration_.offset)))
    else:
        np.testing.assert_allclose(shares, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(np.exp(found.predict_log_proba(X)), shares)
    one = found.predict_proba_one(X[0])
    assert list(one) == list(range(k))
    assert list(one.values()) == pytest.approx(shares[0].tolist())


@every_learner
@pytest.mark.parametrize("k", [2, 3])
def test_calibrating_changes_nothing_else(learner, k):
    X, y = noisy(k)
    plain, calibrated = (
        learner(calibrate=flag, random_state=np.random.default_rng(4), **FEW).fit(X, y)
        for flag in (False, True)
    )
    assert plain.random_state.bit_generator.state == calibrated.random_state.bit_generator.state
    assert plain.decision_function(X).tobytes() == calibrated.decision_function(X).tobytes()
    for name in ("n_iter_", "t_", "n_mistakes_", "mistakes_per_epoch_", "n_training_errors_"):
        assert getattr(plain, name) == getattr(calibrated, name)


@every_learner
def test_without_calibration_there_is_no_method_and_the_error_says_what_to_do(learner):
    found = learner(**FEW).fit(*noisy(2))
    if learner is SoftPerceptron:
        assert hasattr(found, "predict_proba")
        return
    for name in ("predict_proba", "predict_log_proba", "predict_proba_one"):
        assert not hasattr(found, name)
        with pytest.raises(AttributeError, match=r"no probabilities: set calibrate=True and fit"):
            getattr(found, name)
    assert hasattr(learner(calibrate=True), "predict_proba")


def test_a_soft_perceptron_has_its_own_probabilities_or_the_calibrated_ones():
    X, y = noisy(2)
    soft = SoftPerceptron(calibrate=True, **FEW).fit(X, y)
    calibrated, (slope, offset, _) = soft.predict_proba(X), soft.calibration_
    own, scores = soft.set_params(calibrate=False).predict_proba(X), soft.decision_function(X)
    np.testing.assert_allclose(own[:, 1], 1 / (1 + np.exp(-scores)))
    np.testing.assert_allclose(calibrated[:, 1], 1 / (1 + np.exp(-slope * scores - offset)))
    assert np.abs(own - calibrated).max() > 0.01


@pytest.mark.parametrize("load_rows", [load_breast_cancer, load_digits])
def test_the_sigmoid_is_that_of_scikit_learn(load_rows):
    X, y = load_rows(return_X_y=True)
    X, y = X[y < 2] / X.max(axis=0).clip(1), y[y < 2]
    learner = AveragedPerceptron(max_iter=10)
    folds = stratified_folds(y.astype(np.int32), 5, 0)
    cv = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]
    theirs = CalibratedClassifierCV(learner, cv=cv, ensemble=False).fit(X, y)
    [sigmoid] = theirs.calibrated_classifiers_[0].calibrators
    # Folds of theirs train as long as they need, ours as long as the fit itself: here all of ten.
    ours = AveragedPerceptron(max_iter=10, calibrate=True).fit(X, y)
    assert (-sigmoid.a_, -sigmoid.b_) == pytest.approx(ours.calibration_[:2], rel=1e-3)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


BY_SCORES = "as in SVC, predict goes by the score, and the sigmoid has an offset"
EXEMPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": "a weight scales the step of an online rule",
    "check_sample_weight_equivalence_on_sparse_data": "a weight scales the step of an online rule",
    "check_classifiers_train": BY_SCORES,
}


@parametrize_with_checks(
    [Perceptron(calibrate=True, max_iter=10)], expected_failed_checks=lambda _: EXEMPTIONS
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


# ---------------------------------------------------------------------- together with others


def test_rows_of_no_weight_count_nothing_and_weights_of_classes_do_not_count():
    X, y = noisy(2)
    weights = np.where(np.arange(60) < 40, 1.0, 0.0)
    y_wrong = np.where(weights > 0, y, 1 - y)
    some, wrong = (
        Perceptron(calibrate=True, **FEW).fit(X, labels, sample_weight=weights).calibration_
        for labels in (y, y_wrong)
    )
    assert some == wrong
    double = Perceptron(calibrate=True, shuffle=False, **FEW)
    shares = double.fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0)).predict_proba(X)
    assert shares[:, 1].mean() > 0.56  # these rows are three times as many
    heavy = Perceptron(calibrate=True, shuffle=False, class_weight={1: 3.0}, **FEW).fit(X, y)
    assert heavy.coef_.tolist() == double.coef_.tolist()
    assert heavy.predict_proba(X)[:, 1].mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({"early_stopping": True, "validation_fraction": 0.3}, {}),
        ({}, {"validation_set": noisy(2, seed=9)}),
        ({"pocket": True}, {}),
        ({"record": True}, {}),
        ({"binary_as_multiclass": True}, {}),
        ({"class_weight": "balanced"}, {}),
        ({}, {"coef_init": np.ones((1, 4))}),
    ],
    ids=str,
)
def test_calibrating_goes_with_every_other_option(parameters, arguments):
    X, y = noisy(2)
    found = Perceptron(calibrate=True, max_iter=20, tol=None, **parameters).fit(X, y, **arguments)
    assert log_loss(y, found.predict_proba(X)) < 0.69
    assert found.calibration_.slope > 0


def test_a_pocket_of_a_fold_never_sees_the_rows_that_are_left_out():
    X, y = noisy(2)
    folds = stratified_folds(y.astype(np.int32), 5, 0)
    found = Perceptron(calibrate=True, pocket=True, **FEW).fit(X, y)
    epochs, scores = {**FEW, "max_iter": found.best_iter_}, np.empty(60)
    for fold in range(5):
        rest, held = folds != fold, folds == fold
        part = Perceptron(pocket=True, **epochs).fit(X[rest], y[rest])
        scores[held] = part.decision_function(X[held])
    assert found.calibration_ == calibrate(scores, y)


@pytest.mark.parametrize("k", [2, 3])
def test_dense_sparse_packed_rows_and_records_are_calibrated_alike(k, tmp_path):
    X, y = floats(4, n=50, n_classes=k)
    packed = io.pack((X, y), tmp_path / "a.rows")
    frame = pd.DataFrame(X, columns=list("abcd"))
    learner = AveragedPerceptron(calibrate=True, **FEW)
    dense = learner.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(learner.fit(packed.X, packed.y).predict_proba(packed.X), dense)
    np.testing.assert_array_equal(learner.fit(frame, y).predict_proba(frame), dense)
    np.testing.assert_allclose(learner.fit(csr(X), y).predict_proba(csr(X)), dense)


def test_records_with_texts_have_probabilities():
    records = [{"colour": c, "size": s} for c in ("red", "blue") for s in range(8)]
    labels = ["big" if r["size"] > 3 else "small" for r in records]
    found = PassiveAggressive(calibrate=True).fit(records, labels)
    one = found.predict_proba_one({"colour": "red", "size": 9})
    assert list(one) == ["big", "small"]
    assert one["big"] > 0.7


def test_a_kernel_that_is_computed_beforehand_is_calibrated():
    X, y = noisy(2)
    poly = KernelPerceptron(degree=2, gamma=1.0, calibrate=True, **FEW).fit(X, y)
    gram = (X @ X.T + 1) ** 2
    known = KernelPerceptron(kernel="precomputed", calibrate=True, **FEW).fit(gram, y)
    np.testing.assert_allclose(known.predict_proba(gram), poly.predict_proba(X))


def test_a_warm_start_is_calibrated_anew_and_a_fit_without_drops_it():
    X, y = noisy(2)
    found = Perceptron(calibrate=True, warm_start=True, **FEW).fit(X, y)
    first = found.calibration_
    assert found.fit(*noisy(2, seed=8)).calibration_ != first
    found.set_params(calibrate=False).fit(X, y).set_params(calibrate=True)
    with pytest.raises(NotFittedError, match="not calibrated"):
        found.predict_proba(X)


def test_learning_on_keeps_the_calibration_until_a_class_joins():
    X, y = noisy(2)
    found = Perceptron(calibrate=True, **FEW).fit(X, y)
    before = found.calibration_
    found.partial_fit(X[:3], y[:3]).learn_one(X[4], y[4])
    assert found.calibration_ == before
    assert found.predict_proba(X).shape == (60, 2)
    found.learn_one(X[5], 2)
    with pytest.raises(NotFittedError, match="a class that joins ends it"):
        found.predict_proba(X)


@pytest.mark.parametrize("k", [2, 3])
def test_a_refused_class_leaves_the_calibration(k):
    found = Perceptron(calibrate=True, **FEW).fit(*noisy(k))
    found.learn_one(noisy(k)[0][0], 1)
    before = found.calibration_
    with pytest.raises(InputError):
        found.partial_fit([[np.inf] * 4], [k])
    assert found.calibration_ == before


def test_another_way_to_combine_needs_a_calibration_of_its_own():
    found = VotedPerceptron(calibrate=True, **FEW).fit(*noisy(2))
    found.set_params(combine="last")
    with pytest.raises(NotFittedError, match="calibrated for combine='vote'"):
        found.predict_proba(noisy(2)[0])


@every_learner
def test_a_class_of_one_row_cannot_be_calibrated(learner):
    found = learner(calibrate=True)
    with pytest.raises(
        InputError, match=r"calibrate=True needs two .* class 'b' has 1 of 3 samples"
    ):
        found.fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    assert not hasattr(found, "classes_")


def test_two_rows_of_a_class_give_two_folds():
    X, y = noisy(2, n=20)
    y[y == 1] = 0
    y[:2] = 1
    assert 0 < Perceptron(calibrate=True, **FEW).fit(X, y).predict_proba(X)[:, 1].max() < 1


def test_who_asks_to_stop_gets_no_probabilities_but_the_model():
    X, y = noisy(2)
    asked = iter([False] * 20 + [True] * 10_000)
    with stopping_when(lambda: next(asked)):
        found = Perceptron(calibrate=True, **FEW).fit(X, y)
    assert found.predict(X).shape == (60,)
    with pytest.raises(NotFittedError, match="not calibrated"):
        found.predict_proba(X)


def test_shards_refuse_to_calibrate_and_merged_models_are_not_calibrated():
    with pytest.raises(ParameterError, match="calibrate=True is for a learner that sees all"):
        distribute(Perceptron(calibrate=True))
    models = [Perceptron(calibrate=True, **FEW).fit(*noisy(2, seed=seed)) for seed in (1, 2)]
    with pytest.raises(NotFittedError, match="not calibrated"):
        distributed.merge(models).predict_proba(noisy(2)[0])


def test_a_file_keeps_the_calibration_also_slim_and_a_digest_counts_it(tmp_path):
    X, y = noisy(3)
    found = PassiveAggressive(calibrate=True, **FEW).fit(X, y)
    for slim in (False, True):
        save(found, tmp_path / "a.rbt", slim=slim)
        again = load(tmp_path / "a.rbt")
        assert again.calibration_ == found.calibration_
        assert again.predict_proba(X).tobytes() == found.predict_proba(X).tobytes()
    digest = found._model.digest()
    found._model.calibration = (2 * found.calibration_.slope, 0.0, None)
    assert found._model.digest() != digest
