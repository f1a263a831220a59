"""The moving picture of the README shows what the studio shows."""

from __future__ import annotations

import pytest

from .gif import PICTURE, SIZE, film

image = pytest.importorskip("PIL.Image")


def test_the_picture_is_small_and_loops_and_ends_on_three_of_at_most_five_mistakes():
    with image.open(PICTURE) as gif:
        words = gif.info["comment"].decode().splitlines()
        assert gif.size == tuple(SIZE.values())
        assert gif.info["loop"] == 0
        assert 8 <= gif.n_frames == len(words) <= 12
    assert PICTURE.stat().st_size <= 600_000
    assert words[0].startswith("separable · 0 of at most 5 mistakes")
    assert words[-1] == "separable · 3 of at most 5 mistakes: Update 3 of 3"


@pytest.mark.slow
def test_the_page_still_says_what_the_frames_of_the_picture_say(page, server):
    words = [words for *_, words in film(page, server)]
    with image.open(PICTURE) as gif:
        assert gif.info["comment"].decode().splitlines() == words
