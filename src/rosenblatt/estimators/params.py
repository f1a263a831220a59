"""Parameters of a learner, each declared once: type, default, range and a line of help.

Everything else reads the declaration: the constructor, its docstring and its checks, scikit-learn's
protocol, the model file, the options of the shell, the controls of the studio.
"""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from rosenblatt import checks, numpydoc
from rosenblatt.errors import ParameterError, Words, shown
from rosenblatt.models.parallel import n_threads

METADATA = "option"
LIMITS = ("above", "below", "at_least", "at_most")


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """One parameter of a learner: what `option` was given, and what its annotation says."""

    name: str
    kind: str  # what values are: "flag", "whole", "number", "choice" or "other"
    optional: bool  # whether None is allowed
    default: Any
    help: str
    choices: tuple[Any, ...]
    above: float | None
    below: float | None
    at_least: float | None
    at_most: float | None
    type: str
    cure: Words | None
    label: str
    in_studio: bool
    own_check: Callable[[str, Any], None] | None
    accepts: Callable[[Any], bool] | None
    from_text: Callable[[str], Any] | None

    def check(self, value: Any) -> None:
        """Refuse a value that is not allowed, naming the parameter, the value and the cure."""
        if (value is None and self.optional) or (self.accepts is not None and self.accepts(value)):
            return
        if self.own_check is not None:
            self.own_check(self.name, value)
        elif self.kind == "flag":
            checks.flag(self.name, value)
        elif self.kind == "choice":
            checks.choice(self.name, value, *self.choices)
        elif self.kind == "whole":
            least = -(2**63) if self.at_least is None else int(self.at_least)
            most = None if self.at_most is None else int(self.at_most)
            checks.whole(self.name, value, at_least=least, at_most=most, cure=self.cure)
        elif self.kind == "number":
            limits = {limit: getattr(self, limit) for limit in LIMITS}
            checks.number(self.name, value, cure=self.cure, **limits)

    def parse(self, text: str) -> Any:
        """The value that a text stands for, as the shell and the page have it; not checked yet."""
        for choice in self.choices:
            if word_of(choice) == text:
                return choice
        if self.kind == "whole" or self.kind == "number":
            kind = int if self.kind == "whole" else float
            try:
                return kind(text)
            except ValueError:
                return text
        if self.from_text is not None:
            return self.from_text(text)
        return text

    def is_default(self, value: Any) -> bool:
        default = self.default
        # A whole number given for 1.0 is the same; True is not.
        alike = type(value) is type(default) or {type(value), type(default)} == {int, float}
        return value is default or (alike and bool(value == default))

    def docstring_entry(self) -> str:
        """The entry in the section "Parameters" of a docstring."""
        default = f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)
        text = f"{self.name} : {self.type}, default={default.replace('0.0001', '1e-4')}\n"
        return text + "".join(f"    {line}\n" for line in self.help.split("\n"))


def word_of(value: Any) -> str:
    """A choice as the shell and the page have it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def option(
    *,
    default: Any,
    help: str,
    choices: tuple[Any, ...] = (),
    above: float | None = None,
    below: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    cure: Words | None = None,
    type: str = "",
    label: str = "",
    in_studio: bool = True,
    kw_only: bool = True,
    check: Callable[[str, Any], None] | None = None,
    accepts: Callable[[Any], bool] | None = None,
    from_text: Callable[[str], Any] | None = None,
) -> Any:
    """Declare a parameter of a learner in the body of its class.

    The annotation says what values are: ``bool``, ``int``, ``float``, ``str`` with ``choices``,
    with ``| None`` if None is allowed, or anything else with a ``check`` of its own.

    Parameters
    ----------
    default : object
    help : str
        What it does.
    choices : tuple, default=()
        The values allowed.
    above, below, at_least, at_most : float or None, default=None
        Limits of a number.
    cure : str or Message, default=None
        What is added to the error.
    type : str, default=""
        The type as docstrings have it, where the annotation does not say enough.
    label : str, default=""
        What the studio calls it; the name if empty.
    in_studio : bool, default=True
        Whether the studio has a control for it.
    kw_only : bool, default=True
        Whether it must be given by its name.
    check : callable, default=None
        ``check(name, value)`` raises a ParameterError for what is not allowed.
    accepts : callable, default=None
        ``accepts(value)`` is true for values that are allowed whatever else is said.
    from_text : callable, default=None
        ``from_text(text)``: the value that a text of the shell stands for, where neither the
        annotation nor the choices say it.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.estimators.params import option
    >>> class Cautious(Perceptron):
    ...     patience: int = option(default=3, at_least=1, help="Rows to wait for.")
    >>> Cautious(patience=0).fit([[1.0], [2.0]], [0, 1])
    Traceback (most recent call last):
      ...
    rosenblatt.errors.ParameterError: patience=0 is not allowed: give a whole number of at least 1.
    """
    declared = locals() | {"help": inspect.cleandoc(help), "own_check": check}
    for name in ("check", "default", "kw_only"):
        del declared[name]
    return field(default=default, kw_only=kw_only, metadata={METADATA: declared})


def option_of(cls: type[Configurable], name: str) -> Any:
    """The parameter of another class, to be declared again: the same default, help and checks."""
    found = cls.__dataclass_fields__[name]  # type: ignore[attr-defined]
    return field(default=found.default, kw_only=True, metadata=found.metadata)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(option,))
class Configurable:
    """A class whose parameters are declared with `option`; its constructor takes them by name."""

    _options: ClassVar[dict[str, Option]] = {}
    # What the constructor takes: the options, unless a class has a constructor of its own.
    _parameter_names: ClassVar[tuple[str, ...]] = ()
    # What the docstring of the class itself says of its attributes.
    _attributes: ClassVar[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        init = next(vars(kind)["__init__"] for kind in cls.__mro__ if "__init__" in vars(kind))
        # Never equal by parameters: two learners with the same ones have learned other things.
        dataclass(init=False, eq=False, repr=False, kw_only=True)(cls)
        fields = {found.name: found for found in dataclasses.fields(cls)}  # type: ignore[arg-type]
        for found in fields.values():
            if METADATA not in found.metadata:
                raise TypeError(
                    f"{cls.__name__}.{found.name}: declare a parameter with option(default=…, "
                    "help=…), and anything else without an annotation, or as a ClassVar."
                )
        # Those of the class itself first, as its readers look for them.
        kinds = [kind for kind in cls.__mro__ if issubclass(kind, Configurable)]
        names = dict.fromkeys(name for kind in kinds for name in inspect.get_annotations(kind))
        cls._options = {name: _option_of(fields[name]) for name in names if name in fields}
        for name in cls._options.keys() - inspect.get_annotations(cls).keys():
            if name in cls.__dict__ and name in getattr(super(cls, cls), "_options", {}):
                raise TypeError(
                    f"{cls.__name__}.{name} is a parameter: give it another default with "
                    f"{name}: … = option(default=…, help=…)."
                )
        cls._parameter_names = tuple(cls._options)
        if not (isinstance(init, Constructor) or init is object.__init__):
            # As scikit-learn has it: what the constructor names is what there is.
            _, *parameters = inspect.signature(init).parameters.values()
            named = (p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
            cls._parameter_names = tuple(p.name for p in named)
        else:
            type.__setattr__(cls, "__init__", Constructor(cls))


class Constructor:
    """The constructor of a class with options: written when it is first asked for.

    Most classes are but the bases of others, and every class of a learner is loaded with it.
    """

    def __init__(self, cls: type[Configurable]) -> None:
        self._cls = cls
        self._written: Any = None

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if self._written is None:
            self._written = self._write()
        return self._written.__get__(instance, owner)

    def _write(self) -> Any:
        cls, declared = self._cls, self._cls.__dataclass_fields__  # type: ignore[attr-defined]
        fields = [
            (name, declared[name].type, field(default=one.default, kw_only=declared[name].kw_only))
            for name, one in cls._options.items()
        ]
        twin = dataclasses.make_dataclass(cls.__name__, fields, eq=False, repr=False)
        written: Any = vars(twin)["__init__"]
        written.__qualname__, written.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
        return written


@cache  # a class has the very fields of its base
def _option_of(found: dataclasses.Field[Any]) -> Option:
    """The option of a field, with what its annotation says."""
    declared = dict(found.metadata[METADATA])
    written = found.type if isinstance(found.type, str) else getattr(found.type, "__name__", "")
    annotation = str(found.type) if re.search(r"[|\[]", str(found.type)) else written
    parts = re.split(
        r"\s*\|\s*", re.sub(r"(?:typing\.)?Optional\[(.*)\]", r"\1 | None", annotation)
    )
    kinds = [kind for kind in parts if kind != "None"]
    kind = {"bool": "flag", "int": "whole", "float": "number"}.get(kinds[0], "other")
    if declared["choices"]:
        kind = "choice"
    optional = "None" in parts
    declared["type"] = declared["type"] or _type_text(kinds, declared["choices"], optional)
    declared["label"] = declared["label"] or found.name
    return Option(found.name, kind, optional, found.default, **declared)


def _type_text(kinds: list[str], choices: tuple[Any, ...], optional: bool) -> str:
    if choices:
        listed = ", ".join(f'"{c}"' if isinstance(c, str) else repr(c) for c in choices)
        kinds = [f"{{{listed}}}"]
    return " or ".join([*kinds, *(["None"] if optional else [])])


def complete_docstring(cls: type[Configurable]) -> None:
    """Add the parameters to the docstring of a class, and the attributes that it inherits."""
    if cls.__doc__ is None or "__doc__" not in cls.__dict__:  # python -OO, or nothing to say
        return
    opening, sections = numpydoc.sections(cls.__doc__)
    sections["Parameters"] = "".join(option.docstring_entry() for option in cls._options.values())
    attributes: dict[str, str] = {}
    for kind in reversed(cls.__mro__[1:]):
        if issubclass(kind, Configurable) and "_attributes" in kind.__dict__:
            attributes |= numpydoc.entries(kind.__dict__["_attributes"])
    own = numpydoc.entries(sections.get("Attributes", ""))
    cls._attributes = sections.get("Attributes", "")
    if attributes or own:
        sections["Attributes"] = "".join((attributes | own).values())
    cls.__doc__ = numpydoc.join(opening, sections)


# ---------------------------------------------------------------------- shared declarations


def combine_option(default: str, what: str) -> Any:
    """The option ``combine`` of those that keep all that training went through."""
    return option(
        default=default,
        choices=("vote", "average", "last"),
        in_studio=False,
        help=f"""
        How the {what} that training went through predict together: by their votes (each counts as
        long as it survived), by their mean, or the last one alone. It can be changed after ``fit``:
        the training is the same.""",
    )


def n_jobs_option(what: str) -> Any:
    """The option ``n_jobs`` of those whose work threads can share."""
    return option(
        default=None,
        check=_check_n_jobs,
        in_studio=False,
        help=f"Threads that {what}; None is 1, -1 all processors. The results are the same.",
    )


def _check_n_jobs(_name: str, value: Any) -> None:
    n_threads(value)


# ---------------------------------------------------------------------- where shuffling starts


def seed_from(random_state: Any) -> int:
    """64 bits to start the shuffling from; a generator is asked for its next number."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if random_state is np.random or isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ParameterError(
        f"random_state={shown(random_state)} is not allowed: give a whole number from 0 to "
        "2**64 - 1, None, or a numpy random generator."
    )


def check_seed(name: str, value: Any) -> None:
    """Refuse what `seed_from` would, without drawing from a generator.

    Numbers first: NumPy loads its generators when they are first named.
    """
    if value is None or (isinstance(value, numbers.Integral) and 0 <= int(value) < 2**64):
        return
    if not isinstance(value, np.random.RandomState | np.random.Generator):
        seed_from(value)
