"""The model files of taggers: arrays, checks, saving and loading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.arrays import AnyArray, Arrays, Int32Array, IntArray
from rosenblatt.engine.tags.tag_features import FeatureTable
from rosenblatt.engine.tags.tag_weights import TagWeights
from rosenblatt.errors import ModelFileError, shown
from rosenblatt.models.constraints import allowed_steps
from rosenblatt.models.sentences import Encoder
from rosenblatt.models.structured_ledger import TagEntry, with_tags
from rosenblatt.models.tags import TagModel
from rosenblatt.persistence.card import Card, Facts, Fit
from rosenblatt.persistence.layout import (
    ALWAYS,
    ANY,
    BEST,
    CLASSES,
    EXAMPLES,
    FEATURES,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    LARGEST_SUM,
    LEDGER,
    MAX_EXAMPLES,
    NEXT_ROW,
    NOT_NEGATIVE,
    ROWS,
    START,
    START_OF_LEDGER,
    Array,
    Between,
    Layout,
    Part,
    Quantities,
    Quantity,
    Size,
    Within,
    has_best_epoch,
    in_order,
    largest_sum,
    refuse_slim,
    whole,
)

if TYPE_CHECKING:
    from rosenblatt.persistence.card import State

# Largest weight, at which no score of a token overflows float32, even with large feature values.
LARGEST = 1e20
MAX_FEATURES = (1 << 31) - 1
# Most templates: when a file is loaded, hashes are computed, in memory, for each of them.
MAX_TEMPLATES = 1 << 10
# Most probes of the hash table per feature, on average; with hashes of texts there are less than 2.
MAX_LOOKS = 32
# Names of the weight tables in files: features, a tag after a tag, a tag after two tags.
TABLES = ("rows", "steps", "pairs")


class TagFacts(Facts):
    """The fields of a tagger in the card: its kind of tokens, and how these become features.

    ``words`` is the number of known words of each column. ``best``, after early stopping, is the
    number of sentences that the weights that predict had seen; ``ledger`` the number before the
    ledger began. Tokens that are mappings have no columns, templates and words.
    """

    order: Literal[1, 2]
    tokens: Literal["word", "tuple", "mapping"]
    columns: list[str] | None
    templates: list[str] | None
    words: list[int]
    best: int | None
    dictionary: bool
    ledger: int | None


# ---------------------------------------------------------------------- the arrays

SUMS = Part("sums")
ORDER_2 = Part("order 2")
WORDS = Part("words")
DICTIONARY = Part("dictionary")

# Every pair of tags before a tag; the start of a sentence counts as one.
PAIRS = Quantity("(classes + 1)²")
KNOWN_WORDS = Quantity("words")
LARGEST_WEIGHT = Quantity("largest weight")
ROWS_OF_BEST = Quantity("best.rows")
ROWS_OF_START = Quantity("ledger.start.rows")

TAG = Between(0, CLASSES - 1)
TAG_OR_NONE = Between(-1, CLASSES - 1)
FEATURE = Between(0, FEATURES - 1)
SENTENCE = Between(0, NEXT_ROW - 1)
STEP = Between(0, LARGEST_WEIGHT)
COUNTER = Between(START_OF_LEDGER, EXAMPLES)
MISTAKE = (Quantity("mistakes"),)
MISTAKEN_TAGS = (Quantity("tags of mistakes"),)


def _weight_arrays(
    name: str, help: str, now: Size, best: Size, start: Size, *, only: tuple[Part, ...] = ALWAYS
) -> tuple[Array, ...]:
    """Declare a table of weights: now, running sums, at the best epoch, and before the ledger.

    The sizes are the numbers of rows; ``only`` is the part that all of the arrays belong to.
    """
    weight = Within(LARGEST_WEIGHT)
    total = Within(LARGEST_SUM)
    mean = f"the mean is {name} - {name}_sum / t"
    of_best = "those of the best epoch"
    of_start = "those before the ledger"
    return (
        Array(name, FLOAT32, (now, CLASSES), weight, only, help),
        Array(f"{name}_sum", FLOAT64, (now, CLASSES), total, (SUMS, *only), mean),
        Array(f"best.{name}", FLOAT32, (best, CLASSES), weight, (BEST, *only), of_best),
        Array(f"ledger.start.{name}", FLOAT32, (start, CLASSES), weight, (START, *only), of_start),
    )


AFTER_TAG = CLASSES + 1
STEPS_HELP = "from a tag to a tag; last: the start"
WEIGHT_ARRAYS = (
    *_weight_arrays("rows", "weights of features", ROWS, ROWS_OF_BEST, ROWS_OF_START),
    *_weight_arrays("steps", STEPS_HELP, AFTER_TAG, AFTER_TAG, AFTER_TAG),
    *_weight_arrays("pairs", "from two tags to a tag", PAIRS, PAIRS, PAIRS, only=(ORDER_2,)),
)
FEATURE_ARRAYS = (
    Array("features.hash", INT64, (FEATURES,), ANY, ALWAYS, "hash of each feature"),
    Array("rows.feature", INT32, (ROWS,), FEATURE, ALWAYS, "whose row it is"),
)
TAGGED_WORDS = (Quantity("words with a tag"),)
WORD_ARRAYS = (
    Array("words", INT8, (Quantity("bytes"),), ANY, (WORDS,), "UTF-8 of known words"),
    Array("words.start", INT64, (KNOWN_WORDS + 1,), NOT_NEGATIVE, (WORDS,), "where each begins"),
    Array("dictionary", INT32, TAGGED_WORDS, TAG_OR_NONE, (DICTIONARY,), "the one tag, or -1"),
)
LEDGER_ARRAYS = (
    Array("ledger.sentence", INT64, MISTAKE, SENTENCE, (LEDGER,), "the sentence"),
    Array("ledger.step", FLOAT64, MISTAKE, STEP, (LEDGER,), "how far it went"),
    Array("ledger.t", INT64, MISTAKE, COUNTER, (LEDGER,), "sentences seen"),
    Array("ledger.length", INT64, MISTAKE, Between(1), (LEDGER,), "how many tags"),
    Array("ledger.right", INT32, MISTAKEN_TAGS, TAG, (LEDGER,), "the right tags"),
    Array("ledger.found", INT32, MISTAKEN_TAGS, TAG, (LEDGER,), "the tags found"),
)


class TagLayout(Layout):
    """Layout of taggers: weights of features and of tag sequences, known words, and the ledger."""

    family = "tags"
    facts = TagFacts
    nature = (
        "tags sentences and has no weights for rows of numbers. Use rosenblatt tag, or load it in "
        "Python (rosenblatt.load)."
    )
    of_sentences = True
    arrays = (*FEATURE_ARRAYS, *WEIGHT_ARRAYS, *WORD_ARRAYS, *LEDGER_ARRAYS)

    def parts(self, card: Card) -> set[Part]:
        facts: TagFacts = card.model
        found: set[Part] = set()
        if not card.slim:
            found.add(SUMS)
        if facts.best is not None:
            found.add(BEST)
        if facts.order == 2:
            found.add(ORDER_2)
        if facts.columns is not None:
            found.add(WORDS)
        if facts.dictionary:
            found.add(DICTIONARY)
        if facts.ledger is not None:
            found.add(LEDGER)
            # A ledger from the first sentence on starts from weights that are 0.
            if facts.ledger:
                found.add(START)
        return found

    def quantities(self, card: Card, arrays: Arrays) -> Quantities:
        facts: TagFacts = card.model
        return {
            PAIRS: (len(card.classes) + 1) ** 2,
            KNOWN_WORDS: sum(facts.words),
            START_OF_LEDGER: (facts.ledger or 0) + 1,
            LARGEST_WEIGHT: LARGEST,
            LARGEST_SUM: largest_sum(LARGEST, card.record.t),
        }

    def n_features(self, card: Card, arrays: Arrays) -> int:
        return len(arrays["features.hash"])

    # ------------------------------------------------------------------ checks

    def check_card(self, card: Card) -> None:
        facts: TagFacts = card.model
        if (card.label_dtype, card.feature_names, card.columns) != (None, None, None):
            raise ModelFileError("a tagger has no columns and types of labels as others have them.")
        for tag in card.classes:
            if not isinstance(tag, str):
                raise ModelFileError(f"the tag {shown(tag)} is not a text.")
        whole("t", card.record.t, 1, MAX_EXAMPLES)
        if card.record.fit is not None:
            _check_fit(card.record.fit)

        # A slim tagger only has the weights that predict.
        must_be_there = has_best_epoch(card) and not card.slim
        if (facts.best is not None) != must_be_there:
            raise ModelFileError("the weights of the best epoch and the scores do not go together.")
        if facts.best is not None:
            whole("the sentences of the best epoch", facts.best, 1, card.record.t)
        if facts.ledger is not None:
            refuse_slim(card)
            whole("the t of the start of the ledger", facts.ledger, 0, card.record.t)
        _check_tokens(facts)

    def check_together(self, card: Card, arrays: Arrays) -> None:
        facts: TagFacts = card.model
        hashes = arrays["features.hash"]
        feature = arrays["rows.feature"]
        _check_hashes(hashes)
        whole("the number of features", len(hashes), 0, MAX_FEATURES)
        if np.bincount(feature).max(initial=0) > 1:
            raise ModelFileError("rows.feature: a feature has two rows.")
        for name in ("best.rows", "ledger.start.rows"):
            whole(f"the number of {name}", len(arrays.get(name, ())), 0, len(feature))
        if facts.columns is not None:
            unpack_words(arrays, facts.words)
        if facts.dictionary:
            # Its words are the first ones of the first column.
            whole("the size of the dictionary", len(arrays["dictionary"]), 1, facts.words[0])
        if facts.ledger is not None:
            _check_ledger(card, arrays)

    # ------------------------------------------------------------------ saving and loading

    def put(self, learner: Any, model: TagModel, *, slim: bool) -> tuple[TagFacts, Arrays]:
        # Constraints that were set after learning may name tags that the model does not have.
        allowed_steps(learner.constraints, model.tags)

        encoder = model.encoder
        weights = model.weights
        recorder = model.recorder
        best = model.best
        if slim:
            weights = model.served(averaged=learner.averaged)
            recorder = None
            best = None

        # The weights of earlier times, by the beginning of their names in a file.
        earlier: dict[str, TagWeights] = {}
        if best is not None:
            earlier["best."] = best
        ledger: int | None = None
        if recorder is not None and model.start is not None:
            ledger = int(model.start.t)
            if ledger:
                earlier["ledger.start."] = with_tags(model.start, len(model.tags))

        arrays: Arrays = {"features.hash": encoder.table.hashes.view(np.int64)}
        _put_weights(arrays, weights, earlier, sums=not slim)
        templates = encoder.templates
        words: list[list[str]] = []
        if templates is not None:
            words = [list(known) for known in encoder.known]
            arrays |= pack_words(words)
        if model.dictionary is not None:
            arrays["dictionary"] = model.dictionary
        if recorder is not None:
            _put_ledger(arrays, recorder)

        facts = TagFacts(
            order=int(model.weights.order),  # type: ignore[arg-type]
            tokens=encoder.kind,  # type: ignore[arg-type]
            columns=None if templates is None else list(encoder.columns),
            templates=None if templates is None else [str(text) for text in templates.texts],
            words=[len(known) for known in words],
            best=None if slim else model.best_t,
            dictionary=model.dictionary is not None,
            ledger=ledger,
        )
        return facts, arrays

    def take(self, learner: Any, state: State) -> None:
        card = state.card
        arrays = state.arrays
        facts: TagFacts = card.model
        encoder = Encoder(facts.tokens, facts.templates, facts.columns)
        model = TagModel(facts.order, card.record.seed, encoder)
        state.restore(model)
        model.tags = card.classes

        model.weights = _take_weights(state, card.record.t)
        if model.slim:
            model.best = model.weights
            model.t_of_best = card.record.t
        elif facts.best is not None:
            model.best = _take_weights(state, facts.best, "best.")
            model.t_of_best = facts.best
        if facts.dictionary:
            model.dictionary = np.array(arrays["dictionary"])
        if facts.ledger is not None:
            model.recorder = _take_ledger(arrays)
            if facts.ledger:
                model.start = _take_weights(state, facts.ledger, "ledger.start.")
            else:
                model.start = TagWeights(0, facts.order)

        encoder.table = FeatureTable(arrays["features.hash"].view(np.uint64))
        if encoder.templates is not None:
            words = unpack_words(arrays, facts.words)
            known = [{word: k for k, word in enumerate(column)} for column in words]
            encoder._remember(known, encoder.templates.hashes(words))
        allowed_steps(learner.constraints, model.tags)
        learner._model = model


# ---------------------------------------------------------------------- weights


def _put_weights(
    arrays: Arrays, weights: TagWeights, earlier: dict[str, TagWeights], *, sums: bool
) -> None:
    """Add weights to the arrays of a file, with the feature of each row.

    Rows stand in the order of their creation, so those of ``earlier`` weights come first.
    """
    feature = np.empty(weights.n_rows, np.int32)
    known = np.flatnonzero(weights.row_of >= 0)
    feature[weights.row_of[known]] = known
    arrays["rows.feature"] = feature
    for name in TABLES[: weights.order + 1]:
        table, running_sums = _tables(weights)[name]
        arrays[name] = table
        if sums:
            arrays[f"{name}_sum"] = running_sums
        for prefix, past in earlier.items():
            arrays[prefix + name], _ = _tables(past)[name]


def _tables(weights: TagWeights) -> dict[str, tuple[AnyArray, AnyArray]]:
    """Return each weight table and its running sums, cut to the rows and tags in use."""
    rows = slice(weights.n_rows)
    tags = slice(weights.n_tags)
    return {
        "rows": (weights.rows[rows, tags], weights.row_running_sum[rows, tags]),
        "steps": (weights.steps[:, tags], weights.step_running_sum[:, tags]),
        "pairs": (weights.pairs[:, tags], weights.pair_running_sum[:, tags]),
    }


def _take_weights(state: State, t: int, prefix: str = "") -> TagWeights:
    """Return the weights after ``t`` sentences, from the arrays whose names begin with ``prefix``.

    The weights of the best epoch have no room for running sums.
    """
    arrays = state.arrays
    n_tags = len(state.card.classes)
    order = state.card.model.order

    # The row of each feature; -1 for a feature that these weights do not have yet.
    feature = arrays["rows.feature"][: len(arrays[f"{prefix}rows"])]
    row_of = np.full(state.n_features, -1, np.int32)
    row_of[feature] = np.arange(len(feature), dtype=np.int32)

    weights = TagWeights(n_tags, order)
    tables: dict[str, AnyArray] = {"row_of": row_of}
    for name in TABLES:
        values = arrays.get(f"{prefix}{name}", np.zeros((0, n_tags)))
        no_sums = np.zeros_like(values[:0] if prefix == "best." else values)
        sums = arrays.get(f"{prefix}{name}_sum", no_sums)
        tables[name] = _widened(values, weights.width, "f4")
        tables[f"{name[:-1]}_running_sum"] = _widened(sums, weights.width, "f8")
    weights.set(**tables)
    weights.t = t
    return weights


def _widened(values: AnyArray, width: int, dtype: str) -> AnyArray:
    """Return a table padded with zeros to ``width`` columns."""
    table = np.zeros((len(values), width), dtype)
    table[:, : values.shape[1]] = values
    return table


# ---------------------------------------------------------------------- the ledger


def _put_ledger(arrays: Arrays, entries: list[TagEntry]) -> None:
    """Add the mistakes of the ledger to the arrays of a file, with their tags concatenated."""
    right_tags = [np.empty(0, np.int32)]
    found_tags = [np.empty(0, np.int32)]
    for _, _, _, right, found in entries:
        right_tags.append(right)
        found_tags.append(found)
    arrays["ledger.sentence"] = np.array([entry[0] for entry in entries], np.int64)
    arrays["ledger.step"] = np.array([entry[1] for entry in entries], np.float64)
    arrays["ledger.t"] = np.array([entry[2] for entry in entries], np.int64)
    arrays["ledger.length"] = np.array([len(entry[3]) for entry in entries], np.int64)
    arrays["ledger.right"] = np.concatenate(right_tags)
    arrays["ledger.found"] = np.concatenate(found_tags)


def _take_ledger(arrays: Arrays) -> list[TagEntry]:
    """Return the mistakes of the ledger of a file."""
    right_tags = np.array(arrays["ledger.right"])
    found_tags = np.array(arrays["ledger.found"])
    sentences = arrays["ledger.sentence"].tolist()
    steps = arrays["ledger.step"].tolist()
    counters = arrays["ledger.t"].tolist()
    lengths = arrays["ledger.length"].tolist()
    entries: list[TagEntry] = []
    start = 0
    for sentence, step, t, length in zip(sentences, steps, counters, lengths, strict=True):
        end = start + length
        entries.append((sentence, step, t, right_tags[start:end], found_tags[start:end]))
        start = end
    return entries


# ---------------------------------------------------------------------- words as two arrays


# Error handler for UTF-8: a word in Python can hold a lone surrogate, which is no character.
HALVES = "surrogatepass"


def pack_words(columns: Sequence[Sequence[str]]) -> Arrays:
    """Return the words of all columns as UTF-8 bytes, and the offset of each word."""
    texts = [word.encode("utf-8", HALVES) for words in columns for word in words]
    starts = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
    return {"words": np.frombuffer(b"".join(texts), np.int8), "words.start": starts}


def unpack_words(arrays: Arrays, counts: Sequence[int]) -> list[list[str]]:
    """Return the words of each column, given their counts; raise ModelFileError if invalid."""
    text = arrays["words"].tobytes()
    starts = arrays["words.start"]
    in_order("words.start", starts)
    if starts[0] != 0 or starts[-1] != len(text):
        raise ModelFileError("words.start does not cover the words.")
    try:
        words = [
            text[start:end].decode("utf-8", HALVES) for start, end in pairwise(starts.tolist())
        ]
    except UnicodeDecodeError as error:
        raise ModelFileError(f"words holds bytes that are not UTF-8 ({error.reason}).") from None

    columns = []
    first = 0
    for count in counts:
        column = words[first : first + count]
        if len(set(column)) != count:
            twice = Counter(column).most_common(1)[0][0]
            raise ModelFileError(f"the word {shown(twice)} occurs twice.")
        columns.append(column)
        first += count
    return columns


# ---------------------------------------------------------------------- checks


def _check_fit(fit: Fit) -> None:
    """Raise ModelFileError if the stop reason is impossible or contradicts the mistakes."""
    mistakes = fit.mistakes_per_epoch
    if fit.stop_reason in ("cycle", "tolerance") or fit.margin_ceiling is not None:
        raise ModelFileError(f"a tagger cannot have ended by {fit.stop_reason}.")
    # An epoch without a mistake is the last one.
    is_separated = mistakes[-1] == 0 and fit.stop_reason != "interrupted"
    if 0 in mistakes[:-1] or is_separated != (fit.stop_reason == "separated"):
        raise ModelFileError(
            f"the stop reason is {fit.stop_reason}, but the mistakes are {shown(mistakes)}."
        )


def _check_tokens(facts: TagFacts) -> None:
    """Raise ModelFileError if columns, templates and words do not fit the kind of tokens."""
    columns = facts.columns
    templates = facts.templates
    if facts.tokens == "mapping":
        if columns is not None or templates is not None or facts.words or facts.dictionary:
            raise ModelFileError("tokens that are mappings have no columns, templates or words.")
        return
    if not columns or not templates or (facts.tokens == "word" and len(columns) != 1):
        raise ModelFileError(f"the columns or templates are not those of a {facts.tokens}.")
    whole("the number of templates", len(templates), 1, MAX_TEMPLATES)
    if len(facts.words) != len(columns):
        raise ModelFileError(f"words of {len(facts.words)} columns, but there are {len(columns)}.")
    for count in facts.words:
        whole("the number of words", count, 1, MAX_FEATURES)


def _check_hashes(hashes: IntArray) -> None:
    """Raise ModelFileError if hashes occur twice, or collide so often that lookups are slow."""
    if not hashes.all():
        raise ModelFileError("features.hash holds 0, which stands for no feature.")
    ordered = np.sort(hashes)
    if (ordered[1:] == ordered[:-1]).any():
        raise ModelFileError("features.hash holds a feature twice.")
    if not len(hashes):
        return
    # The table of features has open addressing: each feature is put into the first free place from
    # its own on. The table stands here twice, because features that do not fit at its end continue
    # at its beginning.
    size = 1 << (2 * len(hashes) - 1).bit_length()
    own = np.sort(hashes.view(np.uint64) & np.uint64(size - 1)).astype(np.int64)
    own = np.concatenate([own, own + size])
    # Feature i of the sorted ones gets its own place, or the one after that of feature i - 1.
    order = np.arange(len(own))
    taken = order + np.maximum.accumulate(own - order)
    if np.sum(taken - own, dtype=np.float64) > MAX_LOOKS * max(len(own), 1 << 12):
        raise ModelFileError("features.hash holds too many that begin alike to be those of texts.")


def _check_ledger(card: Card, arrays: Arrays) -> None:
    """Raise ModelFileError if mistakes are out of order, too many, or do not fit their tags."""
    lengths = arrays["ledger.length"]
    t = arrays["ledger.t"]
    in_order("ledger.t", t, strictly=True)
    n_tags = len(arrays["ledger.right"])
    # A length that is too large is found before the sum could overflow.
    if lengths.max(initial=0) > n_tags or lengths.sum() != n_tags:
        raise ModelFileError(f"ledger.length does not add up to the {n_tags} tags that are there.")
    whole("the number of mistakes in the ledger", len(t), 0, card.record.n_mistakes)
