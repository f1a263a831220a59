"""Readers show what they take: in signatures and docstrings, though it is written once."""

from __future__ import annotations

import inspect
import io as files
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rosenblatt import io, numpydoc
from rosenblatt.errors import ParameterError

SHARED = {"on_bad": "fail", "encoding": None, "max_line_bytes": 2**24}
LABELS = {"labels": "auto", "classes": None}
ROWS = {**SHARED, **LABELS, "dtype": np.float64, "max_features": 10**6}
TAKEN = {
    "svmlight": {**ROWS, "n_features": None, "zero_based": False},
    "vw": {**ROWS, "bits": 18, "names": None, "labelled": True},
    "text": {**SHARED, **LABELS, "labelled": True},
    "table": {
        **ROWS,
        "target": None,
        "format": None,
        "header": None,
        "delimiter": None,
        "decimal": None,
        "thousands": None,
        "quote": None,
        "dialect": None,
        "columns": None,
        "types": None,
        "missing": (),
        "ignore": (),
        "trim": True,
    },
    "conll": {
        **SHARED,
        "format": "auto",
        "target": None,
        "inputs": None,
        "labelled": True,
        "max_tokens": 10**5,
    },
}
READERS = [
    pytest.param(getattr(io, f"{way}_{name}"), options, id=f"{way}_{name}")
    for name, options in TAKEN.items()
    for way in ("read", "iter")
]


@pytest.mark.parametrize(("reader", "options"), READERS)
def test_a_signature_names_every_option_and_its_default(
    reader: Callable[..., Any], options: dict[str, Any]
) -> None:
    shown = inspect.signature(reader).parameters
    assert next(iter(shown)) == "path"
    assert {name: p.default for name, p in shown.items() if name != "path"} == options
    by_name = [name for name, p in shown.items() if p.kind is p.KEYWORD_ONLY]
    assert set(by_name) == set(options) - {"target" if "header" in options else ""}


@pytest.mark.parametrize(("reader", "options"), READERS)
def test_a_docstring_explains_every_parameter_in_the_order_of_the_signature(
    reader: Callable[..., Any], options: dict[str, Any]
) -> None:
    opening, sections = numpydoc.sections(reader.__doc__ or "")
    entries = numpydoc.entries(sections["Parameters"])
    assert list(entries) == list(inspect.signature(reader).parameters)
    assert all(len(entry.splitlines()) > 1 for entry in entries.values())
    assert opening.startswith("Read ")
    assert "Examples" in sections


@pytest.mark.parametrize(("reader", "options"), READERS)
def test_an_option_of_another_format_is_a_type_error_as_for_any_function(
    reader: Callable[..., Any], options: dict[str, Any]
) -> None:
    other = "max_tokens" if "labels" in options else "labels"
    with pytest.raises(TypeError, match=rf"{reader.__name__}\(\) got an .* argument '{other}'"):
        reader(files.BytesIO(b""), **{other: 1})


@pytest.mark.parametrize(("reader", "options"), READERS)
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "9", 2**63])
def test_limits_are_whole_numbers(
    reader: Callable[..., Any], options: dict[str, Any], value: Any
) -> None:
    for name in ("max_line_bytes", "max_features", "max_tokens"):
        if name in options:
            with pytest.raises(ParameterError, match=rf"{name}=.* give a whole number"):
                reader(files.BytesIO(b""), **{name: value})
