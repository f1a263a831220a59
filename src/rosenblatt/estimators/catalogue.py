"""The registry of all learners, which can be read without importing any of them.

A learner of another package joins it by an entry point of the group ``rosenblatt.learners``: the
name of the entry point is the short name of the learner, its value is ``module:Class``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the same learners for editors and type checkers; a test compares
    from rosenblatt.estimators.kernel.perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.linear.alma import ALMA as ALMA
    from rosenblatt.estimators.linear.arow import AROW as AROW
    from rosenblatt.estimators.linear.auto import AutoLinear as AutoLinear
    from rosenblatt.estimators.linear.averaged import AveragedPerceptron as AveragedPerceptron
    from rosenblatt.estimators.linear.mira import MIRA as MIRA
    from rosenblatt.estimators.linear.passive_aggressive import (
        PassiveAggressive as PassiveAggressive,
    )
    from rosenblatt.estimators.linear.pegasos import Pegasos as Pegasos
    from rosenblatt.estimators.linear.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.linear.scw import SCW as SCW
    from rosenblatt.estimators.linear.soft import SoftPerceptron as SoftPerceptron
    from rosenblatt.estimators.linear.voted import VotedPerceptron as VotedPerceptron
    from rosenblatt.estimators.structured.perceptron import (
        StructuredPerceptron as StructuredPerceptron,
    )
    from rosenblatt.estimators.structured.tagger import SequenceTagger as SequenceTagger

GROUP = "rosenblatt.learners"


class Entry(NamedTuple):
    """Registry entry of a learner: short name, title, family, and ``module:Class``."""

    name: str
    title: str
    family: str
    import_path: str

    @property
    def module(self) -> str:
        return self.import_path.partition(":")[0]

    @property
    def class_name(self) -> str:
        return self.import_path.partition(":")[2]

    @property
    def title_in_sentence(self) -> str:
        """Return the title as it is written within a sentence: "soft perceptron", but "MIRA"."""
        if self.title.isupper():
            return self.title
        return self.title.lower()

    @property
    def is_saved(self) -> bool:
        """Return whether a model file can name the learner.

        A structured perceptron needs functions of the caller, which no file can hold. For
        `AutoLinear` the file holds the learner that it chose.
        """
        return self.family not in ("structures", "auto")

    def load(self) -> Any:
        """Import and return the class.

        If a package that offers a learner does not load, raise a MissingExtra that names it.
        """
        try:
            return getattr(import_module(self.module), self.class_name)
        except (ImportError, AttributeError) as error:
            if self in CATALOGUE:
                raise

            from rosenblatt.errors import MissingExtra

            raise MissingExtra(
                f"the learner {self.name!r} ({self.import_path}) of an installed package does not "
                f"load: {error}"
            ) from error


def _linear(name: str, title: str, place: str) -> Entry:
    return Entry(name, title, "linear", f"rosenblatt.estimators.linear.{place}")


CATALOGUE = (
    _linear("perceptron", "Perceptron", "perceptron:Perceptron"),
    _linear("averaged", "Averaged perceptron", "averaged:AveragedPerceptron"),
    _linear("voted", "Voted perceptron", "voted:VotedPerceptron"),
    _linear("mira", "MIRA", "mira:MIRA"),
    _linear("pa", "Passive-aggressive", "passive_aggressive:PassiveAggressive"),
    _linear("soft", "Soft perceptron", "soft:SoftPerceptron"),
    _linear("arow", "AROW", "arow:AROW"),
    _linear("scw", "SCW", "scw:SCW"),
    _linear("alma", "ALMA", "alma:ALMA"),
    _linear("pegasos", "Pegasos", "pegasos:Pegasos"),
    Entry(
        "auto", "Choice on held-out rows", "auto", "rosenblatt.estimators.linear.auto:AutoLinear"
    ),
    Entry(
        "kernel",
        "Kernel perceptron",
        "kernel",
        "rosenblatt.estimators.kernel.perceptron:KernelPerceptron",
    ),
    Entry(
        "tagger",
        "Sequence tagger",
        "tags",
        "rosenblatt.estimators.structured.tagger:SequenceTagger",
    ),
    Entry(
        "structured",
        "Structured perceptron",
        "structures",
        "rosenblatt.estimators.structured.perceptron:StructuredPerceptron",
    ),
)


def entries(family: str | None = None) -> Iterator[Entry]:
    """Yield all learners, or those of one family; ours first, then those of other packages."""
    for entry in CATALOGUE:
        if family in (None, entry.family):
            yield entry

    # Searching the metadata of installed packages takes milliseconds, so that it is left to callers
    # who have not found what they want among ours.
    for entry in _of_other_packages():
        if family in (None, entry.family):
            yield entry


def find(name: str) -> Entry | None:
    """Return the learner with a short name or class name, ignoring case; None if unknown."""
    wanted = name.lower()
    for entry in entries():
        if wanted in (entry.name, entry.class_name.lower()):
            return entry
    return None


def entry_of(cls: type) -> Entry | None:
    """Return the entry of exactly this class, or None; a derived class has no entry."""
    for entry in entries():
        # Classes are compared, not modules: an entry point may name another module that imports
        # the class.
        if entry.class_name == cls.__name__ and entry.load() is cls:
            return entry
    return None


@cache
def _of_other_packages() -> tuple[Entry, ...]:
    """Return the learners that installed packages offer by entry points, sorted by name."""
    from importlib.metadata import entry_points

    taken = set()
    for entry in CATALOGUE:
        taken |= {entry.name, entry.class_name}

    found: list[Entry] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        import_path = point.value.replace(" ", "")
        class_name = import_path.partition(":")[2]
        entry = Entry(point.name.lower(), class_name, "linear", import_path)
        # The first learner of a name keeps it: model files find a learner by its class name.
        if entry.name in taken or class_name in taken:
            continue
        taken |= {entry.name, class_name}
        found.append(entry)
    return tuple(found)
