"""What is odd about columns and rows of data: constant, repeated, missing, contradicting."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.data.reading import TABLES

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = [
    "SHOWN",
    "row_findings",
    "row_keys",
    "small_verdict",
    "sparse_findings",
    "table_findings",
]

SHOWN = 5
# Texts that people write where a value is not known.
GAPS = {"", "?", "-", "na", "n/a", "nan", "null", "none", "unknown", "missing"}
# Features whose sizes differ by more: the small ones are not heard.
FAR_APART = 1e6
# Beyond these the proof of separability takes more time than a look at the data should.
MOST_ROWS, MOST_CELLS, MOST_CLASSES = 2_000, 400_000, 10


# ---------------------------------------------------------------------- columns


def table_findings(schema: Any, table: Any) -> dict[str, Any]:
    import numpy as np

    missing: dict[str, int] = {}
    marks: dict[str, dict[str, int]] = {}
    once: dict[str, int] = {}
    keys: dict[Any, list[str]] = {}
    sizes: dict[str, float] = {}
    constant, counting = [], []
    key: Any
    for column in schema.columns:
        name = column.name
        if name in table.texts:
            codes, texts = table.coded(name)
            counts = np.bincount(codes, minlength=len(texts))
            met = {text: int(n) for text, n in zip(texts, counts.tolist(), strict=True) if n}
            gaps = {text: n for text, n in met.items() if text.strip().lower() in GAPS}
            if gaps:
                marks[name] = gaps
            if column.kind == "category" and 1 in met.values():
                once[name] = sum(n == 1 for n in met.values())
            if column.kind == "category" and len(met) < len(codes):
                # Numbered by first meeting, so that other names for the same levels are seen too.
                _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
                values = np.argsort(np.argsort(first))[inverse].astype(np.float64)
                key = values.tobytes()
            else:
                values = codes
                key = tuple(texts[code] for code in codes.tolist())
        else:
            values = table.numbers[:, table.number_names.index(name)] + 0.0
            gap = np.isnan(values)
            if gap.any():
                missing[name] = int(gap.sum())
            known = values[~gap]
            if len(known) and np.ptp(known) > 0:
                sizes[name] = float(known.std())
            if len(values) > 2 and bool((np.diff(values) == 1.0).all()):
                counting.append(name)
            key = values.tobytes()
        if bool((values == values[0]).all()) or bool(np.isnan(values).all()):
            constant.append(name)
        else:
            keys.setdefault(key, []).append(name)
    return {
        "constant": constant,
        "repeated_columns": [names for names in keys.values() if len(names) > 1],
        "missing": missing,
        "look_missing": marks,
        "levels_met_once": once,
        "row_numbers": counting,
        "scales": _scales(sizes),
    }


def sparse_findings(kind: str, schema: Any, block: Any) -> dict[str, Any]:
    import numpy as np

    nothing: dict[str, Any] = {
        "constant": [],
        "repeated_columns": [],
        "missing": {},
        "look_missing": {},
        "levels_met_once": {},
        "row_numbers": [],
        "scales": None,
    }
    if kind == "text":
        return nothing
    rows = block.rows
    of_row = rows.row_numbers()
    order = np.argsort(rows.indices, kind="stable")
    columns, starts = np.unique(rows.indices[order], return_index=True)
    sizes: dict[str, float] = {}
    keys: dict[tuple[bytes, bytes], list[str]] = {}
    names = schema.names(columns.tolist())
    for name, part in zip(names, np.split(order, starts[1:]), strict=True):
        values = rows.data[part] + 0.0
        sizes[name] = float(np.abs(values).max())
        if len(values) == rows.shape[0] and bool((values == values[0]).all()):
            nothing["constant"].append(name)
        else:
            keys.setdefault((of_row[part].tobytes(), values.tobytes()), []).append(name)
    nothing["repeated_columns"] = [names for names in keys.values() if len(names) > 1]
    nothing["scales"] = _scales({name: size for name, size in sizes.items() if size})
    return nothing


def _scales(sizes: dict[str, float]) -> dict[str, Any] | None:
    if not sizes:
        return None
    small, large = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[large] / FAR_APART <= sizes[small]:
        return None
    return {
        "smallest": {"name": small, "size": sizes[small]},
        "largest": {"name": large, "size": sizes[large]},
    }


# ---------------------------------------------------------------------- rows


def row_keys(kind: str, block: Any) -> list[Any]:
    """Something for each row that is equal for equal rows."""
    import numpy as np

    if kind == "text":
        return list(block.rows)
    if kind not in TABLES:
        rows, cut = block.rows, block.rows.indptr.tolist()
        values = rows.data + 0.0
        return [(rows.indices[a:b].tobytes(), values[a:b].tobytes()) for a, b in pairwise(cut)]
    parts = [np.where(np.isnan(block.numbers), np.nan, block.numbers + 0.0)]
    for name in block.texts:
        codes, texts = block.coded(name)
        number: dict[str, int] = {}
        same = np.array([number.setdefault(text, len(number)) for text in texts] or [0])
        parts.append(same[codes].astype(np.float64)[:, None])
    joined = np.ascontiguousarray(np.column_stack(parts))
    keys: list[Any] = joined.view(f"V{joined.strides[0]}").ravel().tolist()
    return keys


def row_findings(keys: list[Any], labels: list[Any], lines: list[int]) -> dict[str, Any]:
    members: dict[Any, list[int]] = {}
    for row, key in enumerate(keys):
        members.setdefault(key, []).append(row)
    several = [rows for rows in members.values() if len(rows) > 1]
    fights = [rows for rows in several if len({labels[row] for row in rows}) > 1]
    wrong = sum(len(rows) - max(Counter(labels[r] for r in rows).values()) for rows in fights)
    return {
        "repeated_rows": {
            "rows": sum(len(rows) - 1 for rows in several),
            "first": [[lines[row] for row in rows[:SHOWN]] for rows in several[:SHOWN]],
        },
        "conflicts": {
            "groups": len(fights),
            "rows": sum(map(len, fights)),
            "never_right": wrong,
            "first": [
                [
                    {"line": lines[row], "label": str(labels[row])}
                    for row in _differing(rows, labels)
                ]
                for rows in fights[:SHOWN]
            ],
        },
    }


def _differing(rows: list[int], labels: list[Any]) -> list[int]:
    """The first row of each label."""
    first: dict[Any, int] = {}
    for row in rows:
        first.setdefault(labels[row], row)
    return list(first.values())[:SHOWN]


def small_verdict(schema: AnySchema, block: Any, n_classes: int) -> dict[str, Any] | None:
    """The verdict on small data; None if it would take long."""
    import numpy as np

    from rosenblatt.theory.separability import separability

    if len(block) > MOST_ROWS or n_classes > MOST_CLASSES:
        return None
    X: Any = schema.encode(block)
    if hasattr(X, "tocsr"):
        used = np.unique(X.indices)
        if len(block) * len(used) > MOST_CELLS:
            return None
        X = X.toarray(used if len(used) else np.zeros(1, np.int64))
    elif X.size > MOST_CELLS:
        return None
    verdict = separability(X, block.labels)
    return {"verdict": verdict.verdict, "strength": verdict.strength}
