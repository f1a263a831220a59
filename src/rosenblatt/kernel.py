"""The kernel perceptron: linear in the feature space of a kernel, stored as a list of mistakes."""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.estimators.kernel.perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.models.kernel_ledger import KernelLedger as KernelLedger

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "rosenblatt.models.kernel_ledger": "KernelLedger",
        "rosenblatt.estimators.kernel.perceptron": "KernelPerceptron",
    },
)
