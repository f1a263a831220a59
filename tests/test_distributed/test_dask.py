"""A real Dask cluster of processes: the same bytes, also if workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger, distribute
from rosenblatt.distributed import WorkerLost, mixing
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.sklearn_classes import not_fitted_error

from .test_merging import digest
from .test_training import CASES, SENTENCES, TAGGED, X, Y, outcome, svmlight

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Dask and tornado warn of what they do themselves
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    cluster = distributed.LocalCluster(2, silence_logs=60, **options)
    with cluster, distributed.Client(cluster) as own:
        yield own


def kill_one(client: Any) -> None:
    """One of the workers, by the number of its process; the nanny starts another."""
    pids = list(client.run(os.getpid, on_error="ignore").values())
    if pids:
        os.kill(pids[0], signal.SIGKILL)


@pytest.mark.parametrize("case", CASES)
def test_a_cluster_comes_to_the_bytes_of_threads(case: str, client: Any, tmp_path: Path) -> None:
    assert outcome(case, tmp_path, client=client) == outcome(case, tmp_path)


def test_a_local_cluster_is_started_and_ended(tmp_path: Path) -> None:
    found = outcome("averaged", tmp_path, engine="dask", n_workers=2)
    assert found == outcome("averaged", tmp_path)


@pytest.mark.parametrize("case", ["averaged", "tagger"])
def test_a_worker_killed_in_each_epoch_changes_nothing(
    case: str, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound, epoch = outcome(case, tmp_path), mixing.MixingRun.learn
    killed: list[int] = []

    def killing(run: Any, order: Any) -> int:
        if client.ncores():
            kill_one(client)
            killed.append(run.result.n_iter)
        return epoch(run, order)

    with monkeypatch.context() as patched:
        patched.setattr(mixing.MixingRun, "learn", killing)
        assert outcome(case, tmp_path, client=client) == sound
    assert killed


def test_an_address_is_a_client(client: Any, tmp_path: Path) -> None:
    address = client.scheduler.address
    assert outcome("linear", tmp_path, client=address) == outcome("linear", tmp_path)


def test_nobody_at_an_address_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    refused = pytest.raises(WorkerLost, match="no Dask scheduler answers at tcp://127")
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), refused:
        distribute(Perceptron(), client="tcp://127.0.0.1:9").fit(X, Y)


def test_a_fault_on_a_worker_is_the_same_error(client: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.svm").write_bytes(svmlight(slice(0, 50)) + b"1 7:oops\n")
    with pytest.raises(DataError, match=r"bad\.svm:51:5: .*oops"):
        distribute(Perceptron(), shards=3, client=client).fit_files(tmp_path / "bad.svm")


def test_arrays_of_dask_stay_where_they_are(client: Any, tmp_path: Path) -> None:
    array = pytest.importorskip("dask.array")
    rows, labels = array.from_array(X, chunks=(360, 32)), array.from_array(Y, chunks=360)
    found = []
    for options in ({"client": client}, {}):
        done = distribute(AveragedPerceptron(max_iter=3), **options).fit(rows, labels)
        found.append(digest(done.to_local(), tmp_path))
        predicted = done.predict(rows).compute()
        np.testing.assert_array_equal(predicted, done.to_local().predict(X))
    assert len(set(found)) == 1
    with pytest.raises(ParameterError, match="X has 5 partitions, but shards=3"):
        distribute(Perceptron(), shards=3).fit(rows, labels)


def test_a_frame_is_read_by_its_schema(client: Any) -> None:
    frames, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    colours = ["red", "blue", "green"]
    table = pandas.DataFrame(
        {"size": np.arange(60.0), "colour": [colours[i % 3] for i in range(60)]}
    )
    labels = pandas.Series(["warm" if colour == "red" else "cold" for colour in table["colour"]])
    schema = rosenblatt.features.Schema.guess_records(table.to_dict("records"))
    parts = frames.from_pandas(table, npartitions=3), frames.from_pandas(labels, npartitions=3)
    done = distribute(Perceptron(), client=client).fit(*parts, schema=schema)
    assert done.to_local().converged_
    assert done.predict(parts[0]).compute().tolist() == labels.tolist()


def test_bags_hold_sentences_or_texts(client: Any) -> None:
    bag = pytest.importorskip("dask.bag")
    sentences = bag.from_sequence(list(zip(SENTENCES, TAGGED, strict=True)), npartitions=4)
    tagger = distribute(SequenceTagger(max_iter=5), client=client).fit(sentences).to_local()
    assert tagger.score(SENTENCES, TAGGED) > 0.9
    texts = bag.from_sequence([("win money", "spam"), ("lunch at noon", "ham")] * 6, npartitions=3)
    features = rosenblatt.features.TextFeatures()
    schema = rosenblatt.tables.features.schemas.TextSchema(features)
    with pytest.raises(not_fitted_error(), match="fit"):  # nothing says how rare a word is
        distribute(Perceptron(), client=client).fit(texts, schema=schema)
    features.fit(["win money", "lunch at noon"])
    done = distribute(Perceptron(), client=client).fit(texts, schema=schema)
    assert done.predict(texts.map(lambda pair: pair[0])).compute()[:2] == ["spam", "ham"]
