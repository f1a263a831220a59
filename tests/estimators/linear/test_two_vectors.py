"""Two classes with a weight vector each (binary_as_multiclass), through every way in and out."""

import numpy as np
import pytest
import scipy.sparse as sp
from cli.shell import run, trained
from matplotlib import pyplot
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import LEARNERS, LINEAR, assert_same_bytes, csr, floats, integers, weights_of

from estimators.linear.test_sklearn import EXEMPTIONS
from rosenblatt import Perceptron, load, plot, save, theory
from rosenblatt.errors import ParameterError
from rosenblatt.evaluate import progressive
from rosenblatt.inspection.runs import run_of
from rosenblatt.model import read
from rosenblatt.persistence.onnx import to_onnx

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_learner = pytest.mark.parametrize("name", LEARNERS)
TWO = {"binary_as_multiclass": True}
FEW = {"max_iter": 4, "tol": None, "record": True, **TWO}


@parametrize_with_checks(
    [learner(binary_as_multiclass=True) for learner in LINEAR],
    expected_failed_checks=lambda _: EXEMPTIONS,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@every_learner
def test_the_score_is_the_lead_of_the_second_class(name):
    """One number a row, as scikit-learn's metrics expect of two classes."""
    X, y = floats(3, n=60)
    learner = LEARNERS[name](**FEW).fit(X, y)
    assert learner.coef_.shape == (2, 4)
    assert learner.intercept_.shape == (2,)
    lead = learner.decision_function(X)
    assert lead.shape == (60,)
    if name != "voted":  # which scores by votes
        scores = X @ learner.coef_.T + learner.intercept_
        np.testing.assert_allclose(lead, scores[:, 1] - scores[:, 0], atol=1e-9)
    np.testing.assert_array_equal(learner.predict(X), (lead > 0).astype(int))
    assert 0 < roc_auc_score(y, lead) < 1
    assert [learner.predict_one(x) for x in X] == learner.predict(X).tolist()


@every_learner
@pytest.mark.parametrize("sparse", [False, True])
def test_a_batch_equals_rows_one_by_one_and_the_ledger_replays_both(name, sparse):
    X, y = integers(5, n=40)
    table = csr(X) if sparse else X
    batch = LEARNERS[name](record=True, **TWO).partial_fit(table, y)
    one = LEARNERS[name](record=True, **TWO)
    for i in range(40):
        one.partial_fit(table[i : i + 1], y[i : i + 1])
    assert batch._model.digest() == one._model.digest()
    assert_same_bytes(batch.ledger_.replay(table), weights_of(batch))
    assert batch.ledger_.n_vectors == 2


@every_learner
def test_mappings_and_blocks_of_a_stream_learn_two_vectors(name):
    X, y = integers(6, n=40)
    X[0] = 1
    mappings = LEARNERS[name](**TWO)
    for x, label in zip(X, y, strict=True):
        mappings.learn_one(dict(zip("abcd", x.tolist(), strict=True)), label)
    rows = LEARNERS[name](**TWO).partial_fit(sp.csr_array(X), y)
    blocks = LEARNERS[name](**TWO)
    progressive(blocks, [(X[:20], y[:20]), (X[20:], y[20:])])
    for other in (mappings, blocks):
        for found, expected in zip(weights_of(other), weights_of(rows), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@every_learner
def test_a_third_class_joins_the_two_as_they_are(name):
    X, y = integers(7, n=30)
    learner = LEARNERS[name](record=True, **TWO).partial_fit(X, y)
    before = weights_of(learner)
    learner.partial_fit(np.zeros((1, 4)), [2], sample_weight=[0.0])
    matrix, bias = weights_of(learner)
    assert_same_bytes((matrix[:2], bias[:2]), before)
    assert not matrix[2].any()
    more = np.vstack([X, np.zeros((1, 4))])
    assert_same_bytes(learner.ledger_.replay(more), weights_of(learner))


@every_learner
def test_parts_of_an_explanation_add_up_to_the_lead(name):
    X, y = floats(8)
    learner = LEARNERS[name](**FEW).fit(X, y)
    for x in X[:5]:
        lead = learner.decision_function([x])[0]
        found = learner.explain(x, X=X)
        assert found.score == abs(lead)
        assert found.scores == {0: -lead, 1: lead}
        if name != "voted":
            total = sum(part.contribution for part in found.contributions)
            assert total == pytest.approx(found.score, abs=1e-9)
        if "averaged" not in name:
            past = sum(part.contribution for part in found.mistakes)
            assert past == pytest.approx(found.score, abs=1e-9)


@every_learner
def test_a_file_keeps_both_vectors_and_learning_goes_on(name, tmp_path):
    X, y = floats(9)
    learner = LEARNERS[name](**FEW).fit(X, y)
    save(learner, tmp_path / "two.rbt")
    loaded = load(tmp_path / "two.rbt")
    assert_same_bytes(weights_of(loaded), weights_of(learner))
    if learner.rule().rates:
        with pytest.raises(AttributeError, match="there is no dual form: each weight moves by a"):
            _ = loaded.dual_coef_
    else:
        np.testing.assert_array_equal(loaded.dual_coef_, learner.dual_coef_)
    assert_same_bytes(loaded.ledger_.replay(X), learner.ledger_.replay(X))
    a, b = loaded.partial_fit(X, y), learner.partial_fit(X, y)
    assert a._model.digest() == b._model.digest()


def test_other_settings_than_those_of_the_model_are_refused():
    X, y = floats(9)
    learner = Perceptron(**TWO).partial_fit(X, y)
    state = learner._model.digest()
    learner.binary_as_multiclass = False
    with pytest.raises(ParameterError, match="binary_as_multiclass=False, but the model"):
        learner.partial_fit(X, y)
    assert learner._model.digest() == state
    assert learner.fit(X, y).coef_.shape == (1, 4)
    with pytest.raises(ParameterError, match=r"coef_init has shape \(1, 4\).*need \(2, 4\)"):
        Perceptron(**TWO).fit(X, y, coef_init=np.ones((1, 4)))
    # Before the second class nothing was learned either way.
    late = Perceptron().partial_fit(X[:1], [0]).set_params(**TWO)
    assert late.partial_fit(X[1:2], [1]).coef_.shape == (2, 4)


@pytest.mark.parametrize("ties", ["mistake", "positive"])
def test_pictures_and_theory_show_both_vectors(ties):
    X, y = floats(2, n=20, d=2)
    learner = Perceptron(ties=ties, shuffle=False, **FEW).fit(X, y)
    line, cells = plot.boundary(learner, X, y), plot.regions(learner, X, y)
    difference = learner.coef_[1] - learner.coef_[0]
    away = line.segment @ difference + learner.intercept_[1] - learner.intercept_[0]
    np.testing.assert_allclose(away, 0, atol=1e-9)
    shown = plot.updates(learner, X, y)
    assert shown.run.steps[0].W.shape == (2, 2)
    assert not shown.run.is_binary
    for display in (line, cells, shown, plot.weights(learner), plot.mistakes(learner)):
        display.plot()
        pyplot.close("all")
    assert run_of(learner, X).scores.shape == (len(learner.ledger_), 2)
    assert len(theory.suspects(learner.ledger_, X)) > 0


def test_the_shell_has_the_option_and_shows_both_vectors(tmp_path):
    table = "x,z,y\n1,2,a\n2,3,a\n-8,1,b\n-9,2,b\n"
    model = trained(tmp_path, "--binary-as-multiclass", data=table)
    assert load(model).coef_.shape == (2, 2)
    told = run("show", model).out
    assert "binary_as_multiclass=True" in told
    assert "largest weights for a\n" in told
    assert "largest weights for b\n" in told


def test_an_onnx_file_predicts_by_their_difference(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = floats(4, n=40)
    learner = Perceptron(**FEW).fit(X, y)
    save(learner, tmp_path / "two.rbt")
    session = onnxruntime.InferenceSession(to_onnx(read(tmp_path / "two.rbt")))
    label, scores = session.run(None, {"X": X})
    assert label.tolist() == learner.predict(X).tolist()
    np.testing.assert_allclose(scores[:, 1], learner.decision_function(X), atol=1e-9)
