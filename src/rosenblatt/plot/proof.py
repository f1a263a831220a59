"""The proof of the convergence theorem: two curves that close in on a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.errors import InputError
from rosenblatt.plot.curves import STYLES, panel_grid, panels, short_number, whole_numbers
from rosenblatt.plot.display import Display, Pen, SmallPanels
from rosenblatt.plot.plane import Box
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.theory.proof import ProofTrace

CURVE_POINTS = 201
# From so many times more possible than actual mistakes on, logarithmic axes show both.
LOG_FROM = 12.0
# Mistakes of the run that have a panel in the plane.
MOST_STEPS = 4
SO_FAR = "largest ‖w‖ so far"


class ProofDisplay(Display):
    """``kγ ≤ u·w ≤ ‖w‖ ≤ √k R`` after every mistake of a run, and where the outer two meet.

    Attributes
    ----------
    k : ndarray of shape (n_updates,)
        1, 2, … mistakes.
    progress : ndarray of shape (n_updates,) or None
        ``u·w`` after each; None without a separator.
    length, largest : ndarray of shape (n_updates,)
        ``‖w‖`` after each, and the largest so far, which is drawn without a separator.
    curve_k : ndarray
        Where the curves are drawn: from 0 to a little beyond the place where they meet.
    lower : ndarray or None
        ``u·w₀ + k η γ`` there; None without a margin.
    upper : ndarray
        ``√(‖w₀‖² + k η² R²)`` there.
    meets_at : float or None
        From this number of mistakes on the lower would be above the upper: the bound.
    log_axes : bool
        Whether both axes are logarithmic; the curves are then straight lines that cross.
    eta : float
        The learning rate, η.
    starts_at_zero : bool
        Whether ``w₀`` is 0, so that it has no place in the formulas.
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
        values = [self.length, *([] if self.progress is None else [self.progress])]
        lost = int(np.isnan(np.concatenate([self._placed(some) for some in values])).sum())
        if lost:
            caption += f"; {count(lost, 'value')} at 0 or below cannot be seen on these axes"
        self.caption = caption + "."

    def _placed(self, values: FloatArray) -> FloatArray:
        """The values, NaN where a logarithmic axis has no place for them."""
        return np.where(values > 0, values, np.nan) if self.log_axes else values

    @property
    def lower_name(self) -> str:
        """The lower curve as a formula."""
        eta = "" if self.eta == 1.0 else "η"
        return ("" if self.starts_at_zero else "u·w₀ + ") + f"k{eta}γ"

    @property
    def upper_name(self) -> str:
        """The upper curve as a formula."""
        eta = "" if self.eta == 1.0 else "η"
        return f"√k {eta}R" if self.starts_at_zero else f"√(‖w₀‖² + k{eta and 'η²'}R²)"

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme = pen.theme
        blue, orange = theme.colour(0), theme.colour(1)
        if self.log_axes:
            ax.set(xscale="log", yscale="log")
        drawn = self.curve_k > 0 if self.log_axes else self.curve_k >= 0
        k, upper = self.curve_k[drawn], self.upper[drawn]
        ax.plot(k, upper, color=blue, ls=STYLES[1], zorder=3, label=self.upper_name)
        size, rim = (6, 0.5) if len(self.k) <= 40 else (3, 0.0)
        look: Any = {"ls": "", "clip_on": False, "mec": theme.paper, "mew": rim, "zorder": 5}
        top, bottom = float(upper.max()), 0.0
        square = {"marker": "s", "ms": size, "color": blue, "label": "‖w‖"}
        ax.plot(self.k, self._placed(self.length), **square, **look)
        if self.progress is None:
            look_so_far: Any = {"color": orange, "drawstyle": "steps-post", "zorder": 4}
            ax.plot(self.k, self._placed(self.largest), label=SO_FAR, **look_so_far)
        else:
            triangle = {"marker": "^", "ms": size + 1, "color": orange, "label": "u·w"}
            ax.plot(self.k, self._placed(self.progress), **triangle, **look)
        if self.lower is not None:
            lower = self.lower[drawn]
            ax.plot(k, lower, color=orange, ls=STYLES[0], zorder=3, label=self.lower_name)
            shared = k <= (math.inf if self.meets_at is None else self.meets_at)
            room = (values[shared] for values in (k, lower, upper))
            ax.fill_between(*room, color=theme.tint(blue, 0.12), lw=0)
            top = max(top, float(lower.max()))
            bottom = min(bottom, float(lower.min()))
        if self.meets_at is not None and self.lower is not None:
            height = float(np.interp(self.meets_at, k, upper))
            ax.plot([self.meets_at], [height], marker="X", ms=9, color=theme.ink, zorder=6)
            words = f"no run goes beyond\nk = {short_number(self.meets_at)}"
            at = (self.meets_at, height)
            pen.note(ax, words, at, (-10, 12), ha="right", va="bottom", halo=False)
        if self.log_axes:
            seen = [*upper[:1], *self.length, *([] if self.lower is None else lower)]
            # Weights can come back to 0, which such an axis does not have.
            low = min(value for value in seen if value > 0)
            ax.set(xlim=(k[0] * 0.9, k[-1]), ylim=(low / 1.5, 3.0 * top))
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        else:
            ax.set(xlim=(0, k[-1]), ylim=(1.05 * bottom, 1.25 * top))
            whole_numbers(ax.xaxis)
        logarithmic = " (logarithmic)" * self.log_axes
        ax.set(xlabel=f"k, mistakes so far{logarithmic}", ylabel="length")
        handles, names = ax.get_legend_handles_labels()
        drawn_as = dict(zip(names, handles, strict=True))
        wanted = [self.upper_name, SO_FAR, "‖w‖", "u·w", self.lower_name]
        order = [name for name in wanted if name in names]
        where = "upper left" if self.progress is None else "lower right"
        legend = [drawn_as[name] for name in order], order
        ax.legend(*legend, loc=where, title="from above to below")


class ProofPlaneDisplay(SmallPanels):
    """The room that is left for w after k mistakes, and where in it w is; `proof` makes it.

    Attributes
    ----------
    k : tuple of int
        The numbers of mistakes that have a panel; the last is one that no run can make.
    along, across : ndarray of shape (n_updates + 1,)
        ``u·w`` after each update, and the length of what is left of w; 0 at the start.
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

    def _draw_panels(self, axes: Any, pen: Pen) -> None:
        side = 1.12 * self.k[-1] * self.margin
        for ax, k in panels(axes, self.k):
            most = self._draw_room(ax, pen, k * self.margin, math.sqrt(k) * self.radius)
            words = "no room left" if most is None else f"angle at most {most:.0f}°"
            if k < len(self.along):
                ax.plot(self.along[: k + 1], self.across[: k + 1], ".:", color=pen.theme.faint)
                angle = math.atan2(self.across[k], self.along[k])
                words = f"angle {math.degrees(angle):.0f}°, {words.removeprefix('angle ')}"
                _draw_angle(ax, pen, angle, 0.16 * side)
                pen.arrow(ax, np.array([[0, 0], [self.along[k], self.across[k]]]), "w")
            ax.set(xlim=(0, side), ylim=(0, side), aspect="equal")
            ax.tick_params(labelsize=7, length=2, pad=2)
            ax.set_title(f"k = {k:,}: {words}", loc="left", fontsize=9)
        self._name_axes(axes, pen, ("u·w, along u", "at a right angle to u"))

    def _draw_room(self, ax: Any, pen: Pen, start: float, far: float) -> float | None:
        """The line, the circle, and the part of this that lies beyond that.

        Gives the largest angle to u that is left, in degrees; None if there is no room.
        """
        blue, orange = pen.theme.colour(0), pen.theme.colour(1)
        x = far * np.sin(np.linspace(0, math.pi / 2, CURVE_POINTS))
        height = np.sqrt(np.maximum(far**2 - x**2, 0))
        ax.plot(x, height, color=blue, lw=1.8, zorder=3, clip_on=False)
        ax.axvline(start, color=orange, lw=1.8, zorder=3)
        ax.fill_between(x, height, where=x >= start, color=pen.theme.tint(blue, 0.25), lw=0)
        look: Any = {"fontsize": 8, "zorder": 6, "ha": "left"}
        at, offset = (math.sqrt(0.5) * far,) * 2, (5, 5)
        if at[0] <= start:  # The line would cross the words; in the circle there is room by now.
            wide = 0.34 * 1.12 * self.k[-1] * self.margin
            at, offset = (0.0, math.sqrt(max(far**2 - wide**2, 0.0))), (4, -8)
        pen.note(ax, f"√k R = {short_number(far)}", at, offset, color=blue, **look)
        look |= {"va": "bottom", "rotation": 90, "xycoords": ("data", "axes fraction")}
        words = f"kγ = {short_number(start)}"
        pen.note(ax, words, (start, 0.68), (3, 0), color=orange, halo=False, **look)
        if start > far * (1 + 1e-9):
            return None
        corner = math.sqrt(max(far**2 - start**2, 0.0))
        ax.plot([0, start], [0, corner], color=pen.theme.faint, lw=1.0, ls=STYLES[1], zorder=2)
        return math.degrees(math.atan2(corner, start))


def _draw_angle(ax: Any, pen: Pen, angle: float, far: float) -> None:
    """The angle between w and u, which is the axis across."""
    turn = np.linspace(0, angle, 31)
    ax.plot(far * np.cos(turn), far * np.sin(turn), color=pen.theme.ink, lw=1.2, zorder=4)


def proof(trace: ProofTrace, *, axes: str = "auto") -> ProofDisplay | ProofPlaneDisplay:
    """Show the proof of convergence on a real run: two curves, and the run between them.

    After k mistakes ``u·w ≥ kγ``, a straight line, and ``‖w‖ ≤ √k R``, a curve that bends down
    (L3.13, L4.6, L5.8). Since ``u·w ≤ ‖w‖``, the run lives between the two; they meet at
    ``k = R²/γ²``, so it must have ended there.

    Parameters
    ----------
    trace : ProofTrace
        What `rosenblatt.theory.proof` found.
    axes : {"auto", "linear", "log", "plane"}, default="auto"
        "log" makes straight lines of both curves and shows the first mistakes; "auto" takes it
        where the bound is far above the number of mistakes. "plane" shows the room for w: beyond
        the line ``u·w = kγ`` and in the circle of radius ``√k R``, mistake by mistake, until there
        is none; up stands the length of the part of w at a right angle to u.

    Returns
    -------
    display : ProofDisplay, or ProofPlaneDisplay with ``axes="plane"``

    See Also
    --------
    rosenblatt.plot.mistakes : By epoch, not by mistake.

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
    growth = (trace.eta * trace.radius) ** 2
    start = max(float(trace.squared_norm_bound[0]) - growth, 0.0)
    if start <= 1e-12 * growth:
        start = 0.0
    if axes == "plane":
        return _room(trace, start)
    along = _along(trace, start)
    meets_at = trace.meets_at if along is not None else None
    last = float(n) if meets_at is None else max(float(n), meets_at)
    log_axes = axes == "log" or (
        axes == "auto" and start == 0.0 and meets_at is not None and meets_at > LOG_FROM * n
    )
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
    if trace.progress is None or trace.margin is None or not trace.margin > 0 or start:
        raise InputError('axes="plane" needs a separator with a margin, and a start at 0.')
    n, last = trace.n_updates, math.floor((trace.radius / trace.margin) ** 2 * (1 + 1e-12))
    steps = {*np.linspace(1, n, min(n, MOST_STEPS)).astype(int).tolist(), last, last + 1}
    left = np.sqrt(np.maximum(trace.squared_norm - trace.progress**2, 0.0))
    along, across = (np.concatenate([[0.0], values]) for values in (trace.progress, left))
    eta = trace.eta
    return ProofPlaneDisplay(
        tuple(sorted(steps)), along, across, eta * trace.margin, eta * trace.radius
    )


def _along(trace: ProofTrace, start: float) -> float | None:
    """``u·w₀``; None where the trace cannot tell it.

    The trace keeps ``u·(w - w₀)``; where the two curves meet, ``u·w₀`` follows from both.
    """
    if start == 0.0:
        return 0.0
    if trace.meets_at is None or trace.margin is None:
        return None
    k = trace.meets_at
    upper = math.sqrt(start + k * (trace.eta * trace.radius) ** 2)
    return upper - k * trace.eta * trace.margin
