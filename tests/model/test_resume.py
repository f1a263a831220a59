"""train(A + B) is train(A), save, load, train(B), in another process, to the last bit."""

import subprocess
import sys
from pathlib import Path

import pytest
from strategies import LEARNERS

from model import resuming
from model.resuming import KINDS, learned, options, runs
from model.samples import assert_same
from rosenblatt import load, save
from rosenblatt.model import disk

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which another process has finished all runs that were begun here."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk.os, "fsync", lambda file: None)
        begin_all(folder)
    subprocess.run([sys.executable, Path(resuming.__file__), folder], check=True)
    return folder


def begin_all(folder):
    for number, (name, kind, cut, _) in enumerate(runs()):
        learner = learned(LEARNERS[name](**options(kind)), kind, 0, cut)
        save(learner, folder / f"{number}.rbt")


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_finished_in_another_process_is_the_same_run(name, kind, finished, tmp_path):
    mine = [(number, *run[2:]) for number, run in enumerate(runs()) if run[:2] == (name, kind)]
    assert [cut for _, cut, _ in mine] == list(KINDS[kind])
    for number, cut, end in mine:
        there, here = finished / f"{number}.done", tmp_path / "here.rbt"
        learner = learned(LEARNERS[name](**options(kind)), kind, 0, cut)
        ended_before = getattr(learner, "stop_reason_", None) == "separated"
        save(learned(learner, kind, cut, end), here)
        # The bytes of the file are the whole state; the first line says what differs, if it does.
        assert_same(load(there), learner)
        assert there.read_bytes() == here.read_bytes()
        if "early" not in kind and not ended_before:
            whole = learned(LEARNERS[name](**options(kind)), kind, 0, end)
            assert load(there)._model.digest() == whole._model.digest()
