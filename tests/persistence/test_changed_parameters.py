"""A parameter that is set on a fitted learner counts from the next call on, also after a reload.

Whether the model goes through a file in between or not, the next call does the same: it learns by
the new value, or says why it cannot.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import LEARNERS, floats

from rosenblatt import KernelPerceptron, SequenceTagger, load, save

X, Y = floats(5, n=40, d=3, n_classes=3)
SENTENCES = [[*"abca"[i % 3 :], "b"] for i in range(12)]
TAGS = [["V" if letter == "a" else "C" for letter in sentence] for sentence in SENTENCES]
FAMILIES = {**LEARNERS, "kernel": KernelPerceptron, "tagger": SequenceTagger}
# What decides about files and threads, and not about what is learned.
WITHOUT_EFFECT = {"verbose", "n_jobs"}
# What the weights of a model cannot follow, or what needs a beam; it could not be loaded again.
REFUSED = {"steps", "relative_to_data"}
REFUSED_VALUES = {("update", "early"), ("update", "violation")}


def other_values(learner: Any) -> list[tuple[str, Any]]:
    """Every flag and every choice of a learner with a value that it does not have."""
    found = []
    for name, option in learner.options().items():
        values = {"flag": (False, True), "choice": option.choices}.get(option.kind, ())
        now = getattr(learner, name)
        allowed = [*values, *([None] if option.optional and values else [])]
        if name not in WITHOUT_EFFECT:
            found += [(name, value) for value in allowed if value is not now and value != now]
    return found


CASES = [
    (family, start, name, value)
    for family, make in FAMILIES.items()
    for start in ("partial_fit", "fit")
    for name, value in other_values(make())
]


def examples(family: str, some: slice) -> tuple[Any, Any]:
    return (SENTENCES[some], TAGS[some]) if family == "tagger" else (X[some], Y[some])


def learn_more(family: str, learner: Any) -> None:
    learner.partial_fit(*examples(family, slice(6, 12)))


def after_more(learner: Any, family: str, folder: Path) -> Any:
    """What one more call leads to: the bytes of the model, or the words of the refusal."""
    try:
        learn_more(family, learner)
    except (ValueError, AttributeError) as error:
        return type(error), str(error)
    save(learner, folder / "after.rbt")
    predicted = learner.predict(examples(family, slice(0, 12))[0])
    return (folder / "after.rbt").read_bytes(), np.asarray(predicted, object).tolist()


@pytest.mark.parametrize(("family", "start", "name", "value"), CASES)
def test_a_parameter_that_was_set_counts_whether_the_model_was_saved_meanwhile_or_not(
    tmp_path: Path, family: str, start: str, name: str, value: Any
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = FAMILIES[family]()
        getattr(learner, start)(*examples(family, slice(0, 6)))
        learner.set_params(**{name: value})
        if name in REFUSED or (name, value) in REFUSED_VALUES:
            for call in (partial(save, path=tmp_path / "model.rbt"), partial(learn_more, family)):
                with pytest.raises(ValueError, match=name):
                    call(learner)
            return
        save(learner, tmp_path / "model.rbt")
        reloaded = load(tmp_path / "model.rbt")
        assert reloaded.get_params()[name] == value
        expected = after_more(learner, family, tmp_path)
        assert after_more(reloaded, family, tmp_path) == expected
