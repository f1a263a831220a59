"""What mixing costs on real data, and the whole matrix of engines, cases and killed workers."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger, distribute
from rosenblatt.distributed import engines
from rosenblatt.io import read_sentences

from .test_training import CASES, outcome

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]
DATA = Path(os.environ.get("ROSENBLATT_DATA", "/nowhere"))


def images(part: str) -> tuple[Any, Any]:
    found = []
    for name, header in (("images-idx3", 16), ("labels-idx1", 8)):
        packed = (DATA / "mnist" / f"{part}-{name}-ubyte.gz").read_bytes()
        found.append(np.frombuffer(gzip.decompress(packed), np.uint8, offset=header))
    return found[0].reshape(-1, 784).astype(np.float32) / np.float32(255), found[1]


@pytest.mark.skipif(not (DATA / "mnist").is_dir(), reason="ROSENBLATT_DATA has no MNIST")
@pytest.mark.parametrize(("learner", "most"), [(AveragedPerceptron, 0.077), (Perceptron, 0.081)])
@pytest.mark.parametrize("mix", ["uniform", "mistakes"])
def test_ten_shards_of_mnist_err_little_more_than_one_learner(
    learner: Any, most: float, mix: str
) -> None:
    train, test = images("train"), images("t10k")
    model = distribute(learner(max_iter=10), shards=10, mix=mix).fit(*train).to_local()
    assert 1 - model.score(*test) <= most


@pytest.mark.skipif(not (DATA / "ud_english_ewt").is_dir(), reason="ROSENBLATT_DATA has no EWT")
def test_ten_shards_tag_as_well_as_one_learner_with_twice_the_epochs() -> None:
    folder = DATA / "ud_english_ewt"
    train = read_sentences(folder / "en_ewt-ud-train.conllu.gz")
    test = read_sentences(folder / "en_ewt-ud-test.conllu.gz")
    serial = SequenceTagger(max_iter=10).fit(*train).score(*test)
    mixed = distribute(SequenceTagger(max_iter=20), shards=10).fit(*train).to_local()
    assert mixed.score(*test) >= serial - 0.0015


@pytest.mark.parametrize("case", CASES)
def test_one_digest_for_all_engines_and_numbers_of_workers(case: str, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    found = {
        outcome(case, tmp_path, engine=engine, n_workers=n)
        for engine in ("threads", "processes", "dask")
        for n in (1, 2, 4)
    }
    assert len(found) == 1


@pytest.mark.parametrize("case", CASES)
def test_a_process_killed_before_each_job_changes_nothing(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound, perform, killed = outcome(case, tmp_path), engines._Worker.perform, list[int]()

    def killing(self: Any, common: bytes, job: Any) -> Any:
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            killed.append(self.process.pid)
        return perform(self, common, job)

    monkeypatch.setattr(engines._Worker, "perform", killing)
    assert outcome(case, tmp_path, engine="processes", n_workers=2) == sound
    assert len(killed) > 10
