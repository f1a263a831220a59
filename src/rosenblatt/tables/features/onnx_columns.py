"""A model of a table as an ONNX graph with one input for each column of the table."""

from __future__ import annotations

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence.card import State
from rosenblatt.persistence.onnx import Graph, finished, sound_text, weights_of
from rosenblatt.tables.features.column_kinds import Category, Ignored, Number
from rosenblatt.tables.features.schema import Schema

DOUBLE = 11  # onnx.TensorProto.DOUBLE


def table_to_onnx(state: State, schema: Schema) -> bytes:
    """Write a model of a table as an ONNX file, with the columns as inputs.

    The outputs are ``label`` and ``scores``. Each column of the schema is an input of its name and
    of shape (n, 1): numbers in float64, NaN if missing, and categories as strings. Scaling,
    clipping, levels and missing values are part of the graph.
    An unseen level has no weight, and a missing value in a column that had none in training counts
    as the median or the most frequent level, as in `predict`. The outputs are those of
    `rosenblatt.persistence.onnx.to_onnx`.

    Parameters
    ----------
    state : State
        A model that `rosenblatt.model.read` returned.
    schema : Schema
        The columns, and how they become the features of the model.

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
    """Nodes that compute the scores: one product for all numbers, and a lookup per category."""

    def __init__(self, graph: Graph, coef: FloatArray) -> None:
        self._graph = graph
        self._coef = coef
        # Columns without and with a feature for missing values, with input and first feature.
        self._numbers: dict[bool, list[tuple[Number, str, int]]] = {False: [], True: []}
        # The nodes with the contribution of each category to the scores.
        self._terms: list[str] = []

    def number(self, column: Number, start: int) -> str:
        """Add the input of a column of numbers, and return its name."""
        name = self._graph.input(column.name, np.float64, 1)
        self._numbers[column.gaps].append((column, name, start))
        return name

    def category(self, column: Category, start: int) -> str:
        """Add the input of a category, and return its name."""
        graph = self._graph
        n_levels = len(column.levels)
        name = graph.input(column.name, object, 1)
        places = {sound_text(text): number for text, number in column.number_of_text.items()}
        # A missing value counts as the most frequent level, unless it is a level of its own.
        places.setdefault("", column.mode)
        place = graph.node(
            "LabelEncoder",
            name,
            domain="ai.onnx.ml",
            keys_strings=list(places),
            values_int64s=list(places.values()),
            default_int64=n_levels,
        )
        # The last row is for unseen levels.
        weights = np.zeros((n_levels + 1, len(self._coef)))
        weights[:n_levels] = self._coef[:, start : start + n_levels].T
        place = graph.node("Squeeze", place, graph.constant("axis", np.array([1])))
        self._terms.append(graph.node("Gather", graph.constant("weights", weights), place))
        return name

    def scores(self, bias: FloatArray) -> str:
        """Add the scores of all columns, and return the name of their node."""
        graph = self._graph
        parts: list[str] = []
        features: list[int] = []
        for has_gaps, numbers in self._numbers.items():
            if not numbers:
                continue
            starts = [start for _, _, start in numbers]
            values = self._scaled(numbers)
            missing = graph.node("IsNaN", values)
            # A missing value counts as the median, which is 0 after scaling.
            parts.append(graph.node("Where", missing, graph.constant("zero", np.zeros(1)), values))
            features += starts
            # Only a column with missing values in training has a feature for them.
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
        """Add the nodes that scale and clip the numbers, and return the name of the last one."""
        graph = self._graph
        columns = [column for column, _, _ in numbers]
        table = graph.node("Concat", *(name for _, name, _ in numbers), axis=1)

        centers = graph.constant("sub", np.array([column.center for column in columns]))
        table = graph.node("Sub", table, centers)
        scales = graph.constant("div", np.array([column.scale for column in columns]))
        table = graph.node("Div", table, scales)

        limits = np.array([column.clip or np.inf for column in columns])
        if limits.min() < np.inf:
            # By comparisons, which leave NaN as it is.
            for operator, bounds in (("Greater", limits), ("Less", -limits)):
                limit = graph.constant("limit", bounds)
                is_beyond = graph.node(operator, table, limit)
                table = graph.node("Where", is_beyond, limit, table)
        return table

    def _summed(self, terms: list[str]) -> str:
        return terms[0] if len(terms) == 1 else self._graph.node("Sum", *terms)
