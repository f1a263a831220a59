"""Structured perceptrons: outputs with an inside, found by a search.

Three things are kept apart: spaces (what an output is, and its features), search (the output with
the highest score) and learning (the update).
"""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.structured.ledger import StructuredLedger as StructuredLedger
    from rosenblatt.structured.ledger import TagLedger as TagLedger
    from rosenblatt.structured.paths import Choice as Choice
    from rosenblatt.structured.paths import PathExplanation as PathExplanation
    from rosenblatt.structured.perceptron import StructuredPerceptron as StructuredPerceptron
    from rosenblatt.structured.tagger import SequenceTagger as SequenceTagger


__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".ledger": "StructuredLedger TagLedger",
        ".paths": "Choice PathExplanation",
        ".perceptron": "StructuredPerceptron",
        ".tagger": "SequenceTagger",
    },
)
