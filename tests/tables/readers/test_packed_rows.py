"""The file of packed rows: what is written is read again, and nothing else is."""

from __future__ import annotations

import io as bytes_io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.packed_files import closed, opened
from safetensors.numpy import load_file

from rosenblatt import AROW, AveragedPerceptron, Perceptron, SoftPerceptron, io, load, save
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import (
    DataError,
    InputError,
    ModelFileError,
    ParameterError,
    RosenblattError,
)
from rosenblatt.models.classes import LabelCodes
from rosenblatt.models.result import stopping_when
from rosenblatt.persistence import disk
from rosenblatt.tables.readers import packed_rows

N, D = 60, 7


def dense() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.normal(size=(N, D)), rng.integers(3, size=N)


def sparse(tmp_path: Path) -> Path:
    X, y = dense()
    X[X < 0.3] = 0.0
    weights = np.arange(1.0, N + 1)
    io.pack((SparseRows.from_dense(X), y, weights), tmp_path / "sparse.rows")
    return tmp_path / "sparse.rows"


def refused(path: Path, **how: Any) -> str:
    with pytest.raises(DataError) as caught:
        io.read_packed(path, **how)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\nhelp: " in str(caught.value)
    return str(caught.value)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "BLOCK", 64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_come_back_as_they_were_and_cannot_be_changed(
    tmp_path: Path, dtype: Any
) -> None:
    X, y = dense()
    io.pack((X.astype(dtype), y), tmp_path / "d.rows")
    packed = io.read_packed(tmp_path / "d.rows")
    assert type(packed.X) is np.ndarray
    assert packed.X.dtype == dtype
    assert not packed.X.flags.writeable
    assert packed.X.ctypes.data % 64 == 0
    np.testing.assert_array_equal(packed.X, X.astype(dtype))
    np.testing.assert_array_equal(packed.y, y)
    assert packed.y.counts() == {label: int((y == label).sum()) for label in range(3)}
    assert packed.weights is None


def test_sparse_rows_and_weights_come_back_as_they_were(tmp_path: Path) -> None:
    packed = io.read_packed(sparse(tmp_path))
    X, y = dense()
    X[X < 0.3] = 0.0
    np.testing.assert_array_equal(packed.X.toarray(), X)
    np.testing.assert_array_equal(packed.weights, np.arange(1.0, N + 1))
    np.testing.assert_array_equal(packed[10:20].X.toarray(), X[10:20])
    np.testing.assert_array_equal(packed[10:20].labels, y[10:20])
    assert packed[10:20].lines.tolist() == list(range(11, 21))
    for part in (packed.X.data, packed.X.indices, packed.X.indptr, packed.weights):
        assert part.flags.aligned
        assert not part.flags.owndata


def test_other_programs_read_the_arrays_as_safetensors(tmp_path: Path) -> None:
    arrays = load_file(sparse(tmp_path))
    assert arrays.keys() == packed_rows.ARRAYS.keys() - {"X"}
    assert json.loads(arrays["card"].tobytes())["n_features"] == D


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    first = sparse(tmp_path).read_bytes()
    assert sparse(tmp_path).read_bytes() == first


def test_blocks_are_all_rows_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "VALUES_AT_ONCE", 20)
    packed = io.read_packed(sparse(tmp_path))
    blocks = list(packed.blocks())
    assert len(blocks) > 3
    np.testing.assert_array_equal(
        np.concatenate([block.X.toarray() for block in blocks]), packed.X.toarray()
    )
    assert np.concatenate([block.lines for block in blocks]).tolist() == list(range(1, N + 1))


def test_more_values_than_int32_counts_get_wider_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = io.read_packed(sparse(tmp_path))
    monkeypatch.setattr(packed_rows, "LARGEST_INT32", 10)
    wide = io.read_packed(sparse(tmp_path))
    assert (narrow.X.indptr.dtype, wide.X.indptr.dtype) == (np.int32, np.int64)
    assert wide.X.indices.dtype == np.int64
    np.testing.assert_array_equal(narrow.X.toarray(), wide.X.toarray())


def test_columns_beyond_int32_are_refused(tmp_path: Path) -> None:
    X = SparseRows(np.ones(2), np.array([7, 2**33]), np.array([0, 1, 2]), 2**34)
    with pytest.raises(ParameterError, match="1 to 2,147,483,647 features"):
        io.pack((X, [0, 1]), tmp_path / "wide.rows")
    assert os.listdir(tmp_path) == []


def test_what_is_copied_in_many_pieces_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = sparse(tmp_path).read_bytes()
    monkeypatch.setattr(packed_rows, "COPIED_AT_ONCE", 24)
    assert sparse(tmp_path).read_bytes() == expected


def test_nothing_waits_for_the_disk_also_where_a_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(file: int) -> None:
        raise AssertionError("waited")

    expected = sparse(tmp_path).read_bytes()
    monkeypatch.setattr(disk.os, "fsync", wait)
    assert sparse(tmp_path).read_bytes() == expected


# ---------------------------------------------------------------------- damage


@pytest.mark.usefixtures("small_blocks")
def test_damage_in_any_block_is_found_and_the_block_named(tmp_path: Path) -> None:
    path = sparse(tmp_path)
    data = path.read_bytes()
    entries = json.loads(data[8 : packed_rows.HEADER])
    n_blocks = 0
    for name in packed_rows.ARRAYS.keys() - {"X", "digests"}:
        start, end = entries[name]["data_offsets"]
        for block, at in enumerate(range(start, end, 64)):
            changed = bytearray(data)
            changed[packed_rows.HEADER + at] ^= 1
            path.write_bytes(changed)
            assert f"block {block + 1} of {name} is damaged" in refused(path)
            n_blocks += 1
    assert n_blocks > 30
    start = packed_rows.HEADER + entries["digests"]["data_offsets"][0]
    path.write_bytes(data[:start] + bytes([data[start] ^ 1]) + data[start + 1 :])
    assert "block 1 of data is damaged" in refused(path)


def test_every_byte_of_the_header_counts(tmp_path: Path) -> None:
    path = sparse(tmp_path)
    data = path.read_bytes()
    end = data.index(b"  ", 8)
    for at in [*range(0, end, 3), end + 5, packed_rows.HEADER - 1]:
        path.write_bytes(data[:at] + bytes([data[at] ^ 2]) + data[at + 1 :])
        refused(path)


def test_a_file_that_is_cut_off_or_too_long_is_refused(tmp_path: Path) -> None:
    path = sparse(tmp_path)
    data = path.read_bytes()
    for size in (0, 5, 100, packed_rows.HEADER, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        refused(path)
    path.write_bytes(data + b"\0")
    assert f"{len(data) + 1:,} bytes of {len(data):,}" in refused(path)


def forge(path: Path, **changes: Any) -> None:
    """Write the file anew with other arrays or other facts on its card."""
    card, arrays = opened(path.read_bytes())
    for name, change in changes.items():
        if name in arrays:
            arrays[name] = change(arrays[name])
        else:
            card[name] = change
    path.write_bytes(closed(card, arrays))


def with_item(place: int | slice, value: Any) -> Any:
    def change(values: Any) -> Any:
        values[place] = value
        return values

    return change


def test_a_forgery_without_changes_is_taken(tmp_path: Path) -> None:
    path = sparse(tmp_path)
    forge(path)
    assert len(io.read_packed(path)) == N


@pytest.mark.parametrize(
    "changes",
    [
        {"indptr": with_item(0, 1)},
        {"indptr": with_item(5, -1)},
        {"indptr": with_item(5, 2**31 - 1)},
        {"indptr": with_item(-1, 3)},
        {"indptr": with_item(slice(5, 8), [2**31 - 1, -(2**31), -1])},
        {"indptr": lambda starts: starts[:-1]},
        {"indices": lambda columns: columns[:-1]},
        {"data": lambda values: values[:-1]},
        {"labels": with_item(3, -1)},
        {"labels": with_item(3, 3)},
        {"labels": with_item(3, 2**31 - 1)},
        {"labels": lambda codes: codes * 0},
        {"labels": lambda codes: codes[:0]},
        {"weights": lambda weights: weights[:-1]},
        {"n_features": 0},
        {"n_features": -1},
        {"n_features": 2**70},
        {"n_features": "7"},
        {"n_features": True},
        {"n_features": D + 1},
        {"classes": [0, 1]},
        {"classes": [0, 2, 1]},
        {"classes": [0, 1, 1]},
        {"classes": ["0", "1", "2"]},
        {"classes": [0, 1, {"tuple": [1]}]},
        {"classes": [0, 1, {}]},
        {"classes": 3},
        {"label_dtype": "<U999999999"},
        {"label_dtype": "V8"},
        {"label_dtype": "no type"},
        {"label_dtype": None},
        {"schema": {}},
        {"schema": None},
        {"schema": {"kind": "svmlight", "n_features": D, "named": 3, "bits": None}},
        {"sources": "a.csv"},
        {"more": 1},
    ],
)
def test_forgeries_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = sparse(tmp_path)
    forge(path, **changes)
    for verify in (True, False):
        with pytest.raises(DataError):
            io.read_packed(path, verify=verify)


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": with_item(2, D)},
        {"indices": with_item(2, -5)},
        {"indices": with_item(2, 2**31 - 1)},
        {"data": with_item(4, np.nan)},
        {"data": with_item(4, 1e300)},
        {"weights": with_item(4, -1.0)},
    ],
)
def test_what_stands_in_the_rows_the_learners_check(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = sparse(tmp_path)
    model = Perceptron().fit(*dense())
    forge(path, **changes)
    packed = io.read_packed(path)
    with pytest.raises(RosenblattError):
        Perceptron().fit(packed.X, packed.y, sample_weight=packed.weights)
    if "weights" not in changes:
        with pytest.raises(RosenblattError):
            model.predict(packed.X)


def test_other_files_are_told_apart(tmp_path: Path) -> None:
    model = tmp_path / "model.rbt"
    save(Perceptron().fit(*dense()), model)
    assert "this is a model, not data" in refused(model)
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    assert "not a file of packed rows" in refused(tmp_path / "rows.csv")
    with pytest.raises(FileNotFoundError):
        io.read_packed(tmp_path / "none.rows")
    with pytest.raises(ModelFileError, match="packed rows, not a model"):
        load(sparse(tmp_path))


def test_a_file_of_another_format_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(packed_rows, "FORMAT", "2")
        path = sparse(tmp_path)
    assert "of format 2, where this version reads format 1" in refused(path)


# ---------------------------------------------------------------------- writing


def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path: Path) -> None:
    (tmp_path / "old.rows").write_text("as it was")
    broken = b"1 1:1\n2 2:1\n" * 1000 + b"1 x\n"
    with pytest.raises(DataError, match=r":2001:"):
        io.pack(bytes_io.BytesIO(broken), tmp_path / "old.rows", format="svmlight")
    assert os.listdir(tmp_path) == ["old.rows"]
    assert (tmp_path / "old.rows").read_text() == "as it was"


def test_labels_by_number_are_labels_to_numpy() -> None:
    labels = LabelCodes(np.array([1, 0, 1], np.int32), np.array(["a", "b"]))
    assert (len(labels), labels.shape, labels.dtype) == (3, (3,), np.dtype("<U1"))
    assert labels.tolist() == ["b", "a", "b"]
    assert labels[1:].tolist() == ["a", "b"]
    assert (np.asarray(labels) == ["b", "a", "b"]).all()
    assert labels.counts() == {"a": 1, "b": 2}


def test_labels_of_no_class_are_refused_before_they_are_counted() -> None:
    labels = LabelCodes(np.array([0, 2**31 - 1], np.int32), np.array(["a", "b"]))
    with pytest.raises(ValueError, match="the label 2147483647 is the number of no class"):
        labels.counts()


# ---------------------------------------------------------------------- changed while it is read


def places_in(path: Path, name: str) -> np.memmap:
    """An array of a packed file, as another program writes to it."""
    head = path.read_bytes()[: packed_rows.HEADER]
    entry = json.loads(head[packed_rows.LENGTH :].decode())[name]
    first, last = entry["data_offsets"]
    kind = {"I32": np.int32, "I64": np.int64}[entry["dtype"]]
    shape = (last - first) // np.dtype(kind).itemsize
    return np.memmap(path, kind, "r+", packed_rows.HEADER + first, (shape,))


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", ["indices", "indptr"])
@pytest.mark.parametrize("number", [-1, 7, 2**31 - 1])
@pytest.mark.parametrize("make", [Perceptron, AveragedPerceptron, AROW, SoftPerceptron])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_file_changed_in_place_while_it_is_learned_is_refused_and_nothing_is_learned(
    tmp_path: Path, name: str, number: int, make: Any, n_classes: int
) -> None:
    path = sparse(tmp_path)
    packed = io.read_packed(path)
    y = packed.y[:] % n_classes
    learner = make(max_iter=4, tol=None, shuffle=False).fit(*dense())
    before = learner.coef_.tolist()
    asked: list[None] = []

    def change() -> bool:
        """Change the rows once they were looked at and learning has begun."""
        asked.append(None)
        if len(asked) == 2:
            places = places_in(path, name)
            places[1:-1] = number if number != 7 or name == "indices" else len(packed.X.data) + 1
            places.flush()
        return False

    with stopping_when(change), pytest.raises(InputError, match="X was changed while it was read"):
        learner.fit(packed.X, y)
    assert learner.coef_.tolist() == before
    with pytest.raises(RosenblattError):
        learner.predict(packed.X)


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
def test_labels_of_a_file_are_those_that_were_checked_whatever_becomes_of_it(
    tmp_path: Path,
) -> None:
    path = sparse(tmp_path)
    packed = io.read_packed(path)
    before = packed.y[:].tolist()
    places = places_in(path, "labels")
    places[:] = 2**31 - 1
    places.flush()
    assert packed.y[:].tolist() == before
    assert Perceptron(tol=None, max_iter=5).fit(packed.X, packed.y).classes_.tolist() == [0, 1, 2]
