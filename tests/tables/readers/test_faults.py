"""The ten faults of input that everybody meets, each with the exact words.

The table in docs/reading.md is made of these cases; a test compares the two.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import rosenblatt
from rosenblatt import io
from rosenblatt.errors import DataError, RosenblattError

PAGE = Path(__file__).parents[3] / "docs" / "reading.md"
SKIP = "\n      or skip such rows with on_bad='skip'"


class Fault(NamedTuple):
    number: int
    what: str
    file: str
    content: bytes
    read: Callable[[str], Any]
    said: str


def table(**settings: Any) -> Callable[[str], Any]:
    return lambda path: io.read_table(path, target="y", **settings)


FAULTS = [
    Fault(
        1,
        "not a finite number",
        "train.csv",
        b"a,b,y\n1,2,no\n3,4,yes\n5,inf,no\n",
        table(types={"b": "number"}),
        'train.csv:4:3: column "b": "inf" is not a finite number\n'
        "  5,inf,no\n"
        "    ^^^\n"
        "help: fix it" + SKIP,
    ),
    Fault(
        1,
        "not a number",
        "bad.csv",
        b"a,b,y\n1,2,no\n3,4,yes\n5,oops,no\n",
        table(types={"b": "number"}),
        'bad.csv:4:3: column "b": "oops" is not a number\n'
        "  5,oops,no\n"
        "    ^^^^\n"
        "help: fix it" + SKIP,
    ),
    Fault(
        2,
        "a number too large to learn from",
        "train.csv",
        b"a,b,y\n1,2,no\n3,1e200,yes\n",
        table(),
        'train.csv:3:3: column "b": "1e200" is beyond 1e+150, where its square overflows\n'
        "  3,1e200,yes\n"
        "    ^^^^^\n"
        "help: scale the feature" + SKIP,
    ),
    Fault(
        3,
        "a short row",
        "train.csv",
        b"a,b,y\n1,2,no\n3,yes\n",
        table(),
        "train.csv:3:6: 2 fields, expected 3\n"
        "  3,yes\n"
        "       ^\n"
        "help: fill in what is missing" + SKIP,
    ),
    Fault(
        3,
        "a long row",
        "train.csv",
        b"a,b,y\n1,2,no\n3,4,5,yes\n",
        table(),
        "train.csv:3:7: 4 fields, expected 3\n"
        "  3,4,5,yes\n"
        "        ^^^\n"
        "help: put fields that hold the delimiter in quotes" + SKIP,
    ),
    Fault(
        4,
        "not UTF-8",
        "train.csv",
        b"a,b,y\n1,2,no\n3,4,caf\xe9\n",
        table(encoding="utf-8"),
        'train.csv:3:8: column "y": the byte 0xe9 is not UTF-8 text\n'
        "  3,4,caf\N{REPLACEMENT CHARACTER}\n"
        "         ^\n"
        "help: name the encoding, as in encoding='latin-1'" + SKIP,
    ),
    Fault(
        4,
        "a NUL byte",
        "train.csv",
        b"a,b,y\n1,2,no\n3,4,y\0s\n",
        table(),
        'train.csv:3:6: column "y": a NUL byte is not text\n'
        "  3,4,y\N{SYMBOL FOR NULL}s\n"
        "       ^\n"
        "help: remove it, if this is a text file at all" + SKIP,
    ),
    Fault(
        4,
        "UTF-16",
        "train.csv",
        "a,b,y\n1,2,no\n".encode("utf-16"),
        table(encoding="utf-8"),
        "train.csv: the text is UTF-16, not UTF-8\nhelp: say so with encoding='utf-16'",
    ),
    Fault(
        5,
        "nothing in it",
        "train.csv",
        b"",
        table(),
        "train.csv: 0 rows\nhelp: give a file with rows in it",
    ),
    Fault(
        5,
        "a header only",
        "train.csv",
        b"a,b,y\n",
        table(),
        "train.csv: 0 rows\nhelp: give a file with rows in it",
    ),
    Fault(
        5,
        "one class only",
        "train.csv",
        b"a,b,y\n1,2,no\n3,4,no\n",
        lambda path: rosenblatt.Perceptron().fit(*io.read_table(path, target="y")),
        "y holds only one class, 'no': there is nothing to tell apart. Give rows of at least two "
        "classes, or use partial_fit, which waits for the second.",
    ),
    Fault(
        6,
        "a label the model does not know",
        "test.csv",
        b"a,b,y\n1,2,no\n3,4,maybe\n",
        table(classes=["no", "yes"]),
        'test.csv:3:5: column "y": the label "maybe" is not one of the known classes no, yes\n'
        "  3,4,maybe\n"
        "      ^^^^^\n"
        "help: fix the label, or train with examples of this class first"
        "\n      or let new classes join with classes=None" + SKIP,
    ),
    Fault(
        7,
        "a column twice",
        "train.csv",
        b"a,b,a,y\n1,2,3,no\n",
        table(header=True),
        'train.csv:1:5: the column "a" stands twice, as number 1 and as number 3\n'
        "  a,b,a,y\n"
        "      ^\n"
        "help: if the first line is a row, say header=False",
    ),
    Fault(
        7,
        "a JSON key twice",
        "train.jsonl",
        b'{"a": 1, "y": "no"}\n{"a": 2, "a": 3, "y": "yes"}\n',
        table(),
        'train.jsonl:2:10: the key "a" stands twice, first at column 2\n'
        '  {"a": 2, "a": 3, "y": "yes"}\n'
        "           ^^^\n"
        "help: keep one" + SKIP,
    ),
    Fault(
        8,
        "a column missing that the model needs",
        "test.csv",
        b"b,a,y\n1,2,no\n",
        table(columns=["a", "b", "c"]),
        'test.csv: 1 column is missing: "c"; the file has "b", "a"',
    ),
    Fault(
        8,
        "a column the model does not know",
        "test.csv",
        b"b,a,d,y\n1,2,3,no\n",
        table(columns=["a", "b"]),
        'test.csv: 1 column is not used: "d"',
    ),
    Fault(
        9,
        "not a number in svmlight",
        "train.svm",
        b"1 1:2\n0 1:abc\n",
        io.read_svmlight,
        'train.svm:2:5: "abc" is not a number\n'
        "  0 1:abc\n"
        "      ^^^\n"
        "help: write index:value, as in 3:0.5" + SKIP,
    ),
    Fault(
        9,
        "index 0",
        "train.svm",
        b"1 1:2\n0 0:1 4:2\n",
        io.read_svmlight,
        "train.svm:2:3: index 0, but indices begin at 1\n"
        "  0 0:1 4:2\n"
        "    ^\n"
        "help: if this file counts from 0, say zero_based=True" + SKIP,
    ),
    Fault(
        9,
        "indices not in order",
        "train.svm",
        b"1 1:2\n0 7:1 4:2\n",
        io.read_svmlight,
        "train.svm:2:7: index 4 comes after a larger one\n"
        "  0 7:1 4:2\n"
        "        ^\n"
        "help: sort the row by index" + SKIP,
    ),
    Fault(
        9,
        "an index twice",
        "train.svm",
        b"1 1:2\n0 4:1 4:2\n",
        io.read_svmlight,
        "train.svm:2:7: index 4 stands twice in this row\n"
        "  0 4:1 4:2\n"
        "        ^\n"
        "help: keep one of them" + SKIP,
    ),
    Fault(
        10,
        "a line without an end",
        "train.svm",
        b"1 1:2\n0 " + b"1" * 3_000_000,
        lambda path: io.read_svmlight(path, max_line_bytes=1_000_000),
        "train.svm:2:1: this row is longer than 1,000,000 bytes\n"
        f"  0 {'1' * 69}…\n"
        "  ^\n"
        "help: raise max_line_bytes if the row is right",
    ),
    Fault(
        10,
        "too many features in a row",
        "train.svm",
        b"1 1:2\n0 1:1 2:1 3:1\n",
        lambda path: io.read_svmlight(path, max_features=2),
        "train.svm:2:11: more than 2 features in one row\n"
        "  0 1:1 2:1 3:1\n"
        "            ^^^\n"
        "help: raise max_features if the row is right" + SKIP,
    ),
]


def message_of(fault: Fault) -> str:
    Path(fault.file).write_bytes(fault.content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fault.read(fault.file)
        except (RosenblattError, UserWarning) as said:
            return str(said)
    return "nothing"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number} {fault.what}")
def test_every_fault_has_its_words(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message_of(fault) == fault.said
    assert len(fault.said.splitlines()) <= 6


def rendered(fault: Fault) -> str:
    """A row of the table in the docs: the first line of the message, and its help."""
    first, _, rest = fault.said.removesuffix(SKIP).partition("\n")
    help_ = rest.partition("help: ")[2].replace("\n      or ", ", or ")
    cells = (str(fault.number), fault.what, f"`{first}`", f"`{help_}`" if help_ else "")
    return "| " + " | ".join(cells) + " |"


def test_the_table_of_the_docs_is_made_of_these_cases() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for fault in FAULTS:
        assert rendered(fault) in page


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number} {fault.what}")
def test_a_bad_row_is_passed_over_and_the_others_are_as_without_it(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the fault is one of a row, the rows around it are read all the same."""
    if SKIP not in fault.said or fault.number == 6:
        pytest.skip("not the fault of a row")
    monkeypatch.chdir(tmp_path)
    Path(fault.file).write_bytes(fault.content)
    if fault.file.endswith("svm"):
        reader: Any = io.iter_svmlight(
            fault.file, on_bad="skip", max_features=2 if fault.number == 10 else 100
        )
    else:
        encoding = "utf-8" if fault.file.endswith("csv") else None
        reader = io.iter_table(fault.file, "y", on_bad="skip", types="number", encoding=encoding)
    block = reader.whole() if reader.skipped else _whole(reader)
    assert reader.skipped == 1
    bad = block.lines.max() + 1 if len(block) else 2
    assert reader.first_faults[0].line == bad
    lines = fault.content.split(b"\n")
    assert len(block) == len([line for line in lines if line]) - (
        1 if fault.file.endswith(("svm", "jsonl")) else 2
    )
    assert np.isfinite(block.X.sum())


def _whole(reader: Any) -> Any:
    with pytest.warns(io.SkippedRows, match="1 row skipped"):
        return reader.whole()


def test_a_bad_row_leaves_no_trace_in_a_model(tmp_path: Path) -> None:
    good, bad = b"a,y\n1,no\n2,yes\n", b"a,y\n1,no\n9,\n2,yes\ninf,yes\n"
    models = []
    for content in (good, bad):
        (tmp_path / "t.csv").write_bytes(content)
        model = rosenblatt.AveragedPerceptron()
        for X, y in io.iter_table(tmp_path / "t.csv", "y", on_bad="skip", types="number"):
            model.partial_fit(X, y)
        models.append(model)
    assert models[0]._model.digest() == models[1]._model.digest()


def test_errors_carry_their_parts(tmp_path: Path) -> None:
    import pickle

    (tmp_path / "t.csv").write_bytes(b"a,y\n1,no\n2,yes\nx,no\n")
    with pytest.raises(DataError) as caught:
        io.read_table(tmp_path / "t.csv", "y", types={"a": "number"})
    error = caught.value
    assert (error.line, error.column, error.text) == (4, 1, "x,no")
    assert error.message == 'column "a": "x" is not a number'
    twin = pickle.loads(pickle.dumps(error))
    assert (str(twin), twin.line) == (str(error), 4)
