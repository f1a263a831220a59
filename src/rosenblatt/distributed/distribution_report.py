"""The report on a distributed training run: mistakes, costs, and a comparison with one machine."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from typing import Any

from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count


@dataclass
class DistributionReport(ResultCard):
    """The mistakes of each epoch and shard, the costs, and the bound of the mixing theorem.

    Attributes
    ----------
    engine, n_workers, mix : str, int, str
        The engine, its number of workers, and how shards were weighted.
    examples : list of int
        The number of examples in each shard.
    labels : dict
        How often each label occurs.
    class_difference : float
        How much the classes of a shard differ from those of all shards: 0 means equal shares, 1
        means no class in common (the largest total variation distance).
    radius : float
        R, the length of the longest example; with a bias, a 1 is appended to it; with several
        classes, it is multiplied by √2.
    strays : list of str
        A line for each numeric column that holds a few texts, which were read as missing values.
    mistakes : list of list of int
        The mistakes of each shard, for each epoch.
    weighted_mistakes : float
        ``Σ_epochs Σ_shards μ k``: mistakes ``k`` times the shares ``μ`` with which the shards were
        mixed. For the perceptron from zero weights it is at most ``R²/γ²`` if a unit vector
        separates all examples by ``γ`` (McDonald, Hall and Mann 2010).
    margin_ceiling : float
        An upper bound on ``γ`` that the run proves. So the theorem cannot promise fewer mistakes
        than ``least_bound``, which is ``R²/ceiling²``.
    bytes_moved : int
        The size of the weights sent to the workers and back; 0 for threads.
    read : float
        Seconds to read all shards once, summed over shards.
    seconds : dict of str to float
        ``reading`` and ``learning``, summed over shards, ``mixing``, and the wall-clock ``total``.
    errors, clock : list of float
        The share of the validation set that is misclassified after each epoch, and the seconds
        since the start.
    alone : list of (seconds, error)
        The same for a single learner that is trained for some epochs on the first shard only.
    """

    engine: str
    n_workers: int
    mix: str
    examples: list[int]
    labels: dict[Hashable, int]
    class_difference: float
    radius: float
    strays: list[str] = field(default_factory=list)
    mistakes: list[list[int]] = field(default_factory=list)
    weighted_mistakes: float = 0.0
    margin_ceiling: float = math.inf
    bytes_moved: int = 0
    read: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    errors: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    alone: list[tuple[float, float]] = field(default_factory=list)

    @property
    def least_bound(self) -> float:
        return (self.radius / self.margin_ceiling) ** 2

    @property
    def verdict(self) -> str | None:
        """A sentence that compares the run with one machine; None without a validation set."""
        if not self.alone:
            return None
        # The best epoch of the run, and an estimate for one machine with as many epochs.
        best_error = min(self.errors)
        epochs = self.errors.index(best_error) + 1
        mixing_seconds = self.clock[epochs - 1]
        epoch_on_first = self.alone[0][0]
        one_machine = self.read + epochs * epoch_on_first * sum(self.examples) / self.examples[0]
        is_one_faster = one_machine < mixing_seconds
        faster = "one machine would be faster" if is_one_faster else "mixing was faster"

        # How soon the run was as good as the single learner on the first shard.
        alone_seconds, alone_error = min(self.alone, key=lambda pair: pair[1])
        reached = "no epoch"
        for seconds, error in zip(self.clock, self.errors, strict=False):
            if error <= alone_error:
                reached = f"{seconds:.2g} s"
                break
        return (
            f"{faster}: {mixing_seconds:.2g} s until {best_error:.2%} of the validation set were "
            f"wrong, and about {one_machine:.2g} s for {count(epochs, 'epoch')} of one learner "
            f"over all examples. On the first shard alone it came to {alone_error:.2%} in "
            f"{alone_seconds:.2g} s, mixing in {reached}"
        )

    def _headline(self) -> str:
        return self.describe()[0]

    def describe(self) -> list[str]:
        """Return the report as a few lines of text."""
        spent = ", ".join(f"{name} {seconds:.2g}" for name, seconds in self.seconds.items())
        last = self.mistakes[-1]
        lines = [
            f"{count(len(self.examples), 'shard')} of {min(self.examples):,} to "
            f"{max(self.examples):,} examples; {self.engine}, {count(self.n_workers, 'worker')}; "
            f"mix {self.mix}",
            f"mistakes of a shard in the last epoch {min(last):,} to {max(last):,}; shares of "
            f"classes differ from those of all by {self.class_difference:.1%} at most",
            f"seconds: {spent}; {self.bytes_moved:,} bytes moved",
            *self.strays,
        ]
        if math.isfinite(self.margin_ceiling):
            lines.append(
                f"mixed mistakes {self.weighted_mistakes:,.1f}; with a margin γ they would stay "
                f"below R²/γ², which is {self.least_bound:,.0f} at least: γ is at most "
                f"{self.margin_ceiling:.3g}"
            )
        if self.verdict is not None:
            lines.append(self.verdict)
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data; an unknown ceiling is None."""
        data = asdict(self)
        data["labels"] = {str(label): n for label, n in self.labels.items()}
        if not math.isfinite(self.margin_ceiling):
            data["margin_ceiling"] = None
        data["verdict"] = self.verdict
        return data
