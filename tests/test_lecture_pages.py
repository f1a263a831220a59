"""Every thing the lectures say has a place on the pages, a test, and the words of the slides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
MAP = TESTS / "LECTURES.md"
PAGES = sorted((DOCS / "lectures").glob("L?.md"))
# How many things each lecture says.
COUNTS = {1: 19, 2: 7, 3: 16, 4: 7, 5: 10}
IDS = [f"L{lecture}.{i}" for lecture, n in COUNTS.items() for i in range(1, n + 1)]
# Explained on pages of their own; the section is a sentence and a link.
ELSEWHERE = {"L1.17", "L1.18", "L3.11", "L3.16", "L5.10"}
# The slides have a picture of these.
PICTURED = [
    "L1.1",
    "L1.2",
    "L1.7",
    "L2.1",
    "L2.5",
    "L2.6",
    "L3.1",
    "L3.2",
    "L3.3",
    "L3.9",
    "L3.13",
    "L3.14",
    "L4.1",
    "L4.4",
    "L4.6",
    "L5.4",
    "L5.5",
    "L5.8",
]
KEY_TERMS = {
    "L1": """half-space, normal vector, decision boundary, orthogonal, projection, online, batch,
        misclassified, intercept, linear combination, dual, inductive bias, stochastic gradient,
        hinge, overfitting, generalizes, voted, averaged, kernel, structured, Hamming, epoch,
        training error, logistic regression, naive Bayes""",
    "L2": """argmax, one-hot, Voronoi, convex, piecewise linear, zero-one loss, perceptron loss,
        gradient, learning rate, not differentiable, bias, weight vector""",
    "L3": """neuron, decision boundary, normal vector, augmented, linearly separable, margin,
        radius, XOR, NP-hard, cycling theorem, dev set, overfitting, feature map, MIRA, logistic,
        convergence""",
    "L4": """misclassified, voted, averaged, survival, margin, Novikoff, converges,
        weight vector""",
    "L5": "neuron, hyperplane, unit sphere, separable, order, update, margin",
}


def sections(page: Path) -> dict[str, str]:
    """The text below each heading."""
    parts = re.split(r"^## (.*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def bodies_about(name: str) -> list[str]:
    """The sections of its page that name an id."""
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    found = sections(DOCS / "lectures" / f"{name[:2]}.md")
    return [body for title, body in found.items() if pattern.search(title + body)]


@pytest.mark.parametrize("name", IDS)
def test_every_id_has_a_section_with_code_on_the_page_of_its_lecture(name: str) -> None:
    bodies = bodies_about(name)
    assert bodies, f"{name} is on no page"
    if name in ELSEWHERE:
        assert any("](../" in body for body in bodies)
    else:
        assert any(">>>" in body for body in bodies)
    assert re.search(rf"\b{re.escape(name)}\b", (DOCS / "lectures.md").read_text("utf-8"))


@pytest.mark.parametrize("name", PICTURED)
def test_what_the_slides_draw_has_a_picture(name: str) -> None:
    assert any("](../pictures/" in body for body in bodies_about(name))


def test_the_map_names_every_id_and_only_tests_that_exist() -> None:
    text = MAP.read_text("utf-8")
    assert re.findall(r"^\| (L\d\.\d+) \|", text, flags=re.MULTILINE) == IDS
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", text)
    assert named
    for file, test in named:
        assert f"def {test}(" in (TESTS / file).read_text("utf-8"), f"{file}::{test}"


@pytest.mark.parametrize("lecture", KEY_TERMS)
def test_the_key_terms_of_the_slides_are_on_the_page(lecture: str) -> None:
    text = " ".join((DOCS / "lectures" / f"{lecture}.md").read_text("utf-8").split()).lower()
    for term in KEY_TERMS[lecture].split(","):
        assert " ".join(term.split()).lower() in text, term.strip()


def test_every_exercise_has_an_answer() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert text.count("**Exercise") == text.count("<summary>Answer</summary>") >= 8
    for question in ("Q1", "Q2", "Q3"):
        assert f"**Exercise {question}.**" in text


def test_links_within_pages_lead_to_headings() -> None:
    def anchor(title: str) -> str:
        return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")

    for page in [*PAGES, *DOCS.glob("*.md")]:
        for target, wanted in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text("utf-8")):
            if "://" not in target:
                text = (page.parent / target if target else page).read_text("utf-8")
                titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
                assert wanted in map(anchor, titles), f"{page.name} links to {target}#{wanted}"
