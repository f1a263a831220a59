"""Structured perceptrons: answers with an inside, found by a search.

Three things are kept apart: spaces (what an answer is, and its features), search (the answer with
the highest score) and learning (the update).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_WHERE = {
    "Choice": "rosenblatt.structured.paths",
    "PathExplanation": "rosenblatt.structured.paths",
    "SequenceTagger": "rosenblatt.structured.tagger",
    "StructuredLedger": "rosenblatt.structured.ledger",
    "StructuredPerceptron": "rosenblatt.structured.perceptron",
    "StructuredUpdate": "rosenblatt.structured.ledger",
    "TagLedger": "rosenblatt.structured.tagging",
    "TagMistake": "rosenblatt.structured.tagging",
}

__all__ = [
    "Choice",
    "PathExplanation",
    "SequenceTagger",
    "StructuredLedger",
    "StructuredPerceptron",
    "StructuredUpdate",
    "TagLedger",
    "TagMistake",
]

if TYPE_CHECKING:
    from rosenblatt.structured.ledger import StructuredLedger, StructuredUpdate
    from rosenblatt.structured.paths import Choice, PathExplanation
    from rosenblatt.structured.perceptron import StructuredPerceptron
    from rosenblatt.structured.tagger import SequenceTagger
    from rosenblatt.structured.tagging import TagLedger, TagMistake


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
