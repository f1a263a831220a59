"""Picture of the tags of a sentence as paths: the predicted and the gold path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.plot import style
from rosenblatt.plot.curves import cut_to_fit, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.estimators.structured.paths import PathExplanation

# Most tags that are all shown; of more, only those on the two paths.
MAX_TAGS = 12
# Longest word or tag, in characters.
LONGEST_WORD = 14
# Longest sentence, in tokens, whose scores fit on one line; otherwise they take two.
MAX_ROOMY = 16


class TagPathDisplay(Display):
    """Lattice of tokens (columns) and tags (rows), with one or two paths through it.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    tokens : list of str
        The words of the sentence.
    tags : list of str
        The tags shown, from top to bottom.
    predicted, gold : list of str
        The predicted tags and the right ones; gold is None if they were not given.
    predicted_scores, gold_scores : list of (float, float)
        For each token the score of its features for the tag, and that of the step from the previous
        tag.
    differ : list of int
        Indices of the tokens where the two paths differ.
    score, gold_score : float
        The sums along the paths; gold_score is None without gold.
    left_out : int
        Number of tags that are not shown, because they are on neither path.
    """

    tokens: list[str]
    tags: list[str]
    predicted: list[str]
    gold: list[str] | None
    predicted_scores: list[tuple[float, float]]
    gold_scores: list[tuple[float, float]] | None
    score: float
    gold_score: float | None
    left_out: int

    def __post_init__(self) -> None:
        pairs = zip(self.predicted, self.gold or self.predicted, strict=True)
        self.differ = [i for i, (found, right) in enumerate(pairs) if found != right]
        caption = f"The best path scores {short_number(self.score)}"
        if self.gold_score is not None:
            right = len(self.tokens) - len(self.differ)
            caption += (
                f", the right one {short_number(self.gold_score)}; "
                f"{right} of {count(len(self.tokens), 'tag')} right"
            )
            if self.differ:
                caption += ". Where they differ: score of the word's features + of the step"
        if self.left_out:
            caption += f". {count(self.left_out, 'tag')} on neither path left out"
        self.caption = caption + "."

    def _size(self) -> tuple[float, float]:
        widest = max(len(word) for word in self.tokens)
        column = 0.95 if widest <= 9 else 1.1
        width = 1.6 + column * len(self.tokens)
        return float(np.clip(width, 4.6, 16.0)), 1.7 + 0.42 * len(self.tags)

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        n = len(self.tokens)
        height = {tag: i for i, tag in enumerate(self.tags)}
        x = np.arange(n)

        # A dot for every token and tag; tokens where the paths differ are tinted.
        grid = np.array([(i, j) for i in range(n) for j in range(len(self.tags))])
        ax.scatter(grid[:, 0], grid[:, 1], s=12, color=theme.tint(theme.faint, 0.55), zorder=1)
        for i in self.differ:
            ax.axvspan(i - 0.5, i + 0.5, color=theme.tint(theme.alarm, 0.1), lw=0.6, zorder=0)

        # The two paths.
        if self.gold is not None:
            # Wide and dashed, so that it is visible below the other path.
            line: Look = {"color": theme.tint(theme.colour(1), 0.6), "ls": (0, (1.6, 0.5)), "lw": 5}
            line |= {"marker": "s", "ms": 13, "mfc": theme.paper, "mec": theme.colour(1), "mew": 2}
            ax.plot(x, [height[tag] for tag in self.gold], zorder=3, label="gold", **line)
        line = {"color": theme.colour(0), "lw": 2.0, "marker": "o", "ms": 6}
        ax.plot(x, [height[tag] for tag in self.predicted], zorder=4, label="predicted", **line)
        for i in self.differ:
            assert self.gold is not None
            assert self.gold_scores is not None
            found = height[self.predicted[i]]
            right = height[self.gold[i]]
            self._write_score(ax, pen, i, found, self.predicted_scores[i], found < right)
            self._write_score(ax, pen, i, right, self.gold_scores[i], found >= right)

        # Words and tags at the axes.
        ax.set(xlim=(-0.6, n - 0.4), ylim=(len(self.tags) - 0.25, -0.75))
        size = 9 if n <= MAX_ROOMY else 7.5
        words = [cut_to_fit(pen, word, LONGEST_WORD) for word in self.tokens]
        is_crowded = max(map(len, words)) > 9 or n > MAX_ROOMY
        if is_crowded:
            tilt: Look = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
            ax.set_xticks(x, words, fontsize=size, **tilt)
        else:
            ax.set_xticks(x, words, fontsize=size, va="baseline")
            ax.tick_params(axis="x", pad=13)
        tags = [cut_to_fit(pen, style.named(tag), LONGEST_WORD) for tag in self.tags]
        ax.set_yticks(range(len(self.tags)), tags, fontsize=size)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        if self.gold is not None:
            where: Look = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
            ax.legend(ncols=2, reverse=True, **where)

    def _write_score(
        self, ax: Axes, pen: Pen, i: int, j: int, parts: tuple[float, float], above: bool
    ) -> None:
        """Write the emission score and the transition score at one token and tag."""
        features, step = parts
        sign = "+" if step >= 0 else "−"
        between = " " if len(self.tokens) <= MAX_ROOMY else "\n"
        words = f"{short_number(features)}{between}{sign} {short_number(abs(step))}"
        side = "bottom" if above else "top"
        offset = 10 if above else -10
        pen.note(ax, words, (i, j), (0, offset), va=side, fontsize=8, zorder=6)


def tag_path(
    source: Any, sentence: Sequence[Any] | None = None, gold: Sequence[str] | None = None
) -> TagPathDisplay:
    """Show the tags of a sentence as a path through all tags, with the gold path (L1.16).

    Parameters
    ----------
    source : SequenceTagger or PathExplanation
        A fitted tagger, or the result of its ``explain``, which includes the sentence and tags.
    sentence : list of tokens, default=None
        The sentence to tag.
    gold : list of str, default=None
        The right tags, or any other tags to compare with.

    Returns
    -------
    display : TagPathDisplay

    See Also
    --------
    rosenblatt.plot.confusion : Show the confusions over many sentences.

    Examples
    --------
    >>> from rosenblatt import SequenceTagger, plot
    >>> sentences = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat", "barks"]]
    >>> tagger = SequenceTagger().fit(sentences, [["DET", "NOUN", "VERB"]] * 3)
    >>> shown = plot.tag_path(tagger, ["the", "barks", "sleeps"], ["DET", "NOUN", "VERB"])
    >>> shown.predicted, shown.differ
    (['DET', 'VERB', 'VERB'], [1])
    """
    found: PathExplanation
    if hasattr(source, "predicted") and hasattr(source, "compared"):
        if sentence is not None or gold is not None:
            raise InputError("an explanation has its sentence and tags; leave the others out.")
        found = source
    elif not hasattr(type(source), "tags_"):
        raise InputError(
            f"a {type(source).__name__} has no paths of tags: give a fitted SequenceTagger, or "
            "what its explain gave."
        )
    elif sentence is None:
        raise InputError("a tagger needs a sentence: give a list of tokens.")
    else:
        found = source.explain(sentence, gold)
    if not found.predicted:
        raise InputError("this sentence has 0 tokens; there is nothing to show.")
    known = list(found.tag_scores[0])
    right = found.compared
    used = {choice.tag for choice in (*found.predicted, *(right or ()))}
    shown = known if len(known) <= MAX_TAGS else [tag for tag in known if tag in used]
    return TagPathDisplay(
        tokens=[_word(choice.token) for choice in found.predicted],
        tags=shown,
        predicted=[choice.tag for choice in found.predicted],
        gold=None if right is None else [choice.tag for choice in right],
        predicted_scores=[(choice.features, choice.step) for choice in found.predicted],
        gold_scores=None if right is None else [(one.features, one.step) for one in right],
        score=found.score,
        gold_score=found.compared_score,
        left_out=len(known) - len(shown),
    )


def _word(token: Any) -> str:
    """Return the word of a token: the token, or the first item of a tuple, list or mapping."""
    if isinstance(token, Mapping):
        token = next(iter(token.values()), "")
    elif not isinstance(token, str):
        token = next(iter(token), "")
    return style.named(token, LONGEST_WORD)
