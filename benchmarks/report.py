"""The table: what was measured, beside its limit, its peer and its bars."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["HEADER", "Row", "Skipped"]

WIDTHS = (44, 10, 10, 10, 10, 10, 26, 14)
TITLES = (
    "work",
    "ours (ms)",
    "limit (ms)",
    "peer (ms)",
    "ours/limit",
    "peer/ours",
    "bar",
    "verdict",
)


class Skipped(Exception):
    """Something this benchmark needs is not here; the message says what, in one sentence."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    A bar is the most that ``ours / limit``, the least that ``peer / ours``, or the most that
    ``ours`` itself may be. A row without bars is shown for the record.
    """

    work: str
    ours: float
    limit: float | None = None
    peer: float | None = None
    most_of_limit: float | None = None
    least_of_peer: float | None = None
    most: float | None = None
    note: str = ""

    @property
    def to_limit(self) -> float | None:
        return None if self.limit is None else self.ours / self.limit

    @property
    def to_peer(self) -> float | None:
        return None if self.peer is None or not self.ours else self.peer / self.ours

    @property
    def missed(self) -> list[str]:
        """The bars that were not met."""
        missed = []
        if self.most_of_limit is not None and (self.to_limit or 0.0) > self.most_of_limit:
            missed.append("limit")
        if self.least_of_peer is not None and (self.to_peer or 0.0) < self.least_of_peer:
            missed.append("peer")
        if self.most is not None and self.ours > self.most:
            missed.append("ours")
        return missed

    @property
    def bars(self) -> str:
        parts = []
        if self.most_of_limit is not None:
            parts.append(f"limit <= {self.most_of_limit:g}")
        if self.least_of_peer is not None:
            parts.append(f"peer >= {self.least_of_peer:.3g}")
        if self.most is not None:
            parts.append(f"ours <= {self.most:g}")
        return ", ".join(parts)

    @property
    def verdict(self) -> str:
        if not self.bars:
            return "shown"
        return f"MISSED ({', '.join(self.missed)})" if self.missed else "met"

    def line(self) -> str:
        """The row as a line of the table."""
        values = (self.ours, self.limit, self.peer)
        ratios = (self.to_limit, self.to_peer)
        cells = [
            self.work,
            *("" if value is None else _short(value) for value in values),
            *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
            self.bars,
            self.verdict,
        ]
        return _aligned(cells) + self.note

    def as_dict(self) -> dict[str, Any]:
        """The figures and what follows from them, for a file."""
        ratios = {"ours_to_limit": self.to_limit, "peer_to_ours": self.to_peer}
        return {**asdict(self), **ratios, "bars": self.bars, "verdict": self.verdict}


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _aligned(cells: Any) -> str:
    """The first cell and the words at the end to the left, the numbers to the right."""
    padded = []
    for i, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True)):
        padded.append(f"{cell:>{width}}" if 1 <= i <= 5 else f"{cell:<{width}}")
    return "  ".join(padded) + "  "


HEADER = _aligned(TITLES).rstrip()
