"""Tags beside the right ones, counted again by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import InputError
from rosenblatt.evaluate import report, span_scores, tag_report
from rosenblatt.inspection.tag_report import scheme_of

TAG = st.sampled_from(["O", "B-X", "I-X", "B-Y"])
WORD = st.tuples(TAG, TAG, st.booleans())


@given(st.lists(st.lists(WORD, min_size=1, max_size=5), min_size=1, max_size=5))
def test_all_figures_are_those_of_a_plain_count(
    sentences: list[list[tuple[str, str, bool]]],
) -> None:
    true, predicted, new = (
        [[word[part] for word in words] for words in sentences] for part in range(3)
    )
    found = tag_report(true, predicted, new)  # type: ignore[arg-type]
    flat = [word for words in sentences for word in words]
    assert found.words.n == len(flat)
    assert found.words.mistakes == sum(a != b for a, b, _ in flat)
    assert found.sentences_right == sum(a == b for a, b in zip(true, predicted, strict=True))
    assert found.new_words == sum(unmet for *_, unmet in flat)
    assert found.new_words_right == sum(a == b for a, b, unmet in flat if unmet)
    each = report([a for a, *_ in flat], [b for _, b, _ in flat])
    assert found.words.per_class == each.per_class
    assert found.to_json()["accuracy"] == each.accuracy
    if {tag for a, b, _ in flat for tag in (a, b)} != {"O"}:
        assert found.spans == span_scores(true, predicted)  # type: ignore[arg-type]
    assert str(found).startswith(f"{len(sentences)} sentence")


def test_without_new_words_none_are_told_of() -> None:
    found = tag_report([["D", "N"]], [["D", "V"]])
    assert found.new_word_accuracy is None
    assert "new words" not in str(found)
    assert found.spans is None


def test_tags_must_be_of_the_same_words() -> None:
    for predicted in ([["D"]], [["D", "N"], ["V"]]):
        with pytest.raises(InputError, match="the same words"):
            tag_report([["D", "N"]], predicted)


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["O", "B-X", "I-X"], "BIO"),
        (["I-X"], "BIO"),
        (["O", "B-X", "E-X", "S-Y"], "BIOES"),
        (["O"], None),
        (["NOUN", "B-X"], None),
        (["B", "I", "O"], None),
        (["B-X", "X-Y"], None),
    ],
)
def test_a_scheme_is_known_by_its_tags(tags: list[str], scheme: str | None) -> None:
    assert scheme_of(tags) == scheme
