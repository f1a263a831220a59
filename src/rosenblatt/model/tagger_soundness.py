"""Whether the parts of a tagger agree with each other, also when somebody made them up."""

from __future__ import annotations

import numbers
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import Card, Fit, Tagging
from rosenblatt.model.contents import Arrays, Need, check_arrays
from rosenblatt.model.fits import check_outcome
from rosenblatt.model.ranges import MOST_EXAMPLES, in_order, whole
from rosenblatt.model.word_lists import unpack_words

__all__ = ["check_tagger"]

# Of a weight: so that no score of a token leaves float32, also with features of large values.
LARGEST = 1e20
MOST_FEATURES = (1 << 31) - 1
# What is worked out of these when a file is loaded, or asked, takes as much memory as they say.
MOST_TEMPLATES = 1 << 10
WIDEST_BEAM = 1 << 16
# Places that are looked at, on average, to find a feature: with hashes of texts less than 2.
MOST_LOOKS = 32


def check_tagger(card: Card, tagger: Tagging, arrays: Arrays) -> None:
    """Refuse a tagger whose parts do not fit together, naming the part."""
    _check_card(card, tagger)
    _check_tokens(tagger)
    check_arrays(_needs(card, tagger), arrays)
    hashes, feature = arrays["features.hash"], arrays["rows.feature"]
    _check_hashes(hashes)
    whole("the number of features", len(hashes), 0, MOST_FEATURES)
    if feature.max(initial=-1) >= len(hashes):
        raise ModelFileError(f"rows.feature names a feature that is not among {len(hashes)}.")
    if np.bincount(feature).max(initial=0) > 1:
        raise ModelFileError("rows.feature: a feature has two rows.")
    if tagger.best is not None:
        whole("the number of rows of best", len(arrays["best.rows"]), 0, len(feature))
    if tagger.columns is not None:
        unpack_words(arrays, tagger.words)
    if tagger.dictionary:
        whole("the size of the dictionary", len(arrays["dictionary"]), 1, tagger.words[0])
    if tagger.ledger:
        _check_ledger(card, arrays)


# ---------------------------------------------------------------------- the card


def _check_card(card: Card, tagger: Tagging) -> None:
    of_others = (card.label_dtype, card.feature_names, card.columns, card.ledger, card.voters)
    flags = (card.fit_intercept, card.by_feature, card.best)
    if any(part is not None for part in (*of_others, card.kernel)) or any(flags):
        raise ModelFileError("a tagger has no columns, bias, ledger or kernel as others have them.")
    for tag in card.classes:
        if not isinstance(tag, str):
            raise ModelFileError(f"the tag {shown(tag)} is not a text.")
    beam, fit = card.parameters["beam"], card.record.fit
    if isinstance(beam, numbers.Integral):
        whole("beam", int(beam), 1, WIDEST_BEAM)
    whole("t", card.record.t, 1, MOST_EXAMPLES)
    if fit is not None:
        _check_fit(fit, card)
    if (tagger.best is not None) != (fit is not None and fit.best_iter is not None):
        raise ModelFileError("the weights of the best epoch and the scores do not go together.")
    if tagger.best is not None:
        whole("the sentences of the best epoch", tagger.best, 1, card.record.t)


def _check_fit(fit: Fit, card: Card) -> None:
    unused = (fit.rows, fit.n_updates, fit.cycle_length, fit.margin_ceiling, fit.eta, fit.dual)
    if unused != (0, 0, None, None, 1.0, "none"):
        raise ModelFileError("the record of the fit is that of another learner.")
    most = card.record.t // max(fit.n_iter, 1)
    check_outcome(fit, t=card.record.t, most_mistakes=most)
    mistakes, scores = fit.mistakes_per_epoch, fit.validation_scores
    if sum(mistakes) > card.record.n_mistakes:
        raise ModelFileError(
            f"n_mistakes is {card.record.n_mistakes}, but the last fit made {sum(mistakes)}."
        )
    if fit.stop_reason == "tolerance" or (fit.stop_reason == "early_stopping" and not scores):
        raise ModelFileError(f"a tagger cannot have ended by {fit.stop_reason}.")
    if 0 in mistakes[:-1] or (mistakes[-1] == 0) != (fit.stop_reason == "separated"):
        raise ModelFileError(
            f"the stop reason is {fit.stop_reason}, but the mistakes are {shown(mistakes)}."
        )
    if scores is not None and fit.best_iter is not None:
        if max(scores) > 1.0:
            raise ModelFileError(f"validation_scores: {max(scores)} is more than all.")
        if scores[fit.best_iter - 1] != max(scores):
            raise ModelFileError(f"best_iter is {fit.best_iter}, but another epoch did better.")


def _check_tokens(tagger: Tagging) -> None:
    columns, templates = tagger.columns, tagger.templates
    if tagger.tokens == "mapping":
        if columns is not None or templates is not None or tagger.words or tagger.dictionary:
            raise ModelFileError("tokens that are mappings have no columns, templates or words.")
        return
    if not columns or not templates or (tagger.tokens == "word" and len(columns) != 1):
        raise ModelFileError(f"the columns or templates are not those of a {tagger.tokens}.")
    whole("the number of templates", len(templates), 1, MOST_TEMPLATES)
    if len(tagger.words) != len(columns):
        raise ModelFileError(f"words of {len(tagger.words)} columns, but there are {len(columns)}.")
    for count in tagger.words:
        whole("the number of words", count, 1, MOST_FEATURES)


# ---------------------------------------------------------------------- the arrays


def _needs(card: Card, tagger: Tagging) -> Iterator[tuple[str, Need]]:
    k, t = len(card.classes), card.record.t
    # The mean is rows - rows_sum / t, so no sum is larger.
    most = 2.0 * LARGEST * t
    tables: dict[str, tuple[int | str, ...]] = {"rows": ("rows", k), "steps": (k + 1, k)}
    if tagger.order == 2:
        tables["pairs"] = ((k + 1) ** 2, k)
    yield "features.hash", Need(("int64",), ("features",))
    yield "rows.feature", Need(("int32",), ("rows",), 0)
    for name, shape in tables.items():
        yield name, Need(("float32",), shape, -LARGEST, LARGEST)
        yield f"{name}_sum", Need(("float64",), shape, -most, most)
        if tagger.best is not None:
            own = tuple("best.rows" if size == "rows" else size for size in shape)
            yield f"best.{name}", Need(("float32",), own, -LARGEST, LARGEST)
    if tagger.columns is not None:
        yield "words", Need(("int8",), ("bytes of words",))
        yield "words.start", Need(("int64",), (sum(tagger.words) + 1,), 0)
    if tagger.dictionary:
        yield "dictionary", Need(("int32",), ("dictionary",), -1, k - 1)
    if tagger.ledger:
        yield "ledger.sentence", Need(("int64",), ("mistakes",), 0)
        yield "ledger.step", Need(("float64",), ("mistakes",), 0.0, LARGEST)
        yield "ledger.t", Need(("int64",), ("mistakes",), 1, t)
        yield "ledger.length", Need(("int64",), ("mistakes",), 1)
        yield "ledger.right", Need(("int32",), ("tags of mistakes",), 0, k - 1)
        yield "ledger.found", Need(("int32",), ("tags of mistakes",), 0, k - 1)


def _check_hashes(hashes: npt.NDArray[np.int64]) -> None:
    if not hashes.all():
        raise ModelFileError("features.hash holds 0, which stands for no feature.")
    ordered = np.sort(hashes)
    if (ordered[1:] == ordered[:-1]).any():
        raise ModelFileError("features.hash holds a feature twice.")
    if not len(hashes):
        return
    # As the table of features is filled: each goes to the first free place from its own on. The
    # table is gone through twice, because what does not fit at its end goes on at its beginning.
    size = 1 << (2 * len(hashes) - 1).bit_length()
    own = np.sort(hashes.view(np.uint64) & np.uint64(size - 1)).astype(np.int64)
    own = np.concatenate([own, own + size])
    before = np.arange(len(own))
    taken = before + np.maximum.accumulate(own - before)
    if np.sum(taken - own, dtype=np.float64) > MOST_LOOKS * max(len(own), 1 << 12):
        raise ModelFileError("features.hash holds too many that begin alike to be those of texts.")


def _check_ledger(card: Card, arrays: Arrays) -> None:
    lengths, t = arrays["ledger.length"], arrays["ledger.t"]
    in_order("ledger.t", t, strictly=True)
    n_tags = len(arrays["ledger.right"])
    # One that is too long is seen before the sum could leave the range of the numbers.
    if lengths.max(initial=0) > n_tags or lengths.sum() != n_tags:
        raise ModelFileError(f"ledger.length does not add up to the {n_tags} tags that are there.")
    whole("the number of mistakes in the ledger", len(t), 0, card.record.n_mistakes)
