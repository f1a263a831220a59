"""Forty files as pandas, R, psql, spreadsheets and people write them, read without a word.

`exam/make.py` makes them, `exam/answers.py` says what is in them; both were written before the
sniffer.
"""

from __future__ import annotations

import importlib.util
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron
from rosenblatt.features import Schema, schema_from_json
from rosenblatt.io import Assumption, Table, read_table
from rosenblatt.tables.readers.column_roles import GuessedTarget

EXAM = Path(__file__).parent / "exam"


def of_exam(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"exam_{name}", EXAM / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ANSWERS, MAKER = of_exam("answers").ANSWERS, of_exam("make")
every_file = pytest.mark.parametrize("name", ANSWERS)


def read(name: str, **options: Any) -> Table:
    if name.endswith("xlsx"):
        pytest.importorskip("python_calamine")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Assumption)
        return read_table(EXAM / "files" / name, **{"target": GuessedTarget(), **options})


def original(name: str) -> Table:
    """The clean table, in the plainest CSV."""
    target, header = ANSWERS[name].target, ANSWERS[name].header
    lines = [*MAKER.clean_lines(MAKER.CLEAN[name])][not header :]
    return read_table(io.BytesIO("".join(lines).encode()), target, header=header, delimiter=",")


def guessed(table: Table) -> Schema:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Assumption)
        return Schema.guess(table)


def kinds_of(schema: Schema) -> dict[str, str]:
    return {column.name: column.kind for column in schema.columns}


def bytes_of(X: Any) -> list[bytes]:
    """All that makes rows what they are."""
    parts = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return [str(X.shape).encode(), *(part.tobytes() for part in parts)]


def gaps_of(table: Table) -> dict[str, int]:
    counts = {
        name: int((column == "").sum() if name in table.texts else np.isnan(column).sum())
        for name, column in table.columns.items()
    }
    return {name: n for name, n in counts.items() if n}


def test_there_are_forty_files_and_an_answer_for_each() -> None:
    assert {path.name for path in (EXAM / "files").iterdir()} == set(ANSWERS) == set(MAKER.MAKERS)
    assert len(ANSWERS) == 40


@every_file
def test_how_a_file_is_written_is_found_out(name: str) -> None:
    answer, found = ANSWERS[name], read(name).dialect
    if answer.delimiter is None:
        return
    for fact in ("delimiter", "quote", "encoding", "decimal", "thousands", "header"):
        assert getattr(found, fact) == getattr(answer, fact), fact


@every_file
def test_columns_gaps_and_target_are_found_out(name: str) -> None:
    answer, table = ANSWERS[name], read(name)
    assert table.target == answer.target
    assert kinds_of(guessed(table)) == answer.kinds
    assert gaps_of(table) == answer.gaps


@every_file
def test_the_features_and_the_model_are_those_of_the_clean_original_to_the_last_bit(
    name: str,
) -> None:
    models = []
    for table in (read(name), original(name)):
        schema = guessed(table)
        X = schema.encode(table)
        learner = AveragedPerceptron(random_state=0, max_iter=1, early_stopping=False)
        learner.partial_fit(X, table.labels)
        right = int((learner.predict(X) == table.labels).sum())
        models.append((bytes_of(X), table.labels.tolist(), learner.coef_.tobytes(), right))
    assert models[0] == models[1]


@every_file
def test_a_model_reads_the_file_again_as_it_was_trained_without_a_notice(name: str) -> None:
    table = read(name)
    schema = schema_from_json(guessed(table).to_json())
    assert isinstance(schema, Schema)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if ANSWERS[name].encoding == "cp1252":
            warnings.simplefilter("ignore", Assumption)
        if ANSWERS[name].delimiter is None or name.startswith(("24", "25", "32", "38", "40")):
            warnings.simplefilter("ignore", Assumption)  # what stands around and among the rows
        again = schema.read(EXAM / "files" / name)
    assert bytes_of(schema.encode(again)) == bytes_of(schema.encode(table))
