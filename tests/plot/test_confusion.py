"""The cells count the rows, and the shares of a row add up to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, SequenceTagger, datasets, evaluate, load, plot, save
from rosenblatt.errors import InputError
from rosenblatt.plot.confusion import LONGEST_NAME, _short_names
from rosenblatt.plot.curves import readable_on

labels = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=40)


@given(labels, st.data())
def test_cells_count_the_rows(truth, data):
    answers = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(truth), max_size=len(truth)))
    shown = plot.confusion(evaluate.report(truth, answers))
    for i, true in enumerate(shown.classes):
        for j, answer in enumerate(shown.classes):
            pairs = zip(truth, answers, strict=True)
            assert shown.counts[i, j] == sum(pair == (true, answer) for pair in pairs)
    rows = shown.counts.sum(axis=1)
    assert shown.share.sum(axis=1) == pytest.approx((rows > 0).astype(float))


def test_a_model_its_report_and_its_saved_twin_show_the_same(tmp_path):
    digits = datasets.digits()
    model = AveragedPerceptron().partial_fit(digits.X, digits.labels)
    save(model, tmp_path / "digits.rbt")
    live = plot.confusion(model, digits.X, digits.labels)
    told = plot.confusion(evaluate.report(digits.labels, model.predict(digits.X)))
    twin = plot.confusion(load(tmp_path / "digits.rbt"), digits.X, digits.labels)
    for other in (told, twin):
        assert live.classes == other.classes
        assert np.array_equal(live.counts, other.counts)
        assert live.caption == other.caption
    assert np.trace(live.counts) / len(digits.y) == pytest.approx(
        model.score(digits.X, digits.labels)
    )


def test_a_tagger_is_confused_token_by_token():
    sentences, tags = [["a", "dog"], ["the", "cat"]], [["D", "N"], ["D", "N"]]
    tagger = SequenceTagger().fit(sentences, tags)
    shown = plot.confusion(tagger, sentences, [["D", "N"], ["N", "N"]])
    assert shown.classes == ["D", "N"]
    assert shown.counts.tolist() == [[1, 0], [1, 2]]


def test_the_most_frequent_confusion_is_named():
    shown = plot.confusion(evaluate.report([1, 1, 1, 2], [2, 2, 1, 2]))
    assert shown.caption.startswith("2 mistakes in 4 rows; most often 1 is taken for 2, 2 times")
    assert plot.confusion(evaluate.report([1], [1])).caption.startswith("0 mistakes in 1 row. ")


@given(st.lists(st.text(max_size=40), min_size=1, max_size=12, unique=True))
def test_short_names_are_short_and_all_different(classes):
    names = _short_names(classes)
    assert len(set(names)) == len(classes)
    assert max(map(len, names)) <= LONGEST_NAME + 3


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_numbers_contrast_with_their_cell(rgb):
    """At least 4.5 : 1 after the definition of WCAG, for any colour of a cell."""

    def luminance(channels):
        c = np.array(channels) / 255
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [
            0.2126,
            0.7152,
            0.0722,
        ]

    ink = readable_on("#{:02x}{:02x}{:02x}".format(*rgb))
    low, high = sorted([luminance(rgb), 0.0 if ink == "#000000" else 1.0])
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_what_has_no_confusions_is_refused():
    report = evaluate.report([1], [1])
    with pytest.raises(InputError, match="leave X and y out"):
        plot.confusion(report, [[1]], [1])
    with pytest.raises(InputError, match="give X and y"):
        plot.confusion(AveragedPerceptron().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(InputError, match="no confusions"):
        plot.confusion([[1, 2], [3, 4]])
