"""Which weights of a stream predict: the option of the linear learners, and what it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.core.model import LinearModel
from rosenblatt.core.readouts import NAMES, Readouts
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.learner.options import option
from rosenblatt.learner.outcome import of_whole_state
from rosenblatt.linear.linear_classifier import LinearClassifier

if TYPE_CHECKING:
    from rosenblatt.learner.explain_rows import UpdateHistory


class StreamReadouts(LinearClassifier):
    """A linear classifier that can read the weights of a stream in several ways.

    Attributes
    ----------
    readout_ : str
        Which weights predict: "last", "average", "slow" or "fast", and "gentle" of a mix, where it
        is those that count most; if ``readout`` is set.
    """

    readout: str | None = option(
        default=None,
        choices=("mix", "auto", *NAMES),
        in_studio=False,
        help="""
        Of a stream (``partial_fit``, ``learn_one``): which weights predict, whatever ``average``
        says. "last": as they are now, "average": their mean over all examples, "slow" and "fast":
        over about the last 1,000 and 100. "auto": whichever made the fewest mistakes of late, where
        one counts half after 50 examples. It takes three numbers beside every weight. "mix": the
        last weights, and last, average, slow and fast of a gentle passive-aggressive learner beside
        them, summed by how few mistakes each made of late. ``fit`` ignores it.""",
    )

    def _keep_readouts(self, model: LinearModel) -> None:
        """Keep means beside the weights from here on, if asked to; those begun go on."""
        if self.readout is None:
            model.readouts = None
        elif self.keeps_rows:
            what = f" chooses among weights, and a {type(self).__name__} keeps rows to predict by"
            raise ParameterError(Message(Setting("readout", self.readout), what))
        elif model.weights.is_scaled:
            what = f" follows single steps, and {type(self).__name__} changes all weights at once"
            cures = ["set it to None", "predict with the mean of all weights by average"]
            raise ParameterError(Message(Setting("readout", self.readout), what), cures=cures)
        elif model.readouts is None or (self.readout == "mix") != (model.readouts.name == "mix"):
            model.weights.promote()
            model.readouts = Readouts(model.weights, self.readout)
        else:
            model.readouts.name = self.readout

    def _agrees_with(self, model: LinearModel) -> bool:
        readout = None if model.readouts is None else model.readouts.name
        return readout == self.readout and super()._agrees_with(model)

    @property
    @of_whole_state
    def readout_(self) -> str:
        """Which weights predict, or count most in a mix, of a stream learned with ``readout``."""
        readouts: Readouts | None = self._fitted().readouts
        if readouts is None:
            raise AttributeError("there are no read-outs: set readout, then learn from a stream")
        return readouts.chosen

    def _past(self, row: Any, X: Any) -> UpdateHistory | None:
        readouts: Readouts | None = self._model.readouts
        if readouts is not None and (readouts.name == "mix" or readouts.chosen in ("slow", "fast")):
            return None  # another learner counts, or mistakes of long ago do so less and less
        return super()._past(row, X)

    @property
    def _predicts_by_mean(self) -> bool:
        readouts: Readouts | None = self._model.readouts
        return super()._predicts_by_mean if readouts is None else readouts.chosen == "average"
