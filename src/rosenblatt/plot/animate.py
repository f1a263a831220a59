"""A run as a film: GIF, MP4, or a web page that plays by itself."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.errors import MissingExtra, RosenblattError
from rosenblatt.html_tables import DARK_PAGE, LIGHT_PAGE
from rosenblatt.plot import style
from rosenblatt.plot.display import Pen, Size
from rosenblatt.plot.film_page import page
from rosenblatt.plot.pen import load_matplotlib
from rosenblatt.plot.plane import Box
from rosenblatt.plot.steps import RunInPlane, read_run, two_lines
from rosenblatt.plot.style import Theme
from rosenblatt.plot.updates import RunDisplay, draw_rows, draw_step

MOST_ROWS = 4000
# A film is about so long, with each picture seen between so few and so many seconds.
WHOLE, SHORTEST, LONGEST = 24.0, 0.1, 1.0
# The last picture stays for so many times as long.
STAY = 4
COLOURS = 128
TITLE_SIZE = 11

Dots = npt.NDArray[np.uint8]


class AnimateDisplay(RunDisplay):
    """The boundary after every update; `animate` makes it.

    Attributes
    ----------
    seconds : float
        How long each picture is seen.
    """

    seconds: float

    kind, formats, dpi = "film", ("gif", "mp4", "html"), 100

    def _rendered(
        self, ending: str, theme: str | Theme = "light", size: Size | None = None, dpi: float = 100
    ) -> bytes:
        if ending == "html":
            return self.page().encode()
        look = style.theme_named(theme), self._checked_size(size), dpi
        frames = self._frames(*look)
        if ending == "mp4":
            return self._mp4(frames)
        few = range(0, len(self.titles), max(1, len(self.titles) // 5))[:6]
        return self._gif(frames, np.concatenate([*self._frames(*look, few)]))

    def page(self) -> str:
        """The web page as text."""
        return page(self.run, self.titles, self.caption, self.seconds)

    def _repr_html_(self) -> str:
        # The page follows the reader's setting, which in a frame is that of its element.
        return (
            f"<style>:is({DARK_PAGE}) .rosenblatt-film{{color-scheme:dark}}"
            f":is({LIGHT_PAGE}) .rosenblatt-film{{color-scheme:light}}</style>"
            f'<iframe class="rosenblatt-film" srcdoc="{escape(self.page())}" '
            'sandbox="allow-scripts" title="animation" '
            'style="width:100%;height:760px;border:0"></iframe>'
        )

    def _repr_png_(self) -> None:
        return None

    def _draw(self, ax: Any, pen: Pen) -> None:
        """The last picture."""
        draw_rows(ax, pen, self.run)
        draw_step(ax, pen, self.run, self.run.steps[-1])
        pen.frame(ax, self.run.box, self.run.plane)
        ax.set_title(pen.text(two_lines(self.titles[-1])), loc="left", fontsize=TITLE_SIZE)
        pen.legend(ax)

    # ------------------------------------------------------------------ dots

    def _frames(
        self, theme: Theme, size: Size, dpi: float, places: Sequence[int] = ()
    ) -> Iterator[Dots]:
        """All pictures, or those at some places: dots of height, width and three colours.

        What does not change is drawn once; each picture starts from a copy of it.
        """
        load_matplotlib()
        with self._settings(theme):
            agg = import_module("matplotlib.backends.backend_agg")
            figure = import_module("matplotlib.figure").Figure(
                figsize=size, dpi=dpi, layout="constrained"
            )
            canvas = agg.FigureCanvasAgg(figure)
            ax, pen = figure.subplots(), Pen(theme)
            draw_rows(ax, pen, self.run)
            pen.frame(ax, self.run.box, self.run.plane)
            pen.legend(ax)
            self._draw_caption(figure, pen)
            # A title without a y of its own is moved about while its axes are drawn.
            longest = pen.text(two_lines(max(self.titles, key=len)))
            words = ax.set_title(longest, loc="left", y=1.0, fontsize=TITLE_SIZE)
            canvas.draw()
            figure.set_layout_engine("none")
            words.set_visible(False)
            rows = list(ax.collections)
            for artist in rows:
                artist.set_visible(False)
            canvas.draw()
            ground = canvas.copy_from_bbox(figure.bbox)
            for artist in (*rows, words):
                artist.set_visible(True)
            for place in places or range(len(self.titles)):
                words.set_text(pen.text(two_lines(self.titles[place])))
                canvas.restore_region(ground)
                before = set(ax.get_children())
                draw_step(ax, pen, self.run, self.run.steps[place])
                new = [artist for artist in ax.get_children() if artist not in before]
                for artist in sorted([*rows, words, *new], key=lambda one: one.zorder):
                    ax.draw_artist(artist)
                for artist in new:
                    artist.remove()
                yield np.array(np.asarray(canvas.buffer_rgba())[:, :, :3])

    def _gif(self, frames: Iterator[Dots], some: Dots) -> bytes:
        """The film, in colours from some pictures of the whole run so that they do not flicker."""
        image = import_module("PIL.Image")
        palette = image.fromarray(some).quantize(COLOURS, dither=image.Dither.NONE)
        # Only these are kept, a byte a dot: as they come long films would fill the memory.
        few = [
            image.fromarray(dots).quantize(palette=palette, dither=image.Dither.NONE)
            for dots in frames
        ]
        wait, out = round(1000 * self.seconds), io.BytesIO()
        waits = [wait] * (len(few) - 1) + [STAY * wait]
        few[0].save(out, "GIF", save_all=True, append_images=few[1:], duration=waits, loop=0)
        return out.getvalue()

    def _mp4(self, frames: Iterator[Dots]) -> bytes:
        program, first = find_ffmpeg(), next(frames)
        high, wide = first.shape[:2]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "film.mp4")
            # The common players need an even number of dots each way, and this order of colours.
            command = [program, "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
            command += ["-s", f"{wide}x{high}", "-r", f"{1 / self.seconds:.6g}", "-i", "-"]
            command += ["-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", path]
            with tempfile.TemporaryFile() as errors:
                with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors) as run:
                    assert run.stdin is not None
                    # A program that ends early says why below.
                    with suppress(BrokenPipeError), run.stdin:
                        for dots in chain([first], frames):
                            run.stdin.write(dots.tobytes())
                if run.returncode:
                    errors.seek(0)
                    words = errors.read().decode(errors="replace").strip()
                    raise RosenblattError(f"ffmpeg could not make the film: {words}")
            with open(path, "rb") as file:
                return file.read()


def find_ffmpeg() -> str:
    """The program that makes an MP4; an error says what to do without it."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise MissingExtra(
            "an MP4 is made by the program ffmpeg, which was not found",
            cures=["install it", "save as .gif or .html"],
        )
    return program


def animate(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    max_frames: int = 400,
    each: str = "update",
    box: Box | None = None,
    theme: str | Theme = "light",
) -> AnimateDisplay:
    """Show a run as a film: the example used, the old line and the new one, and w.

    Parameters
    ----------
    model : estimator or Ledger
        A linear learner that was fitted with ``record=True`` on one or two features, or its ledger.
    X : array-like of shape (n_samples, n_features)
        The rows it was fitted on.
    path : str or path-like, default=None
        Where to save it at once: ``.html``, ``.gif``, or ``.mp4`` where ffmpeg is installed.
    max_frames : int, default=400
        Most pictures. Of more updates so many are taken at even distances, the last included; the
        caption says how many were left out.
    each : {"update", "example"}, default="update"
        A picture for each update, or for each example; the latter needs ``shuffle=False``.
    theme : {"light", "dark"}, default="light"
        Of a GIF or MP4.

    Returns
    -------
    AnimateDisplay
        Its ``save`` writes further files; a notebook plays it.

    See Also
    --------
    updates : The same side by side, on paper.

    Examples
    --------
    >>> import os
    >>> from rosenblatt import Perceptron, plot
    >>> X, y = [[2, 1], [-1, 3], [1, -2], [3, 1]], ["up", "up", "down", "down"]
    >>> model = Perceptron(shuffle=False, record=True).fit(X, y)
    >>> film = plot.animate(model, X, y, "run.html")
    >>> film.titles[-1]
    'update 13, row 0: y = up, ŷ = down, mistake: w ← w + x = (−2, 4), b = 1'
    >>> os.path.getsize("run.html") < 300_000
    True
    """
    checks.whole("max_frames", max_frames, at_least=2, at_most=5000)

    def spread(n: int) -> list[int]:
        if n <= max_frames:
            return list(range(n))
        return [int(place) for place in np.unique(np.linspace(0, n - 1, max_frames).round())]

    run = read_run(model, X, y, each=each, choose=spread, box=box)
    run, hidden = _fewer_rows(run)
    seconds = min(max(WHOLE / len(run.steps), SHORTEST), LONGEST)
    shown = AnimateDisplay(_caption(run, each, hidden), run, seconds)
    if path is not None:
        shown.save(path, theme=theme)
    return shown


def _fewer_rows(run: RunInPlane) -> tuple[RunInPlane, int]:
    """The run with at most so many rows as a page can draw, those of its steps among them."""
    n = len(run.points)
    if n <= MOST_ROWS:
        return run, 0
    used = {step.row for step in run.steps}
    others = np.setdiff1d(np.arange(n), list(used))
    room = max(MOST_ROWS - len(used), 0)
    kept = others[np.linspace(0, len(others) - 1, room).round().astype(int)] if room else []
    shown = np.sort(np.concatenate([np.array(sorted(used), np.intp), np.array(kept, np.intp)]))
    fewer = replace(run, points=run.points[shown], places=run.places[shown])
    return fewer, n - len(shown)


def _caption(run: RunInPlane, each: str, hidden: int) -> str:
    sentences = [f"{len(run.steps):,} {each}{'s' if len(run.steps) > 1 else ''}."]
    if run.left_out:
        sentences = [f"{len(run.steps):,} of {run.n_steps:,} {each}s; {run.left_out:,} left out."]
    sentences += run.legend()
    if hidden:
        sentences.append(f"{hidden:,} of {hidden + len(run.points):,} rows are not drawn.")
    return " ".join(sentences)
