"""Declarations of learner parameters: type, default, range and help text, each stated once.

Everything else is derived from the declaration: the constructor and its checks, the docstring in
the source (`tools/docstrings.py`), scikit-learn's protocol, the model file, the options of the
command line, the controls of the studio.
"""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import checks
from rosenblatt.errors import ParameterError, Words, shown
from rosenblatt.models.parallel import n_threads
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.estimators.base import Estimator

LIMITS = ("above", "below", "at_least", "at_most")
HELP_WIDTH = 92  # characters of help text in a line of a docstring; the whole line has 100
KINDS = {"bool": "flag", "int": "whole", "float": "number"}


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """Declaration of one parameter: the arguments of `option`, its name and its annotation."""

    default: Any
    help: str
    choices: tuple[object, ...]
    above: float | None
    below: float | None
    at_least: float | None
    at_most: float | None
    cure: Words | None
    type: str
    label: str
    in_studio: bool
    kw_only: bool
    own_check: Callable[[str, Any], None] | None
    accepts: Callable[[Any], bool] | None
    from_text: Callable[[str], object] | None

    # Set when the class that declares the parameter is created: see `declared_as`.
    name: str = ""
    annotation: Any = None
    kind: str = "other"  # kind of the values: "flag", "whole", "number", "choice" or "other"
    optional: bool = False  # whether None is allowed

    def declared_as(self, name: str, annotation: object) -> Option:
        """Return a copy of the option with its name and annotation from a class body."""
        members = _union_members(annotation)
        optional = "None" in members
        types = [member for member in members if member != "None"]
        kind = "choice" if self.choices else KINDS.get(types[0], "other")

        return dataclasses.replace(
            self,
            name=name,
            annotation=annotation,
            kind=kind,
            optional=optional,
            type=self.type or _type_text(types, self.choices, optional),
            label=self.label or name,
        )

    def check(self, value: object) -> None:
        """Raise a ParameterError with name, value and cure if the value is not allowed."""
        if value is None and self.optional:
            return
        if self.accepts is not None and self.accepts(value):
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
            checks.number(
                self.name,
                value,
                above=self.above,
                below=self.below,
                at_least=self.at_least,
                at_most=self.at_most,
                cure=self.cure,
            )

    def parse(self, text: str) -> object:
        """Parse a text of the command line or the studio into a value, without checking it.

        A text that is not a number is returned unchanged, so that `check` rejects it.
        """
        for choice in self.choices:
            if word_of(choice) == text:
                return choice

        if self.kind in ("whole", "number"):
            number = int if self.kind == "whole" else float
            try:
                return number(text)
            except ValueError:
                return text

        if self.from_text is not None:
            return self.from_text(text)
        return text

    def is_default(self, value: object) -> bool:
        """Return whether a value equals the default; 1 equals 1.0, but not True."""
        default = self.default
        if value is default:
            return True
        if type(value) is type(default) or {type(value), type(default)} == {int, float}:
            return bool(value == default)
        return False

    def docstring_entry(self) -> str:
        """Return the entry of the parameter for the section "Parameters" of a docstring."""
        default = f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)
        default = default.replace("0.0001", "1e-4")

        lines = self.help.split("\n")
        if max(map(len, lines)) > HELP_WIDTH:
            lines = textwrap.wrap(self.help, HELP_WIDTH)
        indented = [f"    {line}" for line in lines]
        return "\n".join([f"{self.name} : {self.type}, default={default}", *indented, ""])


def _union_members(annotation: object) -> list[str]:
    """Return the names of the types in a union: ["int", "None"] for ``Optional[int]``."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = re.sub(r"(?:typing\.)?Optional\[(.*)\]", r"\1 | None", text)
    return re.split(r"\s*\|\s*", text)


def _type_text(types: list[str], choices: tuple[object, ...], optional: bool) -> str:
    """Return the type as it is written in docstrings: ``{"vote", "last"} or None``."""
    members = list(types)
    if choices:
        listed = ", ".join(f'"{c}"' if isinstance(c, str) else repr(c) for c in choices)
        members = [f"{{{listed}}}"]
    if optional:
        members.append("None")
    return " or ".join(members)


def word_of(value: object) -> str:
    """Return a choice as text for the command line and the studio: "yes" for True."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def option(
    *,
    default: object,
    help: str,
    choices: tuple[object, ...] = (),
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
    from_text: Callable[[str], object] | None = None,
) -> Any:
    """Declare a parameter of a learner in the body of its class.

    The annotation says what values are: ``bool``, ``int``, ``float``, ``str`` with ``choices``,
    with ``| None`` if None is allowed, or anything else with a ``check`` of its own.

    Parameters
    ----------
    default : object
    help : str
        Description of the parameter.
    choices : tuple, default=()
        The values allowed.
    above, below, at_least, at_most : float or None, default=None
        Limits of a number.
    cure : str or Message, default=None
        Advice that is added to the error.
    type : str, default=""
        The type as it is written in docstrings, if the annotation does not say enough.
    label : str, default=""
        The label in the studio; the name if empty.
    in_studio : bool, default=True
        Whether the studio has a control for it.
    kw_only : bool, default=True
        Whether it must be given by its name.
    check : callable, default=None
        ``check(name, value)`` raises a ParameterError for values that are not allowed.
    accepts : callable, default=None
        ``accepts(value)`` is true for values that are allowed without any further check.
    from_text : callable, default=None
        ``from_text(text)`` parses the text of the command line, if neither the annotation nor the
        choices say how.

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
    return Option(
        default=default,
        help=inspect.cleandoc(help),
        choices=choices,
        above=above,
        below=below,
        at_least=at_least,
        at_most=at_most,
        cure=cure,
        type=type,
        label=label,
        in_studio=in_studio,
        kw_only=kw_only,
        own_check=check,
        accepts=accepts,
        from_text=from_text,
    )


def option_of(cls: type[Estimator], name: str) -> Any:
    """Reuse the declaration of a parameter of another class: its default, help and checks."""
    return cls._options[name]


# ---------------------------------------------------------------------- classes with options


def declare_options(cls: type[Estimator]) -> None:
    """Collect the options of a class and give it a constructor that takes them by name.

    It is called when the class is created. The defaults become class attributes, and a constructor
    that is written by hand stays. Options that are declared in the body of the class replace those
    of the same name that it inherits.
    """
    cls._own_options = _declared_in(cls)
    cls._options = _all_options(cls)

    for name, declared in cls._own_options.items():
        if declared is not None:
            setattr(cls, name, declared.default)
    for name in cls._options.keys() - cls._own_options.keys():
        if name in vars(cls):
            raise TypeError(
                f"{cls.__name__}.{name} is a parameter: give it another default with "
                f"{name}: … = option(default=…, help=…)."
            )

    if cls.__init__ is cls._made_init:
        cls._made_init = init_of_options(cls.__qualname__, cls.__module__, cls._options)
        cls.__init__ = cls._made_init  # type: ignore[method-assign]
        cls._parameter_names = tuple(cls._options)
    else:
        # A constructor written by hand. As in scikit-learn, its arguments are the parameters.
        cls._parameter_names = _argument_names(cls.__init__)


def _declared_in(cls: type[Estimator]) -> dict[str, Option | None]:
    """Return the options declared in the body of a class, by name; None for each ClassVar."""
    declared: dict[str, Option | None] = {}
    for name, annotation in inspect.get_annotations(cls).items():
        value = vars(cls).get(name)
        if isinstance(value, Option):
            declared[name] = value.declared_as(name, annotation)
        elif re.match(r"(\w+\.)*ClassVar\b", str(annotation)):
            declared[name] = None
        else:
            raise TypeError(
                f"{cls.__name__}.{name}: declare a parameter with option(default=…, help=…), and "
                "anything else without an annotation, or as a ClassVar."
            )
    return declared


def _all_options(cls: type[Estimator]) -> dict[str, Option]:
    """Return all options of a class, including inherited ones; its own come first."""
    nearest: dict[str, Option | None] = {}
    for kind in cls.__mro__:
        own: dict[str, Option | None] = vars(kind).get("_own_options", {})
        for name, declared in own.items():
            nearest.setdefault(name, declared)
    return {name: declared for name, declared in nearest.items() if declared is not None}


def init_of_options(qualname: str, module: str, options: dict[str, Option]) -> Callable[..., None]:
    """Build the `__init__` of a class, which takes the options by name and stores them unchanged.

    Values are checked when learning starts, which is scikit-learn's convention. An option with
    ``kw_only=False`` may also be given by position.
    """
    call = f"{qualname}.__init__()"
    positional = [name for name, declared in options.items() if not declared.kw_only]
    defaults = {name: declared.default for name, declared in options.items()}

    def __init__(self: object, /, *args: object, **given: object) -> None:
        if len(args) > len(positional):
            taken = count(len(positional) + 1, "positional argument")
            raise TypeError(f"{call} takes {taken} but {len(args) + 1} were given")
        for name, value in zip(positional, args, strict=False):
            if name in given:
                raise TypeError(f"{call} got multiple values for argument {name!r}")
            given[name] = value
        for name in given:
            if name not in options:
                meant = checks.nearest_name(name, options)
                hint = "" if meant is None else f". Did you mean {meant!r}?"
                raise TypeError(f"{call} got an unexpected keyword argument {name!r}{hint}")

        # Past `__setattr__`: a learner that is being made has no fast path to close.
        vars(self).update(defaults)
        vars(self).update(given)

    __init__.__qualname__ = f"{qualname}.__init__"
    __init__.__module__ = module
    __init__.__annotations__ = {name: one.annotation for name, one in options.items()}
    __init__.__signature__ = _signature(options)  # type: ignore[attr-defined]
    return __init__


def _signature(options: dict[str, Option]) -> inspect.Signature:
    """Return the signature that `help` shows: positional options, then keyword-only ones."""
    by_position = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    by_name: list[inspect.Parameter] = []
    for name, declared in options.items():
        parameter = inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=declared.default,
            annotation=declared.annotation,
        )
        if declared.kw_only:
            by_name.append(parameter)
        else:
            by_position.append(parameter.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD))
    return inspect.Signature([*by_position, *by_name], return_annotation=None)


def _argument_names(init: Callable[..., None]) -> tuple[str, ...]:
    """Return the parameter names of a constructor, except self, ``*args`` and ``**kwargs``."""
    _, *parameters = inspect.signature(init).parameters.values()
    gathering = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return tuple(one.name for one in parameters if one.kind not in gathering)


# ---------------------------------------------------------------------- shared declarations


def combine_option(default: str, what: str) -> Any:
    """Declare the option ``combine`` of learners that store every past hypothesis."""
    return option(
        default=default,
        choices=("vote", "average", "last"),
        in_studio=False,
        help=f"""
        How all {what} of training predict: by "vote" (each counts as many votes as examples it
        survived), by their "average", or only the "last" one. It can be changed after ``fit``: the
        training is the same.""",
    )


def n_jobs_option(what: str) -> Any:
    """Declare the option ``n_jobs`` of learners and transformers that can use several threads."""
    return option(
        default=None,
        check=_check_n_jobs,
        in_studio=False,
        help=f"Number of threads that {what}: None is 1, -1 all processors. Results are the same.",
    )


def _check_n_jobs(_name: str, value: Any) -> None:
    n_threads(value)


# ---------------------------------------------------------------------- seeds


def seed_from(random_state: Any) -> int:
    """Convert ``random_state`` to an integer seed; a generator draws its next number."""
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


def check_seed(name: str, value: object) -> None:
    """Raise a ParameterError if `seed_from` rejects a value; nothing is drawn from a generator."""
    # Numbers first: NumPy loads its generators when they are first named.
    if value is None or (isinstance(value, numbers.Integral) and 0 <= int(value) < 2**64):
        return
    if not isinstance(value, np.random.RandomState | np.random.Generator):
        seed_from(value)
