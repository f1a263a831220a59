"""A feature map in front of every function of the theory (L3.10)."""

import numpy as np
import pytest

from rosenblatt import Perceptron, theory
from rosenblatt.errors import InputError, ParameterError

XOR = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
Y = np.array([0, 1, 1, 0])


def with_product(X):
    return np.column_stack([X, X[:, 0] * X[:, 1]])


class Transformer:
    transform = staticmethod(with_product)


LEDGER = Perceptron(record=True, random_state=0).fit(with_product(XOR), Y).ledger_
CALLS = {
    "separability": lambda X, **o: theory.separability(X, Y, **o).hyperplane.w.tolist(),
    "margin": lambda X, **o: theory.margin(X, Y, [0, 0, -1], **o),
    "max_margin": lambda X, **o: theory.max_margin(X, Y, **o).margin,
    "mistake_bound": lambda X, **o: theory.mistake_bound(X, Y, **o).bound,
    "proof": lambda X, **o: theory.proof(LEDGER, X, ([0, 0, -1], 0.0), **o).progress.tolist(),
    "suspects": lambda X, **o: theory.suspects(LEDGER, X, **o),
    "examine": lambda X, **o: theory.examine(X, Y, **o).to_json(range(4)),
    "order_study": lambda X, **o: str(
        theory.order_study(Perceptron(), X, Y, 5, X_test=X, y_test=Y, **o)
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("feature_map", [with_product, Transformer()], ids=["function", "object"])
def test_with_a_map_all_is_said_of_the_mapped_rows(call, feature_map):
    expected = call(with_product(XOR))
    assert call(XOR, feature_map=feature_map) == expected
    assert call(XOR.tolist(), feature_map=feature_map) == expected


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_map_that_is_none_or_loses_rows_is_refused(call):
    with pytest.raises(ParameterError, match="feature_map='square' is not allowed"):
        call(XOR, feature_map="square")
    with pytest.raises(InputError, match=r"a table of shape \(3, 2\) of 4 rows"):
        call(XOR, feature_map=lambda X: X[:3])
