"""Explanations of predictions: the contribution of each feature and each past mistake.

Every model of the family is ``w = w0 + Σ step·φ``. So the score of an example is a sum over its
features, ``Σ weight·value``, and the same score is a sum over the mistakes of training,
``Σ step·similarity``. The similarity is the product of the mistaken row with the example.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rosenblatt import checks
from rosenblatt.html_tables import escape, html_card, html_table
from rosenblatt.models.recording import PastMistake as PastMistake
from rosenblatt.plurals import count
from rosenblatt.text_tables import ordinary, text_table

if TYPE_CHECKING:
    from rosenblatt.plot.contributions import ContributionsDisplay

# Number of contributions shown by default.
SHOWN = 10
# Maximum length of a displayed name, in characters.
LONGEST_NAME = 40
# The name of the contribution of an average row.
USUAL = "the average row"
# Rounding error of a sum, relative to the size of its parts; weights may be float32.
ROUNDING = 1e-6


class Contribution(NamedTuple):
    """Contribution of one feature to a score: ``contribution = weight · (value - usual)``.

    ``usual`` is the value in an average row, or 0 if the model does not store it. ``kind`` is
    "feature", "bias", "step" (of a tagger: the transition from the previous tag) or "rest", for
    ``n_joined`` features that were summed up.
    """

    name: Any
    value: float | None
    weight: float | None
    contribution: float
    kind: str = "feature"
    n_joined: int = 1
    usual: float = 0.0


@dataclass(frozen=True)
class Explanation:
    """A score as a sum over features, and as a sum over past mistakes.

    Attributes
    ----------
    prediction : object
        The prediction of the model.
    score : float
        The number that is explained: the score of ``label`` or, if ``against`` is given, the score
        of ``label`` minus that of ``against``. With two classes, their scores differ in sign only.
    label, against : object
        The class whose score is explained, by default the prediction, and the class it is
        compared with, by default None.
    runner_up, runner_up_score : object, float
        The class with the second highest score; None if it is not known.
    scores : dict
        The score of every class.
    contributions : list of Contribution
        By feature, largest first, then the bias and, if some were left out, their sum. They add up
        to the score. Empty for kernels and votes, whose score is not a sum over features.
    mistakes : list of PastMistake or None
        By past example, largest first; together with ``before`` they add up to the score. None if
        they were not recorded.
    before : float
        The score under the weights before the first recorded mistake.
    without_weight : int
        Number of features of the example that have no weight.
    unknown : dict of str to list of str
        Features, or levels of a column, that did not occur in training.
    clipped : list of str
        Numeric columns whose value is so extreme that the schema clipped it.
    votes : bool
        True if the score counts votes.
    """

    prediction: Any
    score: float
    label: Hashable
    against: Any = None
    runner_up: Any = None
    runner_up_score: float | None = None
    scores: dict[Any, float] = field(default_factory=dict)
    contributions: list[Contribution] = field(default_factory=list)
    mistakes: list[PastMistake] | None = None
    before: float = 0.0
    without_weight: int = 0
    unknown: dict[str, list[str]] = field(default_factory=dict)
    clipped: list[str] = field(default_factory=list)
    votes: bool = False

    def cut(self, top: int | None) -> Self:
        """Return the explanation with the ``top`` largest parts of each list.

        The other parts of a list are summed up in one.
        """
        if top is None:
            return self
        checks.whole("top", top, at_least=1)

        parts = self.contributions
        features = [part for part in parts if part.kind != "bias"]
        n_features = sum(part.kind != "rest" for part in features)
        if n_features > top:
            n, total = _sum_of(features[top:])
            bias = [part for part in parts if part.kind == "bias"]
            rest = Contribution(count(n, "other feature"), None, None, total, "rest", n)
            parts = [*features[:top], *bias, rest]

        mistakes = self.mistakes
        if mistakes is not None:
            n_rows = sum(one.row is not None for one in mistakes)
            if n_rows > top:
                n, total = _sum_of(mistakes[top:])
                updates = sum(one.updates for one in mistakes[top:])
                others = PastMistake(None, None, None, updates, None, None, total, n)
                mistakes = [*mistakes[:top], others]
        return replace(self, contributions=parts, mistakes=mistakes)

    def with_mistakes(self, found: list[PastMistake]) -> Self:
        """Return the explanation with past mistakes; ``before`` is the rest of the score."""
        found = sorted(found, key=lambda one: -abs(one.contribution))
        before = self.score - _sum_of(found)[1]

        # A rest as small as the rounding error of the sum is no rest.
        size = max(abs(self.score), sum(abs(one.contribution) for one in found))
        if abs(before) <= ROUNDING * size:
            before = 0.0
        return replace(self, mistakes=found, before=before)

    # ------------------------------------------------------------------ text

    def __str__(self) -> str:
        return "\n".join([self.headline(), *self.cut(SHOWN).lines()])

    def lines(self, where: Callable[[int], str] = "row {:,}".format) -> list[str]:
        """Return all parts as lines of text; ``where`` formats the index of a past example."""
        by_feature, by_mistake = self.titles()
        feature_lines = aligned(self.feature_cells())
        mistake_lines = aligned(self.mistake_cells(where))
        return [*by_feature, *feature_lines, *by_mistake, *mistake_lines]

    def headline(self) -> str:
        """Return the prediction and the runner-up in one line."""
        if self.runner_up is None:
            return f"prediction {self.prediction}"
        return f"prediction {self.prediction}, runner-up {self.runner_up}"

    def summary(self) -> str:
        """Return the score that is explained, in a few words."""
        if self.against is None:
            return f"score of {self.label}: {ordinary(self.score)}"
        return f"{self.label} rather than {self.against}, by {ordinary(self.score)}"

    def titles(self) -> tuple[list[str], list[str]]:
        """Return the lines above the parts by feature, and those above the parts by mistake."""
        by_feature = self._remarks()
        if any(part.name == USUAL for part in self.contributions):
            unit = "by feature, beyond the average row:"
        elif self.contributions:
            unit = "weight × value of each feature:"
        elif self.votes:
            unit = "votes are no sum over features"
        else:
            unit = "no weights by feature"
        by_feature.append(f"{self.summary()}; {unit}")

        if self.mistakes is None:
            return by_feature, []
        n_updates = sum(one.updates for one in self.mistakes)
        n_rows, total = _sum_of(self.mistakes)
        text = f"{count(n_rows, 'row')} of training"
        if n_updates:
            text = f"{count(n_updates, 'update')} on {text}"
        kind = "votes of " if self.votes else ""
        text += f" gave {kind}{ordinary(total, '+')}"
        if self.before:
            text += f", the weights before the first of them {ordinary(self.before, '+')}"
        end = ":" if n_rows else "."
        return by_feature, [text + end]

    def _remarks(self) -> list[str]:
        """Return one line for each unseen feature, and one for all clipped columns."""
        remarks = []
        for name, levels in self.unknown.items():
            # A column is named with its unseen levels; an unseen feature has none.
            unseen = f"{name}: {', '.join(levels)}" if levels else name
            remarks.append(f"{unseen} was never seen in training and has no weight")
        if self.clipped:
            remarks.append(f"clipped, since so far from the median: {', '.join(self.clipped)}")
        return remarks

    def feature_cells(self) -> list[tuple[str, str, str]]:
        """Return size, name and product (weight × value) of each contribution, as text."""
        cells = []
        for part in self.contributions:
            product = ""
            if part.kind == "feature" and part.weight is not None and part.value is not None:
                value = ordinary(part.value)
                if part.usual:
                    value = f"({value} - {ordinary(part.usual)})"
                product = f"{ordinary(part.weight)} × {value}"
            cells.append((_signed(part.contribution), _shortened(str(part.name)), product))
        if self.without_weight:
            cells.append(("", f"{count(self.without_weight, 'feature')} without a say", ""))
        return cells

    def mistake_cells(
        self, where: Callable[[int], str] = "row {:,}".format
    ) -> list[tuple[str, str, str]]:
        """Return size, example and product (step × similarity) of each past mistake, as text.

        ``where`` formats the index of an example.
        """
        cells = []
        for one in self.mistakes or ():
            size = _signed(one.contribution)
            if one.row is None:
                cells.append((size, count(one.n_joined, "other row"), ""))
                continue

            about = where(one.row)
            if one.y_true is not None:
                about += f", {_shortened(str(one.y_true))}"
                # With two classes the other one is obvious.
                if one.y_pred is not None and len(self.scores) > 2:
                    about += f" over {one.y_pred}"
            if one.updates:
                about += f": {count(one.updates, 'update')}"

            factors = (one.step, one.similarity)
            product = " × ".join(ordinary(number) for number in factors if number is not None)
            cells.append((size, about, product))
        return cells

    def _repr_html_(self) -> str:
        shown = self.cut(SHOWN)
        by_feature, by_mistake = shown.titles()
        html = "".join(f"<p>{escape(line)}</p>" for line in (self.headline(), *by_feature))
        if shown.contributions:
            head = "contribution", "feature", "weight × value"
            html += html_table("By feature", head, shown.feature_cells())
        if shown.mistakes:
            head = "contribution", "row", "step × similarity"
            html += html_table(by_mistake[0], head, shown.mistake_cells())
        return html_card(html)

    def plot(self, ax: Any = None, *, top: int = SHOWN, theme: Any = None) -> ContributionsDisplay:
        """Draw the largest contributions, by feature and by past mistake, as bars.

        Parameters
        ----------
        ax, theme : object
            As in the ``plot`` method of every display (`rosenblatt.plot`).
        top : int, default=10
            Number of bars of each kind.

        Returns
        -------
        display : ContributionsDisplay
        """
        from rosenblatt.plot.contributions import contributions

        return contributions(self, top=top).plot(ax, theme=theme)

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as JSON-compatible data."""
        return {name: _plain(value) for name, value in self.__dict__.items()}


@dataclass(frozen=True)
class ModelExplanation(Explanation):
    """Feature importances of a model: how far each feature moves the score of a typical row.

    A contribution is ``weight · deviation``; ``value`` is the deviation. With two classes a
    positive contribution counts for ``label``. With more it is the difference from the mean of all
    classes, and its ``name`` includes the class.
    """

    def cut(self, top: int | None) -> Self:
        """Return the explanation with only the ``top`` largest parts."""
        if top is None:
            return self
        checks.whole("top", top, at_least=1)
        return replace(self, contributions=self.contributions[:top])

    def headline(self) -> str:
        """Return the number of features with a weight, in one line."""
        return f"{count(len(self.contributions), 'feature')} with a say"

    def summary(self) -> str:
        """Return the meaning of a contribution, in a few words."""
        if self.against is None:
            return "how far a usual deviation of a feature moves the score of a class"
        return (
            f"how far a usual deviation moves the score, + for {self.label}, - for {self.against}"
        )

    def titles(self) -> tuple[list[str], list[str]]:
        return [f"{self.summary()}; weight × deviation:"], []


def _plain(value: Any) -> Any:
    """Convert a value to JSON-compatible data; labels may be of any type."""
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
    if hasattr(value, "_asdict"):  # a named tuple
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)


def _sum_of(parts: Sequence[Contribution] | Sequence[PastMistake]) -> tuple[int, float]:
    """Return the number of features or rows that the parts stand for, and the sum of the parts."""
    n = sum(part.n_joined for part in parts)
    total = sum(part.contribution for part in parts)
    return n, total


def _signed(number: float) -> str:
    # Adding 0.0 turns -0.0 into 0.0, which would otherwise print as "-0".
    return ordinary(number + 0.0, "+")


def _shortened(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 1]}…"


def aligned(cells: list[tuple[str, str, str]]) -> list[str]:
    """Return lines of text with the cells in aligned columns."""
    return text_table(cells, align="><<", indent=2)
