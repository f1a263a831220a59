"""Files to be damaged, and how they are then refused."""

import pytest

from model.forging import bytes_of
from model.samples import STATES, fitted
from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron, load
from rosenblatt.errors import ModelFileError
from rosenblatt.model import disk

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def small(folder):
    """About a kilobyte."""
    return bytes_of(Perceptron().partial_fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"]), folder)


@pytest.fixture(scope="module")
def fit(folder):
    return bytes_of(fitted(Perceptron, 2, record=True), folder)


@pytest.fixture(scope="module")
def averaged(folder):
    return bytes_of(STATES["frame"](AveragedPerceptron, 3), folder)


@pytest.fixture(scope="module")
def voted(folder):
    return bytes_of(STATES["sparse"](VotedPerceptron, 3), folder)


@pytest.fixture(scope="module")
def watched(folder):
    return bytes_of(fitted(Perceptron, 3, early_stopping=True, validation_fraction=0.3), folder)


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """The message with which bytes are refused, the path taken off."""
    monkeypatch.chdir(tmp_path)

    def message(data):
        (tmp_path / "model.rbt").write_bytes(data)
        with pytest.raises(ModelFileError) as error:
            load("model.rbt")
        text = str(error.value)
        assert text.startswith("model.rbt: ")
        assert len(text) < 400
        return text.removeprefix("model.rbt: ")

    return message


@pytest.fixture(autouse=True)
def unsynced(request, monkeypatch):
    """Hundreds of files that nobody needs after a loss of power are written faster this way."""
    if "test_saving" not in request.module.__name__:
        monkeypatch.setattr(disk.os, "fsync", lambda file: None)
