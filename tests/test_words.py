"""Docs, docstrings and messages use the words of the slides and of scikit-learn."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rosenblatt"
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(SOURCE.rglob("*.py"))
PAGE = sorted([*SOURCE.rglob("*.js"), *SOURCE.rglob("*.html")])
# Words that an engineer or a student would not use, and what to say instead.
BANNED = {
    r"mend(?:s|ed|ing)?(?!/VERB)": "fix",
    r"passed over": "skipped",
    r"told": "said, described, distinguished",
    r"(?:mean|standard|column|variance)s?,? (?:and )?spreads?": "standard deviation",
    r"answer(?:s|ed|ing)? with": "predicts",
    r"for ever": "forever",
}
# Where "answer with" is a noun and a preposition: an answer that has the highest score.
NOUN = re.compile(r"(?:the|an|best|right|wrong) answers? with", re.IGNORECASE)


def found_in(text: str) -> Iterator[str]:
    """Each banned word of a text, with what stands around it and what to say instead."""
    flat = NOUN.sub("", " ".join(text.split()))
    for word, better in BANNED.items():
        for match in re.finditer(rf"\b{word}\b", flat, flags=re.IGNORECASE):
            around = flat[max(0, match.start() - 40) : match.end() + 40]
            yield f"…{around}…: say {better}"


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_no_page_uses_a_banned_word(page: Path) -> None:
    assert not list(found_in(page.read_text("utf-8")))


def test_no_message_and_no_docstring_uses_a_banned_word() -> None:
    found = {}
    for path in MODULES:
        tree = ast.parse(path.read_text("utf-8"))
        texts = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        if faults := [fault for text in texts for fault in found_in(text)]:
            found[path.relative_to(SOURCE).as_posix()] = faults
    assert not found


@pytest.mark.parametrize("file", PAGE, ids=lambda file: file.name)
def test_the_page_of_the_studio_uses_no_banned_word(file: Path) -> None:
    assert not list(found_in(file.read_text("utf-8")))


@pytest.mark.parametrize("text", ["Mend it.", "rows are passed over", "it was told", "for ever"])
def test_a_banned_word_is_found(text: str) -> None:
    assert list(found_in(text))


def test_other_words_are_not_found() -> None:
    text = "amendment, spread evenly, an answer with the highest score, forever, Nora can mend/VERB"
    assert not list(found_in(text))
