"""Where words and tags stand in a file: as it was trained, as the user says, as the file is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from rosenblatt.errors import DataError, ModelFileError

__all__ = ["KIND", "Layout", "input_names", "is_mark", "layout_for", "layout_to_learn"]

KIND = "sentences"  # what the schema of a tagger is called in its file
FORMATS = ("conll", "conllu", "text")


@dataclass(frozen=True)
class Layout:
    """Columns are numbers from 0; text has the words alone as column 0, and its tags are marked.

    ``target`` is None where nothing says which column the tags have, and ``mark`` where nothing
    says what stands between word and tag in text.
    """

    format: str
    count: int
    target: int | None
    inputs: tuple[int, ...]
    mark: str | None = None

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "kind": KIND,
            "format": self.format,
            "columns": self.count,
            "target": self.target,
            "inputs": list(self.inputs),
        }
        return told if self.mark is None else told | {"mark": self.mark}

    @classmethod
    def from_json(cls, told: Any) -> Layout:
        """What a model file says; it may have been made by anyone."""
        try:
            found = cls(
                told["format"],
                told["columns"],
                told["target"],
                tuple(told["inputs"]),
                told.get("mark"),
            )
        except (AttributeError, KeyError, TypeError):
            raise ModelFileError("the schema of the tagger is not sound.") from None
        places = [found.target, *found.inputs]
        sound = type(found.count) is int and found.format in FORMATS and bool(found.inputs)
        sound = sound and (found.mark is None or is_mark(found.mark))
        if not sound or any(type(i) is not int or not 0 <= i < found.count for i in places):
            raise ModelFileError("the schema of the tagger is not sound.")
        return found

    def name(self, column: int) -> str:
        """What a column is called: as CoNLL-U has it, or its number from 1."""
        from rosenblatt.io.conll import NAMES

        return NAMES[column] if self.format == "conllu" else str(column + 1)

    def told(self) -> str:
        """In words, with the names that templates have for the inputs."""
        if self.format == "text":
            return "text, a sentence a line"
        kind = "CoNLL-U" if self.format == "conllu" else f"{self.count} columns"
        names = input_names(len(self.inputs))
        inputs = ", ".join(
            f"{self.name(column)} ({name})" for column, name in zip(self.inputs, names, strict=True)
        )
        tag = "?" if self.target is None else self.name(self.target)
        return f"{kind}: from {inputs} to {tag}"


def is_mark(mark: Any) -> bool:
    """Whether this can stand between a word and its tag."""
    return isinstance(mark, str) and mark != "" and not any(map(str.isspace, mark))


def input_names(count: int) -> list[str]:
    """What templates call the inputs."""
    return ["w", "pos", *(f"c{k}" for k in range(2, count))][:count]


def layout_to_learn(format: str, count: int, column: str | None, inputs: str | None) -> Layout:
    """Of a file with tags, for a new tagger."""
    if format == "text":
        _refuse_for_text(column, inputs)
        return Layout("text", 2, 1, (0,))
    target = _number(column or ("upos" if format == "conllu" else "last"), count, format, "column")
    if inputs is not None:
        places = _numbers(inputs, count, format)
    elif format == "conllu":
        places = _numbers("form", count, format)
    else:
        places = tuple(range(target)) or tuple(range(1, count))
    layout = Layout(format, count, target, places)
    if target in places:
        raise click.UsageError(f"--inputs has column {layout.name(target)}, which is that of tags.")
    return layout


def layout_for(
    known: Layout,
    format: str,
    count: int,
    column: str | None,
    inputs: str | None,
    *,
    name: str,
    labelled: bool,
) -> Layout:
    """Of a file to be answered: as the tagger knows it, unless the user or the file say otherwise.

    The column of the tags may be missing unless it must be there (`labelled`).
    """
    wanted = len(known.inputs)
    if format == "text":
        _refuse_for_text(column, inputs)
        if wanted > 1:
            raise DataError(
                f"text has words alone, but the tagger reads {wanted} columns for each word",
                name=name,
                cures="give columns, or say --format if these are some",
            )
        return Layout("text", 2, 1, (0,))
    places, target = _usual(known, format, count, labelled)
    if inputs is not None:
        places = _numbers(inputs, count, format)
        if len(places) != wanted:
            raise click.UsageError(
                f"--inputs {inputs}: the tagger reads {wanted} "
                f"column{'s' * (wanted != 1)} for each word, not {len(places)}."
            )
    if column is not None:
        target = _number(column, count, format, "column")
    if places is None or target is None:
        what = "columns to tag by with --inputs" if places is None else "one has tags with --column"
        raise click.UsageError(
            f"the tagger was trained on {called(known.format)}, but the data are {called(format)}; "
            f"say which {what}."
        )
    if inputs is None and column is None and known.format == format and count > known.count:
        raise DataError(
            f"{count} columns, but the tagger was trained on {known.count}",
            name=name,
            cures="say which one has the tags with --column",
        )
    if max(places) >= count or (labelled and target >= count):
        columns = f"{count} column{'s' * (count != 1)}"
        needed = sorted({*places, *([target] if labelled else [])})
        listed = ", ".join(str(i + 1) for i in needed)
        raise DataError(
            f"{columns}, but the tagger reads column{'s' * (len(needed) != 1)} {listed}",
            name=name,
            cures="say --inputs and --column if they stand elsewhere",
        )
    if target in places:
        name = Layout(format, count, target, places).name(target)
        raise click.UsageError(f"--column and --inputs both name column {name}.")
    return Layout(format, count, target, places)


def called(format: str) -> str:
    return {"conllu": "CoNLL-U", "conll": "columns"}.get(format, format)


def _usual(
    known: Layout, format: str, count: int, labelled: bool
) -> tuple[tuple[int, ...] | None, int | None]:
    """Inputs and target in a file of this format, as far as they go without saying."""
    from rosenblatt.io.conll import NAMES

    if format == known.format:
        return known.inputs, known.target
    k = len(known.inputs)
    if format == "conllu":
        return ((NAMES.index("form"),) if k == 1 else None), None
    return tuple(range(k)), (None if labelled and count > k + 1 else k)


def _refuse_for_text(column: str | None, inputs: str | None) -> None:
    for option, value in (("--column", column), ("--inputs", inputs)):
        if value is not None:
            raise click.UsageError(f"{option} has no meaning for text, which has no columns.")


def _numbers(listed: str, count: int, format: str) -> tuple[int, ...]:
    return tuple(_number(part.strip(), count, format, "inputs") for part in listed.split(","))


def _number(column: str, count: int, format: str, option: str) -> int:
    from rosenblatt.io.conll import column_number

    return column_number(column, count, format, option)
