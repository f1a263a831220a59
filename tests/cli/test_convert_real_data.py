"""A table of real data, answered by us and by a runtime of ONNX."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cli.real_data import data_file, done
from rosenblatt.io import read_table

pytestmark = pytest.mark.slow

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def test_answers_on_all_of_adult_are_those_of_predict(tmp_path: Path) -> None:
    train, model = data_file("adult/adult.data.gz"), tmp_path / "adult.rbt"
    reading = ["--no-header", "--format", "csv"]
    done(
        "train",
        "--learner",
        "averaged",
        train,
        *reading,
        "--missing",
        "?",
        "--epochs",
        "3",
        "--out",
        model,
        "--quiet",
    )
    done("convert", model, "-o", tmp_path / "adult.onnx")
    said = done("predict", model, train, *reading, "--json", "--quiet").out
    answers = [json.loads(line) for line in said.splitlines()]
    session = runtime.InferenceSession(tmp_path / "adult.onnx")
    kinds = {given.name: given.type for given in session.get_inputs()}
    assert set(kinds.values()) == {"tensor(double)", "tensor(string)"}
    types = {name: "text" if kind == "tensor(string)" else "number" for name, kind in kinds.items()}
    table = read_table(
        train, format="csv", header=False, columns=list(kinds), types=types, missing=["?"],
        ignore=["15"], trim=True,
    )  # fmt: skip
    columns = {name: values[:, None] for name, values in table.columns.items()}
    label, scores = session.run(None, columns)
    assert len(label) == len(answers) == 32_561
    ours = np.array([list(answer["scores"].values()) for answer in answers])
    np.testing.assert_allclose(scores, ours, rtol=1e-9, atol=1e-9)
    clear = np.abs(ours[:, 1]) > 1e-9
    assert clear.mean() > 0.999
    assert (label == np.array([answer["label"] for answer in answers]))[clear].all()
