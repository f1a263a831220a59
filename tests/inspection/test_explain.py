"""Why a prediction: parts by feature and by past mistake, which add up to the score."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LEARNERS, csr, floats, integers, seeds, sparse_rows

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
    VotedPerceptron,
    plot,
)
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.estimators.catalogue import entries
from rosenblatt.estimators.sklearn_classes import not_fitted_error
from rosenblatt.estimators.structured.spaces import Candidates
from rosenblatt.inspection.explanation import USUAL, Contribution, Explanation, PastMistake
from rosenblatt.models.templates import WORDS

# Most of these learners are stopped early, with mistakes left.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FEW: dict[str, Any] = {"max_iter": 4, "tol": None, "random_state": 1}
linear = pytest.mark.parametrize("name", sorted(LEARNERS))


def total(parts: Any) -> float:
    return sum(part.contribution for part in parts)


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def score_of(learner: Any, x: Any, label: Any, against: Any = None) -> float:
    """As `decision_function` has it."""
    (found,) = learner.decision_function(x.reshape(1, -1))
    classes = learner.classes_.tolist()
    if len(classes) == 2:
        return float(found if label == classes[1] else -found)
    lead = 0.0 if against is None else found[classes.index(against)]
    return float(found[classes.index(label)] - lead)


# ---------------------------------------------------------------------- by feature


@linear
@given(seed=seeds, n_classes=st.integers(2, 4), bias=st.booleans(), sparse=st.booleans())
def test_features_add_up_to_the_score_of_any_class(name, seed, n_classes, bias, sparse):
    X, y = floats(seed % 1000, n=12, n_classes=n_classes)
    learner = LEARNERS[name](fit_intercept=bias, **FEW).fit(sparse_rows(X) if sparse else X, y)
    if getattr(learner, "combine", "") == "vote":
        learner.set_params(combine="average")
    x = X[seed % len(X)]
    for label in (None, *range(n_classes)):
        why = learner.explain(csr(x.reshape(1, -1)) if sparse else x, label)
        assert why.prediction == learner.predict(x.reshape(1, -1))[0]
        assert why.label == (why.prediction if label is None else label)
        assert why.score == close(score_of(learner, x, why.label))
        assert total(why.contributions) == close(why.score)
        *features, offset = why.contributions
        assert offset.kind == offset.name == "bias"
        for part in features:
            assert part.contribution == part.weight * part.value != 0
            assert part.value == x[int(part.name[2:-1])]
        sizes = [abs(part.contribution) for part in features]
        assert sizes == sorted(sizes, reverse=True)
        assert why.without_weight == np.count_nonzero(x) - len(features)


def test_the_lead_over_another_class_adds_up_too():
    X, y = floats(3, n_classes=3)
    learner = AveragedPerceptron(record=True, **FEW).fit(X, y)
    for x in X[:6]:
        first = learner.explain(x)
        best, second, _ = sorted(first.scores, key=first.scores.__getitem__, reverse=True)
        assert (first.prediction, first.runner_up) == (best, second)
        assert first.runner_up_score == first.scores[second]
        why = learner.explain(x, against=second, X=X)
        assert why.score == close(first.scores[best] - first.scores[second])
        assert why.score >= 0
        assert total(why.contributions) == close(why.score) == total(why.mistakes)
        other = learner.explain(x, second, best, X=X)
        assert other.score == -why.score
        assert total(other.mistakes) == close(-why.score)


def test_of_two_classes_one_says_the_opposite_of_the_other():
    X, y = floats(4)
    learner = Perceptron(**FEW).fit(X, np.array(["no", "yes"])[y])
    no, yes = (learner.explain(X[0], label) for label in ("no", "yes"))
    assert (no.against, yes.against) == ("yes", "no")
    assert no.scores == yes.scores == {"no": no.score, "yes": yes.score}
    assert no.score == -yes.score == no.scores["no"]
    assert [-part.contribution for part in no.contributions] == [
        part.contribution for part in yes.contributions
    ]


def test_names_come_from_mappings_frames_and_schemas():
    import pandas

    frame = pandas.DataFrame({"size": [1.0, 0.0, 2.0, 0.5], "age": [0.0, 3.0, 1.0, 2.0]})
    labels = ["a", "b", "a", "b"]
    learner = Perceptron(**FEW).fit(frame, labels)
    assert {part.name for part in learner.explain({"size": 1.0, "age": 2.0}).contributions} == {
        "size",
        "age",
        "bias",
    }
    assert learner.explain(frame.iloc[1]).score == learner.explain({"age": 3.0}).score
    stream = Perceptron()
    for record, label in zip(frame.to_dict("records"), labels, strict=True):
        stream.learn_one(record, label)
    why = stream.explain({"age": 3.0, "colour": 1.0})
    assert why.unknown == {"colour": []}
    assert "colour was never seen in training and has no weight" in str(why)
    assert why.prediction == stream.predict_one({"age": 3.0, "colour": 1.0})
    assert total(why.contributions) == close(why.score)
    records = [{"w": 7.9, "by": "Kestrel"}, {"w": 1.0, "by": "Wren"}, {"w": 4.0, "by": "Wren"}]
    learner = Perceptron(**FEW).fit(records, ["late", "ok", "late"])
    why = learner.explain({"w": 7.0, "by": "Owl"})
    assert why.unknown == {"by": ["Owl"]}
    assert {part.name for part in why.contributions} <= {"w", USUAL}
    assert {part.name for part in learner.explain(records[0]).contributions} <= {
        "w",
        "by=Kestrel",
        USUAL,
    }


# ---------------------------------------------------------------------- by past mistake


@linear
@given(
    seed=seeds,
    n_classes=st.integers(2, 4),
    bias=st.booleans(),
    streamed=st.booleans(),
    as_blocks=st.booleans(),
)
def test_past_mistakes_add_up_to_the_same_score(name, seed, n_classes, bias, streamed, as_blocks):
    X, y = floats(seed % 1000, n=12, n_classes=n_classes)
    learner = LEARNERS[name](fit_intercept=bias, record=True, **FEW)
    (learner.partial_fit if streamed else learner.fit)(X, y)
    x = X[seed % len(X)]
    for label in (None, *range(n_classes)):
        rows: Any = iter([X[:5], X[5:]]) if as_blocks else X
        why = learner.explain(x, label, X=rows)
        assert total(why.mistakes) + why.before == close(why.score)
        if not why.votes:
            assert why.before == 0
            assert why.score == close(score_of(learner, x, why.label))
        for one in why.mistakes:
            assert one.contribution == close(one.step * one.similarity)
            assert one.y_true == y[one.row] != one.y_pred
            assert one.y_pred is not None or n_classes > 2  # a first class has no rival
            if not why.votes and not learner.rule().rates:
                assert one.similarity == close(X[one.row] @ x + bias)


def test_one_mistake_is_its_step_times_the_product_of_the_rows():
    X, y = np.array([[1.0, 2.0], [3.0, -1.0], [2.0, 2.0]]), np.array(["no", "yes", "no"])
    learner = Perceptron(eta0=2.0, record=True, shuffle=False).fit(X, y)
    why = learner.explain(X[1], X=X)
    assert why.prediction == "yes"
    expected: dict[int, float] = {}
    for update in learner.ledger_:
        sign = 1.0 if y[update.row] == "yes" else -1.0
        part = sign * update.step * (float(X[update.row] @ X[1]) + 1.0)
        expected[update.row] = expected.get(update.row, 0.0) + part
    assert {one.row: one.contribution for one in why.mistakes} == pytest.approx(expected)
    assert sum(one.updates for one in why.mistakes) == len(learner.ledger_)


def test_weights_from_before_the_first_mistake_are_told_apart():
    X, y = floats(5)
    start = np.array([[0.5, -2.0, 0.0, 1.0]])
    for kind in (Perceptron, AveragedPerceptron):
        learner = kind(record=True, **FEW).fit(X, y, coef_init=start, intercept_init=[0.25])
        why = learner.explain(X[0], 1, X=X)
        assert why.before == pytest.approx(float(start[0] @ X[0]) + 0.25)
        assert total(why.mistakes) + why.before == close(why.score)
        assert "the weights before the first of them" in str(why)


@pytest.mark.parametrize("kind", [Perceptron, AveragedPerceptron, VotedPerceptron])
def test_the_best_epoch_is_the_sum_of_the_updates_up_to_it(kind):
    X, y = floats(6, n=80, n_classes=3)
    learner = kind(record=True, early_stopping=True, validation_fraction=0.3, random_state=2)
    learner.fit(X, y)
    assert learner.best_iter_ < learner.n_iter_
    why = learner.explain(X[0], X=X)
    assert total(why.mistakes) + why.before == close(why.score)
    assert why.votes or why.before == 0


@given(seed=seeds, n_classes=st.integers(2, 4), ties=st.sampled_from(["mistake", "positive"]))
def test_votes_add_up_by_the_mistake_that_each_was_born_of(seed, n_classes, ties):
    X, y = integers(seed % 1000, n=14, n_classes=n_classes)
    learner = VotedPerceptron(ties=ties, **FEW).fit(X, y)
    for x in X[:4]:
        for label in range(n_classes):
            why = learner.explain(x, label)
            assert why.votes
            assert why.contributions == []
            assert why.score == score_of(learner, x, label)
            assert total(why.mistakes) + why.before == close(why.score)
            survived = [one.step * learner.t_ for one in why.mistakes]
            assert sum(survived) == pytest.approx(learner.survival_[1:].sum())
            assert all(-1 <= one.similarity <= 1 for one in why.mistakes)
            assert all(one.y_true == y[one.row] for one in why.mistakes)
    assert "votes are no sum over features" in str(why)


def test_rows_of_votes_are_numbered_through_all_calls():
    X, y = floats(7)
    learner = VotedPerceptron(warm_start=True, **FEW).fit(X, y).fit(X, y)
    mistakes = learner.explain(X[0]).mistakes
    assert {one.row for one in mistakes} == set(learner.ledger_.entries.row.tolist())
    assert all(one.y_true == y[one.row % len(y)] for one in mistakes)


@pytest.mark.parametrize("multiclass", ["ovr", "argmax"])
@pytest.mark.parametrize("combine", ["average", "last", "vote"])
@given(seed=seeds, n_classes=st.integers(2, 4), ties=st.sampled_from(["mistake", "positive"]))
def test_support_rows_add_up_to_the_score_of_a_kernel(multiclass, combine, seed, n_classes, ties):
    X, y = floats(seed % 1000, n=14, n_classes=n_classes)
    learner = KernelPerceptron(
        kernel="rbf", multiclass=multiclass, combine=combine, ties=ties, max_iter=3
    ).fit(X, y)
    for label in (None, *range(n_classes)):
        why = learner.explain(X[0], label)
        assert why.contributions == []
        assert why.score == close(score_of(learner, X[0], why.label))
        assert total(why.mistakes) + why.before == close(why.score)
        assert combine == "vote" or why.before == 0
        for one in why.mistakes:
            assert one.y_true == y[one.row]
            assert one.row in learner.support_
    if n_classes > 2:
        why = learner.explain(X[0], 0, against=1)
        assert why.score == close(score_of(learner, X[0], 0, 1))
        assert total(why.mistakes) + why.before == close(why.score)


def test_a_kernel_with_a_budget_knows_its_rows_but_not_their_mistakes():
    X, y = floats(8, n=40)
    learner = KernelPerceptron(kernel="rbf", budget=5, combine="last").partial_fit(X, y)
    why = learner.explain(X[0])
    assert total(why.mistakes) == close(why.score)
    assert {one.y_true for one in why.mistakes} == {None}
    assert "5 rows of training gave" in str(why)


# ---------------------------------------------------------------------- shown


def explained() -> Explanation:
    X, y = floats(9, n=20, d=30, n_classes=3)
    return AveragedPerceptron(record=True, **FEW).fit(X, y).explain(X[0], X=X)


@pytest.mark.parametrize("top", [1, 3, 8])
def test_a_cut_explanation_adds_up_to_the_same(top):
    why = explained()
    short = why.cut(top)
    *shown, offset, rest = short.contributions
    assert shown == why.contributions[:top]
    assert (offset.kind, rest.kind) == ("bias", "rest")
    assert rest.n_joined == len(why.contributions) - 1 - top
    assert total(short.contributions) == close(total(why.contributions))
    *rows, others = short.mistakes
    assert rows == why.mistakes[:top]
    assert (others.row, others.n_joined) == (None, len(why.mistakes) - top)
    assert total(short.mistakes) == close(total(why.mistakes))
    assert sum(one.updates for one in short.mistakes) == sum(one.updates for one in why.mistakes)
    twice = why.cut(8).cut(top)
    assert twice.contributions[:-1] == short.contributions[:-1]
    assert twice.contributions[-1].n_joined == rest.n_joined
    assert twice.mistakes[-1].n_joined == others.n_joined
    assert total(twice.mistakes) == close(total(why.mistakes))
    assert short.cut(top + 1) == short
    assert why.cut(1000) == why.cut(None) == why


def test_the_text_tells_the_largest_parts_and_the_sum_of_the_others():
    why = explained()
    lines = str(why).splitlines()
    assert lines[0] == f"prediction {why.prediction}, runner-up {why.runner_up}"
    assert lines[1] == f"score of {why.label}: {why.score:.4g}; weight × value of each feature:"
    assert f"{len(why.contributions) - 11} other features" in str(why)
    assert any(line.endswith("bias") for line in lines)
    lead = [line for line in lines if "of training gave" in line]
    updates = sum(one.updates for one in why.mistakes)
    assert lead[0].startswith(f"{updates} updates on {len(why.mistakes)} rows of training gave")


def test_html_holds_the_same_and_escapes_every_name():
    part = Contribution("<script>", 1.0, 2.0, 2.0)
    past = PastMistake(3, "<b>", "<i>", 1, 2.0, 1.0, 2.0)
    why = Explanation(
        "<u>", 2.0, "<u>", "<s>", contributions=[part], mistakes=[past], unknown={"<a>": ["<p>"]}
    )
    html = why._repr_html_()
    assert all(tag not in html for tag in ("<script>", "<b>", "<i>", "<u>", "<s>", "<a>"))
    for name in ("script", "b", "u", "s", "a", "p"):
        assert f"&lt;{name}&gt;" in html
    assert "By feature" in explained()._repr_html_()


def test_plain_data_can_be_written_as_json():
    why = explained()
    found = json.loads(json.dumps(why.cut(2).to_json(), allow_nan=False))
    assert found["prediction"] == why.prediction
    assert [part["name"] for part in found["contributions"]][-2:] == ["bias", "22 other features"]
    assert sum(part["contribution"] for part in found["contributions"]) == close(why.score)
    assert found["mistakes"][0]["y_true"] == why.mistakes[0].y_true
    assert set(found["scores"]) == {"0", "1", "2"}


def test_a_picture_shows_what_the_lists_hold():
    why = explained()
    shown = plot.contributions(why, top=4)
    assert shown.titles == ["By feature", "By past mistake"]
    features, rows = shown.voices
    assert features.names[-2:] == ["bias", "20 other features"]
    assert rows.names[-1] == f"{len(why.mistakes) - 4} others"
    assert features.values.sum() == close(why.score) == rows.values.sum()
    assert why.plot(top=4).caption == shown.caption
    with pytest.raises(InputError, match="give what explain of a learner gave"):
        plot.contributions(Perceptron())


# ---------------------------------------------------------------------- refused


def test_what_cannot_be_explained_is_refused_in_one_sentence():
    X, y = floats(10, n_classes=3)
    learner = AveragedPerceptron(**FEW).fit(X, y)
    for x, said in (
        (X[:2], r"x has shape \(2, 4\), but one example is explained at a time"),
        (np.zeros((1, 1, 4)), "one example is explained at a time"),
        (None, r"x has shape \(\), but one example is explained at a time"),
        (X[0, :3], "X has 3 features, but AveragedPerceptron is expecting 4"),
        ([np.nan, 0, 0, 0], "NaN"),
        ({"a": 1.0}, "trained on columns without names"),
    ):
        with pytest.raises(InputError, match=said):
            learner.explain(x)
    for label, against, said in (
        (7, None, r"label=7 is not among the classes \[0, 1, 2\]"),
        (None, "z", "against='z' is not among the classes"),
        (1, 1, "against=1 is the class that is explained"),
    ):
        with pytest.raises(InputError, match=said):
            learner.explain(X[0], label, against)
    with pytest.raises(ParameterError, match="top=0"):
        learner.explain(X[0], top=0)
    with pytest.raises(ParameterError, match="no ledger of the updates was kept"):
        learner.explain(X[0], X=X)
    recorded = AveragedPerceptron(record=True, **FEW).fit(X, y)
    with pytest.raises(InputError, match="2 rows for a ledger that names row"):
        recorded.explain(X[0], X=X[:2])
    with pytest.raises(InputError, match="expecting 4 features"):
        recorded.explain(X[0], X=X[:, :2])


# ---------------------------------------------------------------------- structures


def tag_features(x: str, y: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for k, (letter, tag) in enumerate(zip(x, y, strict=True)):
        for name in (f"{letter}/{tag}", f"{y[k - 1] if k else ''}>{tag}"):
            found[name] = found.get(name, 0.0) + 1.0
    return found


def all_tags(x: str) -> list[tuple[str, ...]]:
    return list(product("PQ", repeat=len(x)))


def structured(seed: int, **options: Any) -> tuple[StructuredPerceptron, list[str]]:
    random = np.random.default_rng(seed)
    xs = ["".join(random.choice(list("abc"), random.integers(1, 4))) for _ in range(8)]
    ys = [tuple(random.choice(["P", "Q"], len(x)).tolist()) for x in xs]
    learner = StructuredPerceptron(Candidates(tag_features, all_tags), record=True, **options)
    return learner.fit(xs, ys), xs


@given(
    seed=st.integers(0, 999),
    averaged=st.booleans(),
    update=st.sampled_from(["perceptron", "mira"]),
)
def test_structures_are_explained_by_feature_and_by_past_mistake(seed, averaged, update):
    learner, xs = structured(seed, averaged=averaged, update=update, max_iter=3)
    for x in xs[:3]:
        why = learner.explain(x, xs=xs)
        assert why.prediction == why.label == learner.predict([x])[0]
        assert why.score == learner.decision(x, why.prediction)
        assert total(why.contributions) == close(why.score)
        assert (total(why.mistakes), why.before) == (close(why.score), 0)
        best, second = sorted(all_tags(x), key=lambda y: -learner.decision(x, y))[:2]
        assert learner.decision(x, why.runner_up) == why.runner_up_score
        assert why.runner_up_score == learner.decision(x, second)
        lead = learner.explain(x, second, best, xs=xs)
        assert lead.score == learner.decision(x, second) - learner.decision(x, best)
        assert total(lead.contributions) == close(lead.score)
        assert total(lead.mistakes) == close(lead.score)


def test_structures_at_their_best_epoch_are_the_sum_of_the_updates_up_to_it():
    random = np.random.default_rng(3)
    xs = ["".join(random.choice(list("abc"), 3)) for _ in range(12)]
    ys = [tuple(random.choice(["P", "Q"], 3).tolist()) for _ in xs]
    learner = StructuredPerceptron(Candidates(tag_features, all_tags), record=True, max_iter=30)
    learner.fit(xs[:8], ys[:8], validation_set=(xs[8:], ys[8:]))
    assert learner.best_iter_ < learner.n_iter_
    why = learner.explain(xs[0], xs=xs[:8])
    assert (total(why.mistakes), why.before) == (close(why.score), 0)


def test_a_search_alone_has_no_runner_up():
    learner = StructuredPerceptron(
        features=lambda x, y: {"rise": y[-1] - y[0]},
        argmax=lambda x, score: max(sorted(x), sorted(x, reverse=True), key=score),
    ).fit([[3, 1, 2]], [[3, 2, 1]])
    why = learner.explain([4, 8])
    assert (why.prediction, why.runner_up) == ([8, 4], None)
    assert [part.name for part in why.contributions] == ["rise"]
    assert "score of [8, 4]: " in str(why)
    with pytest.raises(ParameterError, match="Keep one with record=True"):
        learner.explain([4, 8], xs=[[3, 1, 2]])


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("mapping", [False, True])
@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
def test_features_and_steps_add_up_to_the_score_of_a_path(order, mapping):
    random = np.random.default_rng(order)
    words = [random.choice(["sea", "see", "the"], 4).tolist() for _ in range(6)]
    sentences: Any = words
    if mapping:
        sentences = [[{"w": w, "size": 0.5 * len(w), "none": 0} for w in s] for s in words]
    tags = [random.choice(["P", "Q", "R"], 4).tolist() for _ in words]
    tagger = SequenceTagger(order=order, max_iter=5).fit(sentences, tags)
    for sentence in sentences:
        why = tagger.explain(sentence, tags[0])
        assert why.prediction == tagger.predict([sentence])[0]
        assert total(why.contributions) == pytest.approx(why.score, rel=1e-4, abs=1e-4)
        for choice, i in zip(why.predicted, range(4), strict=True):
            assert choice.features == pytest.approx(why.tag_scores[i][choice.tag])
        features = sum(choice.features for choice in why.predicted)
        named = [part for part in why.contributions if part.kind == "feature"]
        assert total(named) == pytest.approx(features, rel=1e-4, abs=1e-4)
        short = tagger.explain(sentence, top=3)
        assert len(short.contributions) == 4
        assert total(short.contributions) == pytest.approx(why.score, rel=1e-4, abs=1e-4)
    names = {part.name.partition(": ")[2] for part in named}
    assert names <= ({"w=sea", "w=see", "w=the", "size"} if mapping else set(WORDS))
    assert names


@given(
    seed=st.integers(0, 999),
    order=st.sampled_from([1, 2]),
    averaged=st.booleans(),
    how=st.sampled_from(["fit", "stream", "watched", "mira", "beam"]),
    mapping=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
def test_past_mistakes_add_up_to_the_score_of_a_path(seed, order, averaged, how, mapping):
    random = np.random.default_rng(seed)
    words = [random.choice(["sea", "see", "the"], 3).tolist() for _ in range(8)]
    xs: Any = [[{"w": w, "size": 0.5 * len(w)} for w in s] for s in words] if mapping else words
    ys = [random.choice(["P", "Q", "R"], 3).tolist() for _ in words]
    more = {"mira": {"rule": "mira"}, "beam": {"search": "beam", "beam": 2, "update": "early"}}
    tagger = SequenceTagger(
        order=order, averaged=averaged, max_iter=4, record=True, **more.get(how, {})
    )
    if how == "stream":
        tagger.partial_fit(xs[:3], ys[:3]).partial_fit(xs[3:], ys[3:])
    else:
        dev = {"validation_set": (xs[:4], ys[4:])} if how == "watched" else {}
        tagger.fit(xs, ys, **dev)
    why = tagger.explain(xs[0], sentences=xs)
    assert (total(why.mistakes), why.before) == (pytest.approx(why.score, rel=1e-4, abs=1e-4), 0)
    assert all(one.y_true == ys[one.row][: len(one.y_true)] for one in why.mistakes)
    assert "of training gave" in str(why)


def test_a_tagger_without_a_ledger_or_its_sentences_says_so():
    tagger = SequenceTagger().fit([["a", "b"]], [["P", "Q"]])
    with pytest.raises(ParameterError, match="Keep one with record=True"):
        tagger.explain(["a"], sentences=[["a", "b"]])
    tagger = SequenceTagger(record=True).fit([["a"], ["b", "a"]], [["P"], ["Q", "P"]])
    with pytest.raises(InputError, match="Give all sentences of training: those of fit, then"):
        tagger.explain(["a"], sentences=[["a"]])
    with pytest.raises(InputError, match="Give the same sentences as in training"):
        tagger.explain(["a"], sentences=[["a"], ["b"]])


# ---------------------------------------------------------------------- all learners


EXAMPLES: dict[str, Any] = {
    "linear": ([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"]),
    "kernel": ([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"]),
    "auto": ([[1.0, 2.0], [3.0, -1.0]] * 2, ["no", "yes"] * 2),
    "tags": ([["the", "dog"], ["a", "cat"]], [["D", "N"], ["D", "N"]]),
    "structures": (["ab", "ba"], [("P", "Q"), ("Q", "P")]),
}


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_learner_of_the_catalogue_explains_itself(entry):
    xs, ys = EXAMPLES[entry.family]
    space = (Candidates(tag_features, all_tags),) if entry.family == "structures" else ()
    learner = entry.load()(*space)
    with pytest.raises(not_fitted_error(), match="not fitted yet"):
        learner.explain(xs[0])
    why = learner.fit(xs, ys).explain(xs[0])
    assert isinstance(why, rosenblatt.explain.Explanation)
    assert why.prediction in (learner.predict(xs[:1])[0], *learner.predict(xs[:1]))
    parts = why.contributions or why.mistakes
    assert total(parts) + (0 if why.contributions else why.before) == close(why.score)
    found = json.loads(json.dumps(why.to_json()))
    assert found["prediction"] == json.loads(json.dumps(why.prediction))
    assert len(found["contributions"]) == len(why.contributions)
    assert str(why)
    assert "<table>" in why._repr_html_()
