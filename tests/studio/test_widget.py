"""The notebook widget, asked by messages as a page would, without a browser."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("anywidget", reason="the studio in a notebook needs its extra")

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.studio import Playground, Session

X, Y = [[0.0, 1.0], [1.0, 0.5], [2.0, 2.0]], ["no", "yes", "yes"]


def asked(widget, *messages):
    """What the widget sends when these messages arrive."""
    sent = []
    widget.send = lambda content, buffers=None: sent.append(json.loads(json.dumps(content)))
    for message in messages:
        widget._handle_custom_msg(message, [])
    return sent


def test_questions_are_answered_under_their_numbers():
    widget = Playground(X, Y)
    state = widget.initial
    box = [0, 1, 0, 1]
    first, second = asked(
        widget,
        {"id": 7, "name": "run", "body": state},
        {"id": 8, "name": "contour", "body": {"state": state, "at": 1, "box": box}},
    )
    assert first["id"] == 7
    assert first["answer"] == json.loads(json.dumps(Session().ask("run", state)))
    assert first["answer"]["data"]["rows"] == [[0, 1], [1, 0.5], [2, 2]]
    assert second["id"] == 8
    assert second["answer"]["regions"]


def test_a_bad_question_is_answered_by_a_sentence():
    widget = Playground(X, Y)
    answers = asked(
        widget,
        {"id": 1, "name": "run", "body": {"epochs": 0}},
        {"id": 2, "name": "fly", "body": {}},
        {"id": 3},
        "nonsense",
    )
    assert [answer["id"] for answer in answers] == [1, 2, 3, None]
    assert answers[0]["error"]["message"].startswith("epochs is 0")
    assert all(answer["error"]["message"].endswith(".") for answer in answers)


def test_columns_of_a_frame_and_classes_of_any_kind_are_taken():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["length", "width"])
    widget = Playground(frame, np.array([1, 0, 1]), map="product")
    assert widget.initial["data"]["columns"] == ["length", "width"]
    assert [row[2] for row in widget.initial["data"]["rows"]] == ["1", "0", "1"]
    assert widget.initial["map"] == "product"
    assert Playground().initial["data"] == {"preset": "six"}


def test_rows_that_no_plane_shows_are_refused():
    with pytest.raises(InputError, match=r"X has shape \(2, 3\): a plane shows two columns"):
        Playground(np.zeros((2, 3)), [0, 1])
    with pytest.raises(InputError, match="X has 3 rows and y 2"):
        Playground(X, [0, 1])
    with pytest.raises(InputError, match="X has 3 rows and y none"):
        Playground(X)
    with pytest.raises(ParameterError, match="Point 1: x is nan"):
        Playground([[np.nan, 0]], [1])


def test_the_module_is_that_of_the_page_without_its_start():
    widget = Playground(X, Y)
    code = str(widget._esm)
    assert "const {mount} = of_main;" in code
    assert code.rstrip().endswith("export default {render};")
    assert "askServer" not in code
    assert ".studio" in str(widget._css)


def test_without_its_extra_the_widget_says_what_to_install():
    code = "import sys; sys.modules['anywidget'] = None; from rosenblatt.studio import Playground"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'rosenblatt[notebook]'" in done.stderr.splitlines()[-1]
