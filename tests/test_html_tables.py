"""Results as notebooks show them: short, escaped, in the page's colours, true to their text."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from rosenblatt import Perceptron, SequenceTagger, distributed, evaluate, theory
from rosenblatt.html_tables import MAX_ROWS, ResultCard, first_and_last, html_picture, in_short
from rosenblatt.io import read_table

ODD = "<script>no</script>"
X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
Y = np.array([ODD, "yes", "yes", ODD, ODD, "yes"])
XOR, LABELS = [[0, 0], [0, 1], [1, 0], [1, 1]], [ODD, "yes", "yes", ODD]
RANDOM = np.random.default_rng(0)
MANY = RANDOM.normal(size=(300, 40))
MODEL = Perceptron(fit_intercept=False, shuffle=False, record=True).fit(X, Y)
NOISE = Perceptron(record=True).fit(MANY, RANDOM.integers(0, 2, 300))
THREE = np.array(["a", "b", ODD] * 3)


RESULTS = {
    "ledger": MODEL.ledger_,
    "long ledger": NOISE.ledger_,
    "ledger of tags": SequenceTagger(record=True).fit([["a", "b"]], [[ODD, "x"]]).ledger_,
    "separable": theory.separability(X, Y),
    "not separable": theory.separability(XOR, LABELS),
    "several classes": theory.separability(RANDOM.normal(size=(9, 2)), THREE),
    "conflict": theory.separability(XOR, LABELS).conflict,
    "margin": theory.max_margin(X, Y),
    "bound": theory.mistake_bound(X, Y),
    "bound of 3 epochs": theory.mistake_bound(XOR, LABELS, epochs=3),
    "proof": theory.proof(MODEL.ledger_, X, separator=([1, 0], 0)),
    "long proof": theory.proof(NOISE.ledger_, MANY),
    "orders": theory.order_study(Perceptron(), X, Y, n_orders=3),
    "fewest errors": theory.fewest_errors(XOR, LABELS),
    "examination": theory.examine(X, Y),
    "map": theory.simplest_separating_map(XOR, LABELS),
    "tags": evaluate.tag_report([[ODD, "x"]], [["x", "x"]]),
    "distribution": distributed.distribute(Perceptron(), shards=2).fit(X, Y).report_,
}


class Words(HTMLParser):
    """The words of a piece of HTML, and its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.elements = "", []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.text += data + " "

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append(tag)


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_a_result_says_what_its_text_says(result: Any) -> None:
    shown = Words(result._repr_html_()).text
    if is_dataclass(result) and isinstance(result, ResultCard):
        names = [one.name for one in fields(result) if one.repr]
        held = [getattr(result, name) for name in names]
        filled = [n for n, v in zip(names, held, strict=True) if v is not None and np.size(v)]
        assert [
            name for name in filled if name not in shown and held[names.index(name)] != ""
        ] == []
        assert result._headline() in shown
    else:
        text = str(result).strip("<>")
        assert set(text.split()) <= set(shown.replace("<", " <").split()) | set(shown.split())


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_a_result_is_short_and_escaped_and_has_no_colours_of_its_own(result: Any) -> None:
    html = result._repr_html_()
    assert len(html) < 10_000
    assert not {"script", "style", "img"} & set(Words(html).elements)
    assert not re.search(r"color|background|#[0-9a-f]{3}\b", html)


def test_of_a_long_ledger_the_ends_are_shown() -> None:
    words = Words(NOISE.ledger_._repr_html_())
    n = len(NOISE.ledger_)
    assert words.elements.count("tr") == MAX_ROWS + 1
    assert f"{n - MAX_ROWS:,} between are not shown." in words.text
    assert first_and_last(12) == ([0, 1, 2, 3, 4, 7, 8, 9, 10, 11], "2 between are not shown.")
    assert first_and_last(2) == ([0, 1], "")


def test_an_undecided_verdict_is_shown_with_its_detail() -> None:
    undecided = theory.Separability("undecided", ("a", "b"), "no separator has a margin above 0.1")
    assert "no separator has a margin above 0.1" in undecided._repr_html_()


def test_a_report_on_data_is_a_card() -> None:
    table = read_table(BytesIO(b"a,b,y\n1,2,no\n3,4,yes\n"), target="y")
    shown = Words(evaluate.check_data("table", table)._repr_html_()).text
    assert "2 rows, 2 features" in shown
    assert "no: 1, yes: 1" in shown


def test_values_are_cut() -> None:
    assert in_short(list(range(100))) == "0, 1, 2, 3, 4, 5, 6, 7, … 92 more"
    assert in_short(np.array([[1 / 3, 2], [3, 4.5]])) == "0.3333, 2; 3, 4.5"
    assert in_short("x" * 1000) == "x" * 199 + "…"
    assert in_short({"a": 0.5}) == "a: 0.5"


def test_a_picture_has_both_themes_and_shows_the_light_one_by_itself() -> None:
    html = html_picture(b"light", b"dark", 'a "quoted" caption')
    assert html.count("<img") == 2
    assert html.count('style="display:none"') == 1
    assert html.index('rosenblatt-dark" style') > html.index('class="rosenblatt-light"')
    assert 'alt="a &quot;quoted&quot; caption"' in html
