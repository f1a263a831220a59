"""Everything that can go wrong, as one small tree.

::

    RosenblattError
    ├── InputError      (ValueError)  the data: shape, type, a value, a label
    │   ├── InputTypeError (TypeError) a thing of a kind that holds no numbers
    │   ├── DataError                 a place in a file: name, line, column
    │   └── OverflowRefused           an update would leave the range of the numbers
    ├── ParameterError  (ValueError)  an argument of a learner or function
    │   ├── NoLedgerError (AttributeError)  a learner that kept no record of its updates
    │   └── SlimModelError (AttributeError)  a model that was saved without what learning on needs
    ├── ModelFileError  (ValueError)  a model file that cannot be trusted, or a model without one
    ├── NotFittedError  (ValueError, AttributeError)  a learner that has learned nothing yet
    ├── MissingExtra    (ImportError) an optional part that is not installed
    ├── theory.CertificateError       a certificate that does not prove what it claims
    ├── theory.ProofViolation         a run that breaks the convergence theorem
    └── distributed.WorkerLost (ConnectionError)  workers died, or no cluster answers

An error carries its parts: what is wrong, where, the value found, what is allowed, and the cures. A
part that names an argument or a value is no text but a `Setting` or a `Value`, which every surface
writes in its own words: ``on_bad='skip'`` in Python, ``--on-bad skip`` in the shell. `str` is
Python's `Wording`; the shell has its own, and HTTP sends `RosenblattError.to_json`.

There are three warnings of learners: `ConvergenceWarning`, `MajorityWarning`, which is one of
these, and `DataConversionWarning`. Like `NotFittedError` they are scikit-learn's classes, too, once
that is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

LONGEST_SHOWN = 60


class Setting(NamedTuple):
    """An argument and a value for it; without a value, its name alone."""

    name: str
    value: Any = ...


class Value(NamedTuple):
    """A value that can be given: ``'auto'`` in Python, ``auto`` in the shell."""

    value: Any


class Message:
    """A text in which settings and values are not yet written in the words of a surface.

    Examples
    --------
    >>> from rosenblatt.errors import JsonWording, Message, Setting
    >>> cure = Message("name the encoding with ", Setting("encoding", "latin-1"))
    >>> str(cure)
    "name the encoding with encoding='latin-1'"
    >>> cure.worded(JsonWording())
    'name the encoding with encoding = "latin-1"'
    """

    def __init__(self, *parts: Words | Setting | Value) -> None:
        self.parts: list[str | Setting | Value] = []
        for part in parts:
            self.parts += part.parts if isinstance(part, Message) else [part]

    @property
    def settings(self) -> list[Setting]:
        return [part for part in self.parts if isinstance(part, Setting)]

    def worded(self, wording: Wording) -> str:
        return "".join(map(wording.part, self.parts))

    def __str__(self) -> str:
        return self.worded(PYTHON)


Words = str | Message


class Wording:
    """How a surface writes the parts of a message; this one is Python's."""

    def part(self, part: str | Setting | Value) -> str:
        if isinstance(part, Setting):
            return self.setting(part)
        return self.value(part.value) if isinstance(part, Value) else part

    def setting(self, setting: Setting) -> str:
        if setting.value is ...:
            return setting.name
        return f"{setting.name}={self.value(setting.value)}"

    def value(self, value: Any) -> str:
        return repr(value)

    def offers(self, setting: Setting) -> bool:
        """Whether a user of this surface can follow a cure that names the setting."""
        return True


class JsonWording(Wording):
    """Values as JSON has them, for pages and clients."""

    def setting(self, setting: Setting) -> str:
        return super().setting(setting).replace("=", " = ", 1)

    def value(self, value: Any) -> str:
        import json

        return value if isinstance(value, _Look) else json.dumps(value, ensure_ascii=False)


PYTHON = Wording()


class _Look(str):
    """How a thing looks that an error does not keep; it is shown as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def shown(value: Any, most: int = LONGEST_SHOWN) -> str:
    """A value as it is shown in an error: not longer than fits on a line."""
    text = _printed(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _printed(value: Any) -> str:
    """The value as Python prints it, or words for what Python refuses to print."""
    try:
        return repr(value)
    except ValueError:  # whole numbers of thousands of digits
        if type(value) is dict:
            parts = [f"{_printed(key)}: {_printed(part)}" for key, part in value.items()]
            return f"{{{', '.join(parts)}}}"
        return f"a value of type {type(value).__name__} with too many digits to print"


def compact(value: Any) -> Any:
    """What an error keeps of a value: short plain data as it is, of all else how it looks.

    So that an error can be pickled, and holds no array in memory.
    """
    text = shown(value)
    try:
        is_short = len(repr(value)) == len(text)
    except ValueError:  # as in `_printed`
        is_short = False
    plain = (bool, int, float, str, type(None), type(...), _Look)
    if type(value) is dict:
        parts = [*value, *value.values()]
    else:
        parts = value if type(value) in (list, tuple) else [value]
    is_short = is_short and not (type(value) is int and abs(value) >= 2**63)
    return value if is_short and all(type(part) in plain for part in parts) else _Look(text)


class Place(NamedTuple):
    """A place in a file; lines and columns are counted from 1, columns in characters."""

    name: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


class Item(NamedTuple):
    """A place in data that were handed in: an argument, and which of its items, from 0."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.name}[{self.number}]"


Where = Place | Item | str | None


def _at(where: Where) -> str:
    return f"{where}: " if isinstance(where, Place | Item) else ""


class RosenblattError(Exception):
    """Base of every error this package raises on purpose.

    Attributes
    ----------
    what : Message
        What is wrong.
    where : Place, Item, str or None
        The place in a file or in data, or the name of an argument.
    found : object
        The value found; ``...`` where there is none to show.
    allowed : Message or None
        What may be given instead.
    cures : tuple of Message
        What to do about it; any one of them helps.
    """

    def __init__(
        self,
        what: Words = "",
        *,
        where: Where = None,
        found: Any = ...,
        allowed: Words | None = None,
        cures: Words | Iterable[Words] = (),
    ) -> None:
        super().__init__(str(what))
        self.what, self.found = Message(what), compact(found)
        self.where: Where = where
        self.allowed = None if allowed is None else Message(allowed)
        listed = [cures] if isinstance(cures, Words) else cures
        self.cures = tuple(Message(cure) for cure in listed)

    def __str__(self) -> str:
        return self.worded(PYTHON)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), *self.args), self.__dict__

    def worded(self, wording: Wording) -> str:
        """All of it, in the words of a surface."""
        text, cure = self._finding(wording), ", or ".join(self._cures(wording))
        if cure:
            return f"{_ended(text)} {cure[0].upper()}{_ended(cure[1:])}"
        return text if self.allowed is None else _ended(text)

    def preceded(self, words: Words) -> Self:
        """The same error, with words before what is wrong that say more of where it is."""
        self.what = Message(words, self.what)
        return self

    def _finding(self, wording: Wording) -> str:
        text = _at(self.where) + self.what.worded(wording)
        return text if self.allowed is None else f"{text}: give {self.allowed.worded(wording)}"

    def _cures(self, wording: Wording) -> list[str]:
        """Those that a user of the surface can follow."""
        possible = (cure for cure in self.cures if all(map(wording.offers, cure.settings)))
        return [cure.worded(wording) for cure in possible]

    def to_json(self) -> dict[str, Any]:
        """The parts as JSON has them; a part that there is not is left out."""
        words, where = JsonWording(), self.where
        parts = {
            "message": self.worded(words),
            "what": self.what.worded(words),
            "where": where._asdict() if isinstance(where, Place | Item) else where,
            "allowed": None if self.allowed is None else self.allowed.worded(words),
            "cures": [
                {
                    "text": cure.worded(words),
                    "settings": {s.name: s.value for s in cure.settings if s.value is not ...},
                }
                for cure in self.cures
            ],
        }
        if self.found is not ...:
            parts["found"] = str(self.found) if isinstance(self.found, _Look) else self.found
        return {name: part for name, part in parts.items() if part or name == "found"}


def _rebuilt(kind: type[RosenblattError], *args: Any) -> RosenblattError:
    return kind.__new__(kind, *args)  # the parts follow, whatever the class is made from


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


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
    """

    def __init__(
        self,
        what: Words,
        *,
        name: str,
        line: int | None = None,
        column: int | None = None,
        excerpt: tuple[str, str] | None = None,
        found: Any = ...,
        allowed: Words | None = None,
        cures: Words | Iterable[Words] = (),
    ) -> None:
        place = Place(name, line, column)
        super().__init__(what, where=place, found=found, allowed=allowed, cures=cures)
        self.name, self.line, self.column = name, line, column
        self.excerpt = excerpt
        self.text = None if excerpt is None else excerpt[0]

    @property
    def message(self) -> str:
        """What is wrong, without the place."""
        return str(self.what)

    def worded(self, wording: Wording) -> str:
        lines = [self._finding(wording), *(f"  {line}" for line in self.excerpt or ())]
        if cures := self._cures(wording):
            lines.append("help: " + "\n      or ".join(cures))
        return "\n".join(lines)


class OverflowRefused(InputError):
    """An update would leave the range of the numbers; the model was not changed by it."""


class ParameterError(RosenblattError, ValueError):
    """An argument has a value that is not allowed."""


class NoLedgerError(ParameterError, AttributeError):
    """A learner kept no record of its updates, so that it has no ``ledger_``."""

    def __init__(self, what: Words = "no ledger of the updates was kept", **parts: Any) -> None:
        cure = Message("keep one with ", Setting("record", True))
        super().__init__(what, **{"cures": cure, **parts})


class SlimModelError(ParameterError, AttributeError):
    """A model was saved slim, without what nothing but learning on needs."""


class ModelFileError(RosenblattError, ValueError):
    """A file is no sound model of ours, or a model holds what a file cannot keep."""


class MissingExtra(RosenblattError, ImportError):
    """An optional part needs a package that is not installed; `extra` is ours that brings it."""

    def __init__(
        self, what: Words, *, extra: str | None = None, cures: Iterable[Words] = ()
    ) -> None:
        install = [] if extra is None else [f"install it with pip install 'rosenblatt[{extra}]'"]
        super().__init__(what, cures=[*install, *cures])
        self.extra = extra


class NotFittedError(RosenblattError, ValueError, AttributeError):
    """A learner was asked before it had learned anything."""


class Notice(UserWarning):
    """A warning that carries its parts, as an error does."""

    def __init__(self, what: Words, *, where: Where = None) -> None:
        super().__init__(str(what))
        self.what = Message(what)
        self.where: Where = where

    def __str__(self) -> str:
        return self.worded(PYTHON)

    def worded(self, wording: Wording) -> str:
        return _at(self.where) + self.what.worded(wording)


class ConvergenceWarning(UserWarning):
    """Training ended at its limit of epochs with mistakes left."""


class MajorityWarning(ConvergenceWarning):
    """What was learned is no better than always predicting the most frequent class."""


class DataConversionWarning(UserWarning):
    """The data came in another shape than the one expected, and were turned into it."""
