"""Everything that can go wrong, as one small tree.

::

    RosenblattError
    ├── InputError      (ValueError)  the data: shape, type, a value, a label
    │   ├── InputTypeError (TypeError) a thing of a kind that holds no numbers
    │   ├── DataError                 a place in a file: name, line, column, cure
    │   └── OverflowRefused           an update would leave the range of the numbers
    ├── ParameterError  (ValueError)  an argument of a learner or function
    ├── ModelFileError  (ValueError)  a model file that cannot be trusted, or a model without one
    ├── NotFittedError  (ValueError, AttributeError)  a learner that has learned nothing yet
    ├── MissingExtra    (ImportError) an optional part that is not installed
    ├── theory.CertificateError       a certificate that does not prove what it claims
    └── theory.ProofViolation         a run that breaks the convergence theorem

Each message names the thing, the value found, what is allowed and the usual cure.

There are two warnings of learners, `ConvergenceWarning` and `DataConversionWarning`. Like
`NotFittedError` they are scikit-learn's classes of the same name, too, once that is loaded.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "DataError",
    "InputError",
    "InputTypeError",
    "MissingExtra",
    "ModelFileError",
    "NotFittedError",
    "OverflowRefused",
    "ParameterError",
    "RosenblattError",
]


class RosenblattError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(RosenblattError, ValueError):
    """The data cannot be learned from as it is."""


class InputTypeError(InputError, TypeError):
    """The data hold things of a kind that cannot be numbers, or names of different kinds."""


class DataError(InputError):
    """A file that cannot be read as it is; `str` shows the place with a caret under it.

    Attributes
    ----------
    message : str
        What is wrong, without the place.
    name : str
        The file, or ``<stdin>``.
    line, column : int or None
        The place, both counted from 1, columns in characters.
    text : str or None
        The line, as far as it is needed to see the fault.
    help : str or None
        What to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        name: str,
        line: int | None = None,
        column: int | None = None,
        excerpt: tuple[str, str] | None = None,
        help: str | None = None,
    ) -> None:
        self.message, self.name, self.line, self.column = message, name, line, column
        self.text = None if excerpt is None else excerpt[0]
        self.help = help
        place = ":".join(str(part) for part in (name, line, column) if part is not None)
        lines = [f"{place}: {message}"]
        if excerpt is not None:
            lines += [f"  {excerpt[0]}", f"  {excerpt[1]}"]
        if help is not None:
            lines.append("help: " + help.replace("\n", "\n      "))
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.__dict__.copy(), self.args)


def _rebuilt(kind: type[DataError], state: dict[str, Any], args: tuple[Any, ...]) -> DataError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class OverflowRefused(InputError):
    """An update would leave the range of the numbers; the model was not changed by it."""


class ParameterError(RosenblattError, ValueError):
    """An argument has a value that is not allowed.

    Attributes
    ----------
    allowed : str or None
        What may be given instead, in words, where a check of `rosenblatt.checks` found the fault.
    """

    allowed: str | None = None


class ModelFileError(RosenblattError, ValueError):
    """A file is no sound model of ours, or a model holds what a file cannot keep."""


class MissingExtra(RosenblattError, ImportError):
    """An optional part needs a package that is not installed."""


class NotFittedError(RosenblattError, ValueError, AttributeError):
    """A learner was asked before it had learned anything."""


class ConvergenceWarning(UserWarning):
    """Training ended at its limit of epochs with mistakes left."""


class DataConversionWarning(UserWarning):
    """The data came in another shape than the one expected, and were turned into it."""
