"""The layout of sentences: which columns hold the words and which one the tags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.checks import did_you_mean, refusal
from rosenblatt.errors import DataError, Message, ModelFileError, ParameterError, Setting
from rosenblatt.plurals import count
from rosenblatt.tables.readers.formats import SENTENCES, named, names_of

KIND = "sentences"  # of the schema in the model file of a tagger
MARK = "/"  # usual between word and tag
# The columns of CoNLL-U.
NAMES = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]

# A column by its number from 0 (or from -1 backwards), or by a text that `column_number` parses.
Column = int | str
Inputs = Column | Iterable[Column] | None


def column_number(column: object, n: int, format: str, argument: str) -> int:
    """Return the index of one of `n` columns; raise ParameterError if there is no such column.

    The error names `argument`.
    """
    names = NAMES if format == "conllu" else []
    if isinstance(column, str):
        if column in names:
            return names.index(column)
        if column.isdecimal() and 1 <= int(column) <= n:
            return int(column) - 1
        if column == "last":
            return n - 1
    elif isinstance(column, int) and not isinstance(column, bool) and -n <= column < n:
        return column % n

    allowed = f"1 to {n}, last" if isinstance(column, str) else f"{-n} to {n - 1}"
    if names:
        allowed += ", or one of " + ", ".join(names)
    raise refusal(
        argument,
        column,
        f"a number from {allowed}",
        did_you_mean(str(column).lower(), names),
        verdict="is not a column here",
    )


@dataclass(frozen=True)
class SentenceLayout:
    """Layout of sentences: which columns of a file hold the words and which one their tags.

    Attributes
    ----------
    format : {"conll", "conllu", "text"}
    n_columns : int
        How many there are. Text has two: its words, and the tags behind a mark.
    target : int or None
        The column of the tags, counted from 0; None if it is not known.
    inputs : tuple of int
        The columns of the words, counted from 0, in the order of the parts of a token.
    mark : str or None
        What is between word and tag in text; None if it is not known, which means "/".

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
        """Return the layout of a file for a new tagger.

        `target` and `inputs` are those of `iter_sentences`.
        """
        if format == "text":
            return _of_text(target, inputs)
        tags = None
        if labelled and target is None:
            target = "upos" if format == "conllu" else "last"
        if target is not None:
            tags = column_number(target, n_columns, format, "target")

        if inputs is not None:
            places = _numbers(inputs, n_columns, format)
        elif format == "conllu":
            places = (NAMES.index("form"),)
        elif tags is None:
            places = tuple(range(n_columns))
        else:
            # All columns before the tags, or all after them if they are the first.
            places = tuple(range(tags)) or tuple(range(1, n_columns))
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
        """Return the layout of another file, which has the same columns by default.

        The column of the tags may be missing unless `labelled`; `name` is the file, for errors.
        """
        n_inputs = len(self.inputs)
        if format == "text":
            if n_inputs > 1:
                raise DataError(
                    f"text has only words, but the tagger reads {n_inputs} columns for each word",
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
            missing = Message("one has tags with ", Setting("target"))
            if places is None:
                missing = Message("columns to tag by with ", Setting("inputs"))
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
        """Return the default inputs and target for a file of `format`; None if ambiguous."""
        if format == self.format:
            return self.inputs, self.target
        n_inputs = len(self.inputs)
        if format == "conllu":
            places = (NAMES.index("form"),) if n_inputs == 1 else None
            return places, None
        is_unclear = labelled and n_columns > n_inputs + 1
        target = None if is_unclear else n_inputs
        return tuple(range(n_inputs)), target

    def _refuse_more_columns(self, found: SentenceLayout, name: str) -> None:
        if self.format == found.format and found.n_columns > self.n_columns:
            raise DataError(
                f"{found.n_columns} columns, but the tagger was trained on {self.n_columns}",
                name=name,
                cures=Message("say which one has the tags with ", Setting("target")),
            )

    def _refuse_missing_columns(self, name: str, labelled: bool) -> None:
        assert self.target is not None
        needed = set(self.inputs)
        if labelled:
            needed.add(self.target)
        if max(needed) < self.n_columns:
            return
        listed = ", ".join(str(i + 1) for i in sorted(needed))
        raise DataError(
            f"{count(self.n_columns, 'column')}, but the tagger reads "
            f"column{'s' * (len(needed) != 1)} {listed}",
            name=name,
            cures=Message(
                "say ", Setting("inputs"), " and ", Setting("target"), " if they stand elsewhere"
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the layout as plain data for a model file."""
        kept: dict[str, Any] = {
            "kind": KIND,
            "format": self.format,
            "columns": self.n_columns,
            "target": self.target,
            "inputs": list(self.inputs),
        }
        if self.mark is not None:
            kept["mark"] = self.mark
        return kept

    @classmethod
    def from_json(cls, kept: Any) -> SentenceLayout:
        """Return the layout of an untrusted model file; raise ModelFileError if it is invalid."""
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
        if not layout._is_sound():
            raise ModelFileError("the schema of the tagger is not sound.")
        return layout

    def _is_sound(self) -> bool:
        if type(self.n_columns) is not int or not self.inputs:
            return False
        if self.format not in names_of(SENTENCES):
            return False
        if self.mark is not None and not is_mark(self.mark):
            return False
        places = [self.target, *self.inputs]
        return all(type(place) is int and 0 <= place < self.n_columns for place in places)

    def column_name(self, column: int) -> str:
        """Return the name of a column: its CoNLL-U name, or its number from 1."""
        return NAMES[column] if self.format == "conllu" else str(column + 1)

    def describe(self) -> str:
        """Describe the layout in words, with the names of the inputs in feature templates."""
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


def is_mark(mark: object) -> bool:
    """Return whether `mark` can separate a word and its tag: a text without whitespace."""
    return isinstance(mark, str) and mark != "" and not any(map(str.isspace, mark))


def input_names(n_inputs: int) -> list[str]:
    """Return the names of the parts of a token in feature templates."""
    return ["w", "pos", *(f"c{k}" for k in range(2, n_inputs))][:n_inputs]


def _of_text(target: Column | None, inputs: Inputs) -> SentenceLayout:
    """Return the layout of text, which has no columns; raise ParameterError if any are given."""
    for name, value in (("target", target), ("inputs", inputs)):
        if value is not None:
            raise ParameterError(
                Message(Setting(name), " has no meaning for text, which has no columns.")
            )
    return SentenceLayout("text", 2, 1, (0,))


def _numbers(inputs: Column | Iterable[Column], n_columns: int, format: str) -> tuple[int, ...]:
    listed = [inputs] if isinstance(inputs, int | str) else inputs
    return tuple(column_number(column, n_columns, format, "inputs") for column in listed)
