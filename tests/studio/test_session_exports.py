"""What leaves the page: scripts that give the same weights, notebooks, tables, one-file pages."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys

import pytest

from rosenblatt.studio import Session, pages
from rosenblatt.studio.pages import MAX_CONTOURS

NASTY = '</script><script>alert(\'"""\')</script>\n# '
STATES = {
    "six": {"data": {"preset": "six"}},
    "one": {"data": {"preset": "one"}},
    "side by side": {
        "data": {"preset": "noisy"},
        "order": "shuffled",
        "seed": 7,
        "epochs": 5,
        "learners": [
            {"kind": "averaged"},
            {"kind": "voted", "eta0": 0.5},
            {"kind": "pa", "variant": "PA-II", "C": 0.5},
            {"kind": "kernel", "kernel": "rbf", "gamma": 2},
        ],
    },
    "mapped": {
        "data": {"preset": "xor"},
        "map": "quadratic",
        "learners": [{"kind": "mira", "aggressive": 0.5, "initial": [0, 0, 1, 0, 0.5, -1]}],
    },
    "several": {
        "data": {"preset": "three"},
        "map": "product",
        "learners": [{"kind": "soft"}],
        "epochs": 1,
    },
    "nasty": {"data": {"columns": [NASTY, "y"], "rows": [[0, 1, NASTY], [1, 0, "b"]]}},
}


def texts(name):
    session = Session()
    answers = session.ask("run", STATES[name])
    return answers, session.ask("script", STATES[name])["text"]


def test_the_script_runs_by_itself(tmp_path):
    path = tmp_path / "run.py"
    path.write_text(texts("nasty")[1], encoding="utf-8")
    command = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "Perceptron: separated after 2 mistakes",
        "w [[1.0, -1.0]]",
        "b [0.0]",
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", STATES)
def test_the_script_ends_with_the_weights_that_the_page_shows(name, capsys):
    answer, text = texts(name)
    exec(compile(text, "run.py", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3 * len(answer["runs"])
    width = len(answer["data"]["features"]) + 1
    for i, run in enumerate(answer["runs"]):
        head, first, second = printed[3 * i : 3 * i + 3]
        assert head.startswith(f"{run['title']}: {run['stop_reason']} after ")
        if run["vectors"]:
            last = (run["answers"] or run["weights"])[-run["vectors"] * width :]
            vectors = [last[j : j + width] for j in range(0, len(last), width)]
            assert json.loads(first.removeprefix("w ")) == [vector[:-1] for vector in vectors]
            assert json.loads(second.removeprefix("b ")) == [vector[-1] for vector in vectors]
        else:
            assert sorted(json.loads(first.removeprefix("support points "))) == sorted(
                set(run["row"])
            )
            sums = {}
            for row, right, step in zip(run["row"], run["right"], run["step"], strict=True):
                sums[row] = sums.get(row, 0) + (1 if right else -1) * step
            points = json.loads(first.removeprefix("support points "))
            (coefficients,) = json.loads(second.removeprefix("coefficients "))
            assert dict(zip(points, coefficients, strict=True)) == sums


@pytest.mark.parametrize("name", STATES)
def test_the_notebook_has_the_code_of_the_script_in_cells(name):
    session = Session()
    found = json.loads(session.ask("notebook", STATES[name])["text"])
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    cells = found["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"]) for cell in cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    for cell in code:
        assert cell.keys() == {
            "id", "cell_type", "execution_count", "metadata", "outputs", "source",
        }  # fmt: skip
    script = session.ask("script", STATES[name])["text"]
    assert script.endswith("\n\n".join(cell["source"] for cell in code) + "\n")


@pytest.mark.parametrize("name", ["six", "several", "nasty", "side by side"])
def test_the_table_of_updates_has_a_line_for_each(name):
    session = Session()
    answer = session.ask("run", STATES[name])
    for i, run in enumerate(answer["runs"]):
        text = session.ask("csv", {"state": STATES[name], "run": i})["text"]
        head, *lines = list(csv.reader(io.StringIO(text)))
        assert len(lines) == run["n_updates"]
        assert all(len(line) == len(head) for line in lines)
        classes = answer["data"]["classes"]
        for k, line in enumerate(lines):
            told = dict(zip(head, line, strict=True))
            assert int(told["point"]) == run["row"][k] + 1
            assert told["class"] == classes[run["right"][k]]
            assert float(told["step"]) == run["step"][k]
        if run["vectors"]:
            width = run["vectors"] * (len(answer["data"]["features"]) + 1)
            last = [float(value) for value in lines[-1][-width:]]
            assert last == [float(value) for value in run["weights"][-width:]]


def told_updates(state):
    text = Session().ask("csv", {"state": state, "run": 0})["text"]
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("preset", ["separable", "three"])
def test_the_table_of_updates_tells_what_was_answered_even_where_it_was_right(preset, ties):
    """PA also moves when it was right by too little; at a tie there is an answer or none."""
    state = {"data": {"preset": preset}, "learners": [{"kind": "pa", "ties": ties}]}
    lines = told_updates(state)
    several = preset == "three"
    names = "ABC" if several else "AB"
    for line in lines:
        own = [float(line[f"score of {name}"]) for name in names] if several else None
        scores = own or [0.0, float(line["score"])]
        best = [name for name, score in zip(names, scores, strict=True) if score == max(scores)]
        tie = len(best) > 1
        assert line["predicted"] == ("" if tie and ties == "mistake" else best[-1])
        assert ("lowered" in line) == several
    assert any(line["predicted"] == line["class"] for line in lines)


def page_of(name):
    return Session().ask("page", STATES[name])["text"]


def embedded(html):
    (data,) = re.findall(
        r'<script type="application/json" id="studio-kit">(.*?)</script>', html, re.DOTALL
    )
    return json.loads(data)


@pytest.mark.parametrize("name", ["six", "several", "side by side"])
def test_the_page_carries_its_state_and_all_that_its_engine_needs(name):
    stored, session = embedded(page_of(name)), Session()
    run = json.loads(json.dumps(session.ask("run", STATES[name])))
    assert stored["state"] == run["state"]
    begun = json.loads(json.dumps(session.ask("start", {})))
    assert {**begun, "state": stored["state"]} == {key: stored[key] for key in begun}
    needs_python = any(one["vectors"] == 0 for one in run["runs"])
    assert ("run" in stored) == needs_python


def test_the_page_carries_the_run_of_a_kernel_and_the_lines_it_draws():
    state = {"data": {"preset": "three"}, "learners": [{"kind": "kernel"}, {"kind": "perceptron"}]}
    stored = embedded(Session().ask("page", state)["text"])
    assert stored["run"] == json.loads(json.dumps(Session().ask("run", state)))
    assert {key.partition(":")[0] for key in stored["contours"]} == {"0", "1"}
    assert len(stored["contours"]) <= MAX_CONTOURS
    for i, run in enumerate(stored["run"]["runs"]):
        assert {f"{i}:0", f"{i}:{run['n_updates']}"} <= stored["contours"].keys()


def test_the_page_asks_for_nothing_outside_of_itself():
    html = page_of("six")
    assert not re.search(r"""<(?:script|link|img)[^>]*\b(?:src|href)=["'](?!data:)""", html)
    assert not re.search(r"^import ", html, re.MULTILINE)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_a_label_cannot_leave_the_data_of_the_page():
    html = page_of("nasty")
    assert "alert(" in html
    assert "<script>alert" not in html
    assert html.count("</script>") == 3
    assert NASTY in {row[2] for row in embedded(html)["state"]["data"]["rows"]}


def test_modules_are_joined_after_what_they_import(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "WEB", tmp_path)
    (tmp_path / "a.js").write_text(
        'import {two as deux} from "./z.js";\nexport const one = deux;\n'
    )
    (tmp_path / "z.js").write_text("const one = 1;\nexport function two() { return one; }\n")
    (tmp_path / "main.js").write_text('import {one} from "./a.js";\nexport const mount = one;')
    (tmp_path / "boot.js").write_text('import {mount} from "./main.js";\nmount();\n')
    joined = pages.joined()
    assert joined.index("const of_z") < joined.index("const of_a") < joined.index("const of_main")
    assert "const {two: deux} = of_z;" in joined
    assert joined.endswith("{\nconst {mount} = of_main;\nmount();\n}\n")
    assert pages.joined("main.js").endswith("const {mount} = of_main;\n")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('import {b} from "./b.js";\nexport const a = b;\n', "a.js imports b.js imports a.js, so"),
        ('import {c} from "./c.js";\n', "a.js imports c.js, which is not there"),
        ("export default 3;\n", "a.js has a line that cannot be joined: export default 3;"),
        ('import * as b from "./b.js";\n', "cannot be joined: import"),
    ],
)
def test_modules_that_cannot_be_joined_are_refused(source, words, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "WEB", tmp_path)
    (tmp_path / "a.js").write_text(source)
    (tmp_path / "b.js").write_text('import {a} from "./a.js";\nexport const b = a;\n')
    with pytest.raises(pages.BundleError, match=words):
        pages.joined("a.js")


def test_names_are_no_formulas_of_a_spreadsheet():
    for bad in ("=1+1", "+SUM(A1)", "-2+3", "@now", "\tx", "\rx"):
        rows = [[0, 0, bad], [1, 1, "-3"], [2, 0, "+4.5e1"]]
        state = {"data": {"columns": ["=x", "y"], "rows": rows}}
        text = Session().ask("csv", {"state": state, "run": 0})["text"]
        cells = [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]
        assert {f"'{bad}", "-3", "+4.5e1", "'=x"} <= set(cells)
        risky = [cell for cell in cells if cell.startswith(tuple("=+-@\t\r"))]
        assert [float(cell) for cell in risky]
