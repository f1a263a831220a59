"""Whatever is packed trains the model that it trains unpacked."""

from __future__ import annotations

import gzip
import io as bytes_io
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron, io
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import DataError, InputError, ParameterError
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.features import FeatureOptions, Schema, guess_schema
from rosenblatt.tables.features import guessing as guessing_module
from rosenblatt.tables.features import number_scaling
from rosenblatt.tables.readers import lines as lines_module
from rosenblatt.tables.readers import packed_rows

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
RNG = np.random.default_rng(7)
ROWS = 300


def _csv(delimiter: str) -> bytes:
    rows = [
        (f"{RNG.normal():.3f}", ["red", "green", "blue"][RNG.integers(3)], RNG.integers(5))
        for _ in range(ROWS)
    ]
    texts = [f"some words are here {RNG.integers(40)} and there" for _ in range(ROWS)]
    lines = [
        delimiter.join([*map(str, row), text, "yes" if row[2] > 2 else "no"])
        for row, text in zip(rows, texts, strict=True)
    ]
    return ("\n".join([delimiter.join("abctk"), *lines]) + "\n").encode()


def _jsonl() -> bytes:
    lines = [
        f'{{"a": {RNG.normal():.3f}, "c": "{"xyz"[RNG.integers(3)]}", "k": {RNG.integers(3)}}}\n'
        for _ in range(ROWS)
    ]
    return "".join(lines).encode()


def _svmlight() -> bytes:
    lines = [
        f"{('+1', '1', '-1')[RNG.integers(3)]} {1 + RNG.integers(5)}:{RNG.normal():.3f} 9:1\n"
        for _ in range(ROWS)
    ]
    return "".join(lines).encode()


def _vw(importance: str) -> bytes:
    lines = [
        f"{1 + RNG.integers(3)} {importance} |f a{RNG.integers(9)} b:{RNG.normal():.3f}\n"
        for _ in range(ROWS)
    ]
    return "".join(lines).encode()


def _text() -> bytes:
    lines = [
        f"{'spam' if RNG.integers(2) else 'ham'}\tword{RNG.integers(30)} and {RNG.integers(9)}\n"
        for _ in range(ROWS)
    ]
    return "".join(lines).encode()


def _arrow(ending: str) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    columns = {
        "a": RNG.normal(size=ROWS),
        "c": ["xyz"[i] for i in RNG.integers(3, size=ROWS)],
        "k": RNG.integers(3, size=ROWS),
    }
    table, out = pa.table(columns), bytes_io.BytesIO()
    if ending == "parquet":
        pyarrow.parquet.write_table(table, out)
    else:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


FILES = {
    "svmlight": ("svmlight", _svmlight()),
    "vw": ("vw", _vw("1")),
    "vw with importance": ("vw", _vw("2.5")),
    "csv": ("csv", _csv(",")),
    "tsv": ("tsv", _csv("\t")),
    "jsonl": ("jsonl", _jsonl()),
    "text": ("text", _text()),
    "parquet": ("parquet", _arrow("parquet")),
    "arrow": ("arrow", _arrow("arrow")),
}


def unpacked(format: str, path: Any) -> tuple[Any, Any, Any, Any]:
    """Rows, labels, weights and schema as they are read all at once."""
    if format == "svmlight":
        block: Any = io.iter_svmlight(path).whole()
    elif format == "vw":
        block = io.iter_vw(path, bits=None).whole()
    elif format == "text":
        block = io.iter_text(path).whole()
    else:
        block = io.iter_table(path, -1, format=format).whole()
    kind = format if format in ("svmlight", "vw", "text") else "table"
    schema = guess_schema(kind, block)
    return schema.learn(block), block.labels, getattr(block, "weights", None), schema


def same_models(packed: Any, X: Any, y: Any, weights: Any = None) -> None:
    for learner in (Perceptron, AveragedPerceptron, VotedPerceptron):
        for start in ("fit", "partial_fit"):
            if learner is VotedPerceptron and weights is not None:
                continue
            more = {} if weights is None else {"sample_weight": weights}
            model = getattr(learner(max_iter=4, random_state=1), start)(X, y, **more)
            if weights is not None:
                more = {"sample_weight": packed.weights}
            other = getattr(learner(max_iter=4, random_state=1), start)(packed.X, packed.y, **more)
            assert other.classes_.dtype == model.classes_.dtype
            assert other.classes_.tolist() == model.classes_.tolist()
            if learner is not VotedPerceptron:
                np.testing.assert_array_equal(other.coef_, model.coef_)
            np.testing.assert_array_equal(other.predict(packed.X), model.predict(X))
            assert other.score(packed.X, packed.y) == model.score(X, y)


@pytest.mark.parametrize("how", ["path", "small blocks", "stream", "gzip", "two files", "pipe"])
@pytest.mark.parametrize("name", FILES)
def test_a_packed_file_trains_the_model_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str
) -> None:
    format, data = FILES[name]
    (tmp_path / "data").write_bytes(data)
    source: Any = tmp_path / "data"
    if how == "stream":
        source = bytes_io.BytesIO(data)
    elif how == "gzip":
        source = tmp_path / "data.gz"
        source.write_bytes(gzip.compress(data))
    elif how == "two files":
        (tmp_path / "more").write_bytes(data)
        source = [tmp_path / "data", tmp_path / "more"]
    elif how == "pipe":
        source = pipe_of(data)
    if how == "small blocks":
        monkeypatch.setattr(lines_module, "PIECE", 700)
        monkeypatch.setattr(number_scaling, "NUMBERS_AT_ONCE", 64)
        monkeypatch.setattr(number_scaling, "MIN_ROWS", 16)
    packed = io.pack(source, tmp_path / "data.rows", format=format)
    if how == "pipe":
        source.close()
    again = source if isinstance(source, list) else tmp_path / "data"
    X, y, weights, schema = unpacked(format, again)
    assert packed.schema.to_json() == schema.to_json()
    assert (packed.weights is None) == (name != "vw with importance")
    same_models(packed, X, y, weights if packed.weights is not None else None)
    assert sorted(os.listdir(tmp_path))[-1] in ("data.rows", "more")


def pipe_of(data: bytes) -> Any:
    from threading import Thread

    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as file:
            file.write(data)

    Thread(target=write, daemon=True).start()
    return os.fdopen(reading, "rb")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["array", "float32", "rows", "csr", "frame"])
def test_packed_arrays_train_the_model_of_the_arrays(
    tmp_path: Path, kind: str, n_classes: int
) -> None:
    rng = np.random.default_rng(n_classes)
    X: Any = rng.normal(size=(80, 6))
    y = np.array(["c", "a", "b"])[rng.integers(n_classes, size=80)]
    if kind == "float32":
        X = X.astype(np.float32)
    elif kind == "rows":
        X = SparseRows.from_dense(X * (X > 0))
    elif kind == "csr":
        X = pytest.importorskip("scipy.sparse").csr_array(X * (X > 0))
    elif kind == "frame":
        X = pytest.importorskip("pandas").DataFrame(X, columns=list("uvwxyz"))
    packed = io.pack((X, y), tmp_path / "a.rows")
    same_models(packed, np.asarray(X) if kind == "frame" else X, y)
    names = list("uvwxyz") if kind == "frame" else list("123456")
    assert packed.schema.names(range(6)) == names


def test_every_kind_of_label_comes_back_with_its_type(tmp_path: Path) -> None:
    for labels in (
        [True, False] * 10,
        [1.0, 2.0] * 10,
        np.array([3, 250] * 10, np.uint8),
        [("a", 1), ("b", 2)] * 10,
        ["x" * 100, "y"] * 10,
        np.array([b"x", b"y"] * 10),
        np.array(["short", "a"] * 10, "U40"),
    ):
        X = np.arange(20.0).reshape(20, 1)
        packed = io.pack((X, labels), tmp_path / "a.rows")
        model, other = Perceptron(max_iter=3).fit(X, labels), Perceptron(max_iter=3)
        other.fit(packed.X, packed.y)
        assert other.classes_.dtype == model.classes_.dtype
        assert other.classes_.tolist() == model.classes_.tolist()
        assert packed.y.tolist() == (labels if isinstance(labels, list) else labels.tolist())


def test_a_validation_set_may_be_packed(tmp_path: Path) -> None:
    X, y, *_ = unpacked("svmlight", bytes_io.BytesIO(FILES["svmlight"][1]))
    packed = io.pack((X, y), tmp_path / "a.rows")
    model = AveragedPerceptron(max_iter=5).fit(X, y, validation_set=(X, y))
    other = AveragedPerceptron(max_iter=5).fit(X, y, validation_set=(packed.X, packed.y))
    assert other.validation_scores_ == model.validation_scores_


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
@pytest.mark.parametrize(
    "how", [{}, {"early_stopping": True}, {"class_weight": "balanced"}, {"warm_start": True}]
)
def test_every_learner_takes_packed_rows(tmp_path: Path, entry: Any, how: dict[str, Any]) -> None:
    learner = entry.load()
    if (
        entry.family not in ("linear", "kernel", "auto")
        or not how.keys() <= learner.options().keys()
    ):
        pytest.skip("it has no such rows or no such option")
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(90, 4)), np.array(["c", "a", "b"])[rng.integers(3, size=90)]
    packed = io.pack((X, y), tmp_path / "a.rows")
    model, other = learner(max_iter=3, **how), learner(max_iter=3, **how)
    for _ in range(1 + ("warm_start" in how)):
        model.fit(X, y)
        other.fit(packed.X, packed.y)
    np.testing.assert_array_equal(model.predict(X), other.predict(packed.X))
    assert model.n_training_errors_ == other.n_training_errors_


def test_a_schema_that_is_known_encodes_other_rows_as_it_did(tmp_path: Path) -> None:
    first = b"size,colour,k\n1,red,u\n3,blue,v\n"
    packed = io.pack(bytes_io.BytesIO(first), tmp_path / "a.rows")
    other = b"k,colour,size\nu,green,5\nv,red,2\n"
    again = io.pack(bytes_io.BytesIO(other), tmp_path / "b.rows", target="k", schema=packed.schema)
    np.testing.assert_array_equal(again.X.toarray(), [[3, 0, 0], [0, 1, 0]])
    assert again.schema.to_json() == packed.schema.to_json()


def test_options_reach_schema_and_reader(tmp_path: Path) -> None:
    data = b"a;b;k\n1;x;u\n?;y;v\nbad;z;u\n3;x;v\n"
    packed = io.pack(
        bytes_io.BytesIO(data),
        tmp_path / "a.rows",
        features=FeatureOptions(scale=None, declared={"b": "ignored"}),
        delimiter=";",
        missing=["?"],
        on_bad="skip",
        types={"a": "number", "b": "text"},
    )
    np.testing.assert_array_equal(packed.X.toarray(), [[1, 0], [0, 1], [3, 0]])


def test_labels_are_judged_by_all_of_them(tmp_path: Path) -> None:
    numbers = b"1 1:1\n2 1:2\n"
    packed = io.pack(bytes_io.BytesIO(numbers), tmp_path / "a.rows", format="svmlight")
    assert packed.classes.tolist() == [1, 2]
    packed = io.pack(
        bytes_io.BytesIO(numbers * 9 + b"x 1:1\n"), tmp_path / "a.rows", format="svmlight"
    )
    assert packed.classes.tolist() == ["1", "2", "x"]
    with pytest.raises(DataError, match=r"the label 1\.5 is a measure, not a class"):
        io.pack(bytes_io.BytesIO(b"1.5 1:1\n2 1:1\n"), tmp_path / "a.rows", format="svmlight")


def test_the_label_of_a_row_that_was_skipped_is_no_class(tmp_path: Path) -> None:
    data = b"1 1:1\nx 1:oops\n2 1:1\n"
    packed = io.pack(bytes_io.BytesIO(data), tmp_path / "a.rows", format="svmlight", on_bad="skip")
    assert packed.classes.tolist() == [1, 2]


def test_bad_arguments_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.rows"
    with pytest.raises(InputError, match="labels"):
        io.pack((np.eye(3), [1, 2]), path)
    with pytest.raises(InputError, match="NaN"):
        io.pack((np.full((2, 2), np.nan), [1, 2]), path)
    with pytest.raises(ParameterError):
        io.pack((np.empty((0, 2)), []), path)
    with pytest.raises(ParameterError, match="format"):
        io.pack(bytes_io.BytesIO(b""), path, format="pdf")
    with pytest.raises(DataError, match="0 rows"):
        io.pack(bytes_io.BytesIO(b""), path, format="svmlight")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("format", ["svmlight", "csv"])
def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setattr(lines_module, "PIECE", 1 << 14)
    monkeypatch.setattr(lines_module, "VALUES_BYTES", 1 << 14)
    monkeypatch.setattr(packed_rows, "BLOCK", 1 << 16)
    monkeypatch.setattr(number_scaling, "NUMBERS_AT_ONCE", 1 << 10)
    monkeypatch.setattr(number_scaling, "NUMBERS_SAMPLED", 1 << 10)
    row = {"svmlight": b"1 1:1 2:2 3:3\n-1 2:0.5 4:1 7:3\n", "csv": b"1,2,3,4,u\n5,6,7,1,v\n"}
    head = b"a,b,c,d,k\n" if format == "csv" else b""
    peaks = []
    for times in (2_000, 40_000):
        source = tmp_path / f"{times}.{format}"
        source.write_bytes(head + row[format] * times)
        io.pack(source, tmp_path / "warm.rows", format=format)
        tracemalloc.start()
        packed = io.pack(source, tmp_path / "a.rows", format=format)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert os.path.getsize(tmp_path / "a.rows") > 2_500_000
    assert len(packed) == 80_000
    assert peaks[1] < peaks[0] + 1_500_000, peaks


# ---------------------------------------------------------------------- columns, block by block


def test_a_schema_is_the_same_however_the_rows_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    n = 2500
    columns = {
        "number": [f"{x:.17g}" for x in rng.normal(5, 3, n)],
        "gaps": [f"{x:.17g}" if x > 0 else "?" for x in rng.normal(size=n)],
        "same": ["7"] * n,
        "level": [f"level {i}" for i in rng.integers(30, size=n)],
        "many": [f"m{i}" for i in rng.integers(1500, size=n)],
        "name": [f"row{i}" for i in range(n)],
        "day": [f"2026-01-{1 + i % 28}" for i in range(n)],
        "words": [f"these are some more words {i}" for i in rng.integers(2000, size=n)],
        "k": ["uv"[i] for i in rng.integers(2, size=n)],
    }
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    text = ("\n".join(lines) + "\n").encode()
    monkeypatch.setattr(number_scaling, "NUMBERS_AT_ONCE", 1 << 10)
    monkeypatch.setattr(number_scaling, "NUMBERS_SAMPLED", 1 << 10)
    monkeypatch.setattr(number_scaling, "MIN_ROWS", 100)
    table = io.read_table(bytes_io.BytesIO(text), "k", missing=["?"])
    whole = Schema.guess(table)
    kinds = {column.name: column.kind for column in whole.columns}
    assert kinds == {
        "number": "number",
        "gaps": "number",
        "same": "number",
        "level": "category",
        "many": "category",
        "name": "ignored",
        "day": "date",
        "words": "text",
    }
    for size in (1, 99, 100, 1001):
        guess = guessing_module.TableGuess()
        for start in range(0, n, size):
            guess.add(table[start : start + size])
        by_blocks = Schema(guess.columns(True), "k", ["?"])
        assert by_blocks.to_json() == whole.to_json()


def test_joined_moments_are_those_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_scaling, "NUMBERS_AT_ONCE", 64)
    monkeypatch.setattr(number_scaling, "MIN_ROWS", 16)
    numbers = np.random.default_rng(3).normal(100, 5, size=(1000, 3))
    numbers[::7, 1] = np.nan
    numbers[:, 2] = np.nan
    moments = number_scaling.Moments(scale=True)
    for start in range(0, 1000, 37):
        moments.add(numbers[start : start + 37])
    lacks, mean, deviation = moments.columns()
    assert lacks == [False, True, True]
    known = [numbers[:, 0], numbers[:, 1][~np.isnan(numbers[:, 1])], np.zeros(1)]
    np.testing.assert_allclose(mean, [column.mean() for column in known])
    np.testing.assert_allclose(deviation, [column.std() for column in known])


def test_texts_that_are_all_different_are_not_all_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guessing_module, "MAX_DIFFERENT", 1500)
    rows = b"".join(b"id%d,%d,%s\n" % (i, i % 5, b"uv"[i % 2 :][:1]) for i in range(3000))
    table = io.read_table(bytes_io.BytesIO(b"id,a,k\n" + rows), "k")
    guess = guessing_module.TableGuess()
    for start in range(0, 3000, 500):
        guess.add(table[start : start + 500])
    assert guess._text_guesses["id"]._levels == {}
    assert [column.kind for column in guess.columns(False)] == ["ignored", "number"]
