"""What commands print for programs: JSON of one schema, where a word means one thing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["as_json", "baseline", "say_json"]

# Of all commands together; it grows when a word gets another meaning or goes away.
SCHEMA = 2


def as_json(facts: dict[str, Any]) -> str:
    """A JSON object in one line, with its schema."""
    return json.dumps(
        {**facts, "schema": SCHEMA} if "schema" in facts else {"schema": SCHEMA, **facts},
        ensure_ascii=False,
        allow_nan=False,
    )


def say_json(facts: dict[str, Any], *, err: bool = False) -> None:
    click.echo(as_json(facts), err=err)


def baseline(counts: Mapping[Any, int]) -> dict[str, Any]:
    """What always answering the most frequent class comes to; of equal ones, the first in order."""
    label = max(sorted(counts), key=counts.__getitem__)
    return {"label": label, "accuracy": counts[label] / sum(counts.values())}
