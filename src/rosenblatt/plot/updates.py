"""Pictures of every update of a run: the example, the old line and the new line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import checks
from rosenblatt.plot.curves import panels, short_number
from rosenblatt.plot.display import PANEL, SINGLE_PANEL, Pen, SmallPanels
from rosenblatt.plot.pen import AREA, CROWD, Look
from rosenblatt.plot.plane import Box, along, distance_to_rows, is_outside
from rosenblatt.plot.steps import RunInPlane, Step, read_run, two_lines, weight_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.arrays import AnyArray

# Font size of the titles of small panels, in points.
TITLE_SIZE = 8.5
# Most rows for which the coordinates of the examples are written.
MAX_WRITTEN = 12
# Average width of a letter, as a share of the font size.
LETTER_WIDTH = 0.58


class RunDisplay(SmallPanels):
    """Base of pictures of a run, step by step.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    run : RunInPlane
        Rows, box and steps; ``run.steps[k]`` holds the lines and arrows of a picture.
    titles : tuple of str
        One per picture.
    left_out : int
        Number of steps that are not shown.
    """

    caption: str
    run: RunInPlane

    def __post_init__(self) -> None:
        self.titles = tuple(map(self.run.title, self.run.steps))
        self.left_out = self.run.left_out

    def _boxes(self) -> list[Box]:
        return [self.run.box]


class UpdatesDisplay(RunDisplay):
    """Panels of the steps of a run, made by `updates`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    run : RunInPlane
        Rows, box and steps; ``run.steps[k]`` holds the lines and arrows of a picture.
    titles : tuple of str
        One per picture.
    left_out : int
        Number of steps that are not shown.
    """

    def _grid(self) -> tuple[int, int]:
        n = len(self.run.steps)
        columns = 4
        if n <= 3:
            columns = n
        elif n in (5, 6, 9):
            columns = 3
        return -(-n // columns), columns

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
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
            if len(self.run.points) <= MAX_WRITTEN:
                _write_example(ax, pen, self.run, step)
        if pen.small and not self.run.plane.is_line:
            self._name_axes(axes, pen, self.run.plane.names)
        if pen.own:
            pen.legend(axes.flat[0])


def _title_size(ax: Axes, pen: Pen, titles: list[str]) -> float:
    """Return a font size at which the longest title line fits above its panel."""
    if pen.own:
        # The layout is not known yet, only the widths that it aims at.
        width = 72 * (0.93 * PANEL if pen.small else SINGLE_PANEL)
    else:
        width = ax.get_window_extent().width * 72 / ax.figure.dpi
    longest = max(len(line) for title in titles for line in title.split("\n"))
    largest = TITLE_SIZE if pen.small else 11
    return float(np.clip(width / (LETTER_WIDTH * longest), 4.0, largest))


def has_bias(run: RunInPlane) -> bool:
    """Return whether any step of the run has a bias that is not 0."""
    return any(step.b.any() or step.b_before.any() for step in run.steps)


def draw_axes(ax: Axes, pen: Pen) -> None:
    """Draw the two axes through the origin, behind everything else."""
    ax.axhline(0, color=pen.theme.faint, lw=0.6, zorder=1)
    ax.axvline(0, color=pen.theme.faint, lw=0.6, zorder=1)


def _write_example(ax: Axes, pen: Pen, run: RunInPlane, step: Step) -> None:
    """Write the coordinates of the example next to its ring, on the side with the most room."""
    numbers = [short_number(value) for value in step.at.tolist()[: run.plane.n_features]]
    words = f"({', '.join(numbers)})"
    size = 8 if pen.small else 10

    # Four candidates, in points from the ring: right, left, above and below.
    half = LETTER_WIDTH * size * len(words) / 2
    beside = half + size + 2
    above = 2.0 * size
    offsets = np.array([(beside, 0), (-beside, 0), (0, above), (0, -above)])

    # The outline of the words at each candidate, in the units of the plane (one point is about
    # ``unit``).
    unit = (run.box[1] - run.box[0]) / (72 * (PANEL if pen.small else SINGLE_PANEL))
    outline = unit * np.array([(x, y) for x in (-half, 0, half) for y in (-size, size)])
    candidates = step.at + unit * offsets[:, None] + outline

    # Keep away from rows and lines, and inside the box.
    lines = [step.segment, step.segment_before, *step.arrows.values()]
    drawn = [along(line, 60) for line in lines if line is not None]
    avoid = np.vstack([run.points, *drawn])
    free = np.array([distance_to_rows(points, avoid).min() for points in candidates])
    is_inside = [not any(is_outside(at, run.box) for at in points) for points in candidates]
    best = int(np.argmax(np.where(is_inside, free, -1.0)))
    pen.note(ax, words, step.at, offsets[best], fontsize=size, zorder=7)


def draw_rows(ax: Axes, pen: Pen, run: RunInPlane) -> None:
    """Draw the rows, which are the same in every step and larger if there are few."""
    n = len(run.points)
    size = min(max((1500 if pen.small else 9000) / n, 14), 46)
    for place, mark in enumerate(run.marks):
        of_class = run.points[run.places == place]
        if len(of_class) and n > CROWD:
            pen.dots(ax, of_class, mark, n)
        elif len(of_class):
            pen.points(ax, of_class, mark, s=size * AREA.get(mark.marker, 1.0))


def draw_step(ax: Axes, pen: Pen, run: RunInPlane, step: Step) -> None:
    """Draw one step: the state after it, the previous line dashed, and the example."""
    theme = pen.theme
    edge: Look = {"lw": 0} if run.is_binary else {"lw": 0.8, "edgecolor": theme.ink}
    for place, corners in step.areas.items():
        tint = theme.tint(pen.colour(run.marks[place]))
        ax.fill(*corners.T, facecolor=tint, zorder=0, **edge)

    if step.update and step.segment_before is not None:
        ax.plot(*step.segment_before.T, color=theme.faint, lw=1.4, ls=(0, (4, 2.5)), zorder=3)
    if step.segment is not None:
        ax.plot(*step.segment.T, color=theme.ink, lw=1.9, zorder=3)
    if step.update and not (step.b.any() or step.b_before.any()):
        _draw_sum(ax, pen, step)
    for place, ends in step.arrows.items():
        if run.is_binary:
            pen.arrow(ax, ends, "w")
        else:
            mark = run.marks[place]
            pen.arrow(ax, ends, weight_name(mark), colour=pen.colour(mark))

    ring: Look = {"s": 170 if pen.small else 230, "facecolors": "none", "linewidths": 2.0}
    ring |= {"edgecolors": theme.alarm if step.update else theme.ink, "zorder": 5}
    ax.scatter(*step.at[:, None], **ring)


def _draw_sum(ax: Axes, pen: Pen, step: Step) -> None:
    """Draw the old weights, and the step as a dotted line from their tip to the new tip."""
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
    """Show one panel per update of a run, with its example, the old and the new line, and w.

    Parameters
    ----------
    model : estimator or Ledger
        A linear learner that was fitted with ``record=True`` on one or two features, or its ledger.
    X : array-like of shape (n_samples, n_features)
        The rows it was fitted on.
    y : array-like of shape (n_samples,)
        The labels of the rows.
    max_frames : int, default=12
        Maximum number of pictures. From more updates the first and the last are taken, from more
        examples the first; the caption states how many were left out.
    each : {"update", "example"}, default="update"
        One picture per update, or per example, including those classified right. The latter needs
        rows that were taken in order (``shuffle=False``).
    box : (xmin, xmax, ymin, ymax), default=None
        The part of the plane to show. None shows all rows.

    Returns
    -------
    display : UpdatesDisplay

    See Also
    --------
    animate : Show the same pictures as an animation.
    boundary : Show the end of a run in full.

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

    def first_and_last(n: int) -> list[int]:
        if n <= max_frames or each == "example":
            return list(range(min(n, max_frames)))
        n_last = max_frames // 2
        return [*range(max_frames - n_last), *range(n - n_last, n)]

    run = read_run(model, X, y, each=each, choose=first_and_last, box=box)
    return UpdatesDisplay(_caption(run, each, int(max_frames)), run)


def _caption(run: RunInPlane, each: str, max_frames: int) -> str:
    """Return the caption of the panels."""
    shown = len(run.steps)
    what = "updates" if each == "update" else "examples"
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
