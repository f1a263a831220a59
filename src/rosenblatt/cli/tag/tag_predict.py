"""rosenblatt tag predict: tag the words of sentences."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import DATA, notices
from rosenblatt.cli.frame.destinations import NewFiles, check_destination
from rosenblatt.cli.frame.options import MODEL, Command, n_jobs_option
from rosenblatt.cli.frame.terminal import as_json as json_line
from rosenblatt.cli.frame.terminal import print_data
from rosenblatt.cli.tag.tag_reading import (
    SentenceReading,
    layout_of,
    open_tagger,
    predict_block,
    sentence_options,
    tell_of_skipped,
)
from rosenblatt.tables.readers.formats import SENTENCES, names_of

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.tables.readers.sentence_blocks import SentenceReader


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
    type=click.Choice([*names_of(SENTENCES), "tags"]),
    metavar="FORM",
    help="What to write: conllu, conll (words and tag), text (word/TAG), or tags, one sentence per "
    "line.  [default: DATA with the tags in their column]",
)
@click.option(
    "--append",
    is_flag=True,
    help="In columns, append the predictions as the last column, as conlleval expects.",
)
@click.option(
    "-o", "--out", metavar="FILE", help="File for the predictions.  [default: print them]"
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each sentence.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@n_jobs_option
@sentence_options
def command(
    model: str,
    data: tuple[str, ...],
    to: str | None,
    append: bool,
    out: str | None,
    as_json: bool,
    quiet: bool,
    n_jobs: int | None,
    **options: Any,
) -> None:
    """Tag the words of DATA, or of standard input, and print them in the same format.

    In CoNLL-U the tags go in the column that the tagger was trained on; comments, ranges and all
    other columns are unchanged. In other columns the tags replace those in DATA, or follow the last
    column. Text has one sentence per line, with words separated by spaces.

    A pipe is tagged as it arrives, each sentence as soon as it is complete: at the end of the line
    in text, at the blank line in columns.
    """
    if as_json and (to is not None or append):
        option = "--to" if to is not None else "--append"
        raise click.UsageError(f"{option} has no meaning with --json.")
    data = data or ("-",)
    if out is not None:
        check_destination("--out", out, data)
        check_destination("--out", out, [model], "tagger")
    found = open_tagger(model, n_jobs)
    tagger = found.learner
    layout = layout_of(found)
    if not as_json:
        _refuse_tags_with_line_breaks(tagger)
    reader = SentenceReading(**options).reader(
        data, layout, labelled=False, tags=tagger.tags_, keep_lines=to in (None, "conllu")
    )
    texts = _json_lines(tagger, reader) if as_json else _texts(tagger, reader, to, append)
    with notices(quiet), NewFiles() as files, reader:
        write: Callable[[bytes], object] = _print if out is None else files.open(out).write
        for text in texts:
            write(text)
        files.keep()
    if not quiet:
        tell_of_skipped(reader, "left out")


def _refuse_tags_with_line_breaks(tagger: SequenceTagger) -> None:
    """Raise if a tag holds a tab or a line break, which columns and text cannot hold."""
    for tag in tagger.tags_:
        if any(mark in tag for mark in "\t\n\r"):
            raise click.UsageError(
                f"the tagger has the tag {tag!r}, which columns and text cannot hold, since tabs "
                "and line ends stand between tags there: take --json."
            )


def _print(text: bytes) -> None:
    if sys.stdout.isatty():
        print_data(text.decode(errors="replace"))
    else:
        click.echo(text, nl=False)


def _texts(
    tagger: SequenceTagger, reader: SentenceReader, to: str | None, append: bool
) -> Iterator[bytes]:
    """Yield the sentences with their tags, block by block."""
    from rosenblatt.tables.readers.sentence_writer import SentenceWriter

    writer = SentenceWriter(reader, to, append=append)
    for block in reader:
        yield writer.write(block, predict_block(tagger, reader, block))
    yield writer.rest()


def _json_lines(tagger: SequenceTagger, reader: SentenceReader) -> Iterator[bytes]:
    for block in reader:
        tags = predict_block(tagger, reader, block)
        rows = zip(block.lines.tolist(), block.sentences, tags, strict=True)
        facts = ({"line": line, "words": words, "tags": own} for line, words, own in rows)
        yield "".join(json_line(each) + "\n" for each in facts).encode()
