"""Where words and tags stand in a file: as it was trained, as the caller says, as the file is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.errors import DataError, Message, ModelFileError, ParameterError, Setting
from rosenblatt.plurals import count
from rosenblatt.tables.readers.conll import NAMES, Column, column_number
from rosenblatt.tables.readers.formats import SENTENCES, named, names_of

KIND = "sentences"  # what the schema of a tagger is called in its file
MARK = "/"

Inputs = Column | Iterable[Column] | None


@dataclass(frozen=True)
class SentenceLayout:
    """Which columns of a file hold the words and which one their tags.

    Attributes
    ----------
    format : {"conll", "conllu", "text"}
    n_columns : int
        How many there are. Text has two: its words, and the tags behind a mark.
    target : int or None
        The column of the tags, counted from 0; None where nothing says which it is.
    inputs : tuple of int
        The columns of the words, counted from 0, in the order of the parts of a token.
    mark : str or None
        What stands between word and tag in text; None where nothing says so, which means "/".

    Examples
    --------
    >>> from rosenblatt.io import SentenceLayout
    >>> layout = SentenceLayout.to_learn_from("conll", 3)
    >>> layout.describe()
    '3 columns: from 1 (w), 2 (pos) to 3'
    """

    format: str
    n_columns: int
    target: int | None
    inputs: tuple[int, ...]
    mark: str | None = None

    @classmethod
    def to_learn_from(
        cls,
        format: str,
        n_columns: int,
        target: Column | None = None,
        inputs: Inputs = None,
        *,
        labelled: bool = True,
    ) -> SentenceLayout:
        """The layout of a file for a new tagger; `target` and `inputs` as for `iter_sentences`."""
        if format == "text":
            return _of_text(target, inputs)
        tags = None
        if labelled or target is not None:
            usual = "upos" if format == "conllu" else "last"
            tags = column_number(usual if target is None else target, n_columns, format, "target")
        if inputs is not None:
            places = _numbers(inputs, n_columns, format)
        elif format == "conllu":
            places = (NAMES.index("form"),)
        else:
            places = tuple(range(n_columns if tags is None else tags)) or tuple(range(1, n_columns))
        if tags in places:
            name = cls(format, n_columns, tags, places).column_name(tags or 0)
            raise ParameterError(
                Message(Setting("inputs"), f" has column {name}, which is that of tags.")
            )
        return cls(format, n_columns, tags, places)

    def fitted_to(
        self,
        format: str,
        n_columns: int,
        target: Column | None = None,
        inputs: Inputs = None,
        *,
        name: str,
        labelled: bool,
    ) -> SentenceLayout:
        """The layout of another file: as this one, unless the caller or the file say otherwise.

        The column of the tags may be missing unless it must be there (`labelled`); `name` is what
        errors call the file.
        """
        n_inputs = len(self.inputs)
        if format == "text":
            if n_inputs > 1:
                raise DataError(
                    f"text has words alone, but the tagger reads {n_inputs} columns for each word",
                    name=name,
                    cures=Message("give columns, or say ", Setting("format"), " if these are some"),
                )
            return replace(_of_text(target, inputs), mark=self.mark)
        places, tags = self._usual(format, n_columns, labelled)
        if inputs is not None:
            places = _numbers(inputs, n_columns, format)
            if len(places) != n_inputs:
                raise ParameterError(
                    Message(
                        Setting("inputs"),
                        f": the tagger reads {count(n_inputs, 'column')} for each word, not "
                        f"{len(places)}.",
                    )
                )
        if target is not None:
            tags = column_number(target, n_columns, format, "target")
        if places is None or tags is None:
            missing = (
                Message("columns to tag by with ", Setting("inputs"))
                if places is None
                else Message("one has tags with ", Setting("target"))
            )
            raise ParameterError(
                Message(
                    f"the tagger was trained on {named(self.format, SENTENCES).title}, but the "
                    f"data are {named(format, SENTENCES).title}; say which ",
                    missing,
                    ".",
                )
            )
        found = SentenceLayout(format, n_columns, tags, places)
        if inputs is None and target is None:
            self._refuse_more_columns(found, name)
        found._refuse_missing_columns(name, labelled)
        if tags in places:
            raise ParameterError(
                Message(
                    Setting("target"),
                    " and ",
                    Setting("inputs"),
                    f" both name column {found.column_name(tags)}.",
                )
            )
        return found

    def _usual(
        self, format: str, n_columns: int, labelled: bool
    ) -> tuple[tuple[int, ...] | None, int | None]:
        """Inputs and target in a file of this format, as far as they go without saying."""
        if format == self.format:
            return self.inputs, self.target
        n_inputs = len(self.inputs)
        if format == "conllu":
            return ((NAMES.index("form"),) if n_inputs == 1 else None), None
        unclear = labelled and n_columns > n_inputs + 1
        return tuple(range(n_inputs)), None if unclear else n_inputs

    def _refuse_more_columns(self, found: SentenceLayout, name: str) -> None:
        if self.format == found.format and found.n_columns > self.n_columns:
            raise DataError(
                f"{found.n_columns} columns, but the tagger was trained on {self.n_columns}",
                name=name,
                cures=Message("say which one has the tags with ", Setting("target")),
            )

    def _refuse_missing_columns(self, name: str, labelled: bool) -> None:
        assert self.target is not None
        if max(self.inputs) < self.n_columns and not (labelled and self.target >= self.n_columns):
            return
        needed = sorted({*self.inputs, *([self.target] if labelled else [])})
        listed = ", ".join(str(i + 1) for i in needed)
        raise DataError(
            f"{count(self.n_columns, 'column')}, but the tagger reads "
            f"column{'s' * (len(needed) != 1)} {listed}",
            name=name,
            cures=Message(
                "say ", Setting("inputs"), " and ", Setting("target"), " if they stand elsewhere"
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """What a model file keeps."""
        kept: dict[str, Any] = {
            "kind": KIND,
            "format": self.format,
            "columns": self.n_columns,
            "target": self.target,
            "inputs": list(self.inputs),
        }
        return kept if self.mark is None else kept | {"mark": self.mark}

    @classmethod
    def from_json(cls, kept: Any) -> SentenceLayout:
        """What a model file says; it may have been made by anyone."""
        try:
            layout = cls(
                kept["format"],
                kept["columns"],
                kept["target"],
                tuple(kept["inputs"]),
                kept.get("mark"),
            )
        except (AttributeError, KeyError, TypeError):
            raise ModelFileError("the schema of the tagger is not sound.") from None
        places = [layout.target, *layout.inputs]
        sound = type(layout.n_columns) is int and bool(layout.inputs)
        sound = sound and layout.format in names_of(SENTENCES)
        sound = sound and (layout.mark is None or is_mark(layout.mark))
        if not sound or any(type(i) is not int or not 0 <= i < layout.n_columns for i in places):
            raise ModelFileError("the schema of the tagger is not sound.")
        return layout

    def column_name(self, column: int) -> str:
        """What a column is called: as CoNLL-U has it, or its number from 1."""
        return NAMES[column] if self.format == "conllu" else str(column + 1)

    def describe(self) -> str:
        """In words, with the names that templates have for the inputs."""
        kind = named(self.format, SENTENCES).title
        if self.format == "text":
            return kind
        if self.format == "conll":
            kind = f"{self.n_columns} {kind}"
        inputs = ", ".join(
            f"{self.column_name(column)} ({name})"
            for column, name in zip(self.inputs, input_names(len(self.inputs)), strict=True)
        )
        tag = "?" if self.target is None else self.column_name(self.target)
        return f"{kind}: from {inputs} to {tag}"


def is_mark(mark: Any) -> bool:
    """Whether this can stand between a word and its tag."""
    return isinstance(mark, str) and mark != "" and not any(map(str.isspace, mark))


def input_names(n_inputs: int) -> list[str]:
    """What templates call the parts of a token."""
    return ["w", "pos", *(f"c{k}" for k in range(2, n_inputs))][:n_inputs]


def _of_text(target: Column | None, inputs: Inputs) -> SentenceLayout:
    for name, value in (("target", target), ("inputs", inputs)):
        if value is not None:
            raise ParameterError(
                Message(Setting(name), " has no meaning for text, which has no columns.")
            )
    return SentenceLayout("text", 2, 1, (0,))


def _numbers(inputs: Column | Iterable[Column], n_columns: int, format: str) -> tuple[int, ...]:
    listed = [inputs] if isinstance(inputs, int | str) else inputs
    return tuple(column_number(column, n_columns, format, "inputs") for column in listed)
