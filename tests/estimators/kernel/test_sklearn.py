"""The kernel perceptron is a scikit-learn estimator to the letter."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import KernelPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


REPEATED = "a weight scales the step of an online rule, which is not as many visits of the row"
EXEMPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": REPEATED,
    "check_sample_weight_equivalence_on_sparse_data": REPEATED,
}
OF_PRECOMPUTED = {
    "check_class_weight_classifiers": "the check makes a kernel by which no two rows are alike, so "
    "that nothing can be said of new ones",
    "check_classifiers_one_label_sample_weights": "the check hands fit a matrix that is not "
    "symmetric, which no kernel is",
    "check_estimators_nan_inf": "the check hands predict a matrix of another width than that of "
    "training, which is refused before its values are looked at",
}


@parametrize_with_checks(
    [
        KernelPerceptron(max_iter=50),
        KernelPerceptron(kernel="rbf", multiclass="argmax", combine="vote", max_iter=50),
        KernelPerceptron(kernel="precomputed", max_iter=50),
        KernelPerceptron(kernel="rbf", budget=60, forget="smallest", combine="last", max_iter=50),
        KernelPerceptron(kernel="rbf", budget=20, max_iter=50),
    ],
    expected_failed_checks=lambda model: (
        EXEMPTIONS | OF_PRECOMPUTED if model.kernel == "precomputed" else EXEMPTIONS
    ),
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_it_works_in_a_pipeline_and_cross_validation(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), KernelPerceptron(kernel="rbf", max_iter=50))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9


def test_it_works_in_a_grid_search(iris):
    X, y = iris
    search = GridSearchCV(
        KernelPerceptron(max_iter=20), {"kernel": ["poly", "rbf"], "degree": [1, 2]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.9


def test_a_precomputed_kernel_is_cut_both_ways_in_cross_validation(iris):
    X, y = iris
    K = (X @ X.T + 1.0) ** 2
    found = cross_val_score(KernelPerceptron(kernel="precomputed", max_iter=20), K, y, cv=3)
    same = cross_val_score(
        KernelPerceptron(kernel="poly", degree=2, gamma=1.0, max_iter=20), X, y, cv=3
    )
    np.testing.assert_array_equal(found, same)


@pytest.mark.parametrize(
    "settings", [{}, {"budget": 7}, {"budget": 7, "forget": "random", "combine": "last"}]
)
def test_a_pickle_learns_on_as_the_model_would_have(iris, settings):
    X, y = iris
    model = KernelPerceptron(kernel="rbf", **settings).partial_fit(X[::2], y[::2])
    twin = pickle.loads(pickle.dumps(model))
    for each in (model, twin):
        each.partial_fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(model.dual_coef_, twin.dual_coef_)
    np.testing.assert_array_equal(model.decision_function(X), twin.decision_function(X))


def test_a_clone_knows_nothing(iris):
    model = KernelPerceptron(kernel="rbf").fit(*iris)
    assert not hasattr(clone(model), "classes_")


def test_the_notebook_shows_how_it_learned(iris):
    model = KernelPerceptron(kernel="rbf", max_iter=3)
    assert "support rows" not in model._repr_html_()
    model.fit(iris[0], np.array(["<b>", "y", "z"])[iris[1]])
    assert f"{len(model.support_):,} support rows" in model._repr_html_()
    assert "<b></th>" not in model._repr_html_()


def test_sparse_matrices_and_arrays_are_read_alike(iris):
    X, y = iris
    dense = KernelPerceptron(max_iter=5).fit(X, y)
    for kind in (sp.csr_matrix, sp.csr_array, sp.csc_array):
        sparse = KernelPerceptron(max_iter=5).fit(kind(X), y)
        np.testing.assert_array_equal(sparse.support_, dense.support_)
        np.testing.assert_allclose(sparse.decision_function(kind(X)), dense.decision_function(X))
        np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X))
