"""The tagger and the structured perceptron through `fit` and `partial_fit`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from estimators.structured.problems import all_tags, hamming, tag_mapping, tag_vector

from frozen.data import chunks, letters, sentences
from frozen.outcomes import outcome, shown
from rosenblatt import SequenceTagger, StructuredPerceptron
from rosenblatt.estimators.structured.spaces import Candidates

FEW = {"max_iter": 4}


def tuples(seed: int, n: int = 24) -> tuple[Any, Any]:
    xs, ys = sentences(seed, n)
    return [[(word, word[-1:]) for word in x] for x in xs], ys


def mappings(seed: int, n: int = 24) -> tuple[Any, Any]:
    xs, ys = sentences(seed, n)
    return [[{"word": word, "length": len(word) / 2} for word in x] for x in xs], ys


FORMS = {"words": sentences, "tuples": tuples, "mappings": mappings, "chunks": chunks}


def fit(form: str = "words", **options: Any) -> Any:
    return SequenceTagger(**{**FEW, **options}).fit(*FORMS[form](1))


def stream(form: str = "words", **options: Any) -> Any:
    """New words and, in the second part, a new tag."""
    xs, ys = FORMS[form](2, 10)
    ys = [["S" if tag == "R" and i % 3 == 0 else tag for tag in y] for i, y in enumerate(ys)]
    return SequenceTagger(**options).partial_fit(*FORMS[form](1)).partial_fit(xs, ys)


TAGGERS: dict[str, tuple[str, Callable[[], Any]]] = {
    **{f"fit/tagger/{form}": (form, partial(fit, form)) for form in FORMS},
    **{
        f"fit/tagger/{name}": ("words", partial(fit, **options))
        for name, options in {
            "in order": {"shuffle": False},
            "another seed": {"random_state": 7},
            "separated": {"max_iter": 60},
            "order 2": {"order": 2},
            "beam": {"search": "beam", "beam": 3},
            "beam, early": {"search": "beam", "beam": 2, "update": "early"},
            "greedy": {"search": "greedy"},
            "mira": {"rule": "mira", "C": 0.25},
            "mira, last": {"rule": "mira", "averaged": False},
            "last weights": {"averaged": False},
            "dictionary": {"tag_dictionary": 2},
            "templates": {"templates": ["w[0].suffix(1)|w[-1]", "w[0]"]},
            "recorded": {"record": True},
        }.items()
    },
    "fit/tagger/constraints": ("chunks", partial(fit, "chunks", constraints="BIO")),
    "fit/tagger/validation set": (
        "words",
        lambda: SequenceTagger(max_iter=12, n_iter_no_change=2).fit(
            *sentences(1), validation_set=sentences(3, 8)
        ),
    ),
    "fit/tagger/warm start": (
        "words",
        lambda: fit(warm_start=True).fit(*sentences(1)),
    ),
    "partial_fit/tagger/words": ("words", stream),
    "partial_fit/tagger/mappings": ("mappings", partial(stream, "mappings")),
    "partial_fit/tagger/order 2, recorded": ("words", partial(stream, order=2, record=True)),
    "partial_fit/tagger/mira": ("words", partial(stream, rule="mira")),
    "partial_fit/tagger/after fit": ("words", lambda: fit().partial_fit(*sentences(2))),
}


def tagger_outcome(tagger: Any, questions: list[Any]) -> dict[str, Any]:
    """Beside the rest the score of every tag and of the steps between the tags found."""
    why = [tagger.explain(x) for x in questions]
    return {
        **outcome(tagger, tagger.predict(questions)),
        "scores": shown([each.tag_scores for each in why]),
        "steps": shown([[choice.step for choice in each.predicted] for each in why]),
    }


def mapped(**options: Any) -> StructuredPerceptron:
    return StructuredPerceptron(Candidates(tag_mapping, all_tags, hamming), **{**FEW, **options})


STRUCTURES: dict[str, Callable[[], Any]] = {
    "fit/structured/mappings": lambda: mapped().fit(*letters(1)),
    "fit/structured/vectors": lambda: StructuredPerceptron(
        Candidates(tag_vector, all_tags), **FEW
    ).fit(*letters(1)),
    "fit/structured/in order": lambda: mapped(shuffle=False).fit(*letters(1)),
    "fit/structured/another seed": lambda: mapped(random_state=7).fit(*letters(1)),
    "fit/structured/separated": lambda: mapped(max_iter=60).fit(*letters(5, 6)),
    "fit/structured/last weights": lambda: mapped(averaged=False).fit(*letters(1)),
    "fit/structured/mira": lambda: mapped(update="mira", C=0.5).fit(*letters(1)),
    "fit/structured/recorded": lambda: mapped(record=True).fit(*letters(1)),
    "fit/structured/validation set": lambda: mapped(max_iter=12, n_iter_no_change=2).fit(
        *letters(1), validation_set=letters(3, 8)
    ),
    "fit/structured/warm start": lambda: mapped(warm_start=True).fit(*letters(1)).fit(*letters(1)),
    "partial_fit/structured/batches": lambda: (
        mapped().partial_fit(*letters(1)).partial_fit(*letters(2))
    ),
    "partial_fit/structured/mira, recorded": lambda: mapped(update="mira", record=True).partial_fit(
        *letters(1)
    ),
    "partial_fit/structured/after fit": lambda: mapped().fit(*letters(1)).partial_fit(*letters(2)),
}


def cases() -> Iterator[tuple[str, Callable[[Any], dict[str, Any]]]]:
    for name, (form, build) in TAGGERS.items():
        yield name, partial(_tagged, form, build)
    for name, make in STRUCTURES.items():
        yield name, partial(_structured, make)


def _tagged(form: str, build: Callable[[], Any], _folder: Any) -> dict[str, Any]:
    return tagger_outcome(build(), FORMS[form](9, 8)[0])


def _structured(build: Callable[[], Any], _folder: Any) -> dict[str, Any]:
    learner = build()
    return outcome(learner, learner.predict(letters(9, 8)[0]))
