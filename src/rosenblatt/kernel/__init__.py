"""The kernel perceptron: linear in the space of a kernel, and still only a list of mistakes."""

from __future__ import annotations

from rosenblatt.kernel.explanation import Contribution, Explanation
from rosenblatt.kernel.ledger import KernelLedger
from rosenblatt.kernel.perceptron import KernelPerceptron

__all__ = ["Contribution", "Explanation", "KernelLedger", "KernelPerceptron"]
