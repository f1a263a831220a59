"""What tests of examples that are learned from in one compiled call share."""

from types import MappingProxyType

from hypothesis import strategies as st

from rosenblatt.linear import LinearLearner

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "ties": st.sampled_from(["mistake", "positive"]),
        "fit_intercept": st.booleans(),
        "binary_as_multiclass": st.booleans(),
        "record": st.just(True),
        "class_weight": st.just({1: 2.0}),
        "readout": st.sampled_from(["auto", "mix", "last", "average", "fast"]),
    },
)


class OddFloat(float):
    def __float__(self):
        return -1.0


class OddInt(int):
    def __float__(self):
        return -1.0


class OddText(str):
    __slots__ = ()


def outcome(call, *arguments):
    """What a call gives, or how it fails; True instead of the learner."""
    try:
        found = call(*arguments)
    except Exception as error:
        return type(error), str(error)
    return True if isinstance(found, LinearLearner) else found


def state(learner):
    """All that is known of a learner, but for its parameters."""
    if "_model" not in vars(learner):
        return None
    schema = repr(learner.schema_ and learner.schema_.to_json())
    model = learner._model
    return model.digest(), model.weights.reach, learner.n_features_in_, model.classes, schema


def same(found, expected):
    return type(found) is type(expected) and found == expected


def learns_in_one_call(learner, x, y):
    before = state(learner)
    found = learner._open_engine().learn_one(x, y)
    assert (state(learner) == before) is not found
    return found


def predicted_in_one_call(learner, x):
    """The class of an example by the fast path; None if it is left to the fallback."""
    return learner._open_engine().predict_one(x)


def assert_refused(before, after):
    """Nothing has changed, except that the bound on the weights may be closer."""
    if before is None or after is None:
        assert before == after
        return
    digest, reach, *rest = before
    digest_after, reach_after, *rest_after = after
    assert (digest_after, rest_after) == (digest, rest)
    assert reach_after <= reach


def compare_both_ways(short, long, x, y):
    """Predict and learn a mapping, by the longer way as one that is no dict."""
    expected = outcome(long.predict_one, MappingProxyType(x))
    assert same(outcome(short.predict_one, x), expected)
    before = state(short)
    expected = outcome(long.learn_one, MappingProxyType(x), y)
    assert same(outcome(short.learn_one, x, y), expected)
    assert state(short) == state(long)
    if expected is not True:
        assert_refused(before, state(short))
