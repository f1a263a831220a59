"""Animation of a run as one web page: numbers and a small script, no library, no network."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.plot.plane import has_one_scale
from rosenblatt.plot.steps import RunInPlane, Step, two_lines
from rosenblatt.plot.style import DARK, LIGHT, Mark, Theme

# In pixels.
WIDTH = 640.0
LEAST_HEIGHT = 200.0
MOST_HEIGHT = 720.0
MOST_TICKS = 8

# Matplotlib's markers as SVG paths around (0, 0).
SHAPES = {
    "o": "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z",
    "s": "M-4.6,-4.6h9.2v9.2h-9.2Z",
    "^": "M0,-5.8L5.6,4.6H-5.6Z",
    "D": "M0,-6L6,0L0,6L-6,0Z",
    "v": "M0,5.8L5.6,-4.6H-5.6Z",
    "P": "M-2,-5.6h4v3.6h3.6v4h-3.6v3.6h-4v-3.6h-3.6v-4h3.6Z",
    "X": "M-5,-2.4L-2.4,-5L0,-2.6L2.4,-5L5,-2.4L2.6,0L5,2.4L2.4,5L0,2.6L-2.4,5L-5,2.4L-2.6,0Z",
    "<": "M-5.8,0L4.6,5.6V-5.6Z",
    "p": "M0,-5.6L5.4,-1.7L3.3,4.6H-3.3L-5.4,-1.7Z",
    ">": "M5.8,0L-4.6,5.6V-5.6Z",
}


class _Screen:
    """The map from the plane of the rows to the pixels of the page."""

    def __init__(self, run: RunInPlane) -> None:
        left, right, bottom, top = run.box
        ratio = (top - bottom) / (right - left) if has_one_scale(run.box) else 0.75
        self.height = min(max(WIDTH * ratio, LEAST_HEIGHT), MOST_HEIGHT)
        self.width = self.height / ratio if ratio * WIDTH > MOST_HEIGHT else WIDTH
        self.box = run.box
        self._origin = np.array([left, top])
        self._scale = np.array([self.width / (right - left), -self.height / (top - bottom)])

    def at(self, points: FloatArray) -> list[float]:
        """Return pixels with one digit after the point, x and y in turn."""
        pixels = (np.asarray(points, np.float64) - self._origin) * self._scale
        return [round(pixel, 1) for pixel in pixels.ravel().tolist()]

    def ticks(self, axis: int) -> list[tuple[float, str]]:
        """Return positions and texts of round numbers on an axis (0 across, 1 up)."""
        low, high = self.box[2 * axis : 2 * axis + 2]
        extent = high - low
        # The smallest step of 1, 2 or 5 times a power of ten that gives few enough ticks.
        power = 10.0 ** np.floor(np.log10(extent / MOST_TICKS))
        step = power * min(s for s in (1, 2, 5, 10) if extent <= MOST_TICKS * s * power)
        values = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
        places = self.at(np.column_stack([values, values]))[axis::2]
        texts = (f"{value:.10g}".replace("-", "−") for value in values.tolist())
        return list(zip(places, texts, strict=True))


def page(run: RunInPlane, titles: tuple[str, ...], caption: str, seconds: float) -> str:
    """Return the page as HTML; labels and captions are escaped, never markup."""
    screen = _Screen(run)
    frames = [(None, "start"), *zip(run.steps, map(two_lines, titles), strict=True)]
    data = {
        "width": round(screen.width, 1),
        "height": round(screen.height, 1),
        "wait": round(1000 * seconds),
        "names": run.plane.names,
        "ticks": [screen.ticks(0), [] if run.plane.is_line else screen.ticks(1)],
        "binary": run.is_binary,
        "marks": [_mark(mark) for mark in run.marks],
        "points": [screen.at(run.points[run.places == place]) for place in range(len(run.marks))],
        "frames": [_frame(screen, run, *frame) for frame in frames],
    }
    # A label that holds a closing tag must not end the script.
    encoded = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {"CAPTION": escape(caption), "DATA": encoded}
    parts |= {"LIGHT": _variables(LIGHT), "DARK": _variables(DARK)}
    # One pass over the template, so that a label that looks like a placeholder stays a label.
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], PAGE)


def _mark(mark: Mark) -> dict[str, Any]:
    return {
        "name": mark.name,
        "letter": mark.letter,
        "colour": mark.place % len(LIGHT.palette),
        "shape": SHAPES[mark.marker],
    }


def _frame(screen: _Screen, run: RunInPlane, step: Step | None, title: str) -> dict[str, Any]:
    """Return the changing parts of one frame; None is the state before the first step."""

    def placed(shapes: Mapping[int, FloatArray]) -> list[list[float]]:
        return [[place, *screen.at(points)] for place, points in shapes.items()]

    if step is None:
        first = run.steps[0]
        frame: dict[str, Any] = {"areas": [], "arrows": placed(first.arrows_before)}
        line = first.segment_before
    else:
        frame = {
            "at": screen.at(step.at),
            "mistake": bool(step.update),
            "areas": placed(step.areas),
            "arrows": placed(step.arrows),
        }
        line = step.segment
        if step.update and step.segment_before is not None:
            frame["before"] = screen.at(step.segment_before)

    frame["title"] = title
    if line is not None:
        frame["line"] = screen.at(line)
    return frame


def _variables(theme: Theme) -> str:
    """Return the colours of a theme as CSS variables."""
    colours = {
        "paper": theme.paper,
        "ink": theme.ink,
        "faint": theme.faint,
        "rule": theme.rule,
        "alarm": theme.alarm,
    }
    for place, colour in enumerate(theme.palette):
        colours[f"c{place}"] = colour
    for place, colour in enumerate(theme.palette):
        colours[f"t{place}"] = theme.tint(colour)
    return "".join(f"--{name}:{value};" for name, value in colours.items())


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline'">
<title>How the boundary moved</title>
<style>
:root{@LIGHT@}
@media (prefers-color-scheme:dark){:root{@DARK@}}
*{box-sizing:border-box}
body{margin:0 auto;padding:12px;max-width:760px;background:var(--paper);color:var(--ink);
font:16px/1.4 system-ui,sans-serif}
h1{font-size:1.05rem;margin:0 0 6px;min-height:2.8em;white-space:pre-line;
font-variant-numeric:tabular-nums}
svg{display:block;width:100%;height:auto;max-height:72vh}
ul{display:flex;flex-wrap:wrap;gap:4px 18px;margin:8px 0;padding:0;list-style:none}
li{display:flex;align-items:center;gap:6px}
li svg{width:18px;height:18px}
form{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin:8px 0}
button,select{font:inherit;min-height:40px;min-width:44px;padding:4px 12px;color:inherit;
background:var(--paper);border:1px solid var(--faint);border-radius:6px;cursor:pointer}
button:focus-visible,select:focus-visible,input:focus-visible{outline:3px solid var(--c0);
outline-offset:2px}
input[type=range]{flex:1 1 160px;min-height:40px;accent-color:var(--c0)}
p{margin:8px 0;color:var(--faint);font-size:.9rem}
text{font:600 17px system-ui,sans-serif;fill:var(--ink);text-anchor:middle;
dominant-baseline:central;paint-order:stroke;stroke:var(--paper);stroke-width:4px}
#scales text{font-weight:400;font-size:14px;fill:var(--faint)}
</style>
<h1 id="title" aria-live="polite"></h1>
<svg id="picture" role="img"></svg>
<ul id="legend" aria-label="classes"></ul>
<form id="controls">
<button type="button" id="back" aria-label="one step back">◀&#xFE0E;</button>
<button type="button" id="play">Play</button>
<button type="button" id="step" aria-label="one step on">▶&#xFE0E;</button>
<input type="range" id="place" min="0" value="0" aria-label="step">
<output id="count" for="place"></output>
<select id="speed" aria-label="speed">
<option value="0.5">½ ×</option><option value="1" selected>1 ×</option>
<option value="2">2 ×</option><option value="4">4 ×</option></select>
</form>
<p>@CAPTION@</p>
<p>Space plays and stops; the arrow keys go one step; Home and End go to the ends.</p>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const frames = data.frames;
const by = (id) => document.getElementById(id);
const make = (parent, name, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
};
const pairs = (numbers) => {
  const out = [];
  for (let i = 0; i < numbers.length; i += 2) out.push(numbers[i] + "," + numbers[i + 1]);
  return out;
};
const picture = by("picture");
const {width, height} = data;
picture.setAttribute("viewBox", `-52 -10 ${width + 62} ${height + 58}`);
const below = make(picture, "g", {});
const scales = make(picture, "g", {id: "scales", stroke: "var(--rule)"});
make(scales, "rect", {width, height, fill: "none"});
for (const [x, text] of data.ticks[0]) {
  make(scales, "path", {d: `M${x},${height}v6`});
  make(scales, "text", {x, y: height + 16}, text);
}
for (const [y, text] of data.ticks[1]) {
  make(scales, "path", {d: `M0,${y}h-6`});
  make(scales, "text", {x: -10, y, style: "text-anchor:end"}, text);
}
make(scales, "text", {x: width / 2, y: height + 38}, data.names[0]);
make(scales, "text", {transform: `translate(-42,${height / 2})rotate(-90)`}, data.names[1]);
const rows = make(picture, "g", {stroke: "var(--paper)", "stroke-width": 0.8});
const above = make(picture, "g", {fill: "none"});
data.marks.forEach((mark, place) => {
  const fill = `var(--c${mark.colour})`;
  for (const point of pairs(data.points[place]))
    make(rows, "path", {d: mark.shape, fill, transform: `translate(${point})`});
  const item = document.createElement("li");
  const box = make(item, "svg", {viewBox: "-9 -9 18 18", "aria-hidden": "true"});
  make(box, "path", {d: mark.shape, fill});
  item.appendChild(document.createTextNode(mark.name));
  by("legend").appendChild(item);
});
const line = (parent, numbers, attributes) => {
  const [x1, y1, x2, y2] = numbers;
  return make(parent, "line", {x1, y1, x2, y2, ...attributes});
};
const arrow = (numbers, colour, name) => {
  const [x1, y1, x2, y2] = numbers;
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const u = (x2 - x1) / length, v = (y2 - y1) / length, head = Math.min(13, length);
  const bx = x2 - head * u, by_ = y2 - head * v;
  line(above, [x1, y1, bx, by_], {stroke: colour, "stroke-width": 3});
  const half = head * 0.42;
  make(above, "path", {fill: colour, d:
    `M${x2},${y2}L${bx - half * v},${by_ + half * u}L${bx + half * v},${by_ - half * u}Z`});
  make(above, "text", {x: x2 + 14 * u, y: y2 + 14 * v, style: `fill:${colour}`}, name);
};
let now = 0, timer = 0;
const {binary} = data;
const show = (place) => {
  now = Math.max(0, Math.min(frames.length - 1, place));
  const frame = frames[now];
  below.replaceChildren();
  above.replaceChildren();
  for (const [at, ...corners] of frame.areas)
    make(below, "polygon", {points: pairs(corners).join(" "),
      fill: `var(--t${data.marks[at].colour})`,
      stroke: binary ? "none" : "var(--ink)", "data-class": at});
  if (frame.before) line(above, frame.before,
    {stroke: "var(--faint)", "stroke-width": 2, "stroke-dasharray": "7 5", "data-line": "before"});
  if (frame.line) line(above, frame.line,
    {stroke: "var(--ink)", "stroke-width": 3, "data-line": "now"});
  for (const [at, ...ends] of frame.arrows)
    arrow(ends, binary ? "var(--ink)" : `var(--c${data.marks[at].colour})`,
      binary ? "w" : "w " + data.marks[at].letter);
  if (frame.at) make(above, "circle", {cx: frame.at[0], cy: frame.at[1], r: 13,
    stroke: frame.mistake ? "var(--alarm)" : "var(--ink)", "stroke-width": 3});
  by("title").textContent = frame.title;
  picture.setAttribute("aria-label", "the boundary after " + frame.title);
  by("place").value = now;
  by("count").textContent = now + " of " + (frames.length - 1);
};
const stop = () => {
  clearTimeout(timer);
  timer = 0;
  by("play").textContent = "Play";
  by("title").setAttribute("aria-live", "polite");
};
const next = () => {
  if (now >= frames.length - 1) return stop();
  show(now + 1);
  timer = setTimeout(next, data.wait / Number(by("speed").value));
};
const play = () => {
  if (timer) return stop();
  if (now >= frames.length - 1) show(0);
  by("play").textContent = "Pause";
  by("title").setAttribute("aria-live", "off");
  timer = setTimeout(next, data.wait / Number(by("speed").value));
};
const go = (place) => { stop(); show(place); };
by("place").max = frames.length - 1;
by("place").addEventListener("input", () => go(Number(by("place").value)));
by("play").addEventListener("click", play);
by("back").addEventListener("click", () => go(now - 1));
by("step").addEventListener("click", () => go(now + 1));
by("controls").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const kind = event.target.tagName;
  if (kind === "SELECT" || (event.key === " " && kind === "BUTTON")) return;
  const moves = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: frames.length - 1};
  if (event.key in moves) go(moves[event.key]);
  else if (event.key === " ") play();
  else return;
  event.preventDefault();
});
show(0);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
</script>
</html>
"""
