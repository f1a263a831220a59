"""A linear model as an ONNX graph, which other programs and languages can run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import __version__
from rosenblatt.errors import MissingExtra, ModelFileError, shown
from rosenblatt.models.classes import in_order, tie_is_positive
from rosenblatt.persistence.card import State
from rosenblatt.persistence.container import ZEROS
from rosenblatt.persistence.file import learner_of

# The outputs of a graph.
LABEL = "label"
SCORES = "scores"
# Versions of the operators and of the format: old enough for the runtimes in use, new enough for
# every operator below.
OPERATORS = 17
ML_OPERATORS = 3
LAYOUT = 8
# A protocol buffer holds less than 2 GiB.
MAX_BYTES = 2**31 - 2**20


def to_onnx(state: State, feature_names: Sequence[str] | None = None) -> bytes:
    """Write a linear model as an ONNX file with input ``X`` and outputs ``label`` and ``scores``.

    ``X`` has shape (n, n_features), in float64. ``scores`` has a column for each class in order, -s
    and s for two classes; ``label`` is the class of the largest score, and for equal scores the
    class that `predict` returns. Scores agree with ours to rounding, because a runtime sums in its
    own order. The weights are those that predict: the mean of an averaged perceptron, the best
    epoch if rows were held out.

    Parameters
    ----------
    state : State
        A model that `rosenblatt.model.read` returned.
    feature_names : list of str, default=None
        The names in the metadata of the file; by default those of the model.

    Returns
    -------
    bytes
        The file. Its metadata are ``learner``, ``classes``, ``feature_names`` and ``sha256``, the
        digest of the model.

    Raises
    ------
    ModelFileError
        If the model votes, so that no single weights represent it, or has labels that ONNX has no
        type for.

    See Also
    --------
    rosenblatt.tables.features.onnx_columns.table_to_onnx : One input for each column of a table.

    Examples
    --------
    >>> import os, tempfile
    >>> import onnxruntime
    >>> import rosenblatt
    >>> from rosenblatt.persistence.onnx import to_onnx
    >>> p = rosenblatt.Perceptron().fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     file = to_onnx(rosenblatt.model.read(path))
    >>> session = onnxruntime.InferenceSession(file)
    >>> label, scores = session.run(None, {"X": [[0.0, 1.0], [1.0, 0.0]]})
    >>> label.tolist(), scores.tolist()
    (['no', 'yes'], [[3.0, -3.0], [-2.0, 2.0]])
    """
    coef, bias = weights_of(state)
    card = state.card
    if feature_names is None:
        feature_names = card.feature_names if card.columns is None else card.columns
    graph = Graph()
    X = graph.input("X", np.float64, coef.shape[1])
    weights = graph.constant("weights", coef)
    scores = graph.node("Gemm", X, weights, graph.constant("bias", bias), transB=1)
    names = None if feature_names is None else [str(name) for name in feature_names]
    return finished(graph, state, scores, feature_names=names)


def weights_of(state: State) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the weights and biases for prediction: one row for two classes, else one per class."""
    card = state.card
    if state.family == "linear" and card.parameters.get("combine") == "vote":
        raise ModelFileError(
            "a voted perceptron predicts by the votes of all its weights, which no single weights "
            'stand for: train an averaged perceptron, or set combine="average".'
        )
    state.refuse_unless("linear")
    learner = learner_of(state)
    coef = learner.coef_
    bias = learner.intercept_
    if len(coef) == 2:
        # Two classes share one score, which speaks for the second.
        coef = np.diff(coef, axis=0)
        bias = np.diff(bias)
    if coef.size * 8 > MAX_BYTES:
        raise ModelFileError(
            f"{coef.size:,} weights do not fit into an ONNX file, which holds less than 2 GiB."
        )
    return np.ascontiguousarray(coef, np.float64), np.ascontiguousarray(bias, np.float64)


class Graph:
    """Builder of an ONNX graph: inputs, constants and nodes, each with a unique name."""

    def __init__(self) -> None:
        self._onnx = _onnx()
        self._taken_names = {"", LABEL, SCORES}
        self.inputs: list[Any] = []
        self.constants: list[Any] = []
        self.nodes: list[Any] = []

    def input(self, name: str, dtype: npt.DTypeLike, n_columns: int) -> str:
        """Add an input of ``n_columns``, and return its name; a name in use gets an underscore."""
        name = self._free(sound_text(name))
        self.inputs.append(self._described(name, dtype, ["N", n_columns]))
        return name

    def _described(self, name: str, dtype: npt.DTypeLike, shape: list[str | int]) -> Any:
        helper = self._onnx.helper
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return helper.make_tensor_value_info(name, kind, shape)

    def constant(self, name: str, values: npt.ArrayLike) -> str:
        """Add a constant, and return its name."""
        name = self._free(name)
        self.constants.append(self._onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: object) -> str:
        """Add a node, and return the name of its output."""
        name = output or self._free(operator.lower())
        given = {"name": f"{operator} {name}", "domain": "", **attributes}
        self.nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **given))
        return name

    def _free(self, name: str) -> str:
        """Return an unused name that begins with ``name``."""
        while name in self._taken_names:
            name += "_"
        self._taken_names.add(name)
        return name

    def to_bytes(self, outputs: dict[str, Any], notes: dict[str, str]) -> bytes:
        """Return the file; ``outputs`` maps names to types and shapes, ``notes`` is metadata."""
        helper = self._onnx.helper
        described = [self._described(name, *kind) for name, kind in outputs.items()]
        model = helper.make_model(
            helper.make_graph(self.nodes, "rosenblatt", self.inputs, described, self.constants),
            producer_name="rosenblatt",
            producer_version=__version__,
            ir_version=LAYOUT,
            opset_imports=[
                helper.make_opsetid("", OPERATORS),
                helper.make_opsetid("ai.onnx.ml", ML_OPERATORS),
            ],
        )
        helper.set_model_props(model, notes)
        file: bytes = model.SerializeToString(deterministic=True)
        return file


def finished(graph: Graph, state: State, scores: str, **notes: object) -> bytes:
    """Complete a graph of raw scores with outputs and metadata, and return its file."""
    card = state.card
    order = list(range(len(card.classes)))
    if len(card.classes) > 2:
        order = list(in_order(card.classes))
    classes = _labels([card.classes[place] for place in order])

    if len(classes) == 2:
        # Two classes share one score, which speaks for the second.
        against = graph.node("Neg", scores)
        graph.node("Concat", against, scores, output=SCORES, axis=1)
    else:
        graph.node("Identity", scores, output=SCORES)
    last = int(tie_is_positive(card.parameters["ties"]))
    best = graph.node("ArgMax", SCORES, axis=1, keepdims=0, select_last_index=last)
    graph.node("Gather", graph.constant("classes", classes), best, output=LABEL)

    metadata: dict[str, object] = {"learner": card.learner, "classes": classes.tolist(), **notes}
    if card.sha256 != ZEROS:
        metadata["sha256"] = card.sha256
    written = {}
    for name, value in metadata.items():
        if value is not None:
            written[name] = value if isinstance(value, str) else json.dumps(value)
    outputs = {LABEL: (classes.dtype, ["N"]), SCORES: (np.float64, ["N", len(classes)])}
    return graph.to_bytes(outputs, written)


def _labels(classes: list[Any]) -> npt.NDArray[Any]:
    """Return the classes as an array of a type that ONNX supports."""
    if not classes:
        raise ModelFileError("the model has not met a class yet.")
    plain = [label.item() if isinstance(label, np.generic) else label for label in classes]
    kinds = {type(label) for label in plain}
    if kinds == {str}:
        return np.array([sound_text(label) for label in plain], object)
    if kinds == {bool}:
        return np.array(plain)
    if kinds == {int} and all(-(2**63) <= label < 2**63 for label in plain):
        return np.array(plain, np.int64)
    if kinds == {float}:
        return np.array(plain, np.float64)
    raise ModelFileError(
        f"the class {shown(classes[0])} has no type in ONNX: labels can be texts, whole numbers of "
        "64 bits, floats or truth values, all of one kind."
    )


def sound_text(text: str) -> str:
    """Return a text unchanged; raise ModelFileError if it holds a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ModelFileError(f"the text {shown(text)} is not Unicode, which ONNX needs.") from None
    return text


def _onnx() -> Any:
    """Import onnx, which is optional."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise MissingExtra("writing ONNX needs onnx", extra="onnx") from None
    return onnx
