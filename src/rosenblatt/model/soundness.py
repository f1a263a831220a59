"""Whether the parts of a model agree with each other, also when somebody made them up."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import DIGEST, Card, Fit, Start
from rosenblatt.model.contents import Arrays, check_arrays, linear_needs
from rosenblatt.model.fits import check_outcome
from rosenblatt.model.learners import file_needs, saved_learners
from rosenblatt.model.ranges import MOST_EXAMPLES, check_csr, in_order, whole
from rosenblatt.model.tagger_soundness import check_tagger

__all__ = ["check", "dtype_name"]

LABEL_DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f(?:2|4|8|16)|[US][0-9]{1,8}|O)")


def check(card: Card, arrays: Arrays) -> None:
    """Refuse a model whose parts do not fit together, naming the part."""
    learner = file_needs(card.learner)
    if learner is None:
        raise ModelFileError(
            f"the learner {shown(card.learner)} is not known; a file may hold "
            f"{', '.join(saved_learners())}. A learner of another package needs that package."
        )
    for name in sorted(card.parameters.keys() - learner.parameters):
        raise ModelFileError(f"{card.learner} has no parameter {shown(name)}.")
    for name in sorted(learner.parameters - card.parameters.keys()):
        raise ModelFileError(f"the parameter {name} of {card.learner} is missing.")
    if "ties" in learner.parameters:
        _choice(card, "ties", "mistake", "positive")
    if "combine" in learner.parameters:
        _choice(card, "combine", "vote", "average", "last")
    _check_classes(card)
    _check_counters(card)
    if learner.tags != (card.tagger is not None):
        raise ModelFileError(
            f"{card.learner} {'needs' if learner.tags else 'does not have'} a tagger."
        )
    if card.tagger is not None:
        check_tagger(card, card.tagger, arrays)
        return
    if card.record.fit is not None:
        _check_fit(card.record.fit, card)
    if learner.kernel != (card.kernel is not None):
        raise ModelFileError(
            f"{card.learner} {'needs' if learner.kernel else 'does not have'} a kernel."
        )
    if card.kernel is not None:
        learner.entry.load()._check_file(card, arrays)
        _check_names(card, card.kernel.n_features)
        return
    _check_recordings(card, votes=learner.votes)
    check_arrays(linear_needs(card, arrays), arrays)
    _check_names(card, int(arrays["coef"].shape[1]))
    _check_contents(card, arrays)


def dtype_name(dtype: np.dtype[Any] | None) -> str | None:
    """Only whole numbers and booleans depend on it; a type without a plain name is left out."""
    return dtype.str if dtype is not None and LABEL_DTYPE.fullmatch(dtype.str) else None


def _choice(card: Card, name: str, *allowed: str) -> None:
    value = card.parameters[name]
    if not isinstance(value, str) or value not in allowed:
        raise ModelFileError(f"{name} is {shown(value)}; {' or '.join(allowed)} is allowed.")


def _check_classes(card: Card) -> None:
    classes = card.classes
    if not classes:
        raise ModelFileError("the model has no classes.")
    if len(set(classes)) != len(classes):
        twice = Counter(classes).most_common(1)[0][0]
        raise ModelFileError(f"the class {shown(twice)} occurs twice.")
    try:
        ordered = sorted(classes)
    except TypeError:
        raise ModelFileError("the classes are of types that cannot be ordered.") from None
    if len(classes) == 2 and ordered != classes and card.tagger is None:
        raise ModelFileError("two classes must stand in order: the second is the positive one.")
    if card.label_dtype is None:
        return
    if not LABEL_DTYPE.fullmatch(card.label_dtype):
        raise ModelFileError(f"label_dtype {shown(card.label_dtype)} is not known.")
    dtype = np.dtype(card.label_dtype)
    if dtype.kind in "iub":
        kind: type[int] = bool if dtype.kind == "b" else int
        low, high = 0, 1
        if kind is int:
            low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        for label in classes:
            if not (type(label) is kind and low <= label <= high):
                raise ModelFileError(f"the class {shown(label)} is not of the type {dtype.name}.")


def _check_counters(card: Card) -> None:
    record = card.record
    whole("t", record.t, 0, MOST_EXAMPLES)
    whole("n_mistakes", record.n_mistakes, 0, record.t)
    whole("seed", record.seed, 0, 2**64 - 1)
    whole("random", card.random, 0, 2**64 - 1)
    if record.data is not None:
        whole("the t of the data digest", record.data.t, 0, record.t)
        if not DIGEST.fullmatch(record.data.sha256):
            raise ModelFileError("the digest of the data is not 64 hexadecimal digits.")


def _check_fit(fit: Fit, card: Card) -> None:
    binary = len(card.classes) == 2
    if len(card.classes) < 2:
        raise ModelFileError("a finished fit has at least two classes.")
    whole("rows", fit.rows, 1, MOST_EXAMPLES // len(card.classes) ** 2)
    check_outcome(fit, t=card.record.t, most_mistakes=fit.rows)
    if card.kernel is None and binary != (fit.dual in ("counts", "steps")):
        raise ModelFileError(f"a dual form of {fit.dual} for {len(card.classes)} classes.")


def _check_recordings(card: Card, *, votes: bool) -> None:
    """The ledger and the voters: there or not as learner and record have it."""
    watched = card.record.fit is not None and card.record.fit.best_iter is not None
    voters, t = card.voters, card.record.t
    if votes != (voters is not None) or (votes and card.ledger is None):
        raise ModelFileError(
            f"{card.learner} {'needs' if votes else 'does not have'} the rows of its mistakes."
        )
    starts: list[Start | None] = [card.ledger, None if voters is None else voters.start]
    for start in starts:
        if start is not None:
            whole("the t of the start of the ledger", start.t, 0, t)
    kept = card.best or (voters is not None and voters.best is not None)
    if kept != watched or (votes and card.best):
        raise ModelFileError("the weights of the best epoch and the scores do not go together.")
    if voters is not None and voters.best is not None:
        whole("the examples of the best epoch", voters.best[1], voters.start.t, t)


def _check_names(card: Card, n_features: int) -> None:
    names, columns = card.feature_names, card.columns
    if columns is None and not n_features:
        raise ModelFileError("the model has no features.")
    for what, listed in (("feature_names", names), ("columns", columns)):
        if listed is not None and len(set(listed)) != len(listed):
            raise ModelFileError(f"{what} has a name twice.")
    known = len(names) if columns is None and names is not None else len(columns or ())
    if known != n_features and not (names is None and columns is None):
        raise ModelFileError(f"there are {known} names for {n_features} features.")
    if names is not None and columns is not None and columns[: len(names)] != names:
        raise ModelFileError("feature_names and columns do not agree.")


def _check_contents(card: Card, arrays: Arrays) -> None:
    fit, voters = card.record.fit, card.voters
    if not card.fit_intercept:
        for name in ("intercept", "intercept_sum"):
            if np.any(arrays.get(name, 0)):
                raise ModelFileError(f"{name} is not 0, but the model has no bias.")
    if fit is not None and fit.dual == "pairs":
        in_order("pairs.key", arrays["pairs.key"], strictly=True)
    for name in ("ledger", "voters"):
        if f"{name}.t" in arrays:
            in_order(f"{name}.t", arrays[f"{name}.t"])
    if voters is None:
        return
    n_updates, n_rows = len(arrays["voters.row"]), 0
    if voters.rows == "dense":
        n_rows = arrays["voters.rows"].shape[0]
    elif voters.rows != "none":
        n_rows = check_csr("voters.rows", arrays)
    named = int(arrays["voters.row"].max(initial=-1)) + 1
    if named != n_rows or n_rows > n_updates or (n_rows == 0) != (voters.rows == "none"):
        raise ModelFileError(f"{n_updates} updates of {named} rows, but {n_rows} rows are there.")
    if voters.best is not None:
        whole("the updates of the best epoch", voters.best[0], 0, n_updates)
