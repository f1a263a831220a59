"""Structured perceptrons: outputs with parts, such as sequences of tags, predicted by a search.

Three things are separate: spaces (what an output is, and its features), search (the output with
the highest score) and learning (the update).
"""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.estimators.structured.paths import Choice as Choice
    from rosenblatt.estimators.structured.paths import PathExplanation as PathExplanation
    from rosenblatt.estimators.structured.perceptron import (
        StructuredPerceptron as StructuredPerceptron,
    )
    from rosenblatt.estimators.structured.tagger import SequenceTagger as SequenceTagger
    from rosenblatt.models.structured_ledger import StructuredLedger as StructuredLedger
    from rosenblatt.models.structured_ledger import TagLedger as TagLedger


__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "rosenblatt.models.structured_ledger": "StructuredLedger TagLedger",
        "rosenblatt.estimators.structured.paths": "Choice PathExplanation",
        "rosenblatt.estimators.structured.perceptron": "StructuredPerceptron",
        "rosenblatt.estimators.structured.tagger": "SequenceTagger",
    },
)
