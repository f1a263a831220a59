"""The learners that files may name, and how their families lay a file out.

A name in a file is looked up in the catalogue and never imported as it stands: what is neither ours
nor registered by a package that is installed is refused.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError
from rosenblatt.learner.catalogue import Entry, entries

if TYPE_CHECKING:
    from rosenblatt.model.layout import Layout

__all__ = ["class_of", "entry_named", "layout_of", "saved_learners"]


def saved_learners() -> list[str]:
    """The classes that files may name."""
    return sorted(entry.class_name for entry in entries() if entry.is_saved)


@cache
def entry_named(class_name: str) -> Entry:
    """The learner that a file names; what no file may name is refused."""
    named = (entry for entry in entries() if entry.class_name == class_name and entry.is_saved)
    entry = next(named, None)
    if entry is None:
        raise ModelFileError(
            f"the learner {shown(class_name)} is not known; a file may hold "
            f"{', '.join(saved_learners())}. A learner of another package needs that package."
        )
    return entry


def class_of(class_name: str) -> Any:
    """The class of a learner that a file names."""
    return entry_named(class_name).load()


def layout_of(class_name: str) -> Layout:
    """How the file of this learner is laid out."""
    layout: Layout = class_of(class_name).file_layout()
    return layout
