"""A kernel machine that was saved answers and learns on as before, to the last bit."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import floats

from model import kernel_samples
from model.forging import opened
from model.kernel_samples import (
    BUDGETS,
    EARLY,
    FEW,
    FORMS,
    STATES,
    begun,
    finished,
    fit,
    gram,
    rows,
    runs,
)
from model.samples import assert_same, same
from rosenblatt import KernelPerceptron, load, save
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.kernel.budgets import POLICIES
from rosenblatt.kernel.file_layout import kernel_machine
from rosenblatt.kernel.functions import KERNELS
from rosenblatt.kernel.memory import RULES
from rosenblatt.model import linear_model, read
from rosenblatt.model.onnx import to_onnx

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def file_of(learner, path):
    save(learner, path)
    return path.read_bytes()


def combinations(learner):
    """The ways to answer that this machine allows."""
    if learner.budget is None:
        return "average", "vote", "last"
    return ("average", "last") if learner.forget == "projection" else ("last",)


def assert_answers_are_the_same(learner, copy, path, X):
    for combine in combinations(learner):
        for one in (learner, copy):
            one.set_params(combine=combine)
        expected = learner.decision_function(X)
        assert same(copy.decision_function(X), expected)
        assert same(copy.predict(X), learner.predict(X))
        one = X[:1].toarray()[0] if hasattr(X, "toarray") else X[0]
        assert copy.explain(one) == learner.explain(one)


@given(
    kernel=st.sampled_from(sorted(KERNELS)),
    policy=st.sampled_from(sorted(BUDGETS)),
    form=st.sampled_from(FORMS),
    more=st.sampled_from(FORMS),
    multiclass=st.sampled_from(["ovr", "argmax"]),
    ties=st.sampled_from(["mistake", "positive"]),
    n_classes=st.integers(2, 4),
    early=st.booleans(),
    how=st.sampled_from(["fit", "partial_fit", "both", "twice"]),
    seed=st.integers(0, 99),
)
def test_whatever_the_machine_it_comes_back_and_goes_on(
    kernel, policy, form, more, multiclass, ties, n_classes, early, how, seed, folder
):
    options = {**FEW, **BUDGETS[policy], **(EARLY if early else {}), "warm_start": how == "twice"}
    learner = KernelPerceptron(kernel=kernel, multiclass=multiclass, ties=ties, **options)
    if how != "partial_fit":
        learner.fit(*rows(seed, form, n_classes))
    if how == "twice":
        learner.fit(*rows(seed + 1, form, n_classes))
    elif how != "fit":
        learner.partial_fit(*rows(seed + 1, form, n_classes))
    path, again = folder / "machine.rbt", folder / "again.rbt"
    before = file_of(learner, path)
    copy = load(path)
    assert_same(copy, learner)
    assert file_of(copy, again) == before
    combine = learner.combine
    for asked in ("csr_array", "csr_matrix") if form.startswith("csr") else ("dense", "float32"):
        assert_answers_are_the_same(learner, copy, again, rows(seed + 2, asked)[0])
    for one in (learner, copy):
        one.set_params(combine=combine)
        more = more if form.startswith("csr") == more.startswith("csr") else form
        one.partial_fit(*rows(seed + 3, more, 4))
        one.set_params(warm_start=True).fit(*rows(seed + 4, form, 4))
    assert_same(copy, learner)
    assert file_of(copy, again) == file_of(learner, path)


@given(
    policy=st.sampled_from(sorted(BUDGETS)),
    n_classes=st.integers(2, 4),
    early=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_machine_of_a_precomputed_kernel_comes_back(policy, n_classes, early, seed, folder):
    options = {**FEW, **BUDGETS[policy], **(EARLY if early else {})}
    K, y = gram(seed, n_classes)
    learner = KernelPerceptron(kernel="precomputed", **options).fit(K, y)
    path = folder / "machine.rbt"
    before = file_of(learner, path)
    assert not [name for name in opened(before)[1] if name.startswith("support.rows")]
    copy = load(path)
    assert_same(copy, learner)
    assert_answers_are_the_same(learner, copy, path, K[::-1])


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_state_comes_back_with_all_it_knows(state, n_classes, tmp_path):
    learner = STATES[state](n_classes)
    before = file_of(learner, tmp_path / "first.rbt")
    copy = load(tmp_path / "first.rbt")
    assert_same(copy, learner)
    assert file_of(copy, tmp_path / "again.rbt") == before
    assert file_of(learner, tmp_path / "again.rbt") == before  # nor did the questions change it


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A folder in which another process has finished all runs that were begun here."""
    folder = tmp_path_factory.mktemp("runs")
    for number, run in enumerate(runs()):
        save(begun(*run), folder / f"{number}.rbt")
    subprocess.run([sys.executable, Path(kernel_samples.__file__), folder], check=True)
    return folder


@pytest.mark.parametrize(("number", "run"), list(enumerate(runs())), ids=str)
def test_a_run_finished_in_another_process_is_the_same_run(number, run, done, tmp_path):
    here = finished(begun(*run), run[1])
    assert_same(load(done / f"{number}.done"), here)
    assert (done / f"{number}.done").read_bytes() == file_of(here, tmp_path / "here.rbt")


def test_the_random_numbers_of_forgetting_go_on_where_they_were(tmp_path):
    """Otherwise other rows would be forgotten; that this is so is seen by setting them back."""
    learner = fit(kernel="rbf", **BUDGETS["random"])
    save(learner, tmp_path / "model.rbt")
    copy, other = (load(tmp_path / "model.rbt") for _ in range(2))
    other._model.forgetting.random = np.random.default_rng(0)
    for one in (learner, copy, other):
        one.partial_fit(*rows(8))
    np.testing.assert_array_equal(copy.support_, learner.support_)
    assert other.support_.tolist() != learner.support_.tolist()


def test_parameters_that_were_changed_after_learning_are_kept_beside_the_machine(tmp_path):
    learner = fit(kernel="rbf", gamma=0.3).set_params(kernel="poly", gamma=None, combine="last")
    save(learner, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert copy.get_params() == learner.get_params()
    assert same(copy.decision_function(rows(9)[0]), learner.decision_function(rows(9)[0]))
    for one in (copy, learner):
        with pytest.raises(ParameterError, match="learned with 'rbf'"):
            one.partial_fit(*rows(8))


def test_numbers_of_numpy_among_the_parameters_come_back(tmp_path):
    learner = fit(gamma=np.float32(0.3), degree=np.int64(2), random_state=np.random.default_rng(3))
    save(learner, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert same(copy.get_params(), learner.get_params())
    assert copy._model.kernel.gamma == learner._model.kernel.gamma
    assert same(copy.fit(*rows(8)).dual_coef_, learner.fit(*rows(8)).dual_coef_)


def test_names_of_columns_and_the_digest_of_the_data_come_back(tmp_path):
    X, y = rows(7)
    frame = pd.DataFrame(X, columns=list("wxyz"))
    learner = KernelPerceptron(**FEW).fit(frame, np.array(["no", "yes"])[y])
    save(learner, tmp_path / "model.rbt", data=(X, y))
    copy = load(tmp_path / "model.rbt")
    assert_same(copy, learner)
    assert same(copy.predict(frame), learner.predict(frame))
    save(copy, tmp_path / "again.rbt")
    assert (tmp_path / "again.rbt").read_bytes() == (tmp_path / "model.rbt").read_bytes()


def test_sparse_rows_with_columns_twice_and_out_of_order_are_kept_in_order(tmp_path):
    X, y = rows(7, "csr_array")
    halves = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr
    for start, stop in zip(halves[2][:-1], halves[2][1:], strict=True):
        halves[1][start:stop] = halves[1][start:stop][::-1]
        halves[0][start:stop] = halves[0][start:stop][::-1]
    untidy = type(X)(halves, shape=X.shape)
    assert not untidy.has_canonical_format
    learner = KernelPerceptron(**FEW).fit(untidy, y)
    assert same(learner.dual_coef_, KernelPerceptron(**FEW).fit(X, y).dual_coef_)
    save(learner, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert same(copy.decision_function(untidy), learner.decision_function(X))


# ---------------------------------------------------------------------- what is in the file


def test_support_rows_are_kept_once_and_little_else(tmp_path):
    X, y = floats(3, n=400, d=200, n_classes=10)
    learner = KernelPerceptron(kernel="rbf", max_iter=3, tol=None).fit(X, y)
    size = len(file_of(learner, tmp_path / "model.rbt"))
    rows_alone = len(learner.support_) * 200 * 8
    assert rows_alone < size < rows_alone + 32 * len(learner.ledger_) + 12 * 400 + 4096


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_a_budget_bounds_the_file(policy, tmp_path):
    learner = KernelPerceptron(kernel="rbf", **BUDGETS[policy])
    sizes = []
    for seed in range(6):
        learner.partial_fit(*rows(seed))
        sizes.append(len(file_of(learner, tmp_path / "model.rbt")))
    assert max(sizes) < 4096
    assert sizes[-1] - sizes[2] < 64  # digits of counters, not rows


def test_the_rules_of_forgetting_are_those_that_are_learned_by():
    assert set(RULES) == set(POLICIES)


def test_a_state_of_a_kernel_machine_says_what_it_is(tmp_path):
    learner = fit(n_classes=3)
    save(learner, tmp_path / "model.rbt")
    state = read(tmp_path / "model.rbt")
    assert repr(state) == "<State: KernelPerceptron, 3 classes, 4 features, 160 examples>"
    assert state.n_features == 4
    assert same(kernel_machine(state).coef, learner._model.coef)


# ---------------------------------------------------------------------- without the estimator

CHILD = """
    import sys
    import numpy as np
    from rosenblatt import model
    queries = np.load(sys.argv[1])
    for path in sys.argv[2:]:
        state = model.read(path)
        learner = model.learner_of(state)
        found = learner.decision_function(queries)
        print(learner.predict(queries).tolist(), found.tobytes().hex())
        model.write(state, path)
    assert not {"sklearn", "scipy", "pandas", "matplotlib"} & set(sys.modules)
"""


def test_neither_scikit_learn_nor_scipy_is_loaded_to_answer(tmp_path):
    queries = rows(9)[0]
    np.save(tmp_path / "queries.npy", queries)
    expected, paths = [], []
    for kernel in sorted(KERNELS):
        for policy, options in BUDGETS.items():
            learner = fit(kernel=kernel, n_classes=3, **options, **EARLY)
            paths.append(tmp_path / f"{kernel}-{policy}.rbt")
            save(learner, paths[-1])
            scores = learner.decision_function(queries)
            expected.append(f"{learner.predict(queries).tolist()} {scores.tobytes().hex()}")
    before = [path.read_bytes() for path in paths]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD), tmp_path / "queries.npy", *paths],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == expected
    assert [path.read_bytes() for path in paths] == before


def test_a_kernel_machine_says_that_it_has_no_weights(tmp_path):
    save(fit(), tmp_path / "model.rbt")
    state = read(tmp_path / "model.rbt")
    for ask in (linear_model, to_onnx):
        with pytest.raises(ModelFileError, match="a KernelPerceptron has no weights: it answers"):
            ask(state)


# ---------------------------------------------------------------------- what is not saved


def test_a_kernel_that_is_a_function_is_refused_with_the_cure(tmp_path):
    learner = fit(kernel=lambda A, B: A @ B.T)
    sentence = "cannot be saved, because a model file holds no code: use a kernel by its name, or "
    with pytest.raises(ParameterError, match=sentence + "kernel='precomputed'"):
        save(learner, tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match=sentence):  # still that of the machine
        save(learner.set_params(kernel="linear"), tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match=sentence):
        save(fit().set_params(kernel=np.dot), tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())


def test_a_machine_that_is_not_fitted_or_has_impossible_parameters_is_refused(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        save(KernelPerceptron(), tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match="random_state=-1"):
        save(fit().set_params(random_state=-1), tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match="max_iter=0"):
        save(fit().set_params(max_iter=0), tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())
