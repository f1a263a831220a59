"""Files to be damaged, and how they are then refused."""

import pytest

from persistence.families import sample
from rosenblatt import load
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence import disk

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def small(folder):
    """About a kilobyte."""
    return sample("linear: small", folder)


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
