"""Why a kernel machine answered as it did: the past mistakes behind the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import kernel_blocks as blocks
from rosenblatt.kernel.kernel_model import KernelModel

__all__ = ["Contribution", "Explanation", "explanation"]

SHOWN = 8


class Contribution(NamedTuple):
    """One support row: its number, what it counts for, its kernel with the example, their product.

    With votes ``coef`` is the share of examples that the function born at this mistake survived,
    and ``kernel`` its answer, 1, -1 or 0.
    """

    row: int
    coef: float
    kernel: float
    amount: float


@dataclass(frozen=True)
class Explanation:
    """The score of one class as a sum over past mistakes.

    Attributes
    ----------
    answer : label
        What the model answers.
    label : label
        The class whose score this is. With two classes the score of the first is that of the
        second with the other sign.
    score : float
        The sum of all amounts.
    contributions : list of Contribution
        Largest amounts first.
    """

    answer: Any
    label: Any
    score: float
    contributions: list[Contribution]

    def __str__(self) -> str:
        lines = [
            f"answer {self.answer!r}; score of {self.label!r}: {self.score:+.6g} from "
            f"{len(self.contributions):,} past mistakes",
            f"{'row':>10} {'coef':>12} {'kernel':>12} {'amount':>12}",
        ]
        lines += [
            f"{part.row:>10,} {part.coef:>+12.5g} {part.kernel:>12.5g} {part.amount:>+12.5g}"
            for part in self.contributions[:SHOWN]
        ]
        rest = self.contributions[SHOWN:]
        if rest:
            total = sum(part.amount for part in rest)
            lines.append(f"{len(rest):>10,} more{total:>+32.5g}")
        return "\n".join(lines)


def explanation(
    machine: KernelModel, row: Any, answer: Any, label: Any, combine: str, ties: str
) -> Explanation:
    """The contributions of the support rows to the score of a class on one row."""
    slot = machine.slots[label]
    vector, sign = (0, 2 * slot - 1) if machine.n_vectors == 1 else (slot, 1)
    support = machine.support
    if support is None or not support.n:
        return Explanation(answer, label, 0.0, [])
    kernel = np.asarray(machine.kernel.between(support.rows, row)[:, 0], np.float64)
    if combine != "vote":
        coef = sign * machine.coefficients(combine)[vector]
        used = np.flatnonzero(coef)
        return _sorted(answer, label, machine.numbers[used], coef[used], kernel[used])
    if machine.shape == blocks.AGAINST:
        return _by_ballots(machine, kernel, answer, label)
    own, steps, lived = machine.survival(vector)
    shares = sign * lived[1:] / max(machine.n_examples, 1)
    scores = np.cumsum(steps * kernel[own.row])
    votes = np.sign(scores)
    votes[scores == 0] = 1.0 if ties == "positive" else 0.0
    found = _sorted(answer, label, machine.numbers[own.row], shares, votes)
    if ties != "positive":
        return found
    # The first state, before any mistake, has a score of 0 and votes too.
    first = float(sign * lived[0] / max(machine.n_examples, 1))
    return Explanation(answer, label, found.score + first, found.contributions)


def _by_ballots(
    machine: KernelModel, kernel: npt.NDArray[np.float64], answer: Any, label: Any
) -> Explanation:
    """Votes where the highest score wins: which states chose this class."""
    entries = machine.entries()
    scores, chosen = np.zeros(machine.n_vectors), np.zeros(len(entries.row))
    for k, slot in enumerate(entries.row):
        change = entries.step[k] * kernel[slot]
        scores[entries.right[k]] += change
        if entries.wrong[k] >= 0:
            scores[entries.wrong[k]] -= change
        chosen[k] = scores.argmax() == machine.slots[label]
    born = np.concatenate([[1], entries.t, [machine.n_examples + 1]])
    shares = np.diff(born) / max(machine.n_examples, 1)
    found = _sorted(answer, label, machine.numbers[entries.row], shares[1:], chosen)
    first = float(shares[0]) if machine.slots[label] == 0 else 0.0
    return Explanation(answer, label, found.score + first, found.contributions)


def _sorted(
    answer: Any,
    label: Any,
    numbers: npt.NDArray[np.int64],
    coef: npt.NDArray[np.float64],
    kernel: npt.NDArray[np.float64],
) -> Explanation:
    amounts = coef * kernel
    order = np.argsort(-np.abs(amounts), kind="stable")
    parts = [
        Contribution(int(numbers[k]), float(coef[k]), float(kernel[k]), float(amounts[k]))
        for k in order
    ]
    return Explanation(answer, label, float(amounts.sum()), parts)
