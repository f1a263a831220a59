"""Animation of a run, as GIF or MP4."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.errors import MissingExtra, RosenblattError
from rosenblatt.html_tables import html_picture
from rosenblatt.plot import style
from rosenblatt.plot.display import NOTEBOOK_DPI, Pen, Size
from rosenblatt.plot.pen import load_matplotlib
from rosenblatt.plot.plane import Box
from rosenblatt.plot.steps import RunInPlane, read_run, two_lines
from rosenblatt.plot.style import Theme
from rosenblatt.plot.updates import RunDisplay, draw_rows, draw_step
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Most rows that are drawn; with more, every frame takes long to draw.
MAX_ROWS = 4000
# In seconds: the length of an animation, and the limits for a single frame.
TOTAL_SECONDS = 24.0
SHORTEST_SECONDS = 0.1
LONGEST_SECONDS = 1.0
# Display time of the last frame, relative to that of the others.
LAST_FRAME_FACTOR = 4
# Number of colours in a GIF, and number of frames that the palette is chosen from.
COLOURS = 128
PALETTE_FRAMES = 6
TITLE_SIZE = 11

# Advice for file formats in which an animation cannot be saved.
PLAYERS_IN_A_BROWSER = (
    "rosenblatt studio FILE plays every update in a browser, and with --out it writes a page"
)

# Pixels of one frame, of shape (height, width, 3).
Pixels = npt.NDArray[np.uint8]


class AnimateDisplay(RunDisplay):
    """Animation of the boundary after every update, made by `animate`.

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
    seconds : float
        How long each frame is shown.
    """

    seconds: float

    kind = "film"
    formats = ("gif", "mp4")
    instead: ClassVar[Mapping[str, str]] = {"html": PLAYERS_IN_A_BROWSER}
    dpi = 100

    def _rendered(
        self, ending: str, theme: str | Theme = "light", size: Size | None = None, dpi: float = 100
    ) -> bytes:
        chosen = style.theme_named(theme)
        checked_size = self._checked_size(size)
        frames = self._frames(chosen, checked_size, dpi)
        if ending == "mp4":
            return self._mp4(frames)

        # The palette is chosen from a few frames of the whole run, drawn beforehand.
        step = max(1, len(self.titles) // (PALETTE_FRAMES - 1))
        few = range(0, len(self.titles), step)[:PALETTE_FRAMES]
        sample = np.concatenate(list(self._frames(chosen, checked_size, dpi, few)))
        return self._gif(frames, sample)

    def _repr_html_(self) -> str:
        """Return HTML with a light and a dark GIF; a notebook shows the one for its theme."""
        light = self._rendered("gif", "light", dpi=NOTEBOOK_DPI)
        dark = self._rendered("gif", "dark", dpi=NOTEBOOK_DPI)
        return html_picture(light, dark, self.caption, media_type="image/gif")

    def _repr_png_(self) -> None:
        # A notebook that is given a still picture as well might show that one.
        return None

    def _draw(self, ax: Axes, pen: Pen) -> None:
        """Draw the last frame."""
        draw_rows(ax, pen, self.run)
        draw_step(ax, pen, self.run, self.run.steps[-1])
        pen.frame(ax, self.run.box, self.run.plane)
        ax.set_title(pen.text(two_lines(self.titles[-1])), loc="left", fontsize=TITLE_SIZE)
        pen.legend(ax)

    # ------------------------------------------------------------------ pixels

    def _frames(
        self, theme: Theme, size: Size, dpi: float, places: Sequence[int] = ()
    ) -> Iterator[Pixels]:
        """Yield the pixels of all frames, or of the frames with the given indices.

        The parts that do not change are drawn once; each frame starts from a copy of them.
        """
        load_matplotlib()
        with self._settings(theme):
            agg = import_module("matplotlib.backends.backend_agg")
            figure = import_module("matplotlib.figure").Figure(
                figsize=size, dpi=dpi, layout="constrained"
            )
            canvas = agg.FigureCanvasAgg(figure)
            ax = figure.subplots()
            pen = Pen(theme)
            draw_rows(ax, pen, self.run)
            pen.frame(ax, self.run.box, self.run.plane)
            pen.legend(ax)
            self._draw_caption(figure, pen)

            # Lay the figure out once, with the longest title. Without y=1.0 Matplotlib would move
            # the title each time the axes are drawn.
            longest = pen.text(two_lines(max(self.titles, key=len)))
            title = ax.set_title(longest, loc="left", y=1.0, fontsize=TITLE_SIZE)
            canvas.draw()
            figure.set_layout_engine("none")

            # The background: all but the title and the rows, which lie above the areas of a step.
            title.set_visible(False)
            rows = list(ax.collections)
            for artist in rows:
                artist.set_visible(False)
            canvas.draw()
            background = canvas.copy_from_bbox(figure.bbox)
            for artist in (*rows, title):
                artist.set_visible(True)

            for place in places or range(len(self.titles)):
                title.set_text(pen.text(two_lines(self.titles[place])))
                canvas.restore_region(background)
                before = set(ax.get_children())
                draw_step(ax, pen, self.run, self.run.steps[place])
                new = [artist for artist in ax.get_children() if artist not in before]
                for artist in sorted([*rows, title, *new], key=lambda one: one.zorder):
                    ax.draw_artist(artist)
                for artist in new:
                    artist.remove()
                # A copy, without the alpha channel: the canvas reuses its buffer.
                yield np.array(np.asarray(canvas.buffer_rgba())[:, :, :3])

    def _gif(self, frames: Iterator[Pixels], sample: Pixels) -> bytes:
        """Return a GIF with one palette, chosen from sample frames, so that nothing flickers."""
        image = import_module("PIL.Image")
        palette = image.fromarray(sample).quantize(COLOURS, dither=image.Dither.NONE)
        # One byte per pixel is kept: the frames in full colour could fill the memory.
        quantized = [
            image.fromarray(pixels).quantize(palette=palette, dither=image.Dither.NONE)
            for pixels in frames
        ]
        milliseconds = round(1000 * self.seconds)
        durations = [milliseconds] * (len(quantized) - 1) + [LAST_FRAME_FACTOR * milliseconds]
        first, *others = quantized
        out = io.BytesIO()
        first.save(
            out,
            "GIF",
            save_all=True,
            append_images=others,
            duration=durations,
            loop=0,
            comment=self.caption.encode(),
        )
        return out.getvalue()

    def _mp4(self, frames: Iterator[Pixels]) -> bytes:
        """Return an MP4, encoded by ffmpeg."""
        program = find_ffmpeg()
        first = next(frames)
        height, width = first.shape[:2]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "film.mp4")
            # Common players need an even number of pixels in each direction, and yuv420p.
            command = [program, "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
            command += ["-s", f"{width}x{height}", "-r", f"{1 / self.seconds:.6g}", "-i", "-"]
            command += ["-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", path]
            with tempfile.TemporaryFile() as errors:
                with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors) as run:
                    assert run.stdin is not None
                    # If ffmpeg ends early, its exit code and messages are read below.
                    with suppress(BrokenPipeError), run.stdin:
                        for pixels in chain([first], frames):
                            run.stdin.write(pixels.tobytes())
                if run.returncode:
                    errors.seek(0)
                    words = errors.read().decode(errors="replace").strip()
                    raise RosenblattError(f"ffmpeg could not make the film: {words}")
            with open(path, "rb") as file:
                return file.read()


def find_ffmpeg() -> str:
    """Return the path of ffmpeg; raise `MissingExtra` if it is not installed."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise MissingExtra(
            "an MP4 is made by the program ffmpeg, which was not found",
            cures=["install it", "save as .gif"],
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
    """Animate a run: each update with its example, the old and the new line, and w.

    Parameters
    ----------
    model : estimator or Ledger
        A linear learner that was fitted with ``record=True`` on one or two features, or its ledger.
    X : array-like of shape (n_samples, n_features)
        The rows it was fitted on.
    y : array-like of shape (n_samples,)
        The labels of the rows.
    path : str or path-like, default=None
        File to save it to: ``.gif``, or ``.mp4`` if ffmpeg is installed.
    max_frames : int, default=400
        Maximum number of frames. From more updates, evenly spaced ones are taken, including the
        last; the caption states how many were left out.
    each : {"update", "example"}, default="update"
        One frame per update, or per example; the latter needs ``shuffle=False``.
    box : (xmin, xmax, ymin, ymax), default=None
        The part of the plane to show. None shows all rows.
    theme : {"light", "dark"}, default="light"
        The colours.

    Returns
    -------
    AnimateDisplay
        Its ``save`` method writes further files; a notebook plays it.

    See Also
    --------
    updates : Show the same pictures side by side.

    Examples
    --------
    >>> import os
    >>> from rosenblatt import Perceptron, plot
    >>> X, y = [[2, 1], [-1, 3], [1, -2], [3, 1]], ["up", "up", "down", "down"]
    >>> model = Perceptron(shuffle=False, record=True).fit(X, y)
    >>> film = plot.animate(model, X, y, "run.gif")
    >>> film.titles[-1]
    'update 13, row 0: y = up, ŷ = down, mistake: w ← w + x = (−2, 4), b = 1'
    >>> os.path.getsize("run.gif") < 300_000
    True
    """
    checks.whole("max_frames", max_frames, at_least=2, at_most=5000)

    def evenly_spaced(n: int) -> list[int]:
        if n <= max_frames:
            return list(range(n))
        return [int(place) for place in np.unique(np.linspace(0, n - 1, max_frames).round())]

    full_run = read_run(model, X, y, each=each, choose=evenly_spaced, box=box)
    run, n_hidden = _with_fewer_rows(full_run)
    seconds = min(max(TOTAL_SECONDS / len(run.steps), SHORTEST_SECONDS), LONGEST_SECONDS)
    shown = AnimateDisplay(_caption(run, each, n_hidden), run, seconds)
    if path is not None:
        shown.save(path, theme=theme)
    return shown


def _with_fewer_rows(run: RunInPlane) -> tuple[RunInPlane, int]:
    """Return a run with at most `MAX_ROWS` rows, and the number of rows left out.

    The rows of the steps are always included.
    """
    n = len(run.points)
    if n <= MAX_ROWS:
        return run, 0

    used = sorted({step.row for step in run.steps})
    others = np.setdiff1d(np.arange(n), used)
    room = max(MAX_ROWS - len(used), 0)
    kept = np.empty(0, np.intp)
    if room:
        kept = others[np.linspace(0, len(others) - 1, room).round().astype(int)]
    shown = np.sort(np.concatenate([np.array(used, np.intp), kept]))
    fewer = replace(run, points=run.points[shown], places=run.places[shown])
    return fewer, n - len(shown)


def _caption(run: RunInPlane, each: str, n_hidden: int) -> str:
    """Return the caption of the animation."""
    n = len(run.steps)
    if run.left_out:
        sentences = [f"{n:,} of {run.n_steps:,} {each}s; {run.left_out:,} left out."]
    else:
        sentences = [f"{count(n, each)}."]
    sentences += run.legend()
    if n_hidden:
        sentences.append(f"{n_hidden:,} of {n_hidden + len(run.points):,} rows are not drawn.")
    return " ".join(sentences)
