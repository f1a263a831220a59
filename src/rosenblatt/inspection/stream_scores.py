"""Running score of a learner on a stream: mistakes at 1, 2, 4, 8 … examples, and baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import whole
from rosenblatt.errors import ParameterError
from rosenblatt.html_tables import escape, html_card, html_table
from rosenblatt.inspection.report import plain_label
from rosenblatt.models.result import OnlineResult
from rosenblatt.plurals import count
from rosenblatt.text_tables import TableHead

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray

# Version of the JSON layout.
SCHEMA = 1
HEADER = TableHead(f"{'examples':>11}  {'mistakes':>11}  {'rate':>6}  {'recent':>6}")
# Size of the small picture in notebooks, in pixels.
WIDTH = 240
HEIGHT = 60


class Point(NamedTuple):
    """A point of the learning curve: the score after a number of examples.

    ``n`` and ``mistakes`` count all examples so far, ``rate`` is mistakes per example, and
    ``recent`` is the same for the last `window` examples.
    """

    n: int
    mistakes: int
    rate: float
    recent: float

    def line(self) -> str:
        """Return a line of the table under `HEADER`."""
        return f"{self.n:11,}  {self.mistakes:11,}  {self.rate:6.4f}  {self.recent:6.4f}"


class Progress:
    """Mistakes of a learner that predicts each example before it learns from it.

    Attributes
    ----------
    n : int
        Number of examples so far.
    mistakes : int
        Number of wrong or missing predictions.
    rate : float
        Mistakes per example.
    recent : float
        Mistakes per example over the last `window` examples.
    persistence : float
        Baseline: mistakes per example of repeating the previous label. It is hard to beat if
        labels come in runs.
    majority : float
        Baseline: mistakes per example of predicting the most frequent label so far.
    baseline : float
        Baseline: mistakes per example of always predicting the label that is most frequent in the
        end.
    curve : list of Point
        Points at 1, 2, 4, 8 … examples, or after every given number of examples, and at the end.
    online_mistakes : int or None
        Mistakes that the learner itself counted, if it does. An averaged learner counts those of
        its latest weights, while it predicts with the average.
    """

    def __init__(self, every: str | int = "doubling", window: int = 1000) -> None:
        if every != "doubling" and (type(every) is not int or every < 1):
            raise ParameterError(
                f"every={every!r} is not known: give 'doubling' or a whole number of at least 1."
            )
        whole("window", window, at_least=1)
        self.every = every
        self.window = window
        self.n = 0
        self.mistakes = 0
        self.online_mistakes: int | None = None
        self.labels: Counter[Hashable] = Counter()
        self._last_label: Hashable = None
        # The most frequent label so far; of several, the one that was first to reach that count.
        self._leader: Hashable = None
        # Mistakes of the two baselines.
        self._persistence = 0
        self._majority = 0
        self._points: list[Point] = []
        # The outcomes of the last `window` examples, 1 for a mistake.
        self._last = np.zeros(0, np.int64)

    def add_labels(self, labels: Iterable[Hashable]) -> None:
        """Record the labels of the next examples, in order, for the baselines."""
        code_of: dict[Hashable, int] = {}
        codes = [code_of.setdefault(label, len(code_of)) for label in labels]
        self._add_codes(list(code_of), np.array(codes, np.intp))

    def _add_codes(self, names: list[Hashable], codes: npt.NDArray[np.intp]) -> None:
        """Record labels given as codes: the label of example i is ``names[codes[i]]``."""
        if not len(codes):
            return

        # Repeating the previous label is a mistake at every change.
        is_change = not self.labels or self._last_label != names[codes[0]]
        self._persistence += int(is_change) + int(np.count_nonzero(np.diff(codes)))
        self._last_label = names[codes[-1]]

        # How often the label of each example has occurred so far, this one included. Sorted by
        # label, the occurrences of each are consecutive; their numbers continue the counts from
        # before.
        n = len(codes)
        sizes = np.bincount(codes, minlength=len(names))
        counts_before = np.array([self.labels[name] for name in names])
        offsets = np.cumsum(sizes) - sizes - counts_before
        occurrences = np.empty(n, np.int64)
        order = np.argsort(codes, kind="stable")
        occurrences[order] = np.arange(1, n + 1) - np.repeat(offsets, sizes)

        # A label takes the lead when it has occurred more often than any label before.
        largest = np.maximum.accumulate(np.append(self.labels[self._leader], occurrences))
        takes_lead = occurrences > largest[:-1]
        last_takeover = np.maximum.accumulate(np.where(takes_lead, np.arange(n), -1))
        leader = names.index(self._leader) if self._leader in names else -1
        leaders = np.append(leader, np.where(last_takeover < 0, leader, codes[last_takeover]))
        # The prediction for an example is the leader before it.
        self._majority += int(np.count_nonzero(leaders[:-1] != codes))
        if last_takeover[-1] >= 0:
            self._leader = names[leaders[-1]]

        self.labels.update(dict(zip(names, sizes.tolist(), strict=True)))

    def add(self, wrong: AnyArray) -> list[Point]:
        """Record which predictions of the next examples were wrong; return the new points."""
        # Differences of cumulative sums are mistakes over any stretch, the window included.
        outcomes = np.concatenate([self._last, wrong != 0])
        known = len(self._last)
        sums = np.concatenate([[0], np.cumsum(outcomes)])

        passed = []
        place = self._point_after(self.n)
        while place <= self.n + len(wrong):
            end = known + place - self.n
            begin = max(0, end - self.window)
            mistakes = self.mistakes + int(sums[end] - sums[known])
            recent = int(sums[end] - sums[begin]) / (end - begin)
            passed.append(Point(place, mistakes, mistakes / place, recent))
            place = self._point_after(place)

        self._last = outcomes[-self.window :]
        self.n += len(wrong)
        self.mistakes += int(sums[-1] - sums[known])
        self._points += passed
        return passed

    def add_tested(self, tested: OnlineResult) -> list[Point]:
        """Record a block of rows that was predicted and learned; return the new points."""
        self._add_codes(tested.names, tested.numbers)
        self.online_mistakes = (self.online_mistakes or 0) + tested.mistakes
        return self.add(tested.wrong)

    def _point_after(self, n: int) -> int:
        """Return the number of examples at the next point of the curve."""
        if self.every == "doubling":
            return 1 << n.bit_length()  # the next power of two
        step = int(self.every)
        return (n // step + 1) * step

    @property
    def rate(self) -> float:
        return self.mistakes / max(self.n, 1)

    @property
    def recent(self) -> float:
        return float(self._last.mean()) if self.n else 0.0

    @property
    def persistence(self) -> float:
        return self._persistence / max(self.n, 1)

    @property
    def majority(self) -> float:
        return self._majority / max(self.n, 1)

    @property
    def beats_majority(self) -> bool | None:
        """True if there are fewer mistakes than with `majority`; None if only one label occurs."""
        if len(self.labels) <= 1:
            return None
        return self.mistakes < self._majority

    @property
    def baseline(self) -> float:
        if not self.labels:
            return 0.0
        return 1 - max(self.labels.values()) / self.n

    @property
    def curve(self) -> list[Point]:
        points = list(self._points)
        is_complete = self.n == 0 or (points and points[-1].n == self.n)
        if not is_complete:
            points.append(Point(self.n, self.mistakes, self.rate, self.recent))
        return points

    def summary(self) -> str:
        """Return the score and the baselines in one sentence."""
        sentence = f"{self._counts()}: {100 * self.rate:.2f} %"
        if self.n > self.window:
            sentence += f", of the last {self.window:,} {100 * self.recent:.2f} %"
        if self.labels:
            sentence += f"; same label as before: {100 * self.persistence:.2f} %"
            sentence += f", majority so far: {100 * self.majority:.2f} %"
        return sentence

    def lines(self) -> list[str]:
        """Return the curve as a table, followed by the summary."""
        return [HEADER, *(point.line() for point in self.curve), self.summary()]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible data."""
        return {
            "schema": SCHEMA,
            "examples": self.n,
            "mistakes": self.mistakes,
            "rate": self.rate,
            "recent": self.recent,
            "window": self.window,
            "persistence": self.persistence,
            "majority": self.majority,
            "baseline": self.baseline,
            "online_mistakes": self.online_mistakes,
            "labels": [[plain_label(label), n] for label, n in self.labels.most_common()],
            "curve": [point._asdict() for point in self.curve],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Progress: {self._counts()}, {self.rate:.4f}>"

    def _counts(self) -> str:
        return f"{count(self.mistakes, 'mistake')} in {count(self.n, 'example')}"

    def _repr_html_(self) -> str:
        rows = [
            (f"{p.n:,}", f"{p.mistakes:,}", f"{p.rate:.4f}", f"{p.recent:.4f}") for p in self.curve
        ]
        table = html_table("Progress", ("examples", "mistakes", "rate", "recent"), rows)
        return html_card(f"<p>{escape(self.summary())}.</p>", self._svg(), table)

    def _svg(self) -> str:
        """Return a small picture of both rates against the logarithm of the number of examples."""
        points = self.curve
        if len(points) < 2:
            return ""
        highest = max(max(p.rate, p.recent) for p in points) or 1.0
        widest = np.log2(points[-1].n) or 1.0

        def line(values: list[float], colour: str, style: str) -> str:
            places = []
            for point, value in zip(points, values, strict=True):
                x = WIDTH * np.log2(point.n) / widest
                y = HEIGHT * (1 - value / highest)
                places.append(f"{x:.1f},{y:.1f}")
            joined = " ".join(places)
            return f'<polyline points="{joined}" fill="none" stroke="{colour}" {style}/>'

        text = (
            f"Rate of mistakes from {points[0].rate:.4f} to {points[-1].rate:.4f} (line) and that "
            f"of the last {self.window:,} examples (dashes)"
        )
        return (
            f'<svg role="img" aria-label="{text}" width="{WIDTH}" height="{HEIGHT}" '
            f'style="overflow:visible"><title>{text}</title>'
            + line([p.rate for p in points], "#0072B2", 'stroke-width="2"')
            + line([p.recent for p in points], "#D55E00", 'stroke-dasharray="4 3"')
            + f"</svg><p>{text}.</p>"
        )
