"""Taggers in all the states in which they can be saved."""

import numpy as np

from rosenblatt import SequenceTagger

WORDS = ["the", "Dog", "dogs", "ran", "x-ray", "3rd", "Straße", "名前", "e\u0301", "", "😀"]
TAGS = ["P", "Q", "R"]
FEW = {"max_iter": 3}


def words(seed, n=10, tags=TAGS):
    """Sentences and tags without a rule; every tag occurs."""
    random = np.random.default_rng(seed)
    lengths = [len(tags), *random.integers(1, 6, n - 1).tolist()]
    ys = [random.choice(tags, k).tolist() for k in lengths]
    ys[0] = list(tags)
    return [random.choice(WORDS, k).tolist() for k in lengths], ys


def tuples(seed, n=10, tags=TAGS):
    xs, ys = words(seed, n, tags)
    return [[(word, word[-1:], str(len(word))) for word in x] for x in xs], ys


def mappings(seed, n=10, tags=TAGS):
    """Texts, numbers and flags; some tokens have no feature at all."""
    xs, ys = words(seed, n, tags)
    tokens = [
        [
            {"word": word, "length": len(word) / 2, "long": len(word) > 3} if word else {}
            for word in x
        ]
        for x in xs
    ]
    return tokens, ys


def chunks(seed, n=10):
    """Tags that keep to BIO."""
    xs, ys = words(seed, n)
    kept = []
    for y in ys:
        names = {"P": "O", "Q": "B-Y", "R": "I-Y"}
        found = [names[tag] for tag in y]
        for i, tag in enumerate(found):
            if tag == "I-Y" and (i == 0 or found[i - 1] == "O"):
                found[i] = "B-Y"
        kept.append(found)
    return xs, kept


FORMS = {"words": words, "tuples": tuples, "mappings": mappings}
FOLLOWERS = {
    None: ["P", "Q", "R"],
    "P": ("P", "Q", "R"),
    "Q": {"P", "R", "Q"},
    "R": frozenset("PQR"),
}


def fit(form="words", **options):
    return SequenceTagger(**{**FEW, **options}).fit(*FORMS[form](7))


def stream(form="words", **options):
    return SequenceTagger(**options).partial_fit(*FORMS[form](7)).partial_fit(*FORMS[form](8))


STATES = {
    "words": lambda: fit(),
    "tuples": lambda: fit("tuples"),
    "mappings": lambda: fit("mappings"),
    "own templates": lambda: fit(templates=("w[0].suffix(2)|w[-1]", "w[0]"), columns=["w"]),
    "own columns": lambda: fit("tuples", columns=("w", "pos", "size"), templates=["size[0]|w[1]"]),
    "order 2": lambda: fit(order=2),
    "order 2, mappings": lambda: fit("mappings", order=2, record=True),
    "beam": lambda: fit(search="beam", beam=3, record=True),
    "greedy, early": lambda: fit("tuples", search="greedy", update="early", record=True),
    "mira": lambda: fit(rule="mira", C=0.3, record=True),
    "mira, mappings": lambda: fit("mappings", rule="mira"),
    "last weights": lambda: fit(averaged=False, record=True),
    "scheme": lambda: SequenceTagger(constraints="BIO", **FEW).fit(*chunks(7)),
    "followers": lambda: fit(constraints=FOLLOWERS),
    "dictionary": lambda: fit(tag_dictionary=1),
    "validation set": lambda: SequenceTagger(max_iter=6, n_iter_no_change=2, order=2).fit(
        *words(7), validation_set=words(8)
    ),
    "validation set, last weights": lambda: SequenceTagger(averaged=False, record=True, **FEW).fit(
        *tuples(7), validation_set=tuples(8)
    ),
    "separated": lambda: SequenceTagger(record=True).fit([["a", "b"]], [["P", "Q"]]),
    "one tag": lambda: SequenceTagger(record=True).fit([["a"], ["b", "a"]], [["P"], ["P", "P"]]),
    "no features": lambda: SequenceTagger().partial_fit([[{}, {}]], [["P", "Q"]]),
    "two tags, the later one first": lambda: (
        SequenceTagger().partial_fit([["a"]], [["Q"]]).partial_fit([["a"]], [["P"]])
    ),
    "nine tags": lambda: SequenceTagger(order=2, **FEW).fit(*words(7, 20, list("ABCDEFGHI"))),
    "stream": lambda: stream(record=True),
    "stream of mappings": lambda: stream("mappings"),
    "new tags": lambda: stream("tuples", order=2, record=True).partial_fit(
        *tuples(9, 8, list("AZ"))
    ),
    "fit, then stream": lambda: fit(record=True, tag_dictionary=2).partial_fit(*words(9)),
    "recorded late": lambda: fit(order=2).set_params(record=True).partial_fit(*words(9)),
    "warm start": lambda: fit(warm_start=True).fit(*words(8)),
}


def told(tagger):
    """All that a tagger knows, by name; what it refuses to tell as the refusal."""
    facts = {"params": tagger.get_params()}
    for name in (
        "tags_",
        "n_features_",
        "n_iter_",
        "t_",
        "n_mistakes_",
        "mistakes_per_epoch_",
        "stop_reason_",
        "validation_scores_",
        "best_iter_",
        "ledger_",
    ):
        try:
            value = getattr(tagger, name)
        except AttributeError as error:
            facts[name] = str(error)
            continue
        facts[name] = list(value) if name == "ledger_" else value
    model, encoder = tagger._model, tagger._model.encoder
    weights = model.weights
    sums = [
        weights.row_running_sum[: weights.n_rows],
        weights.step_running_sum,
        weights.pair_running_sum,
    ]
    facts["weights"] = [*weights_of(weights), *sums]
    facts["best"] = None if model.best is None else weights_of(model.best)
    facts["random"] = model.seed, model.random, model.order, model.dictionary
    facts["encoder"] = encoder.kind, encoder.table.hashes
    if encoder.templates is not None:
        facts["words"] = encoder.columns, encoder.templates.texts, encoder.known, encoder.hashes
    return facts


def weights_of(weights):
    n = weights.n_rows
    return [weights.t, weights.row_of, weights.rows[:n], weights.steps, weights.pairs]


def questions(tagger):
    """Sentences that it can be asked, with words that it has never met."""
    form = {"word": "words", "tuple": "tuples", "mapping": "mappings"}[tagger._model.encoder.kind]
    xs, _ = FORMS[form](99, 12)
    if form == "words":
        return [*xs, ["unheard", "of"], ["\t", "a" * 50]]
    if form == "mappings":
        return [*xs, [{"unheard": "of"}, {"word": 3}]]
    return [*xs, [("unheard", "of", "it")]]
