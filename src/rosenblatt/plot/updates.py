"""A picture of every update: the example, the old line and the new one."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.plot.curves import panels, short_number
from rosenblatt.plot.display import PANEL, SINGLE_PANEL, Pen, SmallPanels
from rosenblatt.plot.pen import AREA, CROWD
from rosenblatt.plot.plane import Box, along, is_outside, way_to_rows
from rosenblatt.plot.steps import RunInPlane, Step, read_run, two_lines, weight_name

TITLE_SIZE = 8.5
# Of so few rows the numbers of each example can be read.
MOST_WRITTEN = 12
# Of a usual letter, in shares of the size of its font.
LETTER_WIDTH = 0.58


class RunDisplay(SmallPanels):
    """Base of the pictures of a run, step by step.

    Attributes
    ----------
    run : RunInPlane
        Rows, box and steps; ``run.steps[k]`` has the lines and arrows of a picture.
    titles : tuple of str
        One a picture.
    left_out : int
        Steps of the run that are not shown.
    """

    caption: str
    run: RunInPlane

    def __post_init__(self) -> None:
        self.titles = tuple(map(self.run.title, self.run.steps))
        self.left_out = self.run.left_out

    def _boxes(self) -> list[Box]:
        return [self.run.box]


class UpdatesDisplay(RunDisplay):
    """A panel for each step of a run; `updates` makes it."""

    def _grid(self) -> tuple[int, int]:
        n = len(self.run.steps)
        columns = n if n <= 3 else 3 if n in (5, 6, 9) else 4
        return -(-n // columns), columns

    def _draw_panels(self, axes: Any, pen: Pen) -> None:
        pairs = list(zip(self.run.steps, self.titles, strict=True))
        size = _title_size(axes.flat[0], pen, [two_lines(pen.text(one)) for one in self.titles])
        for ax, (step, title) in panels(axes, pairs):
            draw_rows(ax, pen, self.run)
            draw_step(ax, pen, self.run, step)
            pen.frame(ax, self.run.box, self.run.plane)
            ax.set_title(pen.text(two_lines(title)), fontsize=size, loc="left", pad=3)
            if pen.small:
                ax.spines[:].set(visible=True, color=pen.theme.rule)
                if not has_bias(self.run):
                    draw_axes(ax, pen)
            if len(self.run.points) <= MOST_WRITTEN:
                _write_example(ax, pen, self.run, step)
        if pen.small and not self.run.plane.is_line:
            self._name_axes(axes, pen, self.run.plane.names)
        if pen.own:
            pen.legend(axes.flat[0])


def _title_size(ax: Any, pen: Pen, titles: list[str]) -> float:
    """Smaller where the panel is one of many in a narrow place, or a title is long."""
    inside = ax.get_window_extent().width * 72 / ax.get_figure().dpi
    wide = inside if not pen.own else 72 * (0.93 * PANEL if pen.small else SINGLE_PANEL)
    longest = max(len(line) for title in titles for line in title.split("\n"))
    return float(np.clip(wide / (LETTER_WIDTH * longest), 4.0, TITLE_SIZE if pen.small else 11))


def has_bias(run: RunInPlane) -> bool:
    """Whether some line of the run lies off the origin."""
    return any(step.b.any() or step.b_before.any() for step in run.steps)


def draw_axes(ax: Any, pen: Pen) -> None:
    """The two axes through the origin, behind all else."""
    for draw in (ax.axhline, ax.axvline):
        draw(0, color=pen.theme.faint, lw=0.6, zorder=1)


def _write_example(ax: Any, pen: Pen, run: RunInPlane, step: Step) -> None:
    """The numbers of the example beside its ring, on the side with most room."""
    numbers = [short_number(value) for value in step.at.tolist()[: run.plane.n_features]]
    words, size = f"({', '.join(numbers)})", 8 if pen.small else 10
    half = LETTER_WIDTH * size * len(words) / 2
    aside, above = half + size + 2, 2.0 * size
    offsets = np.array([(aside, 0), (-aside, 0), (0, above), (0, -above)])
    # Of a point in the plane, about.
    unit = (run.box[1] - run.box[0]) / (72 * (PANEL if pen.small else SINGLE_PANEL))
    corners = unit * np.array([(across, up) for across in (-half, 0, half) for up in (-size, size)])
    words_at = step.at + unit * offsets[:, None] + corners
    lines = [step.segment, step.segment_before, *step.arrows.values()]
    drawn = [along(line, 60) for line in lines if line is not None]
    avoid = np.vstack([run.points, *drawn])
    free = np.array([way_to_rows(some, avoid).min() for some in words_at])
    inside = [not any(is_outside(one, run.box) for one in some) for some in words_at]
    place = int(np.argmax(np.where(inside, free, -1.0)))
    pen.note(ax, words, step.at, offsets[place], fontsize=size, zorder=7)


def draw_rows(ax: Any, pen: Pen, run: RunInPlane) -> None:
    """The rows, which no step changes; the fewer, the larger."""
    n = len(run.points)
    size = min(max((1500 if pen.small else 9000) / n, 14), 46)
    for place, mark in enumerate(run.marks):
        of_class = run.points[run.places == place]
        if len(of_class) and n > CROWD:
            pen.dots(ax, of_class, mark, n)
        elif len(of_class):
            pen.points(ax, of_class, mark, s=size * AREA.get(mark.marker, 1.0))


def draw_step(ax: Any, pen: Pen, run: RunInPlane, step: Step) -> None:
    """The state after one step, the line before it dashed, and the example used."""
    theme = pen.theme
    for place, corners in step.areas.items():
        edge = {} if run.is_binary else {"edgecolor": theme.ink}
        tint = theme.tint(pen.colour(run.marks[place]))
        ax.fill(*corners.T, facecolor=tint, lw=0 if run.is_binary else 0.8, zorder=0, **edge)
    if step.update and step.segment_before is not None:
        ax.plot(*step.segment_before.T, color=theme.faint, lw=1.4, ls=(0, (4, 2.5)), zorder=3)
    if step.segment is not None:
        ax.plot(*step.segment.T, color=theme.ink, lw=1.9, zorder=3)
    if step.update and not (step.b.any() or step.b_before.any()):
        _draw_sum(ax, pen, step)
    for place, ends in step.arrows.items():
        mark = run.marks[place]
        name, colour = ("w", "") if run.is_binary else (weight_name(mark), pen.colour(mark))
        pen.arrow(ax, ends, name, colour=colour)
    ring = {"s": 170 if pen.small else 230, "facecolors": "none", "linewidths": 2.0, "zorder": 5}
    ax.scatter(*step.at[:, None], edgecolors=theme.alarm if step.update else theme.ink, **ring)


def _draw_sum(ax: Any, pen: Pen, step: Step) -> None:
    """Weights before, and the way from their tip to that of the new ones: the step."""
    for place, after in step.arrows.items():
        if np.array_equal(step.W[place], step.W_before[place]):
            continue
        before = step.arrows_before.get(place)
        if before is not None:
            pen.arrow(ax, before, colour=pen.theme.faint)
            way = np.array([before[1], after[1]])
            ax.plot(*way.T, color=pen.theme.faint, lw=1.2, ls=":", zorder=3)


def updates(
    model: Any,
    X: Any,
    y: Any,
    *,
    max_frames: int = 12,
    each: str = "update",
    box: Box | None = None,
) -> UpdatesDisplay:
    """Show a run as one picture an update: the example used, the old line and the new one, and w.

    Parameters
    ----------
    model : estimator or Ledger
        A linear learner that was fitted with ``record=True`` on one or two features, or its ledger.
    X : array-like of shape (n_samples, n_features)
        The rows it was fitted on.
    max_frames : int, default=12
        Most pictures to show. Of more updates the first and the last are taken, of more examples
        the first; the caption says how many were left out.
    each : {"update", "example"}, default="update"
        A picture for each update, or for each example whether it was classified right or not. The
        latter needs rows that were taken in their order (``shuffle=False``).

    See Also
    --------
    animate : The same as a film.
    boundary : The end of a run, in full.

    Examples
    --------
    The worked example of the first lecture, all six examples:

    >>> from rosenblatt import Perceptron, plot
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    >>> shown = plot.updates(model.fit(X, y), X, y, each="example", max_frames=6)
    >>> for title in shown.titles:
    ...     print(title)
    example 1: y = −1, ŷ = +1, mistake: w ← w − x = (1, −2)
    example 2: y = +1, ŷ = +1, right: w = (1, −2)
    example 3: y = +1, ŷ = −1, mistake: w ← w + x = (2, −1)
    example 4: y = −1, ŷ = −1, right: w = (2, −1)
    example 5: y = −1, ŷ = +1, mistake: w ← w − x = (3, 1)
    example 6: y = +1, ŷ = +1, right: w = (3, 1)
    """
    checks.whole("max_frames", max_frames, at_least=1, at_most=100)

    def ends(n: int) -> list[int]:
        if n <= max_frames or each == "example":
            return list(range(min(n, max_frames)))
        last = max_frames // 2
        return [*range(max_frames - last), *range(n - last, n)]

    run = read_run(model, X, y, each=each, choose=ends, box=box)
    return UpdatesDisplay(_caption(run, each, int(max_frames)), run)


def _caption(run: RunInPlane, each: str, max_frames: int) -> str:
    shown, what = len(run.steps), "updates" if each == "update" else "examples"
    if not run.left_out:
        sentences = [f"All {shown} {what}." if shown > 1 else f"The only {what[:-1]}."]
    elif each == "example":
        sentences = [f"The first {shown} of {run.n_steps:,} examples; {run.left_out:,} left out."]
    else:
        last = max_frames // 2
        ends = f"The first {max_frames - last} and the last {last}" if last else "The first"
        where = "between are" if last else "after it"
        sentences = [f"{ends} of {run.n_steps:,} updates; {run.left_out:,} {where} left out."]
    if any(step.update and step.arrows_before for step in run.steps) and not has_bias(run):
        sentences += run.legend("Grey: w before it; dotted: the step.")
    else:
        sentences += run.legend()
    return " ".join(sentences)
