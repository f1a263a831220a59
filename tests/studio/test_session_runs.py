"""Runs as the page sees them, against the learners themselves."""

from __future__ import annotations

import numpy as np
import pytest
from reference.steps import ORACLES

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron
from rosenblatt.errors import InputError
from rosenblatt.estimators.catalogue import find
from rosenblatt.studio import Session
from rosenblatt.studio.controls import NOT_LEARNED_BY_THE_PAGE
from rosenblatt.studio.presets import PRESETS
from rosenblatt.studio.recipes import MAX_UPDATES, Recipe

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LINEAR = {
    name: {"kind": oracle.learner, **oracle.settings}
    for name, oracle in ORACLES.items()
    if oracle.learner not in NOT_LEARNED_BY_THE_PAGE
} | {
    "ties": {"kind": "averaged", "ties": "positive"},
    "rate": {"kind": "voted", "eta0": 2},
}


def run_of(learner, preset="noisy", **state):
    state = {"data": {"preset": preset}, "learners": [learner], "epochs": 15, **state}
    answer = Session().ask("run", state)
    return answer, answer["runs"][0]


def table_of(answer):
    return np.array(answer["data"]["rows"], float), np.array(answer["data"]["labels"])


def vectors_of(run, n_features, of="weights"):
    """The weights after every number of updates, one array each."""
    return np.array(run[of], float).reshape(run["n_updates"] + 1, run["vectors"], n_features + 1)


def fitted(learner, X, y):
    settings = {name: value for name, value in learner.items() if name != "kind"}
    return find(learner["kind"]).load()(max_iter=15, shuffle=False, **settings).fit(X, y)


def test_the_six_points_of_the_lecture_end_at_3_1():
    """L1.7: mistakes on points 1, 3 and 5; w is (1, -2), (2, -1), (3, 1)."""
    answer = Session().ask("run", {"data": {"preset": "six"}})
    (run,) = answer["runs"]
    assert run["row"] == [0, 2, 4]
    assert run["t"] == [1, 3, 5]
    assert run["score"] == [0, -1, 0]
    assert run["weights"] == [0, 0, 0, 1, -2, 0, 2, -1, 0, 3, 1, 0]
    assert [answer["data"]["classes"][c] for c in run["right"]] == ["-1", "+1", "-1"]
    assert run["stop_reason"] == "separated"
    assert run["mistakes_per_epoch"] == [3, 0]
    assert run["epoch"] == [1, 1, 1]
    assert "without a mistake" in run["sentence"]


@pytest.mark.parametrize("preset", ["noisy", "three"])
@pytest.mark.parametrize("name", LINEAR)
def test_a_run_ends_with_the_weights_of_its_learner(name, preset):
    answer, run = run_of(LINEAR[name], preset)
    expected = fitted(LINEAR[name], *table_of(answer))
    last = vectors_of(run, 2, "answers" if run["answers"] else "weights")[-1]
    np.testing.assert_array_equal(last[:, :-1], expected.coef_)
    np.testing.assert_array_equal(last[:, -1], expected.intercept_)
    assert run["mistakes_per_epoch"] == expected.mistakes_per_epoch_
    assert run["stop_reason"] == expected.stop_reason_


@pytest.mark.parametrize("preset", ["noisy", "three"])
@pytest.mark.parametrize("name", LINEAR)
def test_every_update_moves_the_weights_by_its_step_from_the_score_before(name, preset):
    answer, run = run_of(LINEAR[name], preset)
    X, _ = table_of(answer)
    Z = np.column_stack([X, np.ones(len(X))])
    weights = vectors_of(run, 2)
    t = np.array(run["t"])
    for k, row in enumerate(run["row"]):
        before = weights[np.searchsorted(t, t[k])]
        np.testing.assert_allclose(run["score"][k], np.squeeze(before @ Z[row]), atol=1e-12)
        moved = np.zeros_like(before)
        if run["vectors"] == 1:
            moved[0] = (1 if run["right"][k] else -1) * run["step"][k] * Z[row]
        else:
            moved[run["right"][k]] += run["step"][k] * Z[row]
            if run["wrong"][k] >= 0:
                moved[run["wrong"][k]] -= run["step"][k] * Z[row]
        if run["rates"]:  # each weight by a rate of its own, in the same direction
            assert ((weights[k + 1] - weights[k]) * moved >= 0).all()
            continue
        np.testing.assert_allclose(weights[k + 1] - weights[k], moved, atol=1e-9)
    assert run["epoch"] == ((t - 1) // len(X) + 1).tolist()


def test_a_perceptron_moves_on_mistakes_alone():
    answer, run = run_of({"kind": "perceptron"})
    _, y = table_of(answer)
    signs = 2 * y[run["row"]] - 1
    assert (signs * np.array(run["score"]) <= 0).all()
    assert sum(run["mistakes_per_epoch"]) == run["n_updates"]


def test_the_mean_so_far_is_that_of_the_ledger_up_to_there():
    answer, run = run_of({"kind": "averaged"})
    X, y = table_of(answer)
    ledger = AveragedPerceptron(max_iter=15, shuffle=False, record=True).fit(X, y).ledger_
    answers = vectors_of(run, 2, "answers")
    for k in range(1, run["n_updates"], 7):
        coef, bias = ledger.upto(k).average(X)
        np.testing.assert_allclose(answers[k, 0], [*coef[0], *bias], atol=1e-12)


@pytest.mark.parametrize("kind", ["averaged", "voted"])
def test_survival_times_add_up_to_the_examples_seen(kind):
    answer, run = run_of({"kind": kind})
    assert len(run["survived"]) == run["n_updates"] + 1
    seen = len(answer["data"]["rows"]) * len(run["mistakes_per_epoch"])
    assert sum(run["survived"]) == seen


@pytest.mark.parametrize("preset", ["xor", "three"])
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_a_kernel_run_scores_by_the_sum_over_its_mistakes(kernel, preset):
    learner = {"kind": "kernel", "kernel": kernel, "degree": 3, "gamma": 0.5, "coef0": 2}
    answer, run = run_of(learner, preset)
    X, y = table_of(answer)

    def K(a, b):
        if kernel == "rbf":
            return np.exp(-0.5 * np.sum((a - b) ** 2))
        return (0.5 * (a @ b) + 2) ** 3

    k = len(answer["data"]["classes"])
    coefficients = np.zeros((k, len(X)))
    for at, row in enumerate(run["row"]):
        alike = np.array([K(x, X[row]) for x in X])
        if k == 2:
            expected = (coefficients[1] - coefficients[0]) @ alike
            coefficients[run["right"][at], row] += run["step"][at]
        else:
            expected = coefficients @ alike
            coefficients[run["right"][at], row] += run["step"][at]
            if run["wrong"][at] >= 0:
                coefficients[run["wrong"][at], row] -= run["step"][at]
        np.testing.assert_allclose(run["score"][at], expected, rtol=1e-9, atol=1e-9)
    model = KernelPerceptron(
        kernel=kernel, degree=3, gamma=0.5, coef0=2, combine="last", multiclass="argmax",
        max_iter=15, shuffle=False,
    ).fit(X, y)  # fmt: skip
    assert run["row"] == model.ledger_.entries.row.tolist()
    assert run["vectors"] == 0
    assert run["weights"] is None


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    runs = [run_of({"kind": "perceptron"}, order="shuffled", seed=seed)[1] for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0]["row"] != runs[2]["row"]
    X, y = table_of(run_of({"kind": "perceptron"})[0])
    expected = Perceptron(max_iter=15, random_state=1, record=True).fit(X, y)
    assert runs[0]["row"] == expected.ledger_.entries.row.tolist()


def test_a_run_starts_from_the_weights_it_is_given():
    answer, run = run_of({"kind": "perceptron", "initial": [1, -2, 0.5]}, "separable")
    X, y = table_of(answer)
    expected = Perceptron(max_iter=15, shuffle=False)
    expected.fit(X, y, coef_init=[[1, -2]], intercept_init=[0.5])
    assert run["weights"][:3] == [1, -2, 0.5]
    np.testing.assert_array_equal(run["weights"][-3:-1], expected.coef_[0])


@pytest.mark.parametrize(("start", "updates"), [([3, 4, 0], 1), ([9, -3, 0], 4), ([-1, 1, 0], 0)])
def test_one_point_takes_the_updates_that_the_lecture_counts(start, updates):
    """L5.5: floor(-y w.x / |x|^2) + 1 updates if y w.x <= 0, else none; x = (-3, 1), y = +1."""
    learner = {"kind": "perceptron", "fit_intercept": False, "initial": start}
    answer, run = run_of(learner, "one")
    assert run["n_updates"] == updates
    assert run["t"] == list(range(1, updates + 1))
    assert run["epoch"] == run["t"]
    assert answer["data"]["classes"] == ["not +1", "+1"]
    assert run["right"] == [1] * updates


def test_a_kernel_learner_says_that_one_class_is_too_few():
    with pytest.raises(InputError, match=r"Learner 1: there is only one class, \+1, and"):
        run_of({"kind": "kernel"}, "one")


def test_maps_add_their_features_and_learn_behind_them():
    answer, run = run_of({"kind": "perceptron"}, "xor", map="quadratic")
    assert answer["data"]["features"] == ["x", "y", "x²", "x·y", "y²"]
    for (x, y), features in zip(answer["data"]["rows"], answer["data"]["mapped"], strict=True):
        assert features == [x, y, x * x, x * y, y * y]
    assert len(run["weights"]) == 6 * (run["n_updates"] + 1)
    assert run["stop_reason"] == "separated"


def noise(n, k):
    random = np.random.default_rng(0)
    points = random.normal(size=(n, 2)).round(6)
    classes = random.permutation(np.arange(n) % k)
    rows = [[x, y, f"class {c:03}"] for (x, y), c in zip(points.tolist(), classes, strict=True)]
    return {"columns": ["a", "b"], "rows": rows}


def test_a_long_run_is_cut_off_and_says_so():
    learners = [{"kind": "perceptron"}, {"kind": "soft"}]
    state = {"data": noise(1000, 3), "order": "shuffled", "epochs": 1000, "learners": learners}
    hard, soft = Session().ask("run", state)["runs"]
    for run in (hard, soft):
        assert run["truncated"]
        assert run["n_updates"] == MAX_UPDATES == len(run["row"])
        assert len(run["weights"]) == 9 * (MAX_UPDATES + 1)
        assert "the first 10,000 are shown" in run["sentence"]
    assert soft["stop_reason"] == "cut"
    assert hard["stop_reason"] == "tolerance"


def test_many_classes_get_fewer_updates_rather_than_a_huge_answer():
    state = {"data": noise(400, 100), "epochs": 20}
    (run,) = Session().ask("run", state)["runs"]
    assert run["truncated"]
    assert len(run["weights"]) == (run["n_updates"] + 1) * 100 * 3
    assert 400 < run["n_updates"] < 1000


def test_learners_stand_side_by_side():
    state = {
        "data": {"preset": "separable"},
        "learners": [{"kind": "mira"}, {"kind": "perceptron"}],
    }
    first, second = Session().ask("run", state)["runs"]
    assert (first["title"], second["title"]) == ("MIRA", "Perceptron")
    alone = run_of({"kind": "perceptron"}, "separable", epochs=100)[1]
    assert second == alone


def test_questions_about_the_same_run_learn_it_once(monkeypatch):
    learned = []
    plain = Recipe.fitted
    monkeypatch.setattr(Recipe, "fitted", lambda *given: learned.append(1) or plain(*given))
    session, state = Session(), {"data": {"preset": "three"}}
    for at in (0, 3, 5):
        session.ask("run", {**state, "at": at, "view": "table"})
        session.ask("contour", {"state": {**state, "at": at}, "at": at, "box": [-3, 3, -3, 3]})
    session.ask("script", state)
    assert len(learned) == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_learned(preset):
    answer = Session().ask("run", {"data": {"preset": preset}})
    (run,) = answer["runs"]
    assert run["n_updates"] > 0
    expected = {"xor": False, "noisy": False}.get(preset, True)
    assert answer["theory"]["separable"] is expected
    assert (run["stop_reason"] == "separated") is expected
