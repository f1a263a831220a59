"""The rules by name: how far a row moves the model."""

from __future__ import annotations

from rosenblatt._kernels.rules import Rule

__all__ = ["Rule", "mira", "passive_aggressive", "perceptron", "soft"]


def perceptron(*, eta0: float = 1.0, margin: float = 0.0, ties: str = "mistake") -> Rule:
    """A step of ``eta0`` on every mistake and on every row right by at most ``margin``."""
    return Rule("perceptron", eta=eta0, threshold=margin, tie_is_mistake=ties == "mistake")


def mira(*, aggressive: float | None = None, ties: str = "mistake") -> Rule:
    """The smallest step after which the row is right by 1, on mistakes.

    With ``aggressive=p`` also on rows that are right by less than ``p``.
    """
    return Rule("mira", threshold=aggressive or 0.0, tie_is_mistake=ties == "mistake")


def passive_aggressive(*, variant: str = "PA-I", C: float = 1.0, ties: str = "mistake") -> Rule:
    """The smallest step after which the row is right by 1, capped (PA-I) or damped (PA-II)."""
    return Rule(variant, C=C, tie_is_mistake=ties == "mistake")


def soft(*, eta0: float = 1.0, ties: str = "mistake") -> Rule:
    """A step on every row: ``eta0`` times the probability given to the wrong answer."""
    return Rule("soft", eta=eta0, tie_is_mistake=ties == "mistake")
