"""Learners of every kind put to use in any order: each act is done, or refused in words of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from persistence.kernel_samples import BUDGETS
from strategies import LEARNERS

import rosenblatt
from fuzz import hostile
from rosenblatt.errors import ModelFileError, RosenblattError
from rosenblatt.estimators.structured.spaces import Candidates
from rosenblatt.features import TextFeatures

MAX_FEATURES = 1 << 20  # what a file asks for is given up to here
Act = Callable[[], Any]
# What SciPy says itself of a matrix that is none.
OF_SCIPY = ("indices and data should have the same size",)


def some(random: Random, **options: tuple[Any, ...]) -> dict[str, Any]:
    """A value for a few of the options."""
    return {name: random.choice(v) for name, v in options.items() if random.random() < 0.3}


def done(random: Random, acts: list[Act], count: int) -> bool:
    """Do some of the acts, one after the other; whether any was done."""
    successes = 0
    for act in random.choices(acts, k=count):
        try:
            act()
        except RosenblattError:
            continue
        except ValueError as error:
            if str(error) not in OF_SCIPY:
                raise
            continue
        successes += 1
    return successes > 0


# ---------------------------------------------------------------------- learners of rows


def classify(random: Random, learner: Any, d: int, count: int) -> bool:
    """Teach a classifier rows and mappings, ask it and have it explain."""

    def rows() -> int:
        return random.randrange(1, 7)

    def taught(act: Callable[[Any, Any], Any]) -> Act:
        def teach() -> None:
            n = rows()
            act(hostile.table(random, n, d), hostile.labels(random, n))

        return teach

    def one() -> Any:
        if random.random() < 0.5:
            return hostile.mapping(random)
        return [hostile.number(random) for _ in range(min(d, 2000))]

    acts: list[Act] = [
        taught(lambda X, y: learner.fit(X, y)),
        lambda: learner.predict_one(one()),
        lambda: learner.predict(hostile.table(random, rows(), d)),
        lambda: learner.decision_function(hostile.table(random, rows(), d)),
        lambda: str(learner.explain(one())),
        lambda: [getattr(learner, name, None) for name in ("coef_", "dual_coef_", "support_")],
        lambda: list(getattr(learner, "ledger_", ())),
    ]
    if hasattr(learner, "partial_fit"):
        acts.append(taught(lambda X, y: learner.partial_fit(X, y)))
        acts.append(taught(lambda X, y: learner.partial_fit(X, y, classes=list(dict.fromkeys(y)))))
        acts.append(lambda: learner.learn_one(one(), hostile.labels(random, 1)[0]))
    if hasattr(learner, "predict_then_learn"):
        acts.append(taught(lambda X, y: learner.predict_then_learn(X, y)))
        acts.append(lambda: learner.grow(random.randrange(d + 3)))
        acts.append(lambda: learner.insert_features([random.randrange(-1, d + 2)]))
    return done(random, acts, count)


def linear(random: Random, name: str) -> bool:
    options = some(
        random,
        fit_intercept=(False,),
        record=(True,),
        early_stopping=(True,),
        shuffle=(False,),
        class_weight=("balanced", {0: 2.0}),
        binary_as_multiclass=(True,),
        warm_start=(True,),
    )
    return classify(random, LEARNERS[name](max_iter=3, **options), random.randrange(1, 12), 4)


def kernel(random: Random, name: str) -> bool:
    options = some(
        random,
        kernel=("linear", "poly", "rbf", "sigmoid", "precomputed", "cosine"),
        multiclass=("argmax", "ovr"),
        early_stopping=(True,),
        gamma=(1e-300, 1.0, 1e200),
        degree=(1, 9, 100),
        coef0=(-1.0, 0.0, 1e100),
    )
    made = rosenblatt.KernelPerceptron(max_iter=2, **{**BUDGETS[name], **options})
    return classify(random, made, random.randrange(1, 6), 3)


# ---------------------------------------------------------------------- learners of sentences


def tag(random: Random, tagger: Any, form: str, count: int) -> bool:
    tags = random.choice(
        [["P", "Q", "R"], ["O", "B-X", "I-X"], [*"ABCDEFGHIJ"], ["", "é", "\ud800"]]
    )

    def some_sentences() -> Any:
        return hostile.sentences(random, form, tags)

    def learn_one() -> None:
        xs, ys = some_sentences()
        tagger.learn_one(xs[0], ys[0])

    acts: list[Act] = [
        lambda: tagger.fit(*some_sentences()),
        lambda: tagger.fit(*some_sentences(), validation_set=some_sentences()),
        lambda: tagger.partial_fit(*some_sentences()),
        lambda: tagger.partial_fit(*some_sentences(), classes=tags),
        learn_one,
        lambda: tagger.predict(some_sentences()[0]),
        lambda: tagger.predict_one(some_sentences()[0][0]),
        lambda: tagger.score(*some_sentences()),
        lambda: str(tagger.explain(some_sentences()[0][0])),
        lambda: list(getattr(tagger, "ledger_", ())),
    ]
    return done(random, acts, count)


def tagger(random: Random) -> bool:
    options = some(
        random,
        search=("beam", "greedy"),
        order=(2,),
        beam=(1, 2, 70),
        update=("whole", "early", "violation"),
        rule=("mira",),
        constraints=("BIO", "BIOES", {"P": ["Q"], None: ["P", "A"]}),
        tag_dictionary=(1,),
        averaged=(False,),
        record=(True,),
        templates=(hostile.templates(random),),
        columns=(["w"], ["w", "pos", "c2"]),
    )
    form = random.choice(["words", "tuples", "mappings"])
    return tag(random, rosenblatt.SequenceTagger(max_iter=2, **options), form, 3)


def structured(random: Random) -> bool:
    """Features are numbers of any size by names of any kind."""
    kind = random.choice(["mapping", "array", "mixed"])

    def features(x: Any, y: Any) -> Any:
        one = Random(f"{x} {y}")
        if kind == "mapping" or (kind == "mixed" and one.random() < 0.5):
            return hostile.mapping(one)
        return hostile.dense(one, 1, 3)[0]

    learner = rosenblatt.StructuredPerceptron(
        Candidates(features, lambda x: range(x)),
        max_iter=2,
        **some(random, update=("mira",), averaged=(False,), record=(True,)),
    )

    def examples() -> Any:
        xs = [random.randrange(5) for _ in range(random.randrange(1, 4))]
        return xs, [random.randrange(x + (random.random() < 0.1) or 1) for x in xs]

    acts: list[Act] = [
        lambda: learner.fit(*examples()),
        lambda: learner.partial_fit(*examples()),
        lambda: learner.predict(examples()[0]),
        lambda: str(learner.explain(examples()[0][0])),
        lambda: getattr(learner, "weights_", None),
    ]
    return done(random, acts, 3)


def texts(random: Random) -> bool:
    """Texts to n-grams, by hashes or a vocabulary that grows."""
    options = some(
        random,
        words=(None, (1, 1), (1, 3), (2, 20)),
        chars=((1, 1), (2, 4), (1, 20)),
        bits=(None, 1, 12, 18),
        value=("binary", "count"),
        unit=(True,),
        shortest=(2, 1000),
        symbols=(False,),
        lowercase=(False,),
    )
    features = TextFeatures(**options)

    def some_texts() -> list[str]:
        many = random.randrange(1, 4)
        blank = random.choice([" ", "", "\u3000"])
        return [
            blank.join(hostile.word(random) for _ in range(random.randrange(9)))
            for _ in range(many)
        ]

    acts: list[Act] = [
        lambda: features.fit(some_texts()),
        lambda: features.transform(some_texts()),
        lambda: features.names(features.fit_transform(some_texts()).indices.tolist()),
    ]
    return done(random, acts, 3)


# ---------------------------------------------------------------------- learners out of files


def use(random: Random, learner: Any, path: Path) -> None:
    """Ask a learner that was loaded, teach it, and save it again."""
    if hasattr(learner, "tags_"):
        kind = learner._model.encoder.kind
        form = {"word": "words", "tuple": "tuples", "mapping": "mappings"}[kind]
        tag(random, learner, form, 2)
    elif learner.n_features_in_ <= MAX_FEATURES:
        classify(random, learner, learner.n_features_in_, 2)
    if random.random() < 0.3:
        try:
            rosenblatt.save(learner, path)
        except ModelFileError:  # it has learned from rows that only claim to be in order
            return
        rosenblatt.load(path)
