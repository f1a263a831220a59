"""Loading a model and predicting with it takes neither scikit-learn nor SciPy."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from strategies import LEARNERS, floats

from model.samples import STATES
from rosenblatt import VotedPerceptron, load, save
from rosenblatt.errors import ModelFileError
from rosenblatt.model import read, write

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

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
    assert not {"sklearn", "scipy", "torch", "pandas", "matplotlib"} & set(sys.modules)
"""


def test_neither_scikit_learn_nor_scipy_is_loaded_to_predict(tmp_path):
    queries = floats(5)[0]
    np.save(tmp_path / "queries.npy", queries)
    expected, paths = [], []
    for name in LEARNERS:
        learner = STATES["early stopping"](LEARNERS[name], 3)
        paths.append(tmp_path / f"{name}.rbt")
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


def test_loading_finds_a_learner_by_its_name_alone(tmp_path):
    save(STATES["dense"](VotedPerceptron, 3), tmp_path / "model.rbt")
    code = f"import rosenblatt; print(type(rosenblatt.load({str(tmp_path / 'model.rbt')!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "<class 'rosenblatt.linear.voted.VotedPerceptron'>"


def test_a_state_that_was_changed_is_checked_before_it_is_written(tmp_path):
    path = tmp_path / "model.rbt"
    save(STATES["dense"](LEARNERS["averaged"], 2), path)
    before = path.read_bytes()
    state = read(path)
    state.arrays["coef"][0, 1] = np.nan
    with pytest.raises(ModelFileError, match=r"^coef\[0, 1\] is nan; "):
        write(state, path)
    assert path.read_bytes() == before
    state = read(path)
    state.card.random = 1.5
    with pytest.raises(ModelFileError, match=r"random is 1\.5, but must be a whole number"):
        write(state, path)
    assert path.read_bytes() == before
    state = read(path)
    state.card.schema = {"not": {"JSON"}}
    with pytest.raises(ModelFileError, match="cannot be written as JSON"):
        write(state, path)
    assert path.read_bytes() == before
    assert load(path).t_ == state.card.record.t


def test_a_state_says_what_it_is(tmp_path):
    save(STATES["dense"](LEARNERS["mira"], 3), tmp_path / "model.rbt")
    assert repr(read(tmp_path / "model.rbt")) == (
        "<State: MIRA, 3 classes, 4 features, 120 examples>"
    )
