"""How numbers are scaled: by median and quartiles, or by the rows of a stream before."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import number_scaling as reference

import rosenblatt
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.features import FeatureOptions, GrowingSchema, Schema, schema_from_json
from rosenblatt.io import read_table
from rosenblatt.tables.features import number_scaling as module
from rosenblatt.tables.features.records import table_of_records

whole_numbers = st.integers(-50, 50).map(float)
numbers = st.one_of(whole_numbers, st.floats(-1e6, 1e6).map(lambda x: round(x, 3)))


def column(values: Any) -> Any:
    """A table of one column of numbers, NaN where one is missing."""
    return table_of_records([{"a": None if math.isnan(v) else v} for v in values], {"a": "number"})


def schema(values: Any, **options: Any) -> Schema:
    return Schema.guess(column(values), **options)


@given(st.lists(numbers, min_size=1, max_size=30))
def test_a_column_is_scaled_by_median_and_quartiles_and_clipped(values: list[float]) -> None:
    found = schema(values).encode(column(values))
    np.testing.assert_allclose(found[:, 0], reference.robust(values), atol=1e-9)


@given(st.lists(whole_numbers, min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_move_median_and_scale(
    values: list[float], random: Any
) -> None:
    turned = list(values)
    random.shuffle(turned)
    (one,), (other,) = schema(turned).columns, schema(values).columns
    assert one.center == other.center  # type: ignore[attr-defined]
    # The standard deviation, where it takes the place of quartiles, is a sum in this order.
    assert one.scale == pytest.approx(other.scale, rel=1e-12)  # type: ignore[attr-defined]


def test_a_few_wild_cells_hardly_move_the_scale_and_cannot_outweigh_a_row() -> None:
    values = np.random.default_rng(0).normal(10, 2, 5000)
    (clean,) = schema(values).columns
    values[:10] *= 1000
    wild = schema(values)
    (found,) = wild.columns
    assert abs(found.center - clean.center) < 0.02  # type: ignore[attr-defined]
    assert found.scale == pytest.approx(clean.scale, rel=0.02)  # type: ignore[attr-defined]
    X: Any = wild.encode(column(values))
    assert X[:10, 0].tolist() == [3.0] * 10
    assert np.abs(X[10:]).max() <= 3.0
    assert np.abs(wild.encode(column(values), clip=False)).max() > 1000
    assert wild.clipped(column(values[:1])) == ["a"]
    assert wild.clipped(column([10.0])) == []
    assert wild.describe() == [
        f"a  number    median {found.center:.4g}, scale {found.scale:.4g}, clipped at ±3"  # type: ignore[attr-defined]
    ]


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
def test_bad_cells_in_training_cost_little() -> None:
    """What they cost with means and standard deviations, they do not cost here."""
    data = rosenblatt.datasets.separable(1000, 10, margin=0.05, seed=0)
    names = [f"x{j}" for j in range(data.X.shape[1])]

    def errors(seed: int, scale: str, share: float) -> int:
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(data.y))
        train, test = order[:500], order[500:]
        X = data.X + 3.0
        X[train] *= np.where(rng.random(X[train].shape) < share, 1000.0, 1.0)
        rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
        learned = [rows[i] for i in train.tolist()]
        found = Schema.guess_records(learned, scale=scale)
        model = rosenblatt.AveragedPerceptron(max_iter=12, tol=None, random_state=0)
        model.fit(found.encode_records(learned), data.y[train])
        predicted = model.predict(found.encode_records([rows[i] for i in test.tolist()]))
        return int((predicted != data.y[test]).sum())

    cost = {
        scale: sum(errors(seed, scale, 0.002) - errors(seed, scale, 0.0) for seed in range(4))
        for scale in ("robust", "standard")
    }
    assert cost["robust"] <= 4
    assert cost["standard"] >= 20


# ---------------------------------------------------------------------- more rows than memory


def test_quartiles_of_many_rows_are_those_of_a_sample_that_no_cut_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "NUMBERS_SAMPLED", 4000)
    # A period in the data must not meet one in the sample.
    values = np.random.default_rng(1).normal(size=(20_000, 2)) + np.arange(20_000)[:, None] % 8
    found = []
    for size in (1, 7, 1000, 20_000):
        sample = module.RowSample()
        for start in range(0, len(values), size):
            sample.add(values[start : start + size])
            assert sample._size <= 2000
        assert sample._size == sum(map(len, sample._rows)) > 1000
        found.append(sample.quartiles())
    assert all(np.array_equal(found[0], other) for other in found)
    exact = np.percentile(values, [25, 50, 75], axis=0)
    np.testing.assert_allclose(found[0], exact, atol=0.15)


@pytest.mark.parametrize("n_rows", [2001, 5000, 10_000, 20_000, 50_000])
def test_a_sample_holds_half_of_what_it_may_hold_or_more(
    monkeypatch: pytest.MonkeyPatch, n_rows: int
) -> None:
    monkeypatch.setattr(module, "NUMBERS_SAMPLED", 2000)
    sample = module.RowSample()
    sample.add(np.arange(float(n_rows))[:, None])
    # The rows are spread so evenly that a half is one but for a few.
    assert 990 <= sample._size <= 2000


def test_up_to_its_size_a_sample_holds_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_ROWS", 1)
    monkeypatch.setattr(module, "NUMBERS_SAMPLED", 600)
    values = np.random.default_rng(2).normal(size=(600, 1))
    sample = module.RowSample()
    sample.add(values[:500])
    sample.add(values[500:])
    assert np.array_equal(sample.quartiles()[:, 0], np.percentile(values, [25, 50, 75]))


# ---------------------------------------------------------------------- streams


@given(st.lists(st.one_of(numbers, st.just(math.nan)), min_size=1, max_size=30))
def test_in_a_stream_each_row_is_scaled_by_those_before(values: list[float]) -> None:
    growing = schema([1.0, math.nan], scale="running")
    found: Any = growing.learn(column(values))
    expected = reference.running(values)
    for row, z in enumerate(expected):
        place, want = (1, 1.0) if math.isnan(z) else (0, z)
        assert found.tocsr().toarray()[row, place] == pytest.approx(want, rel=1e-5, abs=1e-6)


@given(
    st.lists(st.one_of(numbers, st.just(math.nan)), min_size=2, max_size=30),
    st.lists(st.integers(1, 10), min_size=1, max_size=8),
)
def test_how_a_stream_is_cut_changes_no_bit(values: list[float], sizes: list[int]) -> None:
    whole = schema([1.0, math.nan], scale="running")
    rows: Any = whole.learn(column(values))
    cut, parts, start = schema([1.0, math.nan], scale="running"), list[Any](), 0
    while start < len(values):
        size = sizes[len(parts) % len(sizes)]
        parts.append(cut.learn(column(values[start : start + size])))
        cut = schema_from_json(cut.to_json())  # type: ignore[assignment]
        start += size
    joined = np.vstack([part.tocsr().toarray() for part in parts])
    assert joined.tobytes() == rows.tocsr().toarray().tobytes()
    assert cut.to_json() == whole.to_json()


def test_encoding_does_not_move_a_running_mean() -> None:
    found = schema([1.0], scale="running")
    found.learn(column([1.0, 2.0, 6.0]))
    before = found.to_json()
    assert found.describe() == ["a  number    running mean 3, deviation 2.16, clipped at ±3"]
    assert found.encode(column([3.0])).tolist() == [[0.0]]  # type: ignore[union-attr]
    assert found.to_json() == before


def test_a_gap_of_a_stream_counts_as_the_mean_so_far_and_does_not_move_it() -> None:
    found = schema([1.0], scale="running")
    found.learn(column([1.0, 2.0, 6.0]))
    before = found.to_json()
    assert found.learn(column([math.nan])).tolist() == [[0.0]]  # type: ignore[union-attr]
    assert found.to_json() == before


def test_squares_of_the_largest_numbers_stay_finite() -> None:
    found = schema([1.0], scale="running")
    for _ in range(3):
        found.learn(column([1e150, -1e150] * 50))
    assert np.isfinite(found.encode(column([1e150, 0.0]))).all()
    schema_from_json(found.to_json())


RECORDS = [
    {"size": float(size), "colour": "red" if size % 3 else "blue"} for size in range(100, 160)
]
LABELS = ["yes" if record["size"] > 130 else "no" for record in RECORDS]


@pytest.mark.parametrize("way", ["one by one", "batches", "predict, then learn"])
def test_records_one_by_one_or_in_a_batch_give_the_same_model(way: str) -> None:
    whole = rosenblatt.Perceptron().partial_fit(RECORDS[:4], LABELS[:4])
    whole.partial_fit(RECORDS[4:], LABELS[4:])
    model = rosenblatt.Perceptron().partial_fit(RECORDS[:4], LABELS[:4])
    size = 1 if way == "one by one" else 9
    for start in range(4, 60, size):
        some, labels = RECORDS[start : start + size], LABELS[start : start + size]
        if way == "one by one":
            model.learn_one(some[0], labels[0])
        elif way == "batches":
            model.partial_fit(some, labels)
        else:
            model.predict_then_learn(some, labels)
    assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert model.schema_.to_json() == whole.schema_.to_json()  # type: ignore[union-attr]
    (size_column, _) = model.schema_.columns  # type: ignore[union-attr]
    assert size_column.center == pytest.approx(129.5)


def test_a_refused_record_leaves_the_running_means_as_they_are() -> None:
    model = rosenblatt.Perceptron().partial_fit(RECORDS[:9], LABELS[:9])
    before = model.schema_.to_json()  # type: ignore[union-attr]
    with pytest.raises(rosenblatt.errors.InputError):
        model.partial_fit([RECORDS[9], {"size": "large", "colour": "red"}], LABELS[9:11])
    with pytest.raises(ValueError, match=r"y has|labels"):
        model.partial_fit(RECORDS[9:11], LABELS[9:10])
    assert model.schema_.to_json() == before  # type: ignore[union-attr]
    model.predict(RECORDS)
    model.predict_one(RECORDS[20])
    assert model.schema_.to_json() == before  # type: ignore[union-attr]


def test_a_stream_scales_by_earlier_rows_unless_told_otherwise() -> None:
    table = read_table(io.BytesIO(b"a,y\n1,u\n3,v\n2,u\n"), "y")
    for scale, word in (("robust", "running mean"), ("standard", "mean 2, standard"), (None, "as")):
        growing = GrowingSchema("table", FeatureOptions(scale=scale))
        growing.encode(table, rosenblatt.Perceptron())
        assert growing.schema.describe()[0].split("number    ")[1].startswith(word)


def test_an_unknown_scaling_is_refused() -> None:
    with pytest.raises(ParameterError, match="scale='minmax' is not known"):
        schema([1.0], scale="minmax")


@pytest.mark.parametrize(
    "fields",
    [
        {"clip": 0},
        {"clip": -3.0},
        {"clip": "3"},
        {"clip": True},
        {"clip": float("inf")},
        {"sums": 5},
        {"sums": []},
        {"sums": [1.0, 0.0, 0.0]},
        {"sums": [-1.0, 0.0, 0.0, 0.0]},
        {"sums": [1.0, 0.0, 0.0, -1.0]},
        {"sums": [1.0, 0.0, float("nan"), 1.0]},
        {"sums": [1.0, None, 0.0, 1.0]},
    ],
)
def test_forged_clips_and_sums_are_refused(fields: dict[str, Any]) -> None:
    described = schema([1.0, 2.0, 4.0]).to_json()
    described["columns"][0] |= fields
    with pytest.raises(ModelFileError, match="not sound"):
        schema_from_json(described)


def test_a_column_of_a_file_without_clip_is_not_clipped() -> None:
    described = schema([1.0, 2.0, 4.0]).to_json()
    del described["columns"][0]["clip"]
    old: Any = schema_from_json(described)
    assert np.abs(old.encode(column([1e6]))).max() > 1000
    assert "clipped" not in old.describe()[0]


def test_an_explanation_says_what_was_clipped() -> None:
    model = rosenblatt.Perceptron(random_state=0).fit(RECORDS, LABELS)
    assert model.explain({"size": 130.0, "colour": "red"}).clipped == []
    why = model.explain({"size": 1e9, "colour": "red"})
    assert why.clipped == ["size"]
    assert "clipped, since so far from the median: size" in str(why)
    assert why.to_json()["clipped"] == ["size"]
