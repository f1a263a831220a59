"""Kernel machines in the shell: trained, asked and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cli.shell import run
from rosenblatt import KernelPerceptron, load, save
from rosenblatt.io import read_table

XOR = "a,b,kind\n1,1,same\n1,-1,other\n-1,1,other\n-1,-1,same\n"


def saved(folder: Path, *, names: bool = True, **options: Any) -> Path:
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    y = ["same", "other", "other", "same"]
    table = pd.DataFrame(X, columns=["a", "b"]) if names else X
    model = KernelPerceptron(degree=2, gamma=1.0, shuffle=False, **options).fit(table, y)
    path = folder / f"xor{len(list(folder.iterdir()))}.rbt"
    save(model, path)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "xor.csv"
    path.write_text(XOR)
    return path


@pytest.mark.parametrize("combine", ["average", "vote", "last"])
def test_predict_and_evaluate_answer_by_the_kernel(
    combine: str, data: Path, tmp_path: Path
) -> None:
    model = saved(tmp_path, combine=combine)
    done = run("predict", model, data)
    assert (done.code, done.out.split()) == (0, ["same", "other", "other", "same"])
    told = run("evaluate", model, data, "--target", "kind", "--json").json
    assert told["accuracy"] == 1.0


def test_a_model_without_names_of_columns_says_so(data: Path, tmp_path: Path) -> None:
    done = run("predict", saved(tmp_path, names=False), data)
    assert done.code == 4
    assert "saved without a schema" in done.err


def test_show_tells_of_support_rows_instead_of_weights(tmp_path: Path) -> None:
    model = saved(tmp_path)
    done = run("show", model)
    assert done.code == 0
    lines = done.out.splitlines()
    assert "learner     KernelPerceptron" in lines
    assert "parameters  degree=2, gamma=1.0, shuffle=False" in lines
    assert "support     4 rows" in lines
    told = run("show", model, "--json").json
    assert (told["support_rows"], told["top_weights"]) == (4, None)


def test_diff_compares_what_there_is(tmp_path: Path) -> None:
    model, other = saved(tmp_path), saved(tmp_path, ties="positive")
    assert (run("diff", model, model).code, run("diff", model, model).out) == (0, "equal\n")
    done = run("diff", model, other)
    assert done.code == 1
    assert done.out.startswith("parameters: ")
    assert run("diff", model, other, "--json").code == 1


def test_a_prediction_is_explained_by_the_rows_it_comes_from(data: Path, tmp_path: Path) -> None:
    model = saved(tmp_path, combine="last")
    done = run("explain", model, data, "--row", "1", "--quiet")
    assert done.code == 0
    assert done.out.splitlines()[2:] == [
        "same rather than other, by 8; no weights by feature",
        "4 updates on 4 rows of training gave +8:",
        "  +9  row 1, same: 1 update   1 × 9",
        "  -1  row 2, other: 1 update  -1 × 1",
        "  -1  row 3, other: 1 update  -1 × 1",
        "  +1  row 4, same: 1 update   1 × 1",
    ]
    told = run("explain", model, data, "--row", "1", "--train", data, "--quiet", "--json").json
    assert [one["line"] for one in told["mistakes"]["rows"]] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    "command",
    [
        ("show", "MODEL", "--weights"),
        ("stream", "DATA", "--resume", "MODEL"),
        ("convert", "MODEL", "--out", "OUT"),
    ],
)
def test_what_needs_weights_is_refused_in_one_sentence(
    command: tuple[str, ...], data: Path, tmp_path: Path
) -> None:
    model = saved(tmp_path)
    places = {"MODEL": model, "DATA": data, "OUT": tmp_path / "out.onnx"}
    done = run(*(places.get(word, word) for word in command))
    assert done.code == 4, done.err
    assert "a KernelPerceptron has no weights" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out.onnx").exists()


def test_a_kernel_learner_is_trained_in_the_shell_as_in_python(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        f"{a:.3f},{b:.3f},{'in' if a * a + b * b < 1 else 'out'}"
        for a, b in rng.normal(size=(90, 2))
    ]
    data, model = tmp_path / "rings.csv", tmp_path / "rings.rbt"
    data.write_text("\n".join(["a,b,where", *rows]) + "\n")
    options = ["--learner", "kernel", "--kernel", "rbf", "--gamma", "2", "--combine", "last"]
    done = run("train", "--learner", "averaged", data, *options, "--seed", "4", "--out", model)
    assert done.code == 0, done.err
    assert "kernel perceptron" in done.out
    loaded = load(model)
    table = read_table(data, target="where")
    expected = KernelPerceptron(kernel="rbf", gamma=2.0, combine="last", random_state=4)
    expected.fit(loaded.schema_.encode(table), table.y)
    assert loaded.get_params() == expected.get_params()
    assert loaded.support_.tolist() == expected.support_.tolist()
    assert loaded.dual_coef_.tolist() == expected.dual_coef_.tolist()
    found = run("predict", model, data).out.split()
    assert found == expected.predict(loaded.schema_.encode(table)).tolist()


def test_a_kernel_model_is_resumed_as_in_python(tmp_path: Path) -> None:
    first, more = "a,c,y\n0,p,in\n3,q,out\n1,q,in\n4,p,out\n", "a,c,y\n2,q,in\n5,new,out\n0,p,out\n"
    files = [tmp_path / "first.csv", tmp_path / "more.csv"]
    for file, text in zip(files, (first, more), strict=True):
        file.write_text(text)
    model = tmp_path / "m.rbt"
    assert run("train", files[0], "--learner", "kernel", "--one-pass", "--out", model).code == 0
    expected = load(model)
    table = read_table(files[1], target="y")
    expected.partial_fit(expected.schema_.encode(table), table.y)
    done = run("train", files[1], "--resume", model)
    assert done.code == 0, done.err
    assert "notice: c: 1 row with levels never seen: new (1)\n" in done.err
    assert load(model).dual_coef_.tolist() == expected.dual_coef_.tolist()
    assert load(model).t_ == 7


def test_a_record_of_a_kernel_learner_is_refused_with_the_reason(
    tmp_path: Path, data: Path
) -> None:
    done = run("train", data, "--learner", "kernel", "--record", "--out", tmp_path / "m.rbt")
    assert done.code == 2
    assert "--record has no meaning for a kernel perceptron" in done.err
    assert not (tmp_path / "m.rbt").exists()
