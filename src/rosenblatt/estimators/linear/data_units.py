"""Parameters that count relative to the length of the rows, so that one value fits all data."""

from __future__ import annotations

from typing import Any

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.estimators.params import option
from rosenblatt.estimators.row_classifier import RowClassifier
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.rows import Rows


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
