"""The exceptions of this package, as one small tree.

::

    RosenblattError
    ├── InputError      (ValueError)  the data: shape, type, a value, a label
    │   ├── InputTypeError (TypeError) an object of a type that cannot hold numbers
    │   ├── DataError                 a place in a file: name, line, column
    │   └── OverflowRefused           an update would overflow the floating-point range
    ├── ParameterError  (ValueError)  an argument of a learner or function
    │   ├── NoLedgerError (AttributeError)  a learner that kept no record of its updates
    │   └── SlimModelError (AttributeError)  a model saved without the state that training needs
    ├── ModelFileError  (ValueError)  an invalid model file, or a model that no file can store
    ├── NotFittedError  (ValueError, AttributeError)  a learner that has not been fitted yet
    ├── MissingExtra    (ImportError) an optional dependency that is not installed
    ├── theory.CertificateError       a certificate that does not prove what it claims
    ├── theory.ProofViolation         a run that breaks the convergence theorem
    └── distributed.WorkerLost (ConnectionError)  workers died, or no cluster answers

An error holds its parts: the problem, the place, the value found, the allowed values, and the
cures. A part that names an argument or a value is not text but a `Setting` or a `Value`, which each
interface formats in its own way: ``on_bad='skip'`` in Python, ``--on-bad skip`` on the command
line. `str` uses Python's `Wording`; the command line has its own, and HTTP sends
`RosenblattError.to_json`.

Learners issue three warnings: `ConvergenceWarning`, its subclass `MajorityWarning`, and
`DataConversionWarning`. Once scikit-learn is loaded, these and `NotFittedError` are also subclasses
of the classes of the same names in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

# Longest repr of a value in an error message, in characters.
LONGEST_SHOWN = 60
# Integers of this size do not fit into 64 bits, so other programs cannot read them from JSON.
LARGEST_INT64 = 2**63


class Setting(NamedTuple):
    """An argument and a value for it; ``...`` stands for the name without a value."""

    name: str
    value: Any = ...


class Value(NamedTuple):
    """A value of an argument: ``'auto'`` in Python, ``auto`` on the command line."""

    value: Any


class Message:
    """Text whose settings and values are formatted later, for one interface.

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
            if isinstance(part, Message):
                self.parts += part.parts
            else:
                self.parts.append(part)

    @property
    def settings(self) -> list[Setting]:
        """Return the arguments that the text names."""
        return [part for part in self.parts if isinstance(part, Setting)]

    def worded(self, wording: Wording) -> str:
        """Format the text for an interface."""
        return "".join(map(wording.part, self.parts))

    def __str__(self) -> str:
        return self.worded(PYTHON)


Words = str | Message


class Wording:
    """Formatter of messages for one interface; the base class formats them for Python."""

    def part(self, part: str | Setting | Value) -> str:
        """Format one part of a message."""
        if isinstance(part, Setting):
            return self.setting(part)
        if isinstance(part, Value):
            return self.value(part.value)
        return part

    def setting(self, setting: Setting) -> str:
        """Format an argument with its value: ``name=value``."""
        if setting.value is ...:
            return setting.name
        return f"{setting.name}={self.value(setting.value)}"

    def value(self, value: Any) -> str:
        """Format a value as code."""
        return repr(value)

    def offers(self, setting: Setting) -> bool:
        """Return whether a user of this interface can change the setting."""
        return True


class JsonWording(Wording):
    """Formatter for web pages and HTTP clients: values are JSON."""

    def setting(self, setting: Setting) -> str:
        return super().setting(setting).replace("=", " = ", 1)

    def value(self, value: Any) -> str:
        import json

        if isinstance(value, VerbatimRepr):
            return value
        return json.dumps(value, ensure_ascii=False)


PYTHON = Wording()


class VerbatimRepr(str):
    """The repr of a value, stored in an error instead of the value; its own repr adds no quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def shown(value: Any, most: int = LONGEST_SHOWN) -> str:
    """Return the repr of a value, cut to at most ``most`` characters."""
    text = _safe_repr(value)
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…"


def _safe_repr(value: Any) -> str:
    """Return the repr of a value, or a description if it has too many digits to print."""
    try:
        return repr(value)
    except ValueError:  # Python prints no whole number of more than 4,300 digits
        if type(value) is dict:
            parts = [f"{_safe_repr(key)}: {_safe_repr(part)}" for key, part in value.items()]
            return f"{{{', '.join(parts)}}}"
        return f"a value of type {type(value).__name__} with too many digits to print"


def compact(value: Any) -> Any:
    """Return short plain data unchanged, and any other value as its `VerbatimRepr`.

    An error stores the result, so that it can be pickled and holds no array in memory.
    """
    text = shown(value)
    try:
        is_short = len(repr(value)) == len(text)
    except ValueError:  # see `_safe_repr`
        is_short = False
    if type(value) is int and abs(value) >= LARGEST_INT64:
        is_short = False

    if type(value) is dict:
        parts = [*value, *value.values()]
    elif type(value) in (list, tuple):
        parts = value
    else:
        parts = [value]
    # Exact types: a subclass may hold anything.
    plain_types = (bool, int, float, str, type(None), type(...), VerbatimRepr)
    is_plain = all(type(part) in plain_types for part in parts)

    return value if is_short and is_plain else VerbatimRepr(text)


class Place(NamedTuple):
    """A place in a file; lines and columns count from 1, columns in characters."""

    name: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


class Item(NamedTuple):
    """An item of an argument, by its index from 0."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.name}[{self.number}]"


Where = Place | Item | str | None


def _prefix(where: Where) -> str:
    """Return the place and a colon; an empty text for an argument, which the message names."""
    return f"{where}: " if isinstance(where, Place | Item) else ""


class RosenblattError(Exception):
    """Base class of every error that this package raises on purpose.

    Attributes
    ----------
    what : Message
        The problem.
    where : Place, Item, str or None
        The place in a file or in the data, or the name of an argument.
    found : object
        The value found; ``...`` if there is none to show.
    allowed : Message or None
        The values that are allowed.
    cures : tuple of Message
        Ways to solve the problem; any one of them is enough.
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
        self.what = Message(what)
        self.found = compact(found)
        self.where: Where = where
        self.allowed = None if allowed is None else Message(allowed)
        # Text is iterable too; a single cure would be taken letter by letter.
        listed = [cures] if isinstance(cures, Words) else cures
        self.cures = tuple(Message(cure) for cure in listed)

    def __str__(self) -> str:
        return self.worded(PYTHON)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), *self.args), self.__dict__

    def worded(self, wording: Wording) -> str:
        """Format the whole error for an interface: problem, allowed values, cures."""
        text = self._problem(wording)
        cure = ", or ".join(self._cures(wording))
        if cure:
            return f"{_with_full_stop(text)} {cure[0].upper()}{_with_full_stop(cure[1:])}"
        if self.allowed is not None:
            return _with_full_stop(text)
        return text

    def preceded(self, words: Words) -> Self:
        """Prepend words to the problem, usually a more exact place; return the error itself."""
        self.what = Message(words, self.what)
        return self

    def _problem(self, wording: Wording) -> str:
        text = _prefix(self.where) + self.what.worded(wording)
        if self.allowed is None:
            return text
        return f"{text}: give {self.allowed.worded(wording)}"

    def _cures(self, wording: Wording) -> list[str]:
        """Return the cures that a user of the interface can follow."""
        return [
            cure.worded(wording)
            for cure in self.cures
            if all(wording.offers(setting) for setting in cure.settings)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the parts as JSON-compatible data; empty parts are left out."""
        wording = JsonWording()
        where = self.where
        parts = {
            "message": self.worded(wording),
            "what": self.what.worded(wording),
            "where": where._asdict() if isinstance(where, Place | Item) else where,
            "allowed": None if self.allowed is None else self.allowed.worded(wording),
            "cures": [
                {
                    "text": cure.worded(wording),
                    "settings": {s.name: s.value for s in cure.settings if s.value is not ...},
                }
                for cure in self.cures
            ],
        }
        kept = {name: part for name, part in parts.items() if part}

        # A value found is kept even if it is 0, False or empty.
        if isinstance(self.found, VerbatimRepr):
            kept["found"] = str(self.found)
        elif self.found is not ...:
            kept["found"] = self.found
        return kept


def _unpickled(kind: type[RosenblattError], *args: Any) -> RosenblattError:
    # Subclasses have constructors of different signatures, so none is called; pickle restores
    # the attributes afterwards.
    return kind.__new__(kind, *args)


def _with_full_stop(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


class InputError(RosenblattError, ValueError):
    """The data are invalid: their shape, their type, a value or a label."""


class InputTypeError(InputError, TypeError):
    """The data hold objects that cannot be converted to numbers, or names of different types."""


class DataError(InputError):
    """A fault in a data file; `str` shows the line with a caret under the fault.

    Attributes
    ----------
    message : str
        The problem, without the place.
    name : str
        The file, or ``<stdin>``.
    line, column : int or None
        The place, both counted from 1, columns in characters.
    text : str or None
        The line, or the part of it around the fault.
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
        self.name = name
        self.line = line
        self.column = column
        self.excerpt = excerpt
        self.text = None if excerpt is None else excerpt[0]

    @property
    def message(self) -> str:
        """The problem, without the place."""
        return str(self.what)

    def reworded(self, *, what: Words | None = None, cures: Words | Iterable[Words]) -> DataError:
        """Return an error for the same place with other cures and, if given, another message."""
        place = Place(self.name, self.line, self.column)
        return DataError(
            self.what if what is None else what,
            **place._asdict(),
            excerpt=self.excerpt,
            cures=cures,
        )

    def worded(self, wording: Wording) -> str:
        """Format the error for an interface: problem, excerpt with caret, one cure per line."""
        lines = [self._problem(wording)]
        if self.excerpt is not None:
            lines += [f"  {line}" for line in self.excerpt]
        cures = self._cures(wording)
        if cures:
            lines.append("help: " + "\n      or ".join(cures))
        return "\n".join(lines)


class OverflowRefused(InputError):
    """An update would overflow the floating-point range; it left the model unchanged."""


class ParameterError(RosenblattError, ValueError):
    """An argument has a value that is not allowed."""


class NoLedgerError(ParameterError, AttributeError):
    """A learner kept no record of its updates and therefore has no ``ledger_``."""

    def __init__(self, what: Words = "no ledger of the updates was kept", **parts: Any) -> None:
        cure = Message("keep one with ", Setting("record", True))
        super().__init__(what, **{"cures": cure, **parts})


class SlimModelError(ParameterError, AttributeError):
    """A model was saved slim, without the state that further training needs."""


class ModelFileError(RosenblattError, ValueError):
    """A file is not a valid model file, or a model holds a value that no model file can store."""


class MissingExtra(RosenblattError, ImportError):
    """An optional feature needs a package that is not installed; the extra `extra` installs it."""

    def __init__(
        self, what: Words, *, extra: str | None = None, cures: Iterable[Words] = ()
    ) -> None:
        install = [] if extra is None else [f"install it with pip install 'rosenblatt[{extra}]'"]
        super().__init__(what, cures=[*install, *cures])
        self.extra = extra


class NotFittedError(RosenblattError, ValueError, AttributeError):
    """A learner was used before it was fitted."""


class Notice(UserWarning):
    """Base class of warnings with a structured message, like that of `RosenblattError`."""

    def __init__(self, what: Words, *, where: Where = None) -> None:
        super().__init__(str(what))
        self.what = Message(what)
        self.where: Where = where

    def __str__(self) -> str:
        return self.worded(PYTHON)

    def worded(self, wording: Wording) -> str:
        """Format the warning for an interface."""
        return _prefix(self.where) + self.what.worded(wording)


class ConvergenceWarning(UserWarning):
    """Training reached the limit of epochs with mistakes left."""


class MajorityWarning(ConvergenceWarning):
    """The model does no better than always predicting the most frequent class."""


class DataConversionWarning(UserWarning):
    """The data had an unexpected shape and were converted."""
