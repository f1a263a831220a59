"""Learners of all families in all the states in which they can be saved, under one roof.

A sample is named ``family: state``; its bytes are those of the file it is saved to.
"""

from functools import cache, partial

import numpy as np
from strategies import LEARNERS, floats

from persistence import kernel_samples, samples, tagger_samples
from persistence.forging import bytes_of
from rosenblatt import AutoLinear, AveragedPerceptron, Perceptron, SoftPerceptron, VotedPerceptron
from rosenblatt.estimators.catalogue import entries

EARLY = {"early_stopping": True, "validation_fraction": 0.3}
OF_LINEAR = ("recorded", "early stopping", "coef_init", "sparse", "recorded batches")

# Small linear models that the lists of forgeries speak of.
LINEAR = {
    # about a kilobyte
    "small": lambda: Perceptron().partial_fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"]),
    "fit": lambda: samples.fitted(Perceptron, 2, record=True),
    "averaged": lambda: samples.STATES["frame"](AveragedPerceptron, 3),
    "voted": lambda: samples.STATES["sparse"](VotedPerceptron, 3),
    "watched": lambda: samples.fitted(Perceptron, 3, **EARLY),
    "several": lambda: samples.fitted(SoftPerceptron, 3),
    "calibrated": lambda: samples.fitted(Perceptron, 2, calibrate=True),
    "streamed": lambda: Perceptron(readout="auto").partial_fit(*floats(7, n_classes=3)),
    "mixed": lambda: Perceptron(readout="mix").partial_fit(*floats(7, n_classes=3)),
    "chosen": lambda: AutoLinear(max_iter=2).fit(*floats(7, n_classes=3)).best_learner_,
}
SAMPLES = {
    **{f"linear: {name}": build for name, build in LINEAR.items()},
    **{
        f"linear: {name}, {state}, {k}": partial(samples.STATES[state], make, k)
        for name, make in LEARNERS.items()
        for state in OF_LINEAR
        for k in (2, 3)
    },
    **{f"kernel: {state}": partial(build, 3) for state, build in kernel_samples.STATES.items()},
    **{f"tags: {state}": build for state, build in tagger_samples.STATES.items()},
}
# All states of all learners; those above are enough where each array is forged in turn.
EVERY = {
    **{
        f"linear: {name}, {state}, {k}": partial(build, make, k)
        for name, make in LEARNERS.items()
        for state, build in samples.STATES.items()
        for k in (2, 3)
    },
    **{
        f"kernel: {state}, {k}": partial(build, k)
        for state, build in kernel_samples.STATES.items()
        for k in (2, 3)
    },
    **{f"tags: {state}": build for state, build in tagger_samples.STATES.items()},
}
# One of each family that is damaged byte by byte.
SMALL = ("linear: small", "kernel: one class", "tags: separated")
FAMILIES = tuple(sorted({entry.family for entry in entries() if entry.is_saved}))


@cache
def sample(name, folder):
    """The bytes of a sample."""
    return bytes_of(SAMPLES[name](), folder)


def family_of(name):
    return name.partition(":")[0]


def told(learner):
    """All that a learner of any family tells, by name."""
    return (tagger_samples if hasattr(learner, "tags_") else samples).told(learner)


def assert_same(one, other):
    one, other = told(one), told(other)
    assert one.keys() == other.keys()
    for name in one:
        assert samples.same(one[name], other[name]), (name, one[name], other[name])


def assert_predicts_the_same(one, other):
    """Predictions, scores and explanations, to the last bit; mappings are asked elsewhere."""
    if hasattr(one, "tags_"):
        asked = tagger_samples.questions(one)
        assert one.predict(asked) == other.predict(asked)
        for sentence in asked:
            assert str(one.explain(sentence)) == str(other.explain(sentence))
        return
    queries = np.random.default_rng(9).normal(size=(20, one.n_features_in_))
    for X in (queries, queries.astype(np.float32), samples.csr(queries)):
        assert samples.same(one.decision_function(X), other.decision_function(X))
        assert samples.same(one.predict(X), other.predict(X))
        if hasattr(one, "calibration_"):
            assert samples.same(one.predict_proba(X), other.predict_proba(X))
