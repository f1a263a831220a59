"""The course: chapters of Markdown whose fenced blocks become figures, questions and exercises.

One source makes the pages of the site and the course inside the studio's file. A block is HTML
that can be read and printed as it is; ``web/course/`` makes it live. ``figure`` and ``exercise``
begin with lines ``address: #…``, ``parts: …``, ``check: …``, ``solution: …`` or ``answer: …``;
``quiz`` and ``predict`` end with choices, ``- [x] right :: why`` and ``- [ ] wrong :: why not``;
``retina`` is a small Mark I; ``notes`` has lines ``time: …``, ``ask: …``, ``point: …`` and
``careful: …`` for who speaks, folded on the page and beside the lecture mode of the studio.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.errors import MissingExtra
from rosenblatt.studio.addresses import read_address
from rosenblatt.studio.scripts import script
from rosenblatt.studio.session import Study

# In a wheel beside this file; in a copy of the repository with the other pages.
PLACES = (Path(__file__).parent / "course", Path(__file__).parents[3] / "docs" / "course")
BLOCK = re.compile(
    r"^```(figure|predict|quiz|exercise|retina|notes)\n(.*?)^```\n", re.MULTILINE | re.DOTALL
)
FIELD = re.compile(r"^(address|parts|check|solution|answer|units): (.*)\n", re.MULTILINE)
CHOICE = re.compile(r"^- \[([ x])\] (.*?)(?: :: (.*?))?$(?=\n- \[|\n*\Z)", re.MULTILINE | re.DOTALL)
HINT = re.compile(r"^(time|ask|point|careful): (.*)$", re.MULTILINE)
HINTS = {
    "time": "How long",
    "ask": "Ask",
    "point": "Point at",
    "careful": "Common misunderstanding",
}
EXTENSIONS = ("tables", "fenced_code", "sane_lists")


class Chapter(NamedTuple):
    """The name is that of its file and of its address."""

    name: str
    text: str


def chapters() -> list[Chapter]:
    """All chapters in order."""
    place = next((place for place in PLACES if place.is_dir()), PLACES[0])
    return [Chapter(path.stem, path.read_text("utf-8")) for path in sorted(place.glob("[0-9]*.md"))]


def speaker_notes() -> list[dict[str, Any]]:
    """Of each chapter its title, the data of its figures, and what helps who speaks about it."""
    return [
        {
            "name": name,
            "title": text.partition("\n")[0].removeprefix("# "),
            "presets": sorted(set(re.findall(r"^address: #preset=(\w+)", text, re.MULTILINE))),
            "hints": [
                hint
                for kind, body in BLOCK.findall(text)
                if kind == "notes"
                for hint in _hints(body)
            ],
        }
        for name, text in chapters()
    ]


def with_blocks(text: str, studio: str) -> str:
    """A chapter with its blocks as HTML; ``studio`` is where a studio opens their states."""
    found = iter(range(1, 1000))
    return BLOCK.sub(lambda block: _block(block[1], block[2], f"task-{next(found)}", studio), text)


def templates() -> str:
    """All chapters as elements that the page makes live when they are opened."""
    made = []
    for name, text in chapters():
        html = _html(with_blocks(text, ""))
        # Chapters name each other by their files; in one page they are addresses.
        html = re.sub(r'href="([0-9][\w-]*)\.md"', r'href="#course=\1"', html)
        made.append(f'<template data-chapter="{name}">\n{html}\n</template>\n')
    return "".join(made)


def _html(text: str) -> str:
    try:
        import markdown
    except ImportError as error:
        raise MissingExtra("the course needs Markdown", extra="studio") from error
    return str(markdown.markdown(text, extensions=EXTENSIONS))


def _line(text: str) -> str:
    """A line or a few of Markdown without a paragraph around it."""
    html = _html(" ".join(text.split()))
    return html.removeprefix("<p>").removesuffix("</p>")


def _hints(body: str) -> list[tuple[str, str]]:
    return [(HINTS[what], words) for what, words in HINT.findall(body)]


def _block(kind: str, body: str, name: str, studio: str) -> str:
    fields = dict(FIELD.findall(body))
    words = FIELD.sub("", body).strip()
    if kind in ("quiz", "predict"):
        return _question(kind, words, name)
    if kind == "notes":
        hints = "".join(
            f"<dt>{title}</dt><dd>{escape(hint)}</dd>\n" for title, hint in _hints(body)
        )
        summary = "<summary>For the speaker</summary>"
        return f'<details class="course-notes">{summary}\n<dl>\n{hints}</dl></details>\n'
    data = "".join(f' data-{key}="{escape(value)}"' for key, value in fields.items())
    if kind == "retina":
        caption = f"<figcaption>{_line(words)}</figcaption>\n"
        return f'<figure class="course-retina"{data}>\n<div></div>\n{caption}</figure>\n'
    state = read_address(fields["address"])
    code = script(Study(state))
    links = (
        f'<p class="course-links"><a href="{escape(studio + fields["address"])}">Open in the studio'
        "</a></p>\n"
        '<details class="course-python"><summary>Open in Python</summary>\n'
        f'<pre tabindex="0"><code>{escape(code)}</code></pre></details>\n'
    )
    mount = '<div class="course-mount"></div>\n'
    if kind == "figure":
        caption = f"<figcaption>{_line(words)}</figcaption>\n"
        return f'<figure class="course-figure"{data}>\n{mount}{caption}{links}</figure>\n'
    # A task whose answer is typed shows its figure once it is solved.
    return (
        f'<div class="course-exercise" id="{name}" role="group" aria-label="Exercise"{data}>\n'
        f"<p><strong>Exercise.</strong> {_line(words)}</p>\n{mount}"
        f'<p class="course-verdict" role="status"></p>\n{links}</div>\n'
    )


def _question(kind: str, words: str, name: str) -> str:
    options = [
        f'<div class="course-option"{" data-right" if mark == "x" else ""}>'
        f'<label><input type="radio" name="{name}"> <span>{_line(choice)}</span></label>'
        f'<p class="course-why">{"✓" if mark == "x" else "✗"} {_line(why)}</p></div>\n'
        for mark, choice, why in CHOICE.findall(words)
    ]
    asked = words.partition("\n- [")[0]
    title = "Predict." if kind == "predict" else "Question."
    return (
        f'<fieldset class="course-question course-{kind}" id="{name}">\n'
        f"<legend><strong>{title}</strong> {_line(asked)}</legend>\n{''.join(options)}"
        '<p class="course-verdict" role="status"></p></fieldset>\n'
    )
