"""The one list of learners, read without importing any of them.

A learner of another package joins it by an entry point of the group ``rosenblatt.learners``, whose
name is the short one and whose value is ``module:Class``.
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
    """A learner: its short name, its title, its family, and ``module:Class``."""

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
        """The title within a sentence."""
        return self.title if self.title.isupper() else self.title.lower()

    @property
    def is_saved(self) -> bool:
        """Whether a file can name it.

        The features and the search of structures are functions, and of `AutoLinear` a file holds
        the learner that it chose.
        """
        return self.family not in ("structures", "auto")

    def load(self) -> Any:
        """The class; of a package that does not load, an error that says which."""
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
    """All learners, or those of one family; ours first, then those of other packages.

    Other packages are looked for only when none of ours was what the caller wanted.
    """
    for listed in (lambda: CATALOGUE, _of_other_packages):
        yield from (entry for entry in listed() if family in (None, entry.family))


def find(name: str) -> Entry | None:
    """The learner of a short name or a class name; upper and lower case are the same."""
    wanted = name.lower()
    named = (e for e in entries() if wanted in (e.name, e.class_name.lower()))
    return next(named, None)


def entry_of(cls: type) -> Entry | None:
    """The entry of a class itself; a class derived from one in the list has none."""
    named = (entry for entry in entries() if entry.class_name == cls.__name__)
    # Loaded, because a package may name a class where it is imported to.
    return next((entry for entry in named if entry.load() is cls), None)


@cache
def _of_other_packages() -> tuple[Entry, ...]:
    from importlib.metadata import entry_points

    taken = {entry.name for entry in CATALOGUE} | {entry.class_name for entry in CATALOGUE}
    found: list[Entry] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        entry = Entry(point.name.lower(), "", "linear", point.value.replace(" ", ""))
        # Nobody takes the place of a learner that is there already; files know the class name.
        if not {entry.name, entry.class_name} & taken:
            taken |= {entry.name, entry.class_name}
            found.append(entry._replace(title=entry.class_name))
    return tuple(found)
