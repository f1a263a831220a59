"""rosenblatt tag predict: the tags of the words of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import MODEL
from rosenblatt.cli.data.reading import DATA, notices
from rosenblatt.cli.frame.destinations import NewFiles, check_destination
from rosenblatt.cli.frame.options import Command
from rosenblatt.cli.tag.tag_corpus import tell_of_skipped
from rosenblatt.cli.tag.tag_layout import Layout
from rosenblatt.cli.tag.tag_models import opened_tagger, tagged
from rosenblatt.cli.tag.tag_reading import SentenceReading, sentence_options
from rosenblatt.cli.tag.tag_writing import FORMS, Form, in_columns, sentence_form, with_tags

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.io.conll_text import ConllTexts

__all__ = ["command"]


@click.command(
    cls=Command,
    name="predict",
    epilog='\b\nExamples:\n  echo "the dog barks" | rosenblatt tag predict tagger.rbt\n'
    "  rosenblatt tag predict tagger.rbt new.conllu -o tagged.conllu\n"
    "  rosenblatt tag predict chunker.rbt chunks.conll --append > judged.conll",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, type=DATA)
@click.option(
    "--to",
    "form",
    type=click.Choice(FORMS),
    metavar="FORM",
    help="What to write: conllu, conll (words and tag), text (word/TAG) or tags, a sentence a line."
    "  [default: DATA with the tags in their column]",
)
@click.option(
    "--append",
    is_flag=True,
    help="In columns, put the answers behind all of them, as conlleval wants it.",
)
@click.option("-o", "--out", metavar="FILE", help="File for the answers.  [default: print them]")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each sentence.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@sentence_options
def command(
    model: str,
    data: tuple[str, ...],
    form: str | None,
    append: bool,
    out: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Tag the words of DATA, or of standard input, and print them as they came.

    CoNLL-U gets the tags in the column that the tagger was trained for; comments, ranges and
    all other columns stay as they are. In other columns the tags take the place of those that
    are there, or follow the last column. Text is a sentence a line, its words apart by blanks.

    A pipe is answered as it comes, each sentence once its end is there: in text the end of the
    line, in columns the blank line.
    """
    if as_json and (form is not None or append):
        option = "--to" if form is not None else "--append"
        raise click.UsageError(f"{option} has no meaning with --json.")
    data = data or ("-",)
    if out is not None:
        check_destination("--out", out, data)
        check_destination("--out", out, [model], "tagger")
    reading = SentenceReading(**options)
    known = opened_tagger(model)
    reading = reading.marked(known.layout)
    looked, layout = reading.laid_out(data, known.layout, labelled=False, tags=known.tagger.tags_)
    if append and (layout.format != "conll" or form not in (None, "conll")):
        raise click.UsageError("--append is for columns that are not CoNLL-U, and not for --to.")
    form = "json" if as_json else form or ("text" if layout.format == "text" else None)
    if form is None or form == layout.format == "conllu":
        blocks: Any = reading.texts(looked, layout)
        answers = _as_they_came(known.tagger, blocks, layout, append)
    else:
        blocks = reading.reader(looked, layout, labelled=False)
        answers = _in_form(known.tagger, blocks, sentence_form(form, reading.between, known.layout))
    with notices(quiet), NewFiles() as files, blocks:
        write: Callable[[bytes], object] = _print if out is None else files.open(out).write
        for text in answers:
            write(text)
        files.keep()
    if not quiet:
        tell_of_skipped(blocks, "left out")


def _print(text: bytes) -> None:
    click.echo(text, nl=False)


def _as_they_came(
    tagger: SequenceTagger, reader: ConllTexts, layout: Layout, append: bool
) -> Iterator[bytes]:
    """Columns with the tags put into them, block by block."""
    put = None
    for block in reader:
        if put is None:
            assert reader.columns is not None
            put = in_columns(layout, tabs=reader.columns.tabs, append=append)
        tags = tagged(tagger, block.sentences, reader.source, block.lines)
        yield with_tags(reader.parts(block), tags, put)
    if put is not None:
        yield with_tags(reader.rest(), [], put)


def _in_form(tagger: SequenceTagger, reader: Any, written: Form) -> Iterator[bytes]:
    """Sentences one by one in a form of their own, also those without words."""
    for block in reader:
        full = [i for i, sentence in enumerate(block.sentences) if sentence]
        words = [block.sentences[i] for i in full]
        tags: list[list[str]] = [[] for _ in block.sentences]
        found = tagged(tagger, words, reader.source, block.lines[full])
        for i, own in zip(full, found, strict=True):
            tags[i] = own
        rows = zip(block.lines.tolist(), block.sentences, tags, strict=True)
        yield "".join(written(*row) for row in rows).encode()
