"""The learners are scikit-learn estimators to the letter."""

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import LINEAR, assert_same_bytes, floats

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WEIGHTS_SCALE_STEPS = (
    "a weight scales the step of an online rule, which is not the same as visiting the row that "
    "many times; scikit-learn exempts its own SGD learners likewise"
)
EXEMPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS_SCALE_STEPS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS_SCALE_STEPS,
}

every_learner = pytest.mark.parametrize("learner", LINEAR)


@parametrize_with_checks(
    [learner() for learner in LINEAR],
    expected_failed_checks=lambda _: EXEMPTIONS,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@every_learner
def test_learners_work_in_a_pipeline_and_cross_validation(learner, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), learner(max_iter=50))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    assert pipeline.fit(X, y).score(X, y) > 0.85


@every_learner
def test_learners_work_in_a_grid_search(learner, iris):
    X, y = iris
    search = GridSearchCV(learner(max_iter=20), {"fit_intercept": [True, False]}, cv=3).fit(X, y)
    assert search.best_params_["fit_intercept"] in (True, False)
    assert search.score(X, y) > 0.6
    assert len(search.cv_results_["mean_test_score"]) == 2


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_learners_can_be_calibrated(learner, n_classes, iris):
    X, y = (part[iris[1] < n_classes] for part in iris)
    calibrated = CalibratedClassifierCV(learner(max_iter=20), cv=3).fit(X, y)
    shares = calibrated.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert calibrated.score(X, y) > 0.7


@every_learner
def test_a_clone_has_the_parameters_and_nothing_learned(learner):
    X, y = floats(1)
    original = learner(max_iter=7, random_state=3, ties="positive", tol=None).fit(X, y)
    copy = clone(original)
    assert copy.get_params() == original.get_params()
    assert not hasattr(copy, "coef_")
    assert_same_bytes([copy.fit(X, y).coef_], [original.coef_])


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_pickle_and_joblib_bring_back_the_same_answers(learner, n_classes, tmp_path):
    X, y = floats(1, n_classes=n_classes)
    original = learner(max_iter=7, tol=None, record=True).fit(X, y)
    joblib.dump(original, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(original)), joblib.load(tmp_path / "model")):
        np.testing.assert_array_equal(copy.decision_function(X), original.decision_function(X))
        assert copy.stop_reason_ == original.stop_reason_
        if not original.rule().rates:
            np.testing.assert_array_equal(copy.dual_coef_, original.dual_coef_)
        assert_same_bytes(copy.ledger_.replay(X), original.ledger_.replay(X))


def pandas_frame(X, names="abcd"):
    return pytest.importorskip("pandas").DataFrame(X, columns=list(names))


def polars_frame(X, names="abcd"):
    return pytest.importorskip("polars").DataFrame(X, schema=list(names))


def arrow_table(X, names="abcd"):
    return pytest.importorskip("pyarrow").table(dict(zip(names, X.T, strict=True)))


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "arrow": arrow_table}


@every_learner
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_give_their_names_to_the_features(learner, kind):
    X, y = floats(1)
    frame = FRAMES[kind](X)
    named, plain = learner(max_iter=5, tol=None).fit(frame, y), learner(max_iter=5, tol=None)
    assert list(named.feature_names_in_) == ["a", "b", "c", "d"]
    assert_same_bytes([named.coef_], [plain.fit(X, y).coef_])
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(named.predict(frame), plain.predict(X))
    wrong = FRAMES[kind](X, "bacd")
    with pytest.raises(ValueError, match=r"[Ff]eature names"):
        named.predict(wrong)
    started = learner().partial_fit(frame, y)
    assert list(started.feature_names_in_) == ["a", "b", "c", "d"]
    started.partial_fit(frame, y)
    named.fit(X, y)
    assert not hasattr(named, "feature_names_in_")


@every_learner
def test_a_model_of_a_frame_answers_and_learns_from_mappings(learner):
    X, y = floats(1)
    frame = pandas_frame(X)
    fitted = learner(max_iter=5, tol=None).fit(frame, y)
    mappings = frame.to_dict("records")
    expected = fitted.predict(frame).tolist()
    assert [fitted.predict_one(x) for x in mappings] == expected
    goes_on = learner(max_iter=5, tol=None).fit(frame, y).partial_fit(frame, y)
    for x, label in zip(mappings, y, strict=True):
        fitted.learn_one(x, label)
    np.testing.assert_allclose(fitted.coef_, goes_on.coef_, rtol=1e-9, atol=1e-12)


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "kind", ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "coo_array", "coo_matrix"]
)
def test_every_kind_of_sparse_matrix_is_read(learner, kind, n_classes):
    X, y = floats(1, n_classes=n_classes)
    table = getattr(sp, kind)(X)
    fitted, expected = (learner(max_iter=5, tol=None).fit(rows, y) for rows in (table, X))
    np.testing.assert_allclose(fitted.coef_, expected.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        fitted.decision_function(table), expected.decision_function(X), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_array_equal(fitted.predict(table), expected.predict(X))
    fitted.partial_fit(table, y)


def test_probabilities_of_the_soft_perceptron_are_those_of_its_scores():
    from rosenblatt import SoftPerceptron

    X, y = floats(3, n_classes=3)
    soft = SoftPerceptron(max_iter=5, tol=None).fit(X, y)
    scores = soft.decision_function(X)
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(soft.predict_proba(X), expected, rtol=1e-12)
    np.testing.assert_allclose(soft.predict_log_proba(X), np.log(expected), rtol=1e-9)
    np.testing.assert_array_equal(soft.classes_[expected.argmax(axis=1)], soft.predict(X))
    binary = SoftPerceptron(max_iter=5, tol=None).fit(X, y == 1)
    np.testing.assert_allclose(
        binary.predict_proba(X)[:, 1], 1 / (1 + np.exp(-binary.decision_function(X))), rtol=1e-12
    )


@every_learner
def test_balanced_class_weights_are_the_row_weights_scikit_learn_computes(learner):
    from sklearn.utils.class_weight import compute_sample_weight

    X, y = floats(3, n=40)
    y[:12] = 0
    options = {"max_iter": 5, "tol": None}
    balanced = learner(class_weight="balanced", **options).fit(X, y)
    weighted = learner(**options).fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    assert_same_bytes([balanced.coef_], [weighted.coef_])
    assert not np.array_equal(balanced.coef_, learner(**options).fit(X, y).coef_)


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


@every_learner
@pytest.mark.usefixtures("routing")
def test_metadata_is_routed_through_searches_and_pipelines(learner, iris):
    X, y = iris
    weights = np.where(y == 1, 0.0, 1.0)
    asked = learner(max_iter=20).set_fit_request(sample_weight=True)
    asked.set_score_request(sample_weight=False)
    assert clone(asked).get_metadata_routing().fit.requests["sample_weight"] is True
    assert asked.get_metadata_routing().fit.requests["validation_set"] is None
    search = GridSearchCV(asked, {"fit_intercept": [True]}, cv=3).fit(X, y, sample_weight=weights)
    alone = clone(asked).fit(X, y, sample_weight=weights)
    assert_same_bytes([search.best_estimator_.coef_], [alone.coef_])
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    open_score = learner(max_iter=20).set_fit_request(sample_weight=True)
    pipeline = make_pipeline(scaler, open_score).fit(X, y, sample_weight=weights)
    assert 0 < pipeline.score(X, y) <= 1
    with pytest.raises(ValueError, match="sample_weight"):
        learner().set_fit_request(sample_weight=3)
    with pytest.raises(TypeError, match="Unexpected args: 'nothing'"):
        learner().set_fit_request(nothing=True)


@every_learner
def test_requests_need_routing_to_be_on(learner, iris):
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        learner().set_fit_request(sample_weight=True)
    assert 0 < make_pipeline(StandardScaler(), learner(max_iter=5)).fit(*iris).score(*iris) <= 1


@every_learner
def test_learners_are_boosted_stacked_and_searched_on_two_processes(learner, iris):
    X, y = iris
    # Weights that add up to 1 make steps short, and a soft step is cut on long rows as well.
    epochs = 50 if learner.__name__ == "SoftPerceptron" else 5
    boosted = AdaBoostClassifier(learner(max_iter=epochs), n_estimators=3).fit(X, y)
    assert boosted.score(X, y) > 0.5
    stacked = StackingClassifier([("one", learner(max_iter=5))], cv=3).fit(X, y)
    assert stacked.score(X, y) > 0.5
    search = GridSearchCV(learner(max_iter=5), {"shuffle": [True, False]}, cv=2, n_jobs=2)
    assert search.fit(X, y).score(X, y) > 0.5


def test_a_damaged_matrix_is_refused_before_scipy_touches_it():
    X, y = floats(1)
    for place, value in ((5, 9999), (5, -7), (0, 1)):
        damaged = sp.csr_array(X)
        damaged.indptr[place] = value
        with pytest.raises(ValueError, match="damaged sparse matrix"):
            LINEAR[0]().fit(damaged, y)
