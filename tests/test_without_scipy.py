"""Sparse rows are learned from, saved and certified where SciPy and scikit-learn are missing."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import KernelPerceptron, VotedPerceptron, save

BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("scipy", "sklearn"):
            raise ImportError(name + " is blocked")

sys.meta_path.insert(0, Blocked())
"""
KERNELS = ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine")
WIDE = 3_000


def run(code: str, *arguments: str) -> str:
    """What the code prints in a process that can import neither SciPy nor scikit-learn."""
    whole = BLOCK + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", whole, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def labelled(d: int) -> tuple[sp.csr_array, np.ndarray]:
    X = sp.random_array((60, d), density=8 / d, format="csr", rng=np.random.default_rng(0))
    return X, np.array(["no", "yes", "maybe"])[np.arange(60) % 3]


def parts_of(X: sp.csr_array, folder: Path) -> str:
    path = folder / "rows.npz"
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, n=X.shape[1])
    return str(path)


READ = """
import numpy as np
from rosenblatt.arrays import SparseRows
kept = np.load(sys.argv[1])
X = SparseRows(kept["data"], kept["indices"], kept["indptr"], int(kept["n"]))
"""


def test_the_packages_are_blocked() -> None:
    found = run(
        """
        for name in ("scipy", "scipy.sparse", "sklearn", "sklearn.base"):
            try:
                __import__(name)
            except ImportError:
                print("blocked")
        """
    )
    assert found.split() == ["blocked"] * 4


def test_sparse_rows_do_all_they_do(tmp_path: Path) -> None:
    X, _ = labelled(WIDE)
    dense = X.toarray()
    code = READ + textwrap.dedent(
        """
        W = np.random.default_rng(1).normal(size=(X.shape[1], 4))
        joined = SparseRows.concat([X[:10], X[[30, 20]], X[np.arange(60) % 2 == 0]])
        found = {
            "joined": joined.toarray(), "narrow": X.narrow(50).toarray(),
            "wide": X.widen(4000).toarray(), "times": X @ W, "left": W[:60, :].T @ X,
            "pairs": X.products(joined), "norms": X.squared_norms(),
            "again": SparseRows.from_dense(X.toarray()).data,
        }
        np.savez(sys.argv[2], **found)
        """
    )
    out = tmp_path / "found.npz"
    run(code, parts_of(X, tmp_path), str(out))
    found = np.load(out)
    W = np.random.default_rng(1).normal(size=(WIDE, 4))
    joined = np.vstack([dense[:10], dense[[30, 20]], dense[::2]])
    np.testing.assert_array_equal(found["joined"], joined)
    np.testing.assert_array_equal(found["narrow"], dense[:, :50])
    np.testing.assert_array_equal(found["wide"], np.pad(dense, ((0, 0), (0, 1000))))
    np.testing.assert_array_equal(found["times"], X @ W)
    np.testing.assert_array_equal(found["left"], W[:60].T @ X)
    np.testing.assert_array_equal(found["pairs"], (X @ sp.csr_array(joined).T).toarray())
    np.testing.assert_allclose(found["norms"], (dense**2).sum(axis=1))
    np.testing.assert_array_equal(found["again"], X.data)


@pytest.mark.parametrize("width", [40, WIDE])
def test_kernels_of_sparse_rows_are_those_of_dense_ones(width: int, tmp_path: Path) -> None:
    X, _ = labelled(width)
    code = READ + textwrap.dedent(
        f"""
        from rosenblatt.models.kernel_functions import Kernel
        for name in {KERNELS!r}:
            kernel = Kernel(name, degree=2, gamma=0.3, coef0=0.5)
            A, B = X[:25], X[25:]
            expected = kernel.between(A.toarray(), B.toarray())
            for left, right in ((A, B), (A.toarray(), B), (A, B.toarray())):
                found = kernel.between(left, right)
                assert np.allclose(found, expected, rtol=1e-12, atol=1e-12), name
            print(name)
        """
    )
    assert run(code, parts_of(X, tmp_path)).split() == list(KERNELS)


@pytest.mark.parametrize("width", [40, WIDE])
@pytest.mark.parametrize(
    "learner",
    [
        VotedPerceptron(max_iter=3),
        KernelPerceptron(kernel="laplacian", max_iter=3),
        KernelPerceptron(kernel="poly", combine="vote", max_iter=3),
        KernelPerceptron(kernel="rbf", budget=20, combine="last", max_iter=3),
    ],
    ids=lambda learner: f"{type(learner).__name__}-{getattr(learner, 'kernel', 'none')}",
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_of_sparse_rows_are_read_and_answer(learner, width: int, tmp_path: Path) -> None:
    X, y = labelled(width)
    learner.fit(X, y)
    save(learner, tmp_path / "model.rbt")
    code = READ + textwrap.dedent(
        """
        from rosenblatt import load
        learner = load(sys.argv[2])
        np.savez(sys.argv[3], scores=learner.decision_function(X))
        print(learner.predict(X).tolist())
        """
    )
    out = tmp_path / "scores.npz"
    labels = run(code, parts_of(X, tmp_path), str(tmp_path / "model.rbt"), str(out))
    assert labels == str(learner.predict(X).tolist())
    np.testing.assert_array_equal(np.load(out)["scores"], learner.decision_function(X))


def test_the_votes_of_a_ledger_are_counted(tmp_path: Path) -> None:
    X, y = labelled(WIDE)
    learner = VotedPerceptron(max_iter=3, tol=None, record=True)
    with pytest.warns(Warning, match="max_iter"):
        learner.fit(X, y)
    save(learner, tmp_path / "model.rbt")
    code = READ + textwrap.dedent(
        """
        from rosenblatt.model import linear_model, read
        ledger = linear_model(read(sys.argv[2])).ledger()
        coef, bias = ledger.replay(X)
        np.savez(sys.argv[3], votes=ledger.votes(X, X[:20]), coef=coef, mean=ledger.average(X)[0])
        """
    )
    out = tmp_path / "found.npz"
    run(code, parts_of(X, tmp_path), str(tmp_path / "model.rbt"), str(out))
    found = np.load(out)
    ledger = learner.ledger_
    np.testing.assert_array_equal(found["votes"], ledger.votes(X, X[:20]))
    np.testing.assert_array_equal(found["coef"], ledger.replay(X)[0])
    np.testing.assert_array_equal(found["mean"], ledger.average(X)[0])


def test_a_sparse_file_is_read_as_rows_and_says_what_its_matrix_needs(tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    path.write_text("1 1:2 4:5\n-1 2:3\n")
    found = run(
        """
        from rosenblatt import io
        from rosenblatt.arrays import SparseRows
        from rosenblatt.errors import MissingExtra
        from rosenblatt.tables.readers.svmlight import iter_svmlight
        block = iter_svmlight(sys.argv[1]).whole()
        assert isinstance(block.rows, SparseRows)
        print(block.rows.toarray().tolist(), block.y.tolist())
        for use in (lambda: io.read_svmlight(sys.argv[1]), lambda: list(block)):
            try:
                use()
            except MissingExtra as error:
                print(error)
        """,
        str(path),
    ).splitlines()
    assert found[0] == "[[2.0, 0.0, 0.0, 5.0], [0.0, 3.0, 0.0, 0.0]] [1, -1]"
    assert len(found) == 3
    assert all("rosenblatt[sklearn]" in line and "block.rows" in line for line in found[1:])


@pytest.mark.parametrize(("labels", "code"), [((1, 2), 0), ((1, 1), 1), ((1, 2, 3), 0)])
def test_sparse_files_are_certified(labels: tuple[int, ...], code: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    lines = [f"{label} {7 * label + 2}:1 90000:{i + 1}" for i, label in enumerate(labels * 5)]
    if code:  # the first row with two labels cannot be separated
        lines += [lines[0].replace("1 ", "2 ", 1)]
    path.write_text("\n".join(lines) + "\n")
    verb = """
        import json
        from click.testing import CliRunner
        from rosenblatt.cli.verbs import certify
        certify.DENSE_CELLS = int(sys.argv[2])
        done = CliRunner().invoke(certify.command, [sys.argv[1], "--json"], standalone_mode=False)
        assert done.exception is None, done.exception
        print(done.return_value)
        print(json.dumps(json.loads(done.output), sort_keys=True))
        """
    sparse, dense = (run(verb, str(path), cells).splitlines() for cells in ("0", "20000000"))
    assert sparse[0] == str(code)
    one, other = (json.loads(lines[1]) for lines in (sparse, dense))
    # Around the smallest bound it is flat: how sums are rounded decides the last digits.
    for name in ("gamma", "deviation", "bound"):
        assert one.pop(name) == pytest.approx(other.pop(name), rel=1e-6, abs=0)
    assert one == other


def test_association_units_fire_on_arrays_and_sparse_rows(tmp_path: Path) -> None:
    from rosenblatt.features import AssociationLayer

    X, _ = labelled(40)
    code = READ + textwrap.dedent(
        """
        from rosenblatt import Perceptron
        from rosenblatt.errors import MissingExtra, NotFittedError
        from rosenblatt.features import AssociationLayer
        layer = AssociationLayer(50, levels=2)
        try:
            layer.transform(X)
        except NotFittedError as error:
            print(error)
        array, rows = layer.fit_transform(X.toarray()), layer.fit_transform(X)
        assert type(array) is np.ndarray and type(rows) is SparseRows
        assert (rows.toarray() == array).all()
        y = np.arange(60) % 2
        Perceptron(max_iter=2, tol=None, verbose=0).partial_fit(rows, y).predict(layer.transform(X))
        np.save(sys.argv[2], array)
        try:
            layer.set_params(sparse_output=True).transform(X.toarray())
        except MissingExtra as error:
            print(error)
        print(layer.get_feature_names_out()[:2], layer, "sklearn" in sys.modules)
        assert "<pre>AssociationLayer" in layer._repr_html_()
        """
    )
    out = tmp_path / "fired.npy"
    printed = run(code, parts_of(X, tmp_path), str(out)).splitlines()
    expected = AssociationLayer(50, levels=2).fit_transform(X.toarray())
    np.testing.assert_array_equal(np.load(out), expected)
    assert "not fitted yet" in printed[0]
    assert "rosenblatt[sklearn]" in printed[1]
    assert printed[2].endswith("AssociationLayer(n_units=50, levels=2, sparse_output=True) False")


def test_texts_are_learned_from_and_become_frames() -> None:
    pytest.importorskip("pandas")
    found = run(
        """
        import pickle
        import numpy as np
        from rosenblatt import Perceptron
        from rosenblatt.arrays import SparseRows
        from rosenblatt.errors import MissingExtra
        from rosenblatt.features import TextFeatures
        texts, y = ["win money", "see you"], ["spam", "ham"]
        features = TextFeatures(bits=None, words=(1, 1), idf=False, unit=False)
        rows = features.fit_transform(texts, y)
        assert type(rows) is SparseRows
        model = Perceptron().fit(rows, y)
        features = pickle.loads(pickle.dumps(features))
        print(model.predict(features.transform(["money you win"])).tolist())
        features.set_params(output="array").set_output(transform="pandas")
        print(features.transform(texts).to_dict("list"))
        try:
            features.set_params(output="csr_array").transform(texts)
        except MissingExtra as error:
            print(error)
        """
    ).splitlines()
    assert found[0] == "['spam']"
    assert found[1] == str(
        {"win": [1.0, 0.0], "money": [1.0, 0.0], "see": [0.0, 1.0], "you": [0.0, 1.0]}
    )
    assert "rosenblatt[sklearn]" in found[2]
