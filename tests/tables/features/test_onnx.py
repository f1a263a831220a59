"""Models of tables as ONNX graphs with one input for each column."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, Perceptron
from rosenblatt.errors import ModelFileError
from rosenblatt.features import Schema
from rosenblatt.io import read_table
from rosenblatt.model import State, learner_of
from rosenblatt.tables.features.column_kinds import Category, Number
from rosenblatt.tables.features.onnx_columns import table_to_onnx

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

NAMES = ("size", "gap", "colour", "shape")
LEVELS = ["red", "blue", "", "ö, x"]
# Halves and their quotients by powers of two are exact, so that sums are too.
halves = st.integers(-8, 8).map(lambda n: n / 2)


def csv(rows: list[dict[str, Any]], labels: list[str]) -> bytes:
    lines = [",".join([*NAMES, "y"])]
    for row, label in zip(rows, labels, strict=True):
        fields = ["NA" if row[n] != row[n] else f'"{row[n]}"' for n in NAMES]
        lines.append(",".join([*fields, label]))
    return ("\n".join(lines) + "\n").encode()


def table(rows: list[dict[str, Any]], labels: list[str], missing: tuple[str, ...] = ("NA",)) -> Any:
    types = {"size": "number", "gap": "number", "colour": "text", "shape": "text"}
    return read_table(io.BytesIO(csv(rows, labels)), "y", types=types, missing=missing)


def session(file: bytes) -> Any:
    onnx.checker.check_model(onnx.load_from_string(file), full_check=True)
    return runtime.InferenceSession(file)


def asked(session: Any, columns: dict[str, list[Any]]) -> dict[str, Any]:
    kinds = {given.name: given.type for given in session.get_inputs()}
    return {
        name: np.array(values, object if kinds[name] == "tensor(string)" else np.float64)[:, None]
        for name, values in columns.items()
    }


def model_of(schema: Schema, data: Any, **settings: Any) -> State:
    X: Any = schema.encode(data)
    learner = Perceptron(max_iter=3, tol=None, **settings)
    state: State = learner.partial_fit(X.tocsr() if hasattr(X, "tocsr") else X, data.y).to_state()
    return state


rows = st.lists(
    st.fixed_dictionaries(
        {
            "size": halves,
            "gap": st.one_of(halves, st.just(math.nan)),
            "colour": st.sampled_from(LEVELS),
            "shape": st.sampled_from(["round", "square"]),
        }
    ),
    min_size=3,
    max_size=12,
)


@given(
    rows=rows,
    strangers=rows,
    labels=st.lists(st.sampled_from("abc"), min_size=12, max_size=12),
    ties=st.sampled_from(["mistake", "positive"]),
    known=st.sampled_from(LEVELS),
    clip=st.sampled_from([None, 0.5]),
)
def test_columns_of_all_kinds_give_the_answers_of_the_schema(
    rows: list[Any],
    strangers: list[Any],
    labels: list[str],
    ties: str,
    known: str,
    clip: float | None,
) -> None:
    """Some levels are met for the first time, some numbers are missing and some clipped."""
    labels = ["a", "b", *labels][: len(rows)]
    schema = Schema(
        [
            Category("shape", ["square", "round"]),
            Number("gap", 0.5, 2.0, gaps=True, clip=clip),
            Category("colour", [known]),
            Number("size", -1.0, 4.0),
        ],
        "y",
        ["NA"],
    )
    state = model_of(schema, table(rows, labels), ties=ties)
    everything = rows + strangers
    new = table(everything, ["a"] * len(everything))
    running = session(table_to_onnx(state, schema))
    columns = {name: [row[name] for row in everything] for name in NAMES}
    label, scores = running.run(["label", "scores"], asked(running, columns))
    learner = learner_of(state)
    X: Any = schema.encode(new)
    assert label.tolist() == learner.predict(X).tolist()
    ours = learner.decision_function(X)
    np.testing.assert_array_equal(scores[:, -1], ours if ours.ndim == 1 else ours[:, -1])


@pytest.mark.parametrize("only", ["size", "gap", "colour"])
def test_tables_of_one_column(only: str) -> None:
    made = {
        "size": Number("size", 1.0, 2.0),
        "gap": Number("gap", 1.0, 2.0, gaps=True),
        "colour": Category("colour", ["red", "blue"]),
    }
    values = {"size": [1.0, 3.0], "gap": [math.nan, 2.0], "colour": ["red", "blue"]}
    row = {"size": 0.0, "gap": 0.0, "colour": "red", "shape": "round"}
    data = table([{**row, only: value} for value in values[only]], ["a", "b"])
    schema = Schema([made[only]], "y", ["NA"])
    state = model_of(schema, data)
    running = session(table_to_onnx(state, schema))
    assert [given.name for given in running.get_inputs()] == [only]
    label, _ = running.run(None, asked(running, {only: values[only]}))
    assert label.tolist() == learner_of(state).predict(schema.encode(data)).tolist()


def test_a_guessed_schema_with_ignored_columns_scales_as_in_training() -> None:
    random = np.random.default_rng(4)
    lines = [
        f"2024-01-{i % 28 + 1:02},{random.normal(5, 3):.3f},{'xyz'[i % 3]},{'uv'[i % 2]}"
        for i in range(60)
    ]
    text = "day,size,colour,y\n" + "\n".join(lines) + "\n"
    data = read_table(io.BytesIO(text.encode()), "y")
    schema = Schema.guess(data, declared={"day": "ignored"})
    assert [column.kind for column in schema.columns] == ["ignored", "number", "category"]
    X: Any = schema.encode(data)
    state = AveragedPerceptron().partial_fit(X.tocsr(), data.y).to_state()
    running = session(table_to_onnx(state, schema))
    columns = {"size": data.numbers[:, 0].tolist(), "colour": data.texts["colour"].tolist()}
    label, scores = running.run(None, asked(running, columns))
    np.testing.assert_allclose(
        scores[:, 1], learner_of(state).decision_function(X), rtol=1e-9, atol=1e-12
    )
    assert label.tolist() == learner_of(state).predict(X).tolist()
    late = schema.read(io.BytesIO(b"size,colour\n4,\n4,y\n4,new\n"))  # a gap is filled
    columns = {"size": [4.0] * 3, "colour": late.texts["colour"].tolist()}
    _, scores = running.run(None, asked(running, columns))
    expected = learner_of(state).decision_function(schema.encode(late))
    np.testing.assert_allclose(scores[:, 1], expected, rtol=1e-9, atol=1e-12)


cells = st.one_of(halves, st.just(math.nan))


@given(
    rows=st.lists(st.tuples(halves, halves, st.sampled_from(["red", "true"])), min_size=3),
    asked_rows=st.lists(
        st.tuples(cells, cells, st.sampled_from(["red", "true", "True", "TRUE", "", "new"])),
        min_size=1,
        max_size=8,
    ),
    scale=st.sampled_from(["robust", "standard", None]),
    labels=st.sampled_from(["ab", "abc"]),
)
def test_a_gap_that_training_did_not_meet_is_filled_as_predict_fills_it(
    rows: list[Any], asked_rows: list[Any], scale: str | None, labels: str
) -> None:
    """Row by row, with the other spellings of true that predict knows."""
    named = [dict(zip(("size", "gap", "colour"), row, strict=True)) for row in rows]
    train = table(
        [{**row, "shape": "round"} for row in named],
        [labels[i % len(labels)] for i in range(len(rows))],
        missing=(),
    )
    schema = Schema.guess(train, scale=scale)
    assert not any(column.gaps for column in schema.columns if isinstance(column, Number))
    state = model_of(schema, train)
    running = session(table_to_onnx(state, schema))
    inputs = {given.name for given in running.get_inputs()}

    for size, gap, colour in asked_rows:
        row = {"size": size, "gap": gap, "colour": colour, "shape": "round"}
        columns = {name: [row[name]] for name in NAMES if name in inputs}
        label, scores = running.run(["label", "scores"], asked(running, columns))
        X: Any = schema.encode(table([row], ["a"]))
        ours = learner_of(state).decision_function(X)
        np.testing.assert_allclose(scores[0, -1], ours.ravel()[-1], rtol=1e-12, atol=1e-12)
        if np.ptp(np.sort(scores[0])[-2:]) > 1e-9:
            assert label.tolist() == learner_of(state).predict(X).tolist()


def test_columns_that_are_called_as_an_output_or_not_at_all_get_another_name() -> None:
    schema = Schema([Number("label"), Number("scores"), Number(""), Number("gemm")], "y", [])
    data = read_table(io.BytesIO(b"label,scores,x,gemm,y\n1,2,3,4,a\n-1,1,2,0,b\n"), "y")
    state = Perceptron().fit(data.numbers, data.y).to_state()
    running = session(table_to_onnx(state, schema))
    names = json.loads(running.get_modelmeta().custom_metadata_map["columns"])
    assert names == {"label": "label_", "scores": "scores_", "": "_", "gemm": "gemm"}
    given = asked(running, dict(zip(names.values(), data.numbers.T.tolist(), strict=True)))
    assert running.run(["label"], given)[0].tolist() == ["a", "b"]


def test_text_is_refused_with_a_way_out() -> None:
    data = read_table(
        io.BytesIO(b"note,y\nwin a lot of money now,a\nsee you at noon today,b\n"), "y"
    )
    schema = Schema.guess(data)
    X: Any = schema.encode(data)
    state = Perceptron().partial_fit(X.tocsr(), data.y).to_state()
    with pytest.raises(ModelFileError, match=r"the column 'note' is a text.*--encoded"):
        table_to_onnx(state, schema)
