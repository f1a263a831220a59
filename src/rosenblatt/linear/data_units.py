"""Parameters that count relative to the length of the rows, so that one value fits all data."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rows import Rows
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.learner.classifier import RowClassifier
from rosenblatt.learner.options import option


class DataUnits(NamedTuple):
    """Of the rows that were measured: the mean of ``‖x‖²`` and of the values stored in a row.

    With a bias both are those of the rows with a 1 appended.
    """

    squared_norm: float
    n_values: float

    @classmethod
    def of(cls, rows: Rows, fit_intercept: bool) -> DataUnits:
        """Measured on one way through the rows; rows of zeros alone count as of length 1."""
        n, bias = max(rows.n_rows, 1), float(fit_intercept)
        norm, values = float(rows.squared_norms().sum()) / n + bias, rows.n_values / n + bias
        return cls(norm or 1.0, values or 1.0)

    def step_length(self, *, adagrad: bool) -> float:
        """A step of length 1 in these units; AdaGrad divides by the root of the squares itself."""
        return math.sqrt(self.n_values / self.squared_norm) if adagrad else 1 / self.squared_norm


def relative_to_data(what: str) -> Any:
    """The option of that name, of a rule with ``what`` to scale."""
    return option(
        default=False,
        label="Relative to the data",
        in_studio=False,
        help=f"""
        Let {what} count relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
        the rows with a 1 appended), so that one value means the same on few and on many columns.
        The rows stay as they are, and the mean is kept for what is learned later. Without ``fit``
        the rows of the first ``partial_fit`` count.""",
    )


class InDataUnits(RowClassifier):
    """A learner whose rule may count in units of the data."""

    def rule(self) -> Rule:
        """How far a row moves the weights, with the parameters as they are now.

        Returns
        -------
        rule : Rule
        """
        raise NotImplementedError(f"{type(self).__name__} does not say its rule")

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        """Parameters that count relative to the data, as the rule takes them."""
        return {}

    def _rule_for(self, model: LinearModel) -> Rule:
        """The rule with the parameters as they are now, in the units of the model."""
        self.check_parameters()
        if not getattr(self, "relative_to_data", False):
            return self.rule()
        if model.units is None:
            why = " measures the rows of the first fit or partial_fit, and there was none"
            cures = ["begin with one of these", "set it to False"]
            raise ParameterError(Message(Setting("relative_to_data", True), why), cures=cures)
        return type(self)(**self.get_params() | self._in_units(model.units)).rule()

    def _measure(self, model: LinearModel, rows: Rows) -> None:
        """Let these rows be the unit, if one is wanted and none is known."""
        if getattr(self, "relative_to_data", False) and model.units is None:
            model.units = DataUnits.of(rows, model.weights.fit_intercept)
