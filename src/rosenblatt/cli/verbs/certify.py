"""rosenblatt certify: are the classes of a file separable, and what proves it?"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import click

from rosenblatt.cli.data.reading import (
    DATA,
    Reading,
    named,
    notices_told,
    reading_options,
    zero_based_option,
)
from rosenblatt.cli.data.training_data import (
    dense_columns,
    read_examples,
    refuse_one_class,
    used_columns,
)
from rosenblatt.cli.data.training_report import counted_classes, counted_features
from rosenblatt.cli.frame.json_output import say_json
from rosenblatt.cli.frame.options import SEED, Command, use_one_thread
from rosenblatt.cli.frame.terminal import say
from rosenblatt.plurals import count

__all__ = ["command"]

SUSPECTS = 5
CONFLICT_SHOWN = 12
# Features of more numbers than this stay sparse if they came so.
DENSE_CELLS = 20_000_000
# The cost of a suspect takes a pass over all updates in Python.
MOST_COSTED = 100_000


@click.command(
    cls=Command,
    name="certify",
    epilog="\b\nExamples:\n  rosenblatt certify iris.csv --target species\n"
    "  rosenblatt certify a9a.svmlight.gz --json\n\n"
    "Exit codes: 0 separable, 1 not or undecided, 2 usage, 3 bad data.",
)
@click.argument("file", type=DATA)
@click.option("--no-bias", is_flag=True, help="Only look for hyperplanes through the origin.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--seed", type=SEED, default=0, show_default=True, help="For the random order of the rows."
)
@reading_options
@zero_based_option
def command(file: str, no_bias: bool, as_json: bool, seed: int, **reading: Any) -> int:
    """Say whether the classes of FILE can be separated, with a proof either way.

    FILE is CSV, TSV, JSON lines, labelled text, svmlight, Vowpal Wabbit text, Parquet or Arrow,
    also packed (gzip, xz, bzip2, zstd); - reads standard input. Numbers are taken as they are;
    categories become one feature for each level and texts one for each word, as train makes them.
    """
    from rosenblatt.errors import DataError, InputError

    use_one_thread()
    rows = read_rows(file, **reading)
    try:
        found = certificate(rows, fit_intercept=not no_bias, seed=seed)
    except InputError as error:
        raise DataError(str(error), name=rows.name) from None
    if as_json:
        say_json(found)
    else:
        say(_report(found))
    return 0 if found["verdict"] == "separable" else 1


# ---------------------------------------------------------------------- the rows


@dataclass
class LabelledRows:
    """Features, labels as text, the line of every row, and what the columns are taken for.

    ``features`` counts those of the schema, ``used`` those that some row has.
    """

    name: str
    X: Any
    labels: list[str]
    lines: list[int]
    told: list[str]
    features: int
    used: int


def read_rows(path: str, **options: Any) -> LabelledRows:
    """Read a file, or standard input for ``-``."""
    from rosenblatt.features import FeatureOptions

    reading = Reading(**options)
    with notices_told():
        # Scaling would round, and without a bias move the rows.
        found = read_examples(reading, [path], FeatureOptions(scale=False))
    name, labels = named([path]), [str(label) for label in found.labels.tolist()]
    kind, X = found.schema.kind, found.X
    refuse_one_class(labels, name, of_table=kind == "table")
    used, told = len(used_columns(X)), list[str]()
    if hasattr(X, "tocsr"):
        if kind in ("table", "text"):
            told = found.schema.describe()
            dense = dense_columns(X, DENSE_CELLS)
        else:
            dense = X.toarray() if X.shape[0] * X.shape[1] <= DENSE_CELLS else None
        X = X if dense is None else dense
    n_features = found.schema.n_features
    return LabelledRows(name, X, labels, found.lines.tolist(), told, n_features, used)


# ---------------------------------------------------------------------- the verdict


def certificate(rows: LabelledRows, *, fit_intercept: bool, seed: int) -> dict[str, Any]:
    """Everything the command tells, as what becomes the JSON object."""
    import numpy as np

    from rosenblatt.core.rows import as_rows
    from rosenblatt.theory.certificates import CertificateError
    from rosenblatt.theory.separability import separability

    labels = np.array(rows.labels)
    counts = Counter(rows.labels)
    verdict = separability(rows.X, labels, fit_intercept)
    said, strength, detail = verdict.verdict, verdict.strength, verdict.detail
    try:
        verified = verdict.separable is not None and verdict.verify()
    except CertificateError as error:  # what cannot be checked is not claimed
        said, strength, detail, verified = "undecided", "none", str(error), False
    longest = float(as_rows(rows.X).squared_norms().max()) + float(fit_intercept)
    several = len(counts) > 2
    found: dict[str, Any] = {
        "file": rows.name,
        "rows": len(labels),
        "features": rows.features,
        "features_used": rows.used,
        "told": rows.told,
        "classes": {label: counts[label] for label in sorted(counts)},
        "fit_intercept": fit_intercept,
        "verdict": said,
        "strength": strength,
        "verified": verified,
        "detail": detail,
        "conflict": _conflict(rows, verdict) if verified else None,
        "pairs": None,
        "margin": None,
        "radius": math.sqrt(longest * (2.0 if several else 1.0)),
        "gamma": None,
        "bound": None,
    }
    if several:
        pairs = [pair.separable is True for pair in verdict.pairs.values()]
        found["pairs"] = {"separable": sum(pairs), "all": len(pairs)}
    if said == "separable":
        found.update(_margins(rows.X, labels, fit_intercept))
    found.update(_training(rows, labels, fit_intercept, seed))
    return found


def _conflict(rows: LabelledRows, verdict: Any) -> dict[str, Any] | None:
    conflict = verdict.conflict
    if conflict is None:
        return None
    members = []
    wrong = getattr(conflict, "wrong", (None,) * len(conflict.rows))
    for row, weight, rival in zip(conflict.rows, conflict.weights, wrong, strict=True):
        member = {"line": rows.lines[row], "label": rows.labels[row], "weight": float(weight)}
        if rival is not None:
            member["against"] = str(rival)
        if isinstance(weight, Fraction):
            member["fraction"] = str(weight)
        members.append(member)
    return {"residual": float(conflict.residual), "rows": members}


def _margins(X: Any, labels: Any, fit_intercept: bool) -> dict[str, float | None]:
    """The largest margin of two classes, and the constants of the mistake bound."""
    from rosenblatt.errors import InputError
    from rosenblatt.theory.bound import mistake_bound
    from rosenblatt.theory.margin import max_margin

    known: dict[str, float | None] = {}
    bound = mistake_bound(X, labels, fit_intercept)
    if bound.margin > 0 and math.isfinite(bound.bound):
        known = {"radius": bound.radius, "gamma": bound.margin, "bound": bound.bound}
    if len(set(labels.tolist())) == 2:
        try:
            known["margin"] = max_margin(X, labels, fit_intercept).margin
        except InputError:  # separable, but by less than floats can measure
            known["margin"] = None
    return known


def _training(rows: LabelledRows, labels: Any, fit_intercept: bool, seed: int) -> dict[str, Any]:
    """What a perceptron does with the rows, and the rows it errs on most often."""
    from rosenblatt import Perceptron
    from rosenblatt.theory.suspects import suspects

    # With several classes the bound holds where a tie lowers a rival too.
    ties = "mistake" if len(set(rows.labels)) == 2 else "positive"
    learner = Perceptron(fit_intercept=fit_intercept, random_state=seed, ties=ties, record=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason to stop is told anyway
        learner.fit(rows.X, labels)
    ledger = learner.ledger_
    costed = rows.X if len(ledger) <= MOST_COSTED else None
    ranked = suspects(ledger, costed, top=SUSPECTS, n_rows=len(labels))
    return {
        "perceptron": {
            "mistakes": learner.n_mistakes_,
            "epochs": learner.n_iter_,
            "stop_reason": learner.stop_reason_,
        },
        "suspects": [
            {
                "line": rows.lines[one.row],
                "label": str(one.label),
                "answered": None if one.answered is None else str(one.answered),
                "mistakes": one.updates,
                "epochs_mistaken": one.epochs_mistaken,
            }
            for one in ranked
        ],
    }


# ---------------------------------------------------------------------- for people


def _report(found: dict[str, Any]) -> list[str]:
    from rosenblatt.core.result import stop_text

    said = [
        f"{found['file']}: {count(found['rows'], 'row')}, "
        f"{counted_features(found['features'], found['features_used'])}; "
        + counted_classes(found["classes"]),
        *(f"  {line}" for line in found["told"]),
        f"verdict: {found['verdict']}" + _strength(found),
    ]
    if found["conflict"] is not None:
        said += _conflict_lines(found["conflict"])
    if found["pairs"] is not None:
        said.append(
            f"pairs of classes separable: {found['pairs']['separable']} of {found['pairs']['all']}"
        )
    if found["margin"] is not None:
        said.append(f"margin: {found['margin']:.6g}, the largest there is")
    space = " of the rows with a 1 appended" if found["fit_intercept"] else ""
    if found["bound"] is None:
        said.append(f"bound: none; R = {found['radius']:.6g}{space}")
    else:
        said.append(
            f"bound: at most {math.floor(found['bound']):,} mistakes in any order, R²/γ² with "
            f"R = {found['radius']:.6g} and γ = {found['gamma']:.6g}{space}"
        )
    run = found["perceptron"]
    said.append(
        f"perceptron: {count(run['mistakes'], 'mistake')} in {count(run['epochs'], 'epoch')}; "
        f"stopped: {stop_text(run['stop_reason'])}"
    )
    if found["suspects"]:
        said.append("most often mistaken:")
    for one in found["suspects"]:
        answered = "" if one["answered"] is None else f", answered {one['answered']}"
        said.append(
            f"  line {one['line']}: {count(one['mistakes'], 'time')}, "
            f"labelled {one['label']}{answered}"
        )
    return said


def _strength(found: dict[str, Any]) -> str:
    if found["strength"] == "none":
        return f"; {found['detail']}"
    kind = "exact" if found["strength"] == "exact" else "within rounding"
    return f" (proof {kind}, checked in exact arithmetic)"


def _conflict_lines(conflict: dict[str, Any]) -> list[str]:
    members = conflict["rows"]
    rows = count(len(members), "row")
    said = [f"conflict of {rows}; weighted so, they rule every separator out:"]
    for one in members[:CONFLICT_SHOWN]:
        fraction = one.get("fraction", "")
        weight = fraction if 0 < len(fraction) <= 12 else f"{one['weight']:.6g}"
        against = f" against {one['against']}" if "against" in one else ""
        said.append(f"  line {one['line']}: {one['label']}{against}, {weight}")
    more = len(members) - CONFLICT_SHOWN
    return [*said, f"  and {more:,} more (--json shows all)"] if more > 0 else said
