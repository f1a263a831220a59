"""The pictures of the docs are those that the code beside them draws."""

import doctest
import re
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PICTURES = {path.name for path in (DOCS / "pictures").iterdir()}


def saved_by(page):
    """The pictures that the code of a page draws and the docs keep."""
    return PICTURES & set(re.findall(r'"(\w+\.svg)"', page.read_text()))


PAGES = sorted(page for page in DOCS.rglob("*.md") if saved_by(page))
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
    for name in sorted(saved_by(page)):
        kept, made = (DOCS / "pictures" / name).read_text(), (tmp_path / name).read_text()
        if drawn_by(kept) != drawn_by(made):
            pytest.skip(f"{name} was drawn by Matplotlib {drawn_by(kept)}, not {mpl.__version__}")
        assert_same_picture(kept, made)


def test_every_picture_is_on_a_page():
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"pictures/([\w.]+)", page.read_text())}
    assert shown == PICTURES


def test_every_drawing_is_saved_by_one_page():
    saved = sorted(name for page in PAGES for name in saved_by(page))
    assert saved == sorted(name for name in PICTURES if name.endswith(".svg"))
