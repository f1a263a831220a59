"""Picture of the proof of the convergence theorem: a run between two curves that meet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.errors import InputError
from rosenblatt.plot.curves import STYLES, panel_grid, panels, short_number, whole_numbers
from rosenblatt.plot.display import Display, Pen, SmallPanels
from rosenblatt.plot.pen import Look
from rosenblatt.plot.plane import Box
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.arrays import AnyArray
    from rosenblatt.theory.proof import ProofTrace

CURVE_POINTS = 201
# Ratio of the bound to the mistakes above which the axes are logarithmic.
LOG_FROM = 12.0
# Most mistakes of the run that get a panel in the plane.
MAX_STEPS = 4
SO_FAR = "largest ‖w‖ so far"


class ProofDisplay(Display):
    """Curves of the convergence proof, ``kγ ≤ u·w ≤ ‖w‖ ≤ √k R``, for every mistake of a run.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    k : ndarray of shape (n_updates,)
        Numbers of mistakes: 1, 2, …
    progress : ndarray of shape (n_updates,) or None
        ``u·w`` after each mistake; None without a separator.
    length, largest : ndarray of shape (n_updates,)
        ``‖w‖`` after each mistake, and the largest so far, which is drawn without a separator.
    curve_k : ndarray
        Values of k at which the curves are drawn: from 0 to a little beyond their crossing.
    lower : ndarray or None
        ``u·w₀ + k η γ`` at ``curve_k``; None without a margin.
    upper : ndarray
        ``√(‖w₀‖² + k η² R²)`` at ``curve_k``.
    meets_at : float or None
        The number of mistakes at which the curves meet: the bound.
    log_axes : bool
        True if both axes are logarithmic; the curves are then straight lines.
    eta : float
        The learning rate, η.
    starts_at_zero : bool
        True if ``w₀`` is 0, so that it does not occur in the formulas.
    """

    k: IntArray
    progress: FloatArray | None
    length: FloatArray
    largest: FloatArray
    curve_k: FloatArray
    lower: FloatArray | None
    upper: FloatArray
    meets_at: float | None
    log_axes: bool
    eta: float
    starts_at_zero: bool

    size = (5.8, 4.4)

    def __post_init__(self) -> None:
        n = len(self.k)
        caption = f"{count(n, 'mistake')} in this run"
        if self.meets_at is not None:
            caption += f"; the curves meet at {short_number(self.meets_at)}, and no run makes more"
        if self.progress is None:
            first = int(np.argmax(self.length >= self.largest[-1])) + 1
            caption += (
                f"; the largest ‖w‖ so far is {short_number(self.largest[-1])}, after mistake "
                f"{first:,}; it stays bounded on any finite set of rows (Block and Levin)"
            )
        lost = int(np.isnan(self._drawable(self.length)).sum())
        if self.progress is not None:
            lost += int(np.isnan(self._drawable(self.progress)).sum())
        if lost:
            caption += f"; {count(lost, 'value')} at 0 or below cannot be seen on these axes"
        self.caption = caption + "."

    def _drawable(self, values: FloatArray) -> FloatArray:
        """Return values to plot; on logarithmic axes, values that cannot be shown become NaN."""
        if not self.log_axes:
            return values
        return np.where(values > 0, values, np.nan)

    @property
    def lower_name(self) -> str:
        """Formula of the lower curve."""
        eta = "" if self.eta == 1.0 else "η"
        start = "" if self.starts_at_zero else "u·w₀ + "
        return f"{start}k{eta}γ"

    @property
    def upper_name(self) -> str:
        """Formula of the upper curve."""
        has_eta = self.eta != 1.0
        if self.starts_at_zero:
            return f"√k {'η' if has_eta else ''}R"
        return f"√(‖w₀‖² + k{'η²' if has_eta else ''}R²)"

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        blue = theme.colour(0)
        orange = theme.colour(1)
        if self.log_axes:
            ax.set(xscale="log", yscale="log")

        # The upper curve, and ‖w‖ below it.
        is_drawn = self.curve_k > 0 if self.log_axes else self.curve_k >= 0
        k = self.curve_k[is_drawn]
        upper = self.upper[is_drawn]
        top = float(upper.max())
        bottom = 0.0
        ax.plot(k, upper, color=blue, ls=STYLES[1], zorder=3, label=self.upper_name)
        size = 6 if len(self.k) <= 40 else 3
        edge = 0.5 if len(self.k) <= 40 else 0.0
        look: Look = {"ls": "", "clip_on": False, "mec": theme.paper, "mew": edge, "zorder": 5}
        square: Look = {"marker": "s", "ms": size, "color": blue, "label": "‖w‖"} | look
        ax.plot(self.k, self._drawable(self.length), **square)

        # u·w, or without a separator the largest ‖w‖ so far.
        if self.progress is None:
            look_so_far: Look = {"color": orange, "drawstyle": "steps-post", "zorder": 4}
            ax.plot(self.k, self._drawable(self.largest), label=SO_FAR, **look_so_far)
        else:
            triangle: Look = {"marker": "^", "ms": size + 1, "color": orange, "label": "u·w"} | look
            ax.plot(self.k, self._drawable(self.progress), **triangle)

        # The lower curve, and the room between both up to where they meet.
        lower = None if self.lower is None else self.lower[is_drawn]
        if lower is not None:
            ax.plot(k, lower, color=orange, ls=STYLES[0], zorder=3, label=self.lower_name)
            is_room = k <= (math.inf if self.meets_at is None else self.meets_at)
            tint = theme.tint(blue, 0.12)
            ax.fill_between(k[is_room], lower[is_room], upper[is_room], color=tint, lw=0)
            top = max(top, float(lower.max()))
            bottom = min(bottom, float(lower.min()))
        if self.meets_at is not None and lower is not None:
            height = float(np.interp(self.meets_at, k, upper))
            ax.plot([self.meets_at], [height], marker="X", ms=9, color=theme.ink, zorder=6)
            words = f"no run goes beyond\nk = {short_number(self.meets_at)}"
            at = (self.meets_at, height)
            pen.note(ax, words, at, (-10, 12), ha="right", va="bottom", halo=False)

        if self.log_axes:
            values = [*upper[:1], *self.length]
            if lower is not None:
                values += [*lower]
            # Weights can return to 0, which a logarithmic axis cannot show.
            low = min(value for value in values if value > 0)
            ax.set(xlim=(k[0] * 0.9, k[-1]), ylim=(low / 1.5, 3.0 * top))
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        else:
            ax.set(xlim=(0, k[-1]), ylim=(1.05 * bottom, 1.25 * top))
            whole_numbers(ax.xaxis)
        kind = " (logarithmic)" if self.log_axes else ""
        ax.set(xlabel=f"k, mistakes so far{kind}", ylabel="length")

        # The legend lists the curves in their order from top to bottom.
        handles, names = ax.get_legend_handles_labels()
        handle_of = dict(zip(names, handles, strict=True))
        wanted = [self.upper_name, SO_FAR, "‖w‖", "u·w", self.lower_name]
        order = [name for name in wanted if name in handle_of]
        ordered = [handle_of[name] for name in order]
        where: Look = {"loc": "upper left" if self.progress is None else "lower right"}
        ax.legend(ordered, order, title="from above to below", **where)


class ProofPlaneDisplay(SmallPanels):
    """Panels of the region that is left for w after k mistakes, made by `proof`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    k : tuple of int
        Numbers of mistakes with a panel; the last is one that no run can make.
    along, across : ndarray of shape (n_updates + 1,)
        ``u·w`` after each update, and the length of the part of w orthogonal to u; 0 at the start.
    margin, radius : float
        ηγ and ηR: after k mistakes ``u·w ≥ k η γ`` and ``‖w‖ ≤ √k η R``.
    """

    k: tuple[int, ...]
    along: FloatArray
    across: FloatArray
    margin: float
    radius: float

    def __post_init__(self) -> None:
        self.caption = (
            f"Each mistake carries w at least γ = {short_number(self.margin)} further along u, so "
            "it lies right of the line; ‖w‖² grows by at most R², so it lies in the circle "
            f"(R = {short_number(self.radius)}). Dashed: the largest angle between w and u that is "
            "left, cos⁻¹(√k γ/R). Beyond k = R²/γ² = "
            f"{short_number((self.radius / self.margin) ** 2)} there is no room for w."
        )

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.k), 3)

    def _boxes(self) -> list[Box]:
        return [(0.0, 1.0, 0.0, 1.0)]

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        side = 1.12 * self.k[-1] * self.margin
        for ax, k in panels(axes, self.k):
            most = self._draw_room(ax, pen, k * self.margin, math.sqrt(k) * self.radius)
            limit = "no room left" if most is None else f"at most {most:.0f}°"
            words = limit if most is None else f"angle {limit}"
            if k < len(self.along):  # the run got as far as k mistakes
                ax.plot(self.along[: k + 1], self.across[: k + 1], ".:", color=pen.theme.faint)
                angle = math.atan2(self.across[k], self.along[k])
                words = f"angle {math.degrees(angle):.0f}°, {limit}"
                _draw_angle(ax, pen, angle, 0.16 * side)
                pen.arrow(ax, np.array([[0, 0], [self.along[k], self.across[k]]]), "w")
            ax.set(xlim=(0, side), ylim=(0, side), aspect="equal")
            ax.tick_params(labelsize=7, length=2, pad=2)
            ax.set_title(f"k = {k:,}: {words}", loc="left", fontsize=9)
        self._name_axes(axes, pen, ("u·w, along u", "at a right angle to u"))

    def _draw_room(self, ax: Axes, pen: Pen, start: float, far: float) -> float | None:
        """Draw the line, the circle, and the region left for w: the circle beyond the line.

        Return the largest possible angle between w and u in degrees; None if no region is left.
        """
        blue = pen.theme.colour(0)
        orange = pen.theme.colour(1)
        x = far * np.sin(np.linspace(0, math.pi / 2, CURVE_POINTS))
        height = np.sqrt(np.maximum(far**2 - x**2, 0))
        ax.plot(x, height, color=blue, lw=1.8, zorder=3, clip_on=False)
        ax.axvline(start, color=orange, lw=1.8, zorder=3)
        ax.fill_between(x, height, where=x >= start, color=pen.theme.tint(blue, 0.25), lw=0)

        # The names: that of the circle outside at 45°, or inside if the line would cross it.
        look: Look = {"fontsize": 8, "zorder": 6, "ha": "left"}
        diagonal = math.sqrt(0.5) * far
        at = (diagonal, diagonal)
        offset = (5, 5)
        if diagonal <= start:
            width = 0.34 * 1.12 * self.k[-1] * self.margin
            at = (0.0, math.sqrt(max(far**2 - width**2, 0.0)))
            offset = (4, -8)
        pen.note(ax, f"√k R = {short_number(far)}", at, offset, color=blue, **look)
        look |= {"va": "bottom", "rotation": 90, "xycoords": ("data", "axes fraction")}
        words = f"kγ = {short_number(start)}"
        pen.note(ax, words, (start, 0.68), (3, 0), color=orange, halo=False, **look)

        if start > far * (1 + 1e-9):
            return None
        corner = math.sqrt(max(far**2 - start**2, 0.0))
        ax.plot([0, start], [0, corner], color=pen.theme.faint, lw=1.0, ls=STYLES[1], zorder=2)
        return math.degrees(math.atan2(corner, start))


def _draw_angle(ax: Axes, pen: Pen, angle: float, far: float) -> None:
    """Draw the angle between w and u, which is the horizontal axis."""
    angles = np.linspace(0, angle, 31)
    ax.plot(far * np.cos(angles), far * np.sin(angles), color=pen.theme.ink, lw=1.2, zorder=4)


def proof(trace: ProofTrace, *, axes: str = "auto") -> ProofDisplay | ProofPlaneDisplay:
    """Show the proof of convergence on a real run: two curves, and the run between them.

    After k mistakes ``u·w ≥ kγ``, a straight line, and ``‖w‖ ≤ √k R``, a curve that bends down
    (L3.13, L4.6, L5.8). Because ``u·w ≤ ‖w‖``, the run stays between the two. They meet at
    ``k = R²/γ²``, so no run can continue beyond that point.

    Parameters
    ----------
    trace : ProofTrace
        The result of `rosenblatt.theory.proof`.
    axes : {"auto", "linear", "log", "plane"}, default="auto"
        "log" turns both curves into straight lines and shows the first mistakes; "auto" uses it if
        the bound is far above the number of mistakes. "plane" shows the room for w after each
        mistake, until there is none: beyond the line ``u·w = kγ`` and inside the circle of radius
        ``√k R``. The vertical axis is the length of the part of w orthogonal to u.

    Returns
    -------
    display : ProofDisplay, or ProofPlaneDisplay with ``axes="plane"``

    See Also
    --------
    rosenblatt.plot.mistakes : Show mistakes per epoch.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron, plot, theory
    >>> X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    >>> ledger = p.fit(X, [-1, 1, 1, -1, -1, 1]).ledger_
    >>> shown = plot.proof(theory.proof(ledger, X, separator=([3.0, 1.0], 0.0)))
    >>> shown
    <ProofDisplay: 3 mistakes in this run; the curves meet at 50, and no run makes more.>
    >>> shown.length.round(2).tolist(), shown.progress.round(2).tolist()
    ([2.24, 2.24, 3.16], [0.32, 1.58, 3.16])
    >>> shown = plot.proof(theory.proof(ledger, X, separator=([1.0, 0.0], 0.0)), axes="plane")
    >>> shown.k, shown.along.tolist(), shown.across.tolist()
    ((1, 2, 3, 5, 6), [0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 1.0, 1.0])
    """
    if not hasattr(trace, "squared_norm_bound"):
        raise InputError(
            f"a {type(trace).__name__} is no proof: give what theory.proof(ledger, X, separator) "
            "returned."
        )
    checks.choice("axes", axes, "auto", "linear", "log", "plane")
    n = trace.n_updates
    if not n:
        raise InputError("this run made 0 mistakes; there is nothing to show.")

    # ‖w‖² is at most ‖w₀‖² + k η² R²; a ‖w₀‖² as small as its rounding error is 0.
    growth = (trace.eta * trace.radius) ** 2
    start = max(float(trace.squared_norm_bound[0]) - growth, 0.0)
    if start <= 1e-12 * growth:
        start = 0.0
    if axes == "plane":
        return _room(trace, start)
    along = _along(trace, start)
    meets_at = trace.meets_at if along is not None else None
    last = float(n) if meets_at is None else max(float(n), meets_at)
    is_bound_far = meets_at is not None and meets_at > LOG_FROM * n
    log_axes = axes == "log" or (axes == "auto" and start == 0.0 and is_bound_far)

    # The curves go a little beyond their crossing, which is one of their points.
    furthest = last * (1.6 if log_axes else 1.08) + 0.5
    if log_axes:
        curve = np.geomspace(min(1.0, furthest / 10), furthest, CURVE_POINTS)
    else:
        curve = np.linspace(0.0, furthest, CURVE_POINTS)
    if meets_at is not None:
        curve = np.union1d(curve, [meets_at])
    speed = None if along is None or trace.margin is None else trace.eta * trace.margin
    return ProofDisplay(
        k=np.arange(1, n + 1),
        progress=None if trace.progress is None or along is None else along + trace.progress,
        length=np.sqrt(np.maximum(trace.squared_norm, 0.0)),
        largest=trace.largest_norm,
        curve_k=curve,
        lower=None if speed is None or along is None else along + curve * speed,
        upper=np.sqrt(start + curve * growth),
        meets_at=meets_at,
        log_axes=log_axes,
        eta=trace.eta,
        starts_at_zero=start == 0.0,
    )


def _room(trace: ProofTrace, start: float) -> ProofPlaneDisplay:
    """Return the panels of the region left for w, by its parts along u and orthogonal to u."""
    if trace.progress is None or trace.margin is None or not trace.margin > 0 or start:
        raise InputError('axes="plane" needs a separator with a margin, and a start at 0.')
    n = trace.n_updates
    last = math.floor((trace.radius / trace.margin) ** 2 * (1 + 1e-12))
    # A few mistakes of the run, the last possible one, and one more.
    steps = {*np.linspace(1, n, min(n, MAX_STEPS)).astype(int).tolist(), last, last + 1}
    rest = np.sqrt(np.maximum(trace.squared_norm - trace.progress**2, 0.0))
    return ProofPlaneDisplay(
        k=tuple(sorted(steps)),
        along=np.concatenate([[0.0], trace.progress]),
        across=np.concatenate([[0.0], rest]),
        margin=trace.eta * trace.margin,
        radius=trace.eta * trace.radius,
    )


def _along(trace: ProofTrace, start: float) -> float | None:
    """Return ``u·w₀``; None if it does not follow from the trace.

    The trace holds ``u·(w - w₀)``. At the crossing both curves are equal, which gives ``u·w₀``.
    """
    if start == 0.0:
        return 0.0
    if trace.meets_at is None or trace.margin is None:
        return None
    k = trace.meets_at
    upper = math.sqrt(start + k * (trace.eta * trace.radius) ** 2)
    return upper - k * trace.eta * trace.margin
