"""Dask collections, without a cluster: what belongs together is found by name, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger, distribute
from rosenblatt.errors import InputError, ParameterError

from .test_merging import digest
from .test_training import SENTENCES, TAGGED

dask = pytest.importorskip("dask")
frames = pytest.importorskip("dask.dataframe")
arrays = pytest.importorskip("dask.array")
pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask warns of what it does itself

N = 90
COLUMNS = ["a", "b", "c"]
VALUES = np.random.default_rng(3).normal(size=(N, 3)) * [1.0, 10.0, 100.0]
LABELS = np.where(VALUES @ [100.0, -5.0, 0.3] > 0, "yes", "no")
WEIGHTS = np.random.default_rng(4).integers(0, 4, N) / 2
CUTS = [slice(0, 30), slice(30, 60), slice(60, N)]


def frame_of(*changes: Any) -> Any:
    """A frame of three partitions, the last of which is changed."""
    parts = [pandas.DataFrame(VALUES[cut], columns=COLUMNS) for cut in CUTS]
    for change in changes:
        parts[-1] = change(parts[-1])
    first = parts[0].iloc[:0]
    delayed = [dask.delayed(part) for part in parts]
    return frames.from_delayed(delayed, meta=first, verify_meta=False)


def in_partitions(values: Any) -> Any:
    return arrays.concatenate([arrays.from_array(values[cut], chunks=-1) for cut in CUTS])


def learner() -> Any:
    return AveragedPerceptron(max_iter=4, random_state=5)


def fitted(X: Any, y: Any = None, **given: Any) -> Any:
    y = in_partitions(LABELS) if y is None else y
    return distribute(learner()).fit(X, y, **given)


def test_columns_of_a_partition_are_found_by_name(tmp_path: Path) -> None:
    turned = frame_of(lambda part: part[["c", "a", "b"]])
    expected = fitted(frame_of())
    found = fitted(turned)
    assert digest(found.to_local(), tmp_path) == digest(expected.to_local(), tmp_path)
    assert found.to_local().feature_names_in_.tolist() == COLUMNS
    predicted = found.predict(turned).compute().tolist()
    assert predicted == found.to_local().predict(pandas.DataFrame(VALUES, columns=COLUMNS)).tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda part: part.rename(columns={"b": "q"}), "it lacks b and has q besides"),
        (lambda part: part.assign(d=1.0), "it has d besides"),
        (lambda part: part[["a", "c"]], "it lacks b"),
        (lambda part: part[["a", "a", "b", "c"]], "it has some twice"),
    ],
)
def test_a_partition_with_other_columns_is_refused_by_name(change: Any, words: str) -> None:
    said = f"^partition 2: its columns are not those of X: {words}. Give all partitions"
    with pytest.raises(InputError, match=said):
        fitted(frame_of(change))


def test_columns_without_names_are_taken_by_place(tmp_path: Path) -> None:
    plain = frames.from_pandas(pandas.DataFrame(VALUES), npartitions=3)
    local = fitted(plain).to_local()
    assert not hasattr(local, "feature_names_in_")
    assert digest(local, tmp_path) == digest(fitted(in_partitions(VALUES)).to_local(), tmp_path)


def test_dense_rows_of_other_widths_are_refused_by_name() -> None:
    widths = [
        dask.delayed(VALUES[cut][:, :width]) for cut, width in zip(CUTS, (3, 3, 2), strict=True)
    ]
    rows = [arrays.from_delayed(own, (30, 3), dtype=float) for own in widths]
    with pytest.raises(InputError, match=r"^partition 2 has 2 columns, but partition 0 has 3"):
        fitted(arrays.concatenate(rows))


@pytest.mark.parametrize("kind", ["array", "series"])
def test_weights_in_partitions_are_the_weights_of_one_table(kind: str, tmp_path: Path) -> None:
    weights = in_partitions(WEIGHTS)
    if kind == "series":
        weights = frames.from_pandas(pandas.Series(WEIGHTS), npartitions=3)
    found = fitted(frame_of(), sample_weight=weights).to_local()
    table = pandas.DataFrame(VALUES, columns=COLUMNS)
    expected = distribute(learner(), shards=3).fit(table, LABELS, sample_weight=WEIGHTS).to_local()
    assert digest(found, tmp_path) == digest(expected, tmp_path)
    assert digest(found, tmp_path) != digest(fitted(frame_of()).to_local(), tmp_path)


def test_weights_that_cannot_be_are_refused_with_their_partition() -> None:
    bad = WEIGHTS.copy()
    bad[70] = -1.0
    with pytest.raises(InputError, match=r"^partition 2: sample_weight holds -1 at row 10"):
        fitted(frame_of(), sample_weight=in_partitions(bad))
    short = arrays.concatenate([in_partitions(WEIGHTS)[:60], arrays.ones(7, chunks=-1)])
    with pytest.raises(InputError, match=r"^partition 2: sample_weight has shape \(7,\)"):
        fitted(frame_of(), sample_weight=short)
    with pytest.raises(InputError, match="a weight of zero for every row"):
        fitted(frame_of(), sample_weight=in_partitions(np.zeros(N)))


@pytest.mark.parametrize("given", [LABELS, LABELS.tolist(), pandas.Series(LABELS)])
@pytest.mark.parametrize("name", ["y", "sample_weight"])
def test_what_stands_beside_a_collection_must_be_one(given: Any, name: str) -> None:
    said = (
        rf"X is a DataFrame of Dask, but {name} is a (ndarray|list|Series), .* Dask Array or Series"
    )
    labels = given if name == "y" else in_partitions(LABELS)
    weights = given if name == "sample_weight" else None
    with pytest.raises(ParameterError, match=said):
        distribute(Perceptron()).fit(frame_of(), labels, sample_weight=weights)


def test_other_partitions_and_no_labels_at_all_are_refused() -> None:
    two = arrays.from_array(LABELS, chunks=45)
    with pytest.raises(ParameterError, match="X has 3 partitions, but y has 2"):
        fitted(frame_of(), two)
    with pytest.raises(ParameterError, match="X has 3 partitions, but sample_weight has 1"):
        fitted(frame_of(), sample_weight=arrays.ones(N, chunks=-1))
    with pytest.raises(ParameterError, match="y is None, but X is a DataFrame"):
        distribute(Perceptron()).fit(frame_of())


def test_a_tagger_takes_no_weights() -> None:
    bag = pytest.importorskip("dask.bag")
    sentences = bag.from_sequence(list(zip(SENTENCES, TAGGED, strict=True)), npartitions=2)
    weights = arrays.ones(len(SENTENCES), chunks=-1)
    for given in ((sentences,), (SENTENCES, TAGGED)):
        with pytest.raises(ParameterError, match="sample_weight is for rows"):
            distribute(SequenceTagger()).fit(*given, sample_weight=weights)


def test_a_bag_of_sentences_is_tagged_in_its_partitions() -> None:
    bag = pytest.importorskip("dask.bag")
    learner = distribute(SequenceTagger(max_iter=3), shards=2, engine="threads")
    learner.fit(SENTENCES, TAGGED)
    found = learner.predict(bag.from_sequence(SENTENCES, npartitions=2))
    assert found.npartitions == 2
    assert list(found.compute(scheduler="threads")) == learner.to_local().predict(SENTENCES)
