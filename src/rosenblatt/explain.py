"""Why a prediction: what each feature and each past mistake puts into its score.

Every model of the family is ``w = w0 + Σ step·φ``. So the score of an example is a sum over its
features, ``Σ weight·value``, and the same score is a sum over the mistakes of training,
``Σ step·similarity``, the similarity being the product of the mistaken row with the example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rosenblatt import checks
from rosenblatt.html_tables import escape, html_card, html_table
from rosenblatt.plurals import count
from rosenblatt.text_tables import ordinary, text_table

if TYPE_CHECKING:
    from rosenblatt.plot.contributions import ContributionsDisplay

SHOWN = 10
LONGEST_NAME = 40
USUAL = "the average row"
# What rounding leaves of a sum, as a share of its parts; weights may be float32.
ROUNDING = 1e-6


class Contribution(NamedTuple):
    """What a feature adds to a score: ``contribution = weight · (value - usual)``.

    ``usual`` is what the average row has, as far as the model knows, else 0.
    ``kind`` is "feature", "bias", of a tagger also "step" (from the tag before), or "rest" for
    several that were joined; ``n_joined`` says how many.
    """

    name: Any
    value: float | None
    weight: float | None
    contribution: float
    kind: str = "feature"
    n_joined: int = 1
    usual: float = 0.0


class PastMistake(NamedTuple):
    """What a past example adds to a score: ``contribution = step · similarity``.

    ``row`` is its number in the ``X`` of ``fit`` or its place in the stream, None for several that
    were joined (``n_joined`` of them). ``step`` is the sum of its ``updates``, negative where they
    spoke against the class. ``y_true`` and ``y_pred`` are the classes that its last update raised
    and lowered; of a kernel with a budget they and the number of updates are not known (None and
    0). With votes ``step`` is the share of all examples that the weights born of its updates
    survived, and ``similarity`` their mean vote, from -1 to 1.
    """

    row: int | None
    y_true: Any
    y_pred: Any
    updates: int
    step: float | None
    similarity: float | None
    contribution: float
    n_joined: int = 1


@dataclass(frozen=True)
class Explanation:
    """A score, taken apart by feature and by past mistake.

    Attributes
    ----------
    prediction : object
        What the model predicts.
    score : float
        What is explained: the score of ``label`` or, where ``against`` is asked for, its lead over
        that. With two classes the score of one is that of the other with the other sign.
    label, against : object
        Whose score; by default that of the prediction.
    runner_up, runner_up_score : object, float
        The class with the highest score beside the prediction; None where nobody knows.
    scores : dict
        The score of every class.
    contributions : list of Contribution
        By feature, largest first, then the bias and, if some were left out, their sum. They add up
        to the score. Empty where the score is no sum over features: of kernels, and of votes.
    mistakes : list of PastMistake or None
        By past example, largest first; with ``before`` they add up to the score too. None where
        they are not known.
    before : float
        What comes from the weights before the first recorded mistake.
    without_weight : int
        Features of the example that have no weight.
    unknown : dict of str to list of str
        Features, or levels of a column, that training did not meet.
    clipped : list of str
        Columns of numbers whose value lies so far out that the schema cut it off.
    votes : bool
        Whether the score counts votes.
    """

    prediction: Any
    score: float
    label: Any
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
        """The same with the ``top`` largest parts of each list; the others are joined into one."""
        if top is None:
            return self
        checks.whole("top", top, at_least=1)
        parts, mistakes = self.contributions, self.mistakes
        features = [part for part in parts if part.kind != "bias"]
        if sum(part.kind != "rest" for part in features) > top:
            n, total = _join(features[top:])
            bias = [part for part in parts if part.kind == "bias"]
            rest = Contribution(count(n, "other feature"), None, None, total, "rest", n)
            parts = [*features[:top], *bias, rest]
        if mistakes is not None and sum(one.row is not None for one in mistakes) > top:
            n, total = _join(mistakes[top:])
            updates = sum(one.updates for one in mistakes[top:])
            others = PastMistake(None, None, None, updates, None, None, total, n)
            mistakes = [*mistakes[:top], others]
        return replace(self, contributions=parts, mistakes=mistakes)

    def with_mistakes(self, found: list[PastMistake]) -> Self:
        """The same with past mistakes; what they leave of the score was there before them."""
        found = sorted(found, key=lambda one: -abs(one.contribution))
        before = self.score - _join(found)[1]
        size = max(abs(self.score), sum(abs(one.contribution) for one in found))
        before = before if abs(before) > ROUNDING * size else 0.0
        return replace(self, mistakes=found, before=before)

    # ------------------------------------------------------------------ for people

    def __str__(self) -> str:
        return "\n".join([self.headline(), *self.cut(SHOWN).lines()])

    def lines(self, where: Callable[[int], str] = "row {:,}".format) -> list[str]:
        """All parts as lines of text; ``where`` names a past example by its number."""
        by_feature, by_mistake = self.titles()
        by_feature += aligned(self.feature_cells())
        return [*by_feature, *by_mistake, *aligned(self.mistake_cells(where))]

    def headline(self) -> str:
        """The prediction in a line."""
        second = "" if self.runner_up is None else f", runner-up {self.runner_up}"
        return f"prediction {self.prediction}{second}"

    def summary(self) -> str:
        """What is explained, in a few words."""
        if self.against is None:
            return f"score of {self.label}: {ordinary(self.score)}"
        return f"{self.label} rather than {self.against}, by {ordinary(self.score)}"

    def titles(self) -> tuple[list[str], list[str]]:
        """What is to be said before the parts by feature, and before those by past mistake."""
        by_feature = [
            f"{name}{': ' * bool(levels)}{', '.join(levels)} was never seen in training and has no "
            "weight"
            for name, levels in self.unknown.items()
        ]
        if self.clipped:
            by_feature.append(f"clipped, since so far from the median: {', '.join(self.clipped)}")
        how = "votes are no sum over features" if self.votes else "no weights by feature"
        if any(part.name == USUAL for part in self.contributions):
            how = "by feature, beyond the average row:"
        elif self.contributions:
            how = "weight × value of each feature:"
        by_feature.append(f"{self.summary()}; {how}")
        if self.mistakes is None:
            return by_feature, []
        updates, total = sum(one.updates for one in self.mistakes), _join(self.mistakes)[1]
        rows = sum(one.n_joined for one in self.mistakes)
        text = f"{count(updates, 'update')} on " * bool(updates)
        text += f"{count(rows, 'row')} of training"
        text += f" gave {'votes of ' * self.votes}{ordinary(total, '+')}"
        if self.before:
            text += f", the weights before the first of them {ordinary(self.before, '+')}"
        return by_feature, [f"{text}{':' if rows else '.'}"]

    def feature_cells(self) -> list[tuple[str, str, str]]:
        """For each contribution its size, its name, and the product that it is."""
        cells = []
        for part in self.contributions:
            product = ""
            if part.kind == "feature" and part.weight is not None and part.value is not None:
                value = ordinary(part.value)
                if part.usual:
                    value = f"({value} - {ordinary(part.usual)})"
                product = f"{ordinary(part.weight)} × {value}"
            cells.append((_signed(part.contribution), _cut(str(part.name)), product))
        if self.without_weight:
            cells.append(("", f"{count(self.without_weight, 'feature')} without a say", ""))
        return cells

    def mistake_cells(
        self, where: Callable[[int], str] = "row {:,}".format
    ) -> list[tuple[str, str, str]]:
        """For each past mistake its size, the example, named by ``where``, and the product."""
        cells = []
        for one in self.mistakes or ():
            if one.row is None:
                cells.append((_signed(one.contribution), count(one.n_joined, "other row"), ""))
                continue
            about = where(one.row)
            if one.y_true is not None:
                about += f", {_cut(str(one.y_true))}"
                about += f" over {one.y_pred}" * (one.y_pred is not None and len(self.scores) > 2)
            about += f": {count(one.updates, 'update')}" * bool(one.updates)
            factors = (one.step, one.similarity)
            product = " × ".join(ordinary(number) for number in factors if number is not None)
            cells.append((_signed(one.contribution), about, product))
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
            As of every display (`rosenblatt.plot`).
        top : int, default=10
            How many of each.

        Returns
        -------
        display : ContributionsDisplay
        """
        from rosenblatt.plot.contributions import contributions

        return contributions(self, top=top).plot(ax, theme=theme)

    def to_json(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return {name: _plain(value) for name, value in self.__dict__.items()}


@dataclass(frozen=True)
class ModelExplanation(Explanation):
    """What a whole model goes by: its features, by how far they move the score of usual rows.

    A contribution is ``weight · deviation``; ``value`` is the deviation. Of two classes it speaks
    for ``label`` if positive; of more it is what the class has beyond their mean, and the ``name``
    says which class.
    """

    def cut(self, top: int | None) -> Self:
        """The same with the ``top`` largest parts."""
        if top is None:
            return self
        checks.whole("top", top, at_least=1)
        return replace(self, contributions=self.contributions[:top])

    def headline(self) -> str:
        """How much of what there is, in a line."""
        return f"{count(len(self.contributions), 'feature')} with a say"

    def summary(self) -> str:
        """What a part means, in a few words."""
        if self.against is None:
            return "how far a usual deviation of a feature moves the score of a class"
        return (
            f"how far a usual deviation moves the score, + for {self.label}, - for {self.against}"
        )

    def titles(self) -> tuple[list[str], list[str]]:
        return [f"{self.summary()}; weight × deviation:"], []


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _join(parts: Sequence[Any]) -> tuple[int, float]:
    return sum(part.n_joined for part in parts), sum(part.contribution for part in parts)


def _signed(number: float) -> str:
    return ordinary(number + 0.0, "+")  # 0 has no sign


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def aligned(cells: list[tuple[str, str, str]]) -> list[str]:
    """Lines of text, in columns."""
    return text_table(cells, align="><<", indent=2)
