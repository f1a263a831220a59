"""The learners and theory work where only NumPy and the core are installed."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from rosenblatt.estimators.catalogue import CATALOGUE

BLOCKED = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Refuse())
"""


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BLOCKED + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


ROWS = """
import os, tempfile
import numpy as np
import rosenblatt
from rosenblatt.arrays import SparseRows
from rosenblatt.estimators.catalogue import find

entry = find({name!r})
rng = np.random.default_rng(3)
dense = rng.integers(-3, 4, (40, 5)) * (rng.random((40, 5)) < 0.6) * 1.0
labels = np.array(["a", "b", "c"])[(dense @ [1.0, -2.0, 0.5, 1.0, 0.0] > 0) * 1 + (dense[:, 1] > 1)]
rows = {{
    "array": dense,
    "float32": dense.astype(np.float32),
    "lists": dense.tolist(),
    "sparse": SparseRows.from_dense(dense),
    "numbers by name": [dict(zip("pqrst", row)) for row in dense.tolist()],
    "records": [
        {{"p": p, "q": q, "colour": "red" if r > 0 else "blue"}} for p, q, r, *_ in dense.tolist()
    ],
}}
def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b))

for kind, X in rows.items():
    learner = entry.load()(max_iter=50, tol=0.5).fit(X, labels)
    predicted = learner.predict(X)
    assert learner.score(X, labels) > 0.4, kind
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.rbt")
        rosenblatt.save(learner, path)
        copy = rosenblatt.load(path)
    assert same(copy.predict(X), predicted), kind
    some = X[:7]
    learner.partial_fit(some, labels[:7])
    copy.partial_fit(some, labels[:7])
    assert same(copy.decision_function(X), learner.decision_function(X)), kind
    one = X[0] if not isinstance(X, SparseRows) else dense[0]
    assert learner.predict_one(one) == learner.predict(X[:1])[0], kind
    learner.learn_one(one, "a")
    repr(learner), learner._repr_html_()
print("fine")
"""


OF_ROWS = [entry.name for entry in CATALOGUE if entry.family in ("linear", "kernel")]


@pytest.mark.parametrize("name", OF_ROWS)
def test_every_learner_of_rows_fits_predicts_saves_and_loads(name):
    code = ROWS.format(name=name)
    assert run(f"import warnings; warnings.simplefilter('ignore')\n{code}") == "fine\n"


def test_the_other_learners_too():
    code = """
        import os, tempfile, rosenblatt
        sentences = [["the", "dog", "barks"], ["a", "cat", "sleeps"]]
        tagger = rosenblatt.SequenceTagger().fit(sentences, [["D", "N", "V"]] * 2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tagger.rbt")
            rosenblatt.save(tagger, path)
            print(rosenblatt.load(path).predict([["the", "cat", "barks"]]))
        model = rosenblatt.StructuredPerceptron(
            features=lambda x, y: {(x, y): 1.0}, argmax=lambda x, score: max("pq", key=score)
        )
        print(model.fit([1, 2], ["p", "q"]).predict([1, 2]))
    """
    assert run(code) == "[['D', 'N', 'V']]\n['p', 'q']\n"


def test_theory_and_evaluation_too():
    code = """
        import numpy as np
        from rosenblatt import Perceptron, datasets, evaluate, theory
        from rosenblatt.arrays import SparseRows
        iris = datasets.iris()
        X, y = iris.X, iris.y == 0
        assert theory.separability(X, y).verify()
        assert theory.separability(SparseRows.from_dense(X), y).verify()
        assert theory.mistake_bound(X, y).bound > 0
        study = theory.order_study(Perceptron(shuffle=False), X, y, n_orders=3)
        predicted = Perceptron().fit(X, y).predict(X)
        print(set(study.stop_reasons), evaluate.report(y, predicted).accuracy)
    """
    assert run(code) == "{'separated'} 1.0\n"


def test_errors_and_warnings_are_ours_where_there_is_no_scikit_learn():
    code = """
        import warnings
        from rosenblatt import Perceptron
        from rosenblatt.errors import ConvergenceWarning, NotFittedError
        try:
            Perceptron().predict([[1.0]])
        except NotFittedError as error:
            print(type(error).__name__, isinstance(error, (ValueError, AttributeError)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Perceptron(max_iter=2, tol=None).fit([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
        print(caught[0].category is ConvergenceWarning)
    """
    assert run(code) == "NotFittedError True\nTrue\n"
