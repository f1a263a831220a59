"""Docstrings are facts: what they name exists, what exists they name."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from strategies import LINEAR

from rosenblatt import KernelPerceptron, VotedPerceptron

# Those of other packages have the docstrings that their authors write.
OURS = [learner for learner in LINEAR if learner.__module__.startswith("rosenblatt.")]
EVERY = [*OURS, KernelPerceptron]

SHARED = "fit_intercept"
AFTER_OTHER_FITS = {"validation_scores_", "best_iter_", "calibration_"}


def section(learner: type, title: str) -> str:
    text = inspect.cleandoc(learner.__doc__ or "")
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{learner.__name__} has no section {title}"
    return found.group(1)


def named(learner: type, title: str) -> dict[str, str]:
    entries = re.findall(r"^(\w[\w, ]*) : (.*)$", section(learner, title), re.MULTILINE)
    return {name: kind for names, kind in entries for name in names.split(", ")}


@pytest.mark.parametrize("learner", EVERY, ids=lambda learner: learner.__name__)
def test_every_parameter_is_documented_with_its_default(learner: type) -> None:
    documented = named(learner, "Parameters")
    signature = inspect.signature(learner)
    assert list(documented) == list(signature.parameters)
    for name, parameter in signature.parameters.items():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        shown = documented[name].split("default=")[1].replace('"', "'")
        assert shown == repr(parameter.default).replace("0.0001", "1e-4"), name


@pytest.mark.parametrize("learner", EVERY, ids=lambda learner: learner.__name__)
def test_every_fitted_attribute_is_documented_and_there(learner: type) -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 3))
    y = X[:, 0] > 0
    recording = {} if learner is KernelPerceptron else {"record": True}
    if "average" in learner.options():
        recording["average"] = True
    plain = learner(tol=0.5, **recording).fit(X, y)
    watched = learner(early_stopping=True, calibrate=True, tol=0.5).fit(X, y)
    documented = set(named(learner, "Attributes"))
    if learner is VotedPerceptron:  # which predicts with them if combine="last"
        documented -= {"raw_coef_", "raw_intercept_"}
    if hasattr(plain, "variance_"):  # whose weights are no sum of rows
        documented -= {"support_", "dual_coef_"}
    for name in documented - {"feature_names_in_", "readout_"}:  # of frames, and of streams
        assert hasattr(watched if name in AFTER_OTHER_FITS else plain, name), name
    public = {
        name
        for name in dir(plain)
        if name.endswith("_") and not name.startswith("_") and hasattr(plain, name)
    }
    assert public - set(learner.options()) <= documented


def test_what_the_learners_share_is_said_in_the_same_words() -> None:
    texts = set()
    for learner in OURS:
        text = section(learner, "Parameters").split(f"\n{SHARED} : ", 1)[-1]
        text = text.split(f"{SHARED} : ", 1)[-1]
        # The one with a loss has a tol of its own.
        texts.add(re.sub(r"^tol : .*?(?=^\w)", "", text, flags=re.MULTILINE | re.DOTALL))
    assert len(texts) == 1
