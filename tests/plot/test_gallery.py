"""The pictures of the gallery are those that its code draws."""

import doctest
import re
from pathlib import Path

import matplotlib as mpl
import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = sorted(DOCS.glob("gallery*.md"))
NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")
# Dots; a hundredth of the thinnest line.
TOLERANCE = 0.02


def drawn_by(svg):
    return re.search(r"Matplotlib v([\d.]+)", svg)[1]


def assert_same_picture(one, other):
    """The same drawing, with numbers that differ by rounding at most."""
    # Matplotlib names shapes by a digest of their numbers, down to the last bit.
    one, other = (re.sub(r"\b(C\w+_|[a-z])[0-9a-f]{10}\b", r"\1", svg) for svg in (one, other))
    words, numbers = NUMBER.split(one)[::2], NUMBER.split(one)[1::2]
    assert words == NUMBER.split(other)[::2]
    for a, b in zip(numbers, NUMBER.split(other)[1::2], strict=True):
        assert a == b or abs(float(a) - float(b)) <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pictures_are_those_of_the_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    doctest.testfile(str(page), module_relative=False, verbose=False)
    shown = re.findall(r"\]\(pictures/([\w.]+)\)", page.read_text())
    assert shown
    for name in shown:
        kept, made = (DOCS / "pictures" / name).read_text(), (tmp_path / name).read_text()
        if drawn_by(kept) != drawn_by(made):
            pytest.skip(f"{name} was drawn by Matplotlib {drawn_by(kept)}, not {mpl.__version__}")
        assert_same_picture(kept, made)


def test_every_picture_is_on_a_page():
    pages = [page.read_text() for page in (DOCS.parent / "README.md", *DOCS.glob("*.md"))]
    shown = {name for page in pages for name in re.findall(r"pictures/([\w.]+)\)", page)}
    assert shown == {path.name for path in (DOCS / "pictures").iterdir()}
