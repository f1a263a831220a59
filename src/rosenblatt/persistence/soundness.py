"""Whether the parts of a model agree with each other, also when somebody made them up."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.errors import ModelFileError, shown
from rosenblatt.models.result import STOP_REASONS
from rosenblatt.persistence.card import DIGEST, Card, Fit, class_of, layout_of
from rosenblatt.persistence.layout import MOST_EXAMPLES, check_arrays, number, whole

LONGEST_NAME = 60  # of a rule that was tried
LABEL_DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f(?:2|4|8|16)|[US][0-9]{1,8}|O)")


def check(card: Card, arrays: Arrays) -> None:
    """Refuse a model whose parts do not fit together, naming the part.

    First the card, then every array alone, then all together: each step trusts those before it.
    """
    learner = class_of(card.learner)
    layout = layout_of(card.learner)
    _check_parameters(card, learner)
    _check_classes(card, in_order=not layout.of_sentences)
    _check_counters(card)
    for name, epochs, *_ in card.record.search or ():
        whole("the epochs of the search", epochs, 1, MOST_EXAMPLES)
        if not name.isprintable() or len(name) > LONGEST_NAME:
            raise ModelFileError(f"the search has tried {shown(name)}, which is no name.")
    if card.record.fit is not None:
        _check_fit(card.record.fit, card)
        _check_rows_of_fit(card.record.fit.rows, card, of_sentences=layout.of_sentences)
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
    """Only whole numbers and booleans depend on it; a type without a plain name is left out."""
    return dtype.str if dtype is not None and LABEL_DTYPE.fullmatch(dtype.str) else None


# ---------------------------------------------------------------------- the card


def _check_parameters(card: Card, learner: Any) -> None:
    """Each alone, as the class declares it; those of one learner together are its own matter."""
    options = learner.options()
    for name in sorted(card.parameters.keys() - options.keys()):
        raise ModelFileError(f"{card.learner} has no parameter {shown(name)}.")
    # A parameter that is younger than the file has its default.
    card.parameters |= {
        name: option.default for name, option in options.items() if name not in card.parameters
    }
    for name, option in options.items():
        value = card.parameters[name]
        # A default is allowed by its declaration, and most parameters have theirs.
        if type(value) is type(option.default) and value == option.default:
            continue
        try:
            option.check(value)
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None


def _check_classes(card: Card, *, in_order: bool) -> None:
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
    whole("next_row", record.next_row, 0, MOST_EXAMPLES)
    whole("n_mistakes", record.n_mistakes, 0, record.t)
    whole("seed", record.seed, 0, 2**64 - 1)
    whole("random", card.random, 0, 2**64 - 1)
    if record.data is not None:
        whole("the t of the data digest", record.data.t, 0, record.t)
        if not DIGEST.fullmatch(record.data.sha256):
            raise ModelFileError("the digest of the data is not 64 hexadecimal digits.")
        if not DIGEST.fullmatch(record.data.package or record.data.sha256):
            raise ModelFileError("the digest of the package is not 64 hexadecimal digits.")


def _check_fit(fit: Fit, card: Card) -> None:
    """Epochs, the mistakes of each, why it ended, and the scores."""
    record, scores = card.record, fit.validation_scores
    whole("n_iter", fit.n_iter, 1, record.t)
    if len(fit.mistakes_per_epoch) != fit.n_iter:
        raise ModelFileError(
            f"mistakes_per_epoch has {len(fit.mistakes_per_epoch)} numbers for {fit.n_iter} epochs."
        )
    # All epochs are as long, unless the last was cut.
    most = record.t if fit.stop_reason == "interrupted" else record.t // fit.n_iter
    for mistakes in fit.mistakes_per_epoch:
        whole("mistakes_per_epoch", mistakes, 0, most)
    if sum(fit.mistakes_per_epoch) > record.n_mistakes:
        raise ModelFileError(
            f"n_mistakes is {record.n_mistakes}, but the last fit made "
            f"{sum(fit.mistakes_per_epoch)}."
        )
    if fit.stop_reason not in STOP_REASONS:
        raise ModelFileError(f"the stop reason {shown(fit.stop_reason)} is not known.")
    if fit.training_errors is not None:
        whole("training_errors", fit.training_errors, 0, fit.rows or MOST_EXAMPLES)
    if fit.margin_ceiling is not None:
        number("margin_ceiling", fit.margin_ceiling, at_least=0.0)
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


def _check_rows_of_fit(rows: int | None, card: Card, *, of_sentences: bool) -> None:
    if of_sentences:
        if rows is not None:
            raise ModelFileError(f"a fit of {shown(rows)} rows, but examples are sentences.")
        return
    k = len(card.classes)
    if k < 2:
        raise ModelFileError("a finished fit has at least two classes.")
    # So that numbers of rows and pairs of classes can be counted.
    whole("rows", rows, 1, MOST_EXAMPLES // k**2)
    assert card.record.fit is not None
    for mistakes in card.record.fit.mistakes_per_epoch:
        whole("mistakes_per_epoch", mistakes, 0, int(rows or 0))


def _check_calibration(card: Card, learner: Any) -> None:
    slope, offset, combine = card.calibration or (0.0, 0.0, None)
    number("the slope of the calibration", slope, at_least=0.0)
    number("the offset of the calibration", offset)
    options, k = learner.options(), len(card.classes)
    if "calibrate" not in options or k < 2 or (k > 2 and offset):
        raise ModelFileError(f"a calibration that a {card.learner} of {k} classes does not have.")
    if combine not in (options["combine"].choices if "combine" in options else (None,)):
        raise ModelFileError(
            f"the calibration is for combine={shown(combine)}, which is not known."
        )


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
