"""Validate that the parts of a model file agree with each other, even in a forged file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.errors import ModelFileError, shown
from rosenblatt.models.result import STOP_REASONS
from rosenblatt.persistence.card import DIGEST, Card, Fit, class_of, layout_of
from rosenblatt.persistence.layout import MAX_EXAMPLES, check_arrays, number, whole

if TYPE_CHECKING:
    from rosenblatt.estimators.learner import Learner

# Longest name of a rule that a search tried, in characters.
LONGEST_NAME = 60
LABEL_DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f(?:2|4|8|16)|[US][0-9]{1,8}|O)")


def check(card: Card, arrays: Arrays) -> None:
    """Raise ModelFileError, naming the part, if parts of a model are invalid or disagree.

    First the card, then each array alone, then all together: each step relies on those before it.
    """
    learner = class_of(card.learner)
    layout = layout_of(card.learner)
    _check_parameters(card, learner)
    _check_classes(card, in_order=not layout.of_sentences)
    _check_counters(card)
    _check_search(card)
    if card.record.fit is not None:
        _check_fit(card.record.fit, card)
        if layout.of_sentences:
            _check_fit_of_sentences(card.record.fit)
        else:
            _check_fit_of_rows(card.record.fit, card)
    if card.calibration is not None:
        _check_calibration(card, learner)
    layout.check_card(card)

    check_arrays(layout, card, arrays)

    if not layout.of_sentences:
        _check_names(card, layout.n_features(card, arrays))
    layout.check_together(card, arrays)
    holds = layout.training_data(card)
    if card.training_data != holds:
        raise ModelFileError(f"training_data is {card.training_data}, but the file holds {holds}.")


def dtype_name(dtype: np.dtype[Any] | None) -> str | None:
    """Return the dtype of labels as text; None if model files do not support it.

    Only whole numbers and booleans depend on it.
    """
    if dtype is None or not LABEL_DTYPE.fullmatch(dtype.str):
        return None
    return dtype.str


# ---------------------------------------------------------------------- the card


def _check_parameters(card: Card, learner: type[Learner]) -> None:
    """Check each parameter by its declaration, and set missing ones to their defaults."""
    options = learner.options()
    for name in sorted(card.parameters.keys() - options.keys()):
        raise ModelFileError(f"{card.learner} has no parameter {shown(name)}.")
    for name, option in options.items():
        # A parameter that is younger than the file has its default.
        value = card.parameters.setdefault(name, option.default)
        # A default is allowed by its declaration, and most parameters have theirs.
        if type(value) is type(option.default) and value == option.default:
            continue
        try:
            option.check(value)
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None


def _check_classes(card: Card, *, in_order: bool) -> None:
    """Raise ModelFileError if classes are missing, repeated, out of order or of another type."""
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
    if len(classes) == 2 and ordered != classes and in_order:
        raise ModelFileError("two classes must stand in order: the second is the positive one.")
    if card.label_dtype is not None:
        _check_label_dtype(card.label_dtype, classes)


def _check_label_dtype(name: str, classes: Sequence[Hashable]) -> None:
    """Raise ModelFileError if the dtype of labels is unknown, or cannot hold a class."""
    if not LABEL_DTYPE.fullmatch(name):
        raise ModelFileError(f"label_dtype {shown(name)} is not known.")
    dtype = np.dtype(name)
    if dtype.kind == "b":
        kind: type[int] = bool
        low = 0
        high = 1
    elif dtype.kind in "iu":
        kind = int
        low = int(np.iinfo(dtype).min)
        high = int(np.iinfo(dtype).max)
    else:
        return
    for label in classes:
        if type(label) is not kind or not low <= label <= high:
            raise ModelFileError(f"the class {shown(label)} is not of the type {dtype.name}.")


def _check_counters(card: Card) -> None:
    record = card.record
    whole("t", record.t, 0, MAX_EXAMPLES)
    whole("next_row", record.next_row, 0, MAX_EXAMPLES)
    whole("n_mistakes", record.n_mistakes, 0, record.t)
    whole("seed", record.seed, 0, 2**64 - 1)
    whole("random", card.random, 0, 2**64 - 1)
    if record.data is not None:
        whole("the t of the data digest", record.data.t, 0, record.t)
        if not DIGEST.fullmatch(record.data.sha256):
            raise ModelFileError("the digest of the data is not 64 hexadecimal digits.")
        if not DIGEST.fullmatch(record.data.package or record.data.sha256):
            raise ModelFileError("the digest of the package is not 64 hexadecimal digits.")


def _check_search(card: Card) -> None:
    for name, epochs, *_ in card.record.search or ():
        whole("the epochs of the search", epochs, 1, MAX_EXAMPLES)
        if not name.isprintable() or len(name) > LONGEST_NAME:
            raise ModelFileError(f"the search has tried {shown(name)}, which is no name.")


# ---------------------------------------------------------------------- the last fit


def _check_fit(fit: Fit, card: Card) -> None:
    """Check the epochs, the mistakes of each, the stop reason and the scores of a fit."""
    record = card.record
    whole("n_iter", fit.n_iter, 1, record.t)
    if len(fit.mistakes_per_epoch) != fit.n_iter:
        raise ModelFileError(
            f"mistakes_per_epoch has {len(fit.mistakes_per_epoch)} numbers for {fit.n_iter} epochs."
        )
    # All epochs are of the same length, unless the last one was interrupted.
    most = record.t if fit.stop_reason == "interrupted" else record.t // fit.n_iter
    for mistakes in fit.mistakes_per_epoch:
        whole("mistakes_per_epoch", mistakes, 0, most)
    n_mistakes = sum(fit.mistakes_per_epoch)
    if n_mistakes > record.n_mistakes:
        raise ModelFileError(
            f"n_mistakes is {record.n_mistakes}, but the last fit made {n_mistakes}."
        )
    if fit.stop_reason not in STOP_REASONS:
        raise ModelFileError(f"the stop reason {shown(fit.stop_reason)} is not known.")
    if fit.training_errors is not None:
        whole("training_errors", fit.training_errors, 0, fit.rows or MAX_EXAMPLES)
    if fit.margin_ceiling is not None:
        number("margin_ceiling", fit.margin_ceiling, at_least=0.0)
    _check_scores(fit)


def _check_scores(fit: Fit) -> None:
    """Raise ModelFileError if held-out scores do not fit the epochs, or the best epoch."""
    scores = fit.validation_scores
    if (fit.best_iter is None) != (scores is None):
        raise ModelFileError("best_iter and validation_scores go together.")
    if scores is None or fit.best_iter is None:
        if fit.stop_reason == "early_stopping":
            raise ModelFileError("it cannot have ended by early_stopping without scores.")
        return
    whole("best_iter", fit.best_iter, 1, fit.n_iter)
    if len(scores) != fit.n_iter:
        raise ModelFileError(
            f"validation_scores has {len(scores)} numbers for {fit.n_iter} epochs."
        )
    for score in scores:
        number("validation_scores", score, at_least=0.0, at_most=1.0)
    if scores[fit.best_iter - 1] != max(scores):
        raise ModelFileError(f"best_iter is {fit.best_iter}, but another epoch did better.")


def _check_fit_of_sentences(fit: Fit) -> None:
    if fit.rows is not None:
        raise ModelFileError(f"a fit of {shown(fit.rows)} rows, but examples are sentences.")


def _check_fit_of_rows(fit: Fit, card: Card) -> None:
    n_classes = len(card.classes)
    if n_classes < 2:
        raise ModelFileError("a finished fit has at least two classes.")
    # So that numbers of rows and pairs of classes can be counted.
    whole("rows", fit.rows, 1, MAX_EXAMPLES // n_classes**2)
    for mistakes in fit.mistakes_per_epoch:
        whole("mistakes_per_epoch", mistakes, 0, int(fit.rows or 0))


# ---------------------------------------------------------------------- probabilities and names


def _check_calibration(card: Card, learner: type[Learner]) -> None:
    """Raise ModelFileError if the learner cannot have the calibration."""
    assert card.calibration is not None
    slope, offset, combine = card.calibration
    number("the slope of the calibration", slope, at_least=0.0)
    number("the offset of the calibration", offset)

    options = learner.options()
    n_classes = len(card.classes)
    # More than two classes have no offset.
    if "calibrate" not in options or n_classes < 2 or (n_classes > 2 and offset):
        raise ModelFileError(
            f"a calibration that a {card.learner} of {n_classes} classes does not have."
        )
    allowed = options["combine"].choices if "combine" in options else (None,)
    if combine not in allowed:
        raise ModelFileError(
            f"the calibration is for combine={shown(combine)}, which is not known."
        )


def _check_names(card: Card, n_features: int) -> None:
    """Raise ModelFileError if names of features repeat, or disagree with weights or each other."""
    names = card.feature_names
    columns = card.columns
    if columns is None and not n_features:
        raise ModelFileError("the model has no features.")
    for what, listed in (("feature_names", names), ("columns", columns)):
        if listed is not None and len(set(listed)) != len(listed):
            raise ModelFileError(f"{what} has a name twice.")

    # The columns of mappings are all features; the names of a frame are the first of them.
    all_names = names if columns is None else columns
    if all_names is not None and len(all_names) != n_features:
        raise ModelFileError(f"there are {len(all_names)} names for {n_features} features.")
    if names is not None and columns is not None and columns[: len(names)] != names:
        raise ModelFileError("feature_names and columns do not agree.")
