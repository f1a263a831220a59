"""A model of a table as an ONNX graph that takes the columns as they are, one input each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ModelFileError
from rosenblatt.persistence.card import State
from rosenblatt.persistence.onnx import Graph, finished, sound_text, weights_of
from rosenblatt.tables.features.column_kinds import Category, Ignored, Number
from rosenblatt.tables.features.schema import Schema

DOUBLE = 11  # onnx.TensorProto.DOUBLE


def table_to_onnx(state: State, schema: Schema) -> bytes:
    """Write a model of a table as ONNX: from its columns to ``label`` and ``scores``.

    Each column of the schema is an input of its name and of shape (n, 1): numbers in float64, NaN
    where one is missing, and categories as strings. Scaling, clipping, levels and gaps are part of
    the graph.
    A level that training did not meet has no weight, and a gap in a column that had none in
    training counts as the median or the most frequent level, as in `predict`. The outputs are those
    of `rosenblatt.persistence.onnx.to_onnx`.

    Parameters
    ----------
    state : State
        What `rosenblatt.model.read` gave.
    schema : Schema
        How the columns become the features of the model.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    ModelFileError
        If a column is a text or a date, or for the reasons of `to_onnx`.

    See Also
    --------
    rosenblatt.persistence.onnx.to_onnx : From encoded features, of any model.
    """
    used = [column for column in schema.columns if not isinstance(column, Ignored)]
    for column in used:
        if not isinstance(column, Number | Category):
            raise ModelFileError(
                f"the column {column.name!r} is a {column.kind}, and no ONNX operator takes it "
                "apart as this model does: train without it, or write the form that takes the "
                "encoded features (--encoded, or to_onnx in Python)."
            )
    coef, bias = weights_of(state)
    graph = Graph()
    encoding = _Encoding(graph, coef)
    inputs = {}
    start = 0
    for column in used:
        if isinstance(column, Number):
            inputs[column.name] = encoding.number(column, start)
        elif isinstance(column, Category) and column.levels:
            inputs[column.name] = encoding.category(column, start)
        start += column.n_features
    scores = encoding.scores(bias)
    return finished(graph, state, scores, target=schema.target, columns=inputs)


class _Encoding:
    """Numbers meet their weights in one product; a level looks its weights up."""

    def __init__(self, graph: Graph, coef: npt.NDArray[np.float64]) -> None:
        self._graph, self._coef = graph, coef
        self._numbers: dict[bool, list[tuple[Number, str, int]]] = {False: [], True: []}
        self._terms: list[str] = []

    def number(self, column: Number, start: int) -> str:
        name = self._graph.input(column.name, np.float64, 1)
        self._numbers[column.gaps].append((column, name, start))
        return name

    def category(self, column: Category, start: int) -> str:
        graph, n_levels = self._graph, len(column.levels)
        name = graph.input(column.name, object, 1)
        places = {sound_text(text): number for text, number in column.number_of_text.items()}
        places.setdefault("", column.mode)  # a gap
        place = graph.node(
            "LabelEncoder",
            name,
            domain="ai.onnx.ml",
            keys_strings=list(places),
            values_int64s=list(places.values()),
            default_int64=n_levels,
        )
        weights = np.zeros((n_levels + 1, len(self._coef)))  # the last row is for unknown levels
        weights[:n_levels] = self._coef[:, start : start + n_levels].T
        place = graph.node("Squeeze", place, graph.constant("axis", np.array([1])))
        self._terms.append(graph.node("Gather", graph.constant("weights", weights), place))
        return name

    def scores(self, bias: npt.NDArray[np.float64]) -> str:
        graph = self._graph
        parts: list[str] = []
        features: list[int] = []
        for has_gaps, numbers in self._numbers.items():
            if not numbers:
                continue
            starts = [start for _, _, start in numbers]
            values = self._scaled(numbers)
            missing = graph.node("IsNaN", values)
            # Scaled, the median is 0, and so is a gap.
            parts.append(graph.node("Where", missing, graph.constant("zero", np.zeros(1)), values))
            features += starts
            # Only a column that had gaps in training has a feature for them.
            if has_gaps:
                parts.append(graph.node("Cast", missing, to=DOUBLE))
                features += [start + 1 for start in starts]
        named = graph.constant("bias", bias)
        if not parts:
            return graph.node("Add", self._summed(self._terms), named)
        joined = graph.node("Concat", *parts, axis=1)
        weights = graph.constant("weights", self._coef[:, features])
        product = graph.node("Gemm", joined, weights, named, transB=1)
        return self._summed([product, *self._terms])

    def _scaled(self, numbers: list[tuple[Number, str, int]]) -> str:
        graph = self._graph
        table = graph.node("Concat", *(name for _, name, _ in numbers), axis=1)
        for operator, sizes in (
            ("Sub", [column.center for column, _, _ in numbers]),
            ("Div", [column.scale for column, _, _ in numbers]),
        ):
            constant: Any = np.array(sizes, np.float64)
            table = graph.node(operator, table, graph.constant(operator.lower(), constant))
        limit = np.array([column.clip or np.inf for column, _, _ in numbers])
        # By comparisons, which leave NaN as it is.
        for operator, bound in (
            (("Greater", limit), ("Less", -limit)) if limit.min() < np.inf else ()
        ):
            name = graph.constant("limit", bound)
            table = graph.node("Where", graph.node(operator, table, name), name, table)
        return table

    def _summed(self, terms: list[str]) -> str:
        return terms[0] if len(terms) == 1 else self._graph.node("Sum", *terms)
