"""How a learner fared on a stream: mistakes so far, at 1, 2, 4, 8 … examples and at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import whole
from rosenblatt.core.result import OnlineResult
from rosenblatt.errors import ParameterError
from rosenblatt.evaluate.report import plain_label
from rosenblatt.html_tables import escape, html_card, html_table
from rosenblatt.plurals import count
from rosenblatt.text_tables import TableHead

SCHEMA = 1
HEADER = TableHead(f"{'examples':>11}  {'mistakes':>11}  {'rate':>6}  {'recent':>6}")
WIDTH, HEIGHT = 240, 60


class Point(NamedTuple):
    """A place in a stream.

    ``n`` examples and ``mistakes`` so far, their ratio ``rate``, and the same ratio ``recent`` of
    the last examples, as many as the window holds.
    """

    n: int
    mistakes: int
    rate: float
    recent: float

    def line(self) -> str:
        """A line below `HEADER`."""
        return f"{self.n:11,}  {self.mistakes:11,}  {self.rate:6.4f}  {self.recent:6.4f}"


class Progress:
    """Mistakes of a learner that predicts each example before it learns from it.

    Attributes
    ----------
    n : int
        Examples so far.
    mistakes : int
        Predictions that were wrong, or could not be made yet.
    rate : float
        Mistakes per example.
    recent : float
        The same of the last `window` examples.
    persistence : float
        Mistakes per example of predicting the label of the example before. Where labels come in
        runs this is hard to beat.
    majority : float
        Mistakes per example of predicting the label that was the most frequent until then.
    baseline : float
        Mistakes per example of always predicting the label that was the most frequent in the end.
    curve : list of Point
        At 1, 2, 4, 8 … examples, or after every so many, and at the end.
    online_mistakes : int or None
        What the learner itself counted as mistakes meanwhile, if it does. An averaged learner
        counts those of its latest weights, while its predictions come from the average.
    """

    def __init__(self, every: str | int = "doubling", window: int = 1000) -> None:
        if every != "doubling" and (type(every) is not int or every < 1):
            raise ParameterError(
                f"every={every!r} is not known: give 'doubling' or a whole number of at least 1."
            )
        whole("window", window, at_least=1)
        self.every, self.window = every, window
        self.n = self.mistakes = 0
        self.online_mistakes: int | None = None
        self.labels: Counter[Any] = Counter()
        self._last_label: Any = None
        self._leader: Any = None  # the label that is the most frequent so far, the first of equals
        self._persistence = self._majority = 0
        self._points: list[Point] = []
        self._last = np.zeros(0, np.int64)  # 1 for a mistake, of as many as the window holds

    def add_labels(self, labels: Iterable[Any]) -> None:
        """Note the labels of the next examples, in their order, for the baselines."""
        number: dict[Any, int] = {}
        codes = [number.setdefault(label, len(number)) for label in labels]
        self._add_labels(list(number), np.array(codes, np.intp))

    def _add_labels(self, names: list[Any], numbers: npt.NDArray[np.intp]) -> None:
        """As `add_labels`, the label of example i being ``names[numbers[i]]``."""
        if not len(numbers):
            return
        first = not self.labels or self._last_label != names[numbers[0]]
        self._persistence += int(first) + int(np.count_nonzero(np.diff(numbers)))
        self._last_label = names[numbers[-1]]
        # How often each label has occurred up to its own row, this one included.
        n, sizes = len(numbers), np.bincount(numbers, minlength=len(names))
        before = np.array([self.labels[name] for name in names])
        occurred = np.empty(n, np.int64)
        occurred[np.argsort(numbers, kind="stable")] = np.arange(1, n + 1) - np.repeat(
            np.cumsum(sizes) - sizes - before, sizes
        )
        # A label takes the lead where it has occurred more often than any did before.
        most = np.maximum.accumulate(np.append(self.labels[self._leader], occurred))
        taken = np.maximum.accumulate(np.where(occurred > most[:-1], np.arange(n), -1))
        leader = names.index(self._leader) if self._leader in names else -1
        leaders = np.append(leader, np.where(taken < 0, leader, numbers[taken]))
        self._majority += int(np.count_nonzero(leaders[:-1] != numbers))
        self.labels.update(dict(zip(names, sizes.tolist(), strict=True)))
        self._leader = names[leaders[-1]] if taken[-1] >= 0 else self._leader

    def add(self, wrong: npt.NDArray[Any]) -> list[Point]:
        """Note whether the predictions of the next examples were wrong; the points on the way."""
        outcomes = np.concatenate([self._last, wrong != 0])
        known = len(self._last)
        sums = np.concatenate([[0], np.cumsum(outcomes)])
        passed, place = [], self._point_after(self.n)
        while place <= self.n + len(wrong):
            end = known + place - self.n
            begin = max(0, end - self.window)
            mistakes = self.mistakes + int(sums[end] - sums[known])
            recent = int(sums[end] - sums[begin]) / (end - begin)
            passed.append(Point(place, mistakes, mistakes / place, recent))
            place = self._point_after(place)
        self._last = outcomes[-self.window :]
        self.n, self.mistakes = self.n + len(wrong), self.mistakes + int(sums[-1] - sums[known])
        self._points += passed
        return passed

    def add_tested(self, tested: OnlineResult) -> list[Point]:
        """Note a block of rows that was predicted and learned; the points on the way."""
        self._add_labels(tested.names, tested.numbers)
        self.online_mistakes = (self.online_mistakes or 0) + tested.mistakes
        return self.add(tested.wrong)

    def _point_after(self, n: int) -> int:
        if self.every == "doubling":
            return 1 << n.bit_length()
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
        """Whether there were fewer mistakes than by the most frequent label; None: no other."""
        return self.mistakes < self._majority if len(self.labels) > 1 else None

    @property
    def baseline(self) -> float:
        return 1 - max(self.labels.values()) / self.n if self.labels else 0.0

    @property
    def curve(self) -> list[Point]:
        if self.n == 0 or (self._points and self._points[-1].n == self.n):
            return list(self._points)
        return [*self._points, Point(self.n, self.mistakes, self.rate, self.recent)]

    def summary(self) -> str:
        """One sentence."""
        sentence = f"{self._counts()}: {100 * self.rate:.2f} %"
        if self.n > self.window:
            sentence += f", of the last {self.window:,} {100 * self.recent:.2f} %"
        if self.labels:
            sentence += f"; same label as before: {100 * self.persistence:.2f} %"
            sentence += f", majority so far: {100 * self.majority:.2f} %"
        return sentence

    def lines(self) -> list[str]:
        """The curve as a table, and the sentence."""
        return [HEADER, *(point.line() for point in self.curve), self.summary()]

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
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
        return html_card(f"<p>{escape(self.summary())}.</p>", self._drawing(), table)

    def _drawing(self) -> str:
        """The rate by the number of examples, both as they double."""
        points = self.curve
        if len(points) < 2:
            return ""
        most = max(max(p.rate, p.recent) for p in points) or 1.0
        furthest = np.log2(points[-1].n) or 1.0

        def line(values: list[float], colour: str, style: str) -> str:
            places = " ".join(
                f"{WIDTH * np.log2(p.n) / furthest:.1f},{HEIGHT * (1 - value / most):.1f}"
                for p, value in zip(points, values, strict=True)
            )
            return f'<polyline points="{places}" fill="none" stroke="{colour}" {style}/>'

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
