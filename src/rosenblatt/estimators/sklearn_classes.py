"""Errors and warnings that also derive from those of scikit-learn, once that is loaded.

``except rosenblatt.errors.NotFittedError`` always catches what is raised as
``not_fitted_error()``; ``except sklearn.exceptions.NotFittedError`` does whenever scikit-learn is
loaded, which has to have happened for anyone to write it. So nothing here imports it.
"""

from __future__ import annotations

import sys
from typing import TypeVar, cast

from rosenblatt import errors

Raised = TypeVar("Raised", bound=BaseException)

OURS: dict[str, type[BaseException]] = {
    ours.__name__: ours
    for ours in (
        errors.NotFittedError,
        errors.ConvergenceWarning,
        errors.MajorityWarning,
        errors.DataConversionWarning,
    )
}
_joint: dict[tuple[type[BaseException], type], type[BaseException]] = {}


def not_fitted_error() -> type[errors.NotFittedError]:
    """Return the class of the error for a learner that is not fitted."""
    return _current(errors.NotFittedError)


def convergence_warning() -> type[errors.ConvergenceWarning]:
    """Return the class of the warning for training that ended at its limit of epochs."""
    return _current(errors.ConvergenceWarning)


def majority_warning() -> type[errors.MajorityWarning]:
    """Return the class of the warning for a learner no better than the majority baseline."""
    return _current(errors.MajorityWarning)


def data_conversion_warning() -> type[errors.DataConversionWarning]:
    """Return the class of the warning for data of another shape than expected."""
    return _current(errors.DataConversionWarning)


def _current(ours: type[Raised]) -> type[Raised]:
    known = sys.modules.get("sklearn.exceptions")
    names = (base.__name__ for base in ours.__mro__ if base.__module__ == errors.__name__)
    theirs = next((found for name in names if (found := getattr(known, name, None))), None)
    if theirs is None:
        return ours
    if (ours, theirs) not in _joint:
        content = {"__module__": __name__, "__doc__": ours.__doc__}
        _joint[ours, theirs] = type(ours.__name__, (ours, theirs), content)
    return cast("type[Raised]", _joint[ours, theirs])


def __getattr__(name: str) -> type[BaseException]:
    # A pickle names a class by this module; what it finds again depends on where it is opened.
    if name in OURS:
        return _current(OURS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
