"""Errors and warnings are ours always, and scikit-learn's once that is loaded."""

import pickle
import subprocess
import sys
import warnings

import pytest
import sklearn.exceptions

from rosenblatt import errors
from rosenblatt.estimators import sklearn_classes

CLASSES = {
    "NotFittedError": sklearn_classes.not_fitted_error,
    "ConvergenceWarning": sklearn_classes.convergence_warning,
    "DataConversionWarning": sklearn_classes.data_conversion_warning,
}
every_class = pytest.mark.parametrize("name", CLASSES)


@every_class
def test_with_scikit_learn_both_catch_it(name):
    joint, ours, theirs = CLASSES[name](), getattr(errors, name), getattr(sklearn.exceptions, name)
    assert CLASSES[name]() is joint
    assert joint.__name__ == name
    for kind in (ours, theirs):
        with pytest.raises(kind, match="as said"):
            raise joint("as said")


def test_a_filter_for_either_class_holds():
    for kind in (errors.ConvergenceWarning, sklearn.exceptions.ConvergenceWarning):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", kind)
            warnings.warn("as said", sklearn_classes.convergence_warning(), stacklevel=1)
        assert not caught


def test_unfitted_is_a_value_and_an_attribute_error_in_our_tree():
    for kind in (errors.RosenblattError, ValueError, AttributeError):
        assert issubclass(errors.NotFittedError, kind)


@every_class
def test_pickles_keep_class_and_message(name):
    error = CLASSES[name]()("as said")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert copy.args == ("as said",)
    assert pickle.loads(pickle.dumps(type(error))) is type(error)


LATER = """
import pickle, sys, warnings
from rosenblatt import errors
from rosenblatt.estimators.sklearn_classes import not_fitted_error
assert not_fitted_error() is errors.NotFittedError
copy = pickle.loads(bytes.fromhex(sys.argv[1]))
assert type(copy) is errors.NotFittedError, type(copy)
assert "sklearn" not in sys.modules
before = not_fitted_error()("before")
import sklearn.exceptions
try:
    raise not_fitted_error()("after")
except sklearn.exceptions.NotFittedError as error:
    assert isinstance(error, errors.NotFittedError)
assert type(pickle.loads(pickle.dumps(before))) is errors.NotFittedError
"""


def test_without_scikit_learn_it_is_ours_and_both_from_the_moment_it_is_loaded():
    made_with_it = pickle.dumps(sklearn_classes.not_fitted_error()("as said")).hex()
    done = subprocess.run(
        [sys.executable, "-c", LATER, made_with_it], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = sklearn_classes.Nonsense
