"""Labels are numbers where all of them are, else text; what cannot be a label is refused."""

from __future__ import annotations

import io
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from rosenblatt.errors import DataError
from rosenblatt.io import SkippedRows, iter_svmlight, iter_table, read_svmlight, read_table
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.labels import Labels


def labels_of(found: list[str], **options: Any) -> Any:
    text = "".join(f"{label} 1:1\n" for label in found)
    return read_svmlight(io.BytesIO(text.encode()), **options)[1]


@pytest.mark.parametrize(
    ("labels", "options", "expected"),
    [
        (["+1", "-1", "1.0"], {}, np.array([1, -1, 1])),
        (["1", "0.5", "-2e0"], {}, np.array([1, 0.5, -2])),
        (["0", "-0", "1e3"], {}, np.array([0, 0, 1000])),
        (["yes", "1", "no"], {}, np.array(["yes", "1", "no"])),
        (["9007199254740991", "1"], {}, np.array([2**53 - 1, 1])),
        # A float64 cannot tell these from their neighbours.
        (["9007199254740993", "1"], {}, np.array(["9007199254740993", "1"])),
        (["1", "2"], {"labels": "text"}, np.array(["1", "2"])),
        (["1", "1.0", "01"], {"labels": "text"}, np.array(["1", "1.0", "01"])),
        (["1", "2"], {"classes": ["1", "2"]}, np.array(["1", "2"])),
        (["1", "2.0"], {"classes": [1, 2]}, np.array([1, 2])),
        (["1", "2"], {"classes": np.array([1, 2])}, np.array([1, 2])),
        (["ja", "nein"], {"classes": ("ja", "nein", "?")}, np.array(["ja", "nein"])),
        (["é", "日本"], {}, np.array(["é", "日本"])),
    ],
)
def test_labels_are_numbers_if_all_of_them_are(
    labels: list[str], options: dict[str, Any], expected: Any
) -> None:
    found = labels_of(labels, **options)
    assert found.dtype.kind == expected.dtype.kind
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("label", ["nan", "NaN", "-inf", "Infinity", "+nan"])
@pytest.mark.parametrize("options", [{}, {"labels": "text"}, {"labels": "number"}])
def test_a_label_that_is_no_class_is_refused(label: str, options: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="is not a class"):
        labels_of(["1", label], **options)


def test_classes_that_are_not_known_are_refused_and_long_lists_are_cut() -> None:
    with pytest.raises(DataError) as caught:
        labels_of(["99"], classes=list(range(12)))
    assert caught.value.message == (
        'the label "99" is not one of the known classes 0, 1, 2, 3, 4, 5, 6, 7 and 4 more'
    )


def test_a_stream_decides_in_its_first_block() -> None:
    with patch.object(lines, "PIECE", 4), pytest.raises(DataError, match="unlike those before"):
        list(iter_svmlight(io.BytesIO(b"1 1:1\n2 1:1\nyes 1:1\n")))
    with patch.object(lines, "PIECE", 4):
        blocks = list(iter_svmlight(io.BytesIO(b"yes 1:1\n2 1:1\n3 1:1\n")))
    assert np.concatenate([block.y for block in blocks]).tolist() == ["yes", "2", "3"]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (b"y,a\n1,2\n2,3\nfoo,oops\n0.5,oops\n", "csv"),
        (b'{"y": 1, "a": 2}\n{"y": 2, "a": 3}\n{"y": "foo", "a": "oops"}\n', "jsonl"),
    ],
    ids=["csv", "jsonl"],
)
def test_the_label_of_a_row_that_is_passed_over_does_not_make_labels_text(
    text: bytes, format: str
) -> None:
    with pytest.warns(SkippedRows):
        table = read_table(io.BytesIO(text), "y", format=format, types="number", on_bad="skip")
    assert table.y.dtype == np.int64
    assert table.y.tolist() == [1, 2]


def test_a_missing_label_is_a_fault() -> None:
    with pytest.raises(DataError) as caught:
        read_table(io.BytesIO(b"a,y\n1,2\n1,\n"), "y")
    assert str(caught.value).splitlines()[0] == '<stream>:3:3: column "y": the label is missing'


def test_true_is_the_known_class_however_a_program_writes_it() -> None:
    labels = Labels(classes=["False", "True"])
    names = [b"true", b"FALSE", b"True"]
    assert [labels.fault(name) for name in names] == [None] * 3
    found = labels.values(np.array([0, 1, 2], np.int32), names)
    assert found.tolist() == ["True", "False", "True"]
    assert Labels(classes=["u", "v"]).fault(b"true") is not None


def test_zeros_in_front_make_labels_names_and_not_the_same_number() -> None:
    assert labels_of(["007", "7", "12"]).tolist() == ["007", "7", "12"]
    assert labels_of(["01", "02", "01"]).tolist() == ["01", "02", "01"]
    assert labels_of(["0", "0.5", "10"]).tolist() == [0.0, 0.5, 10.0]
    # Who says that they are numbers has them as numbers.
    assert labels_of(["007", "7", "12"], labels="number").tolist() == [7, 7, 12]
    assert labels_of(["01", "2", "1"], classes=[1, 2]).tolist() == [1, 2, 1]


def test_a_stream_of_numbers_refuses_a_label_with_zeros_in_front() -> None:
    blocks = iter_table(io.BytesIO(b"a,y\n1,7\n2,007\n"), "y")
    with pytest.raises(DataError, match='the label "007" has zeros in front, unlike those before'):
        list(blocks)
    (block,) = iter_table(io.BytesIO(b"a,y\n1,007\n2,7\n"), "y")
    assert block.labels.tolist() == ["007", "7"]
