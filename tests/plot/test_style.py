"""Colours that everyone tells apart, shapes and letters beside them."""

from itertools import combinations

import numpy as np
import pytest

from rosenblatt.plot.style import THEMES, marks, named

# Full dichromacy in linear light (Machado, Oliveira and Fernandes 2009).
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# In OKLab, where black and white are 1 apart and 0.02 is just noticed.
MIN_DISTANCE = 0.1


def light(colour):
    """Linear light of a colour such as #0072b2."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def oklab(linear):
    return TO_LAB @ np.cbrt(np.clip(TO_CONES @ np.clip(linear, 0, 1), 0, None))


def contrast(one, other):
    """As the guidelines for the web have it: 1 to 21."""
    a, b = (light(c) @ [0.2126, 0.7152, 0.0722] + 0.05 for c in (one, other))
    return max(a, b) / min(a, b)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_class_colours_stay_apart_for_every_sight(theme, sight):
    for one, other in combinations(theme.palette, 2):
        way = oklab(SIGHT[sight] @ light(one)) - oklab(SIGHT[sight] @ light(other))
        assert np.linalg.norm(way) >= MIN_DISTANCE, (one, other)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_colours_stand_out_from_the_paper(theme):
    for colour in (*theme.palette, theme.alarm):
        assert contrast(colour, theme.paper) >= 3.0, colour
    # Words need more than areas do, also on the tint of a region.
    for ground in (theme.paper, *(theme.tint(colour) for colour in theme.palette)):
        assert contrast(theme.ink, ground) >= 7.0, ground
    assert contrast(theme.faint, theme.paper) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_letters_are_read_on_the_tint_of_their_region(theme):
    for colour in theme.palette:
        assert contrast(colour, theme.tint(colour, 0.2)) >= 3.0, colour


def test_a_tint_is_the_share_of_the_colour():
    theme = THEMES["light"]
    assert theme.tint("#000000", 0.0) == theme.paper
    assert theme.tint("#123456", 1.0) == "#123456"
    assert theme.tint("#000000", 0.2) == "#cccccc"


@pytest.mark.parametrize(
    ("classes", "letters"),
    [
        ([-1, 1], "− +"),
        ([-1.0, 1.0], "− +"),
        (["-1", "1"], "-1 1"),
        ([0, 1], "0 1"),
        ([False, True], "F T"),
        (["no", "yes"], "no y".replace("no", "n")),
        (["cat", "cow", "dog"], "A B C"),
        ([10, 200, 3000], "1 2 3"),
        ([("a", 1), ("a", 2)], "A B"),
        ([b"x", b"y"], "x y"),
        (["", "a"], "( a"),
    ],
)
def test_every_class_has_a_letter_of_its_own(classes, letters):
    assert " ".join(mark.letter for mark in marks(classes)) == letters


def test_many_classes_differ_in_letters_and_in_colour_or_shape():
    known = marks(range(30))
    assert len({mark.letter for mark in known}) == 30
    looks = {(mark.place % 6, mark.marker) for mark in known}
    assert len(looks) == 30
    assert len({mark.letter for mark in marks([f"class {i}" for i in range(60)])}) == 60


def test_names_are_one_short_line():
    assert named("a\n\tb") == "a b"
    assert named("\x1b[2J") == "�[2J"
    assert len(named("x" * 1000)) == 24
    assert named(-2.5) == "−2.5"
