"""The bars count every order once, each over equally many whole numbers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, datasets, plot, theory
from rosenblatt.errors import InputError


@pytest.fixture(scope="module")
def study():
    iris = datasets.iris()
    return theory.order_study(Perceptron(), iris.X, iris.y == 0, n_orders=15)


@given(st.lists(st.integers(0, 2000), min_size=1, max_size=60))
def test_every_order_is_in_one_bar(mistakes):
    iris = datasets.iris()
    real = theory.order_study(Perceptron(), iris.X[::10], iris.y[::10] == 0, n_orders=1)
    shown = plot.orders(replace(real, mistakes=np.array(mistakes)))
    widths = np.diff(shown.edges)
    assert int(shown.counts.sum()) == len(mistakes)
    assert (widths == widths[0]).all()
    assert widths[0] == round(widths[0])
    assert shown.counts[0] > 0
    assert shown.counts[-1] > 0
    assert len(shown.counts) <= 24
    for low, high, count in zip(shown.edges, shown.edges[1:], shown.counts, strict=False):
        assert count == sum(low < m < high for m in mistakes)


def test_median_file_order_and_bound_are_those_given(study):
    iris = datasets.iris()
    as_it_stands = Perceptron(shuffle=False).fit(iris.X, iris.y == 0)
    bound = theory.mistake_bound(iris.X, iris.y == 0)
    shown = plot.orders(study, bound=bound, file_order=as_it_stands)
    assert shown.median == np.median(study.mistakes)
    assert shown.file_order == as_it_stands.n_mistakes_ == 5
    assert shown.bound == bound.bound >= study.mistakes.max()
    assert plot.orders(study, file_order=9).file_order == 9
    assert "in the order of the file 9" in plot.orders(study, file_order=9).caption


def test_what_is_no_study_is_refused(study):
    with pytest.raises(InputError, match="no study of orders"):
        plot.orders(Perceptron())
    with pytest.raises(InputError, match="file_order="):
        plot.orders(study, file_order="first")
