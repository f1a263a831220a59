"""The chapters of the course: what each must have, and that what it shows is so."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import warnings
from html import unescape
from html.parser import HTMLParser

import pytest
from cli.shell import run

from rosenblatt.errors import ParameterError
from rosenblatt.studio import Session
from rosenblatt.studio.addresses import read_address
from rosenblatt.studio.course import (
    BLOCK,
    FIELD,
    Chapter,
    chapters,
    speaker_notes,
    templates,
    with_blocks,
)

pytest.importorskip("markdown", reason="Markdown is not installed")

CHAPTERS = chapters()
NAMES = [chapter.name for chapter in CHAPTERS]
HTML = {chapter.name: with_blocks(chapter.text, "studio.html") for chapter in CHAPTERS}
EACH = pytest.mark.parametrize("chapter", CHAPTERS, ids=NAMES)


def blocks(text: str, *kinds: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(text) if kind in kinds]


def test_there_are_ten_chapters_and_each_leads_to_the_next() -> None:
    assert [name[:2] for name in NAMES] == [f"{i:02}" for i in range(1, 11)]
    for here, after in itertools.pairwise(CHAPTERS):
        assert f"]({after.name}.md)" in here.text


@EACH
def test_a_chapter_has_a_live_figure_a_prediction_a_quiz_and_two_exercises(
    chapter: Chapter,
) -> None:
    text = chapter.text
    assert blocks(text, "figure")
    assert blocks(text, "predict")
    assert blocks(text, "quiz")
    assert len(blocks(text, "exercise")) >= 2
    assert ">>>" in text


@EACH
def test_every_figure_is_predicted_before_it_is_seen(chapter: Chapter) -> None:
    found = list(BLOCK.finditer(chapter.text))
    for before, block in itertools.pairwise([None, *found]):
        if block is not None and block[1] in ("figure", "retina"):
            assert before is not None, block[0]
            between = chapter.text[before.end() : block.start()]
            assert (before[1], between.strip()) == ("predict", ""), block[0]


@EACH
def test_a_speaker_is_told_how_long_what_to_ask_and_what_goes_wrong(chapter: Chapter) -> None:
    (notes,) = [one for one in speaker_notes() if one["name"] == chapter.name]
    titles = [title for title, _ in notes["hints"]]
    assert titles[0] == "How long"
    assert titles[-1] == "Common misunderstanding"
    assert titles.count("Ask") >= 2
    assert titles.count("Point at") >= 1
    assert re.match(r"\d+ minutes", notes["hints"][0][1])
    folded = re.search(
        r'<details class="course-notes">.*?</details>', HTML[chapter.name], re.DOTALL
    )
    assert folded
    assert all(unescape(folded[0]).count(words) == 1 for _, words in notes["hints"])


@EACH
def test_every_question_has_one_right_choice_and_a_reason_for_each(chapter: Chapter) -> None:
    html = HTML[chapter.name]
    questions = re.findall(r'<fieldset class="course-question.*?</fieldset>', html, re.DOTALL)
    assert questions
    for question in questions:
        choices = re.findall(r'<div class="course-option".*?</div>', question, re.DOTALL)
        assert len(choices) >= 3
        assert sum(" data-right" in choice for choice in choices) == 1
        for choice in choices:
            why = re.search(r'<p class="course-why">[✓✗] (.*)</p>', choice)
            assert why, choice
            assert len(why[1]) > 3, choice


@EACH
def test_every_script_ends_with_the_weights_of_its_figure(chapter: Chapter) -> None:
    html = HTML[chapter.name]
    addresses = re.findall(r' data-address="([^"]*)"', html)
    scripts = re.findall(r"<code>(.*?)</code></pre></details>", html, re.DOTALL)
    assert len(scripts) == len(addresses) >= 3
    session = Session()
    for address, code in zip(addresses, scripts, strict=True):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some runs are meant to show that there is no end
            exec(compile(unescape(code), address, "exec"), {})
        runs = session.ask("run", read_address(unescape(address)).to_json())["runs"]
        lines = [line for line in printed.getvalue().splitlines() if " after " in line]
        counts = [int(re.findall(r"after (\d+) mistakes", line)[0]) for line in lines]
        assert counts == [sum(run["mistakes_per_epoch"]) for run in runs]


@EACH
def test_an_exercise_is_checked_or_asks_for_numbers_and_can_be_solved(chapter: Chapter) -> None:
    for body in blocks(chapter.text, "exercise"):
        fields = dict(FIELD.findall(body))
        assert ("answer" in fields) != ("check" in fields and "solution" in fields), body
        read_address(fields.get("solution", fields["address"]))


class Balance(HTMLParser):
    """Finds elements that are not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("input", "img", "br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_chapters_in_one_page_are_whole_and_lead_to_each_other() -> None:
    html = templates()
    assert Balance(html).open == []
    assert "```" not in html
    assert re.findall(r'<template data-chapter="([\w-]+)">', html) == NAMES
    targets = set(re.findall(r'href="#course=([\w-]+)"', html))
    assert targets == set(NAMES)


def test_the_course_needs_a_file_to_be_in() -> None:
    done = run("studio", "--course")
    assert done.code == 2
    assert "--course needs --out FILE" in done.err


def test_an_address_is_read_as_the_state_it_stands_for() -> None:
    state = read_address("#preset=xor&map=product&learner=perceptron,fit_intercept:no&at=2")
    assert state.data == {"preset": "xor"}
    assert (state.map, state.at) == ("product", 2)
    assert state.learners[0]["fit_intercept"] is False
    rows = read_address("#columns=a,b%20c&classes=no,%2B1&rows=1,2.5,1;-1,0,0&learner=pa,C:0.5")
    assert rows.data == {"columns": ["a", "b c"], "rows": [[1, 2.5, "+1"], [-1, 0, "no"]]}
    assert rows.learners[0]["C"] == 0.5
    start = read_address("#preset=one&learner=mira,initial:3/4/0,aggressive:none").learners[0]
    assert start["initial"] == [3, 4, 0]
    assert start["aggressive"] is None
    with pytest.raises(ParameterError, match=r"data\.preset"):
        read_address("#preset=nothing")
