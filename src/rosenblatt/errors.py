"""Everything that can go wrong, as one small tree.

::

    RosenblattError
    ├── InputError      (ValueError)  the data: shape, type, a value, a label
    │   └── OverflowRefused           an update would leave the range of the numbers
    ├── ParameterError  (ValueError)  an argument of a learner or function
    ├── MissingExtra    (ImportError) an optional part that is not installed
    ├── theory.CertificateError       a certificate that does not prove what it claims
    └── theory.ProofViolation         a run that breaks the convergence theorem

Each message names the thing, the value found, what is allowed and the usual cure.
"""

from __future__ import annotations

__all__ = [
    "InputError",
    "MissingExtra",
    "OverflowRefused",
    "ParameterError",
    "RosenblattError",
]


class RosenblattError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(RosenblattError, ValueError):
    """The data cannot be learned from as it is."""


class OverflowRefused(InputError):
    """An update would leave the range of the numbers; the model was not changed by it."""


class ParameterError(RosenblattError, ValueError):
    """An argument has a value that is not allowed."""


class MissingExtra(RosenblattError, ImportError):
    """An optional part needs a package that is not installed."""
