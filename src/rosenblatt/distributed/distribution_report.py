"""What a training over shards did, what it cost, and whether one machine would have been faster."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count


@dataclass
class DistributionReport(ResultCard):
    """Mistakes by epoch and shard, bytes and seconds, and the bound of the mixing theorem.

    Attributes
    ----------
    engine, n_workers, mix : str, int, str
        Who worked, and how shards were weighted.
    examples : list of int
        Examples of each shard.
    labels : dict
        How often each label occurs.
    class_difference : float
        How far the classes of a shard are from those of all: 0 is the same shares, 1 no class in
        common (the largest total variation distance).
    radius : float
        R, the length of the longest example; with a bias, of the longest with a 1 appended; with
        several classes times √2.
    strays : list of str
        A line for each column of numbers with a few texts among them, which were read as gaps.
    mistakes : list of list of int
        For each epoch the mistakes of each shard.
    weighted_mistakes : float
        ``Σ_epochs Σ_shards μ k``: mistakes ``k`` by the shares ``μ`` that they were mixed with. For
        the perceptron from zero weights it is at most ``R²/γ²`` if a unit vector separates all
        examples by ``γ`` (McDonald, Hall and Mann 2010).
    margin_ceiling : float
        Proven by the run: no ``γ`` is larger. The theorem cannot promise fewer mistakes than
        ``least_bound``, which is ``R²/ceiling²``.
    bytes_moved : int
        Tables of weights sent to the workers and back; 0 for threads.
    read : float
        Seconds that reading all shards once took, one after the other.
    seconds : dict of str to float
        ``reading`` and ``learning``, summed over shards, ``mixing``, and ``total`` on the clock.
    errors, clock : list of float
        Share of the validation set misclassified after each epoch, and the seconds until then.
    alone : list of (seconds, error)
        The same of one learner that learns some epochs from the first shard alone.
    """

    engine: str
    n_workers: int
    mix: str
    examples: list[int]
    labels: dict[Any, int]
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
        """Whether one machine would be faster, in a sentence; None without a validation set."""
        if not self.alone:
            return None
        best, (spent, error) = min(self.errors), min(self.alone, key=lambda pair: pair[1])
        epochs = self.errors.index(best) + 1
        took = self.clock[epochs - 1]
        one = self.read + epochs * self.alone[0][0] * sum(self.examples) / self.examples[0]
        faster = "one machine would be faster" if one < took else "mixing was faster"
        equal = [f"{self.clock[k]:.2g} s" for k, own in enumerate(self.errors) if own <= error]
        return (
            f"{faster}: {took:.2g} s until {best:.2%} of the validation set were wrong, and "
            f"about {one:.2g} s for {count(epochs, 'epoch')} of one learner over all examples. On "
            f"the first shard alone it came to {error:.2%} in {spent:.2g} s, mixing in "
            f"{equal[0] if equal else 'no epoch'}"
        )

    def _headline(self) -> str:
        return self.describe()[0]

    def describe(self) -> list[str]:
        """The report in a few lines."""
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
        return [*lines, *([] if self.verdict is None else [self.verdict])]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data; a ceiling that is not known is None."""
        ceiling = self.margin_ceiling if math.isfinite(self.margin_ceiling) else None
        counts = {str(label): n for label, n in self.labels.items()}
        found = {**asdict(self), "labels": counts, "margin_ceiling": ceiling}
        return {**found, "verdict": self.verdict}
