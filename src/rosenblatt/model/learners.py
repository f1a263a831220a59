"""What the file of a learner must hold, as the catalogue and its class say.

A name in a file is looked up in the catalogue and never imported as it stands: what is neither ours
nor registered by a package that is installed is refused.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from rosenblatt.learner.catalogue import Entry, entries

__all__ = ["FileNeeds", "file_needs", "saved_learners"]

# Its features and its search are functions, and a file holds no code.
NEVER_SAVED = "structures"


class FileNeeds(NamedTuple):
    """What a file of a learner must hold.

    ``averages``: running sums beside the weights. ``votes``: the rows it made mistakes on.
    ``kernel``: these rows and no weights. ``tags``: what a tagger learns from sentences.
    """

    entry: Entry
    parameters: frozenset[str]
    averages: bool
    votes: bool
    kernel: bool
    tags: bool


def saved_learners() -> list[str]:
    """The classes that files may name."""
    return sorted(entry.class_name for entry in entries() if entry.family != NEVER_SAVED)


@cache
def file_needs(class_name: str) -> FileNeeds | None:
    """What a file that names this class must hold; None if no file may name it."""
    named = (entry for entry in entries() if entry.class_name == class_name)
    entry = next(named, None)
    if entry is None or entry.family == NEVER_SAVED:
        return None
    learner = entry.load()
    return FileNeeds(
        entry,
        frozenset(learner.options()),
        averages=learner.averages,
        votes=learner.keeps_rows and entry.family == "linear",
        kernel=entry.family == "kernel",
        tags=entry.family == "tags",
    )
