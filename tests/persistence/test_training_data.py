"""What a file holds of the rows learned from, and what is left of a model that is saved slim."""

import numpy as np
import pytest
from strategies import LEARNERS, floats

from persistence.families import EVERY, assert_predicts_the_same, family_of
from persistence.forging import opened
from persistence.samples import PER_ROW, as_mapping
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.errors import NoLedgerError, SlimModelError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def saved(learner, folder, **options):
    save(learner, folder / "model.rbt", **options)
    return (folder / "model.rbt").read_bytes()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "voted"])
def test_a_file_is_as_large_for_many_rows_as_for_few(name, n_classes, tmp_path):
    """Counters have a digit more, and nothing else grows: no row leaves a trace of its own."""

    def size(n):
        X, y = floats(7, n=n, n_classes=n_classes)
        learner = LEARNERS[name](max_iter=2, tol=None, eta0=0.5) if name == "perceptron" else None
        learner = learner or LEARNERS[name](max_iter=2, tol=None)
        return len(saved(learner.fit(X, y), tmp_path))

    assert abs(size(3000) - size(300)) <= 24


@pytest.mark.parametrize("name", PER_ROW)
def test_what_each_row_did_is_known_in_memory_and_after_load_with_a_ledger_alone(name, tmp_path):
    X, y = floats(7, n_classes=3)
    fitted = Perceptron(max_iter=3, tol=None).fit(X, y)
    recorded = Perceptron(max_iter=3, tol=None, record=True).fit(X, y)
    saved(fitted, tmp_path)
    with pytest.raises(NoLedgerError, match=r"none was kept\. Keep one with record=True"):
        getattr(load(tmp_path / "model.rbt"), name)
    saved(recorded, tmp_path)
    for other in (recorded, load(tmp_path / "model.rbt")):
        np.testing.assert_array_equal(getattr(other, name), getattr(fitted, name))


def test_the_dual_form_of_a_second_warm_fit_is_that_of_its_rows_alone(tmp_path):
    learner = Perceptron(max_iter=3, tol=None, warm_start=True, record=True)
    learner.fit(*floats(7)).fit(*floats(8))
    plain = Perceptron(max_iter=3, tol=None, warm_start=True).fit(*floats(7)).fit(*floats(8))
    saved(learner, tmp_path)
    for name in PER_ROW:
        for other in (learner, load(tmp_path / "model.rbt")):
            np.testing.assert_array_equal(getattr(other, name), getattr(plain, name))


@pytest.mark.parametrize(
    ("learner", "holds"),
    [
        (Perceptron(), "none"),
        (AveragedPerceptron(record=True), "ledger"),
        (VotedPerceptron(), "rows"),
        (KernelPerceptron(), "rows"),
        (KernelPerceptron(budget=5, combine="last"), "rows"),
    ],
)
def test_the_card_says_what_the_file_holds_of_the_training_data(learner, holds, tmp_path):
    card, _ = opened(saved(learner.partial_fit(*floats(7)), tmp_path))
    assert card["training_data"] == holds


# ---------------------------------------------------------------------- slim


@pytest.mark.parametrize(
    "name", [name for name in EVERY if not ("frame" in name or "mappings" in name)]
)
def test_a_slim_model_predicts_to_the_last_bit_and_refuses_to_learn(name, tmp_path):
    learner = EVERY[name]()
    whole, data = saved(learner, tmp_path), saved(learner, tmp_path, slim=True)
    slim = load(tmp_path / "model.rbt")
    assert len(data) <= len(whole)
    assert_predicts_the_same(learner, slim)
    card, arrays = opened(data)
    assert card["slim"]
    assert "mistakes_per_row" not in arrays
    rows_decide = family_of(name) == "kernel" or hasattr(learner, "combine")
    if not rows_decide:
        assert not any("sum" in array or "ledger" in array for array in arrays)
    assert saved(slim, tmp_path) == data
    if hasattr(learner, "kernel") and learner.kernel == "precomputed":
        return
    if hasattr(learner, "tags_"):
        example = [["the"]], [["DET"]]
    else:
        example = np.zeros((1, learner.n_features_in_)), [learner.classes_[0]]
    with pytest.raises(SlimModelError, match="saved slim: it predicts"):
        slim.partial_fit(*example)
    slim.set_params(warm_start=True)
    with pytest.raises(SlimModelError, match="without slim"):
        slim.fit(*example)
    assert saved(slim.set_params(warm_start=learner.warm_start), tmp_path) == data


def test_a_slim_model_of_mappings_predicts_and_explains_the_same(tmp_path):
    learner = AveragedPerceptron()
    for x, label in zip(*floats(7, d=8, n_classes=3), strict=True):
        learner.learn_one(as_mapping(x), label)
    saved(learner, tmp_path, slim=True)
    slim = load(tmp_path / "model.rbt")
    for x in floats(9, d=8)[0]:
        assert slim.predict_one(as_mapping(x)) == learner.predict_one(as_mapping(x))
        assert str(slim.explain(as_mapping(x))) == str(learner.explain(as_mapping(x)))
    with pytest.raises(SlimModelError):
        slim.learn_one({"a": 1.0}, 0)
    with pytest.raises(SlimModelError):
        _ = slim.raw_coef_


def test_a_slim_tagger_leaves_out_its_running_sums(tmp_path):
    tagger = SequenceTagger(order=2, record=True).fit([["a", "b"]] * 3, [["A", "B"]] * 3)
    card, arrays = opened(saved(tagger, tmp_path, slim=True))
    assert {"rows", "steps", "pairs"} <= arrays.keys()
    assert not any("sum" in name or "ledger" in name for name in arrays)
    assert card["training_data"] == "none"
