"""The kernel perceptron: linear in the space of a kernel, and still only a list of mistakes."""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.kernel.ledger import KernelLedger as KernelLedger
    from rosenblatt.kernel.perceptron import KernelPerceptron as KernelPerceptron

__getattr__, __dir__, __all__ = lazy.attach(
    __name__, {".ledger": "KernelLedger", ".perceptron": "KernelPerceptron"}
)
