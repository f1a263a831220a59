"""Docstrings of learners, put together from what is declared: each thing is written once."""

from __future__ import annotations

from rosenblatt import numpydoc
from rosenblatt.learner.options import Configurable

__all__ = ["complete"]


def complete(cls: type[Configurable]) -> None:
    """Add the parameters to the docstring of a class, and the attributes that it inherits."""
    if cls.__doc__ is None or "__doc__" not in cls.__dict__:  # python -OO, or nothing to say
        return
    opening, sections = numpydoc.sections(cls.__doc__)
    sections["Parameters"] = "".join(option.documented() for option in cls._options.values())
    attributes: dict[str, str] = {}
    for kind in reversed(cls.__mro__[1:]):
        if issubclass(kind, Configurable) and "_attributes" in kind.__dict__:
            attributes |= numpydoc.entries(kind.__dict__["_attributes"])
    own = numpydoc.entries(sections.get("Attributes", ""))
    cls._attributes = sections.get("Attributes", "")
    if attributes or own:
        sections["Attributes"] = "".join((attributes | own).values())
    cls.__doc__ = numpydoc.join(opening, sections)
