"""rosenblatt tag evaluate: how often a tagger is right."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.data.models import MODEL
from rosenblatt.cli.data.reading import DATA, notices
from rosenblatt.cli.frame.json_output import say_json
from rosenblatt.cli.frame.options import Command
from rosenblatt.cli.frame.terminal import say
from rosenblatt.cli.tag.tag_corpus import tell_of_skipped
from rosenblatt.cli.tag.tag_models import opened_tagger, tagged
from rosenblatt.cli.tag.tag_reading import (
    NO_SENTENCES,
    SentenceReading,
    sentence_options,
)
from rosenblatt.cli.tag.tag_report import Judged
from rosenblatt.errors import DataError

__all__ = ["command"]


@click.command(
    cls=Command,
    name="evaluate",
    epilog="\b\nExamples:\n  rosenblatt tag evaluate tagger.rbt test.conllu\n"
    "  rosenblatt tag evaluate chunker.rbt chunks.conll --new-tags wrong --json",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option(
    "--new-tags",
    type=click.Choice(["refuse", "wrong"]),
    default="refuse",
    show_default=True,
    help="What to do with a tag never seen in training: refuse it, or count the answer as wrong.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@sentence_options
def command(
    model: str,
    data: tuple[str, ...],
    new_tags: str,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare the answers of a tagger with the tags of DATA.

    The share of right tags, of sentences that are wholly right, and of right tags on words not
    met in training; beside them what always answering the most frequent tag comes to. Precision,
    recall and F1 of each tag, and for tags as B-NP and I-NP those of the spans, as conlleval
    counts them. The model is not changed.
    """
    reading = SentenceReading(**options)
    known = opened_tagger(model)
    reading = reading.marked(known.layout)
    looked, layout = reading.laid_out(data, known.layout, labelled=True)
    judged = Judged()
    with (
        notices(quiet),
        reading.reader(looked, layout, labelled=True) as blocks,
    ):
        for block in blocks:
            if new_tags == "refuse":
                _refuse_new(block, set(known.tagger.tags_), blocks.source, layout.format)
            answers = tagged(known.tagger, block.sentences, blocks.source, block.lines)
            for words, right, found in zip(block.sentences, block.tags, answers, strict=True):
                new = [place for place, word in enumerate(words) if not known.knows(word)]
                judged.add(right, found, new)
    if not quiet:
        tell_of_skipped(blocks, "not counted")
    if not judged.right:
        raise DataError("0 sentences", name=looked.name, cures=NO_SENTENCES)
    if as_json:
        say_json({**judged.facts(), "model": model, "files": list(data)})
    else:
        say(judged.lines())


def _refuse_new(block: Any, known: set[str], name: str, format: str) -> None:
    for line, words, tags in zip(block.lines.tolist(), block.sentences, block.tags, strict=True):
        if known.issuperset(tags):
            continue
        place = next(place for place, tag in enumerate(tags) if tag not in known)
        word = words[place] if isinstance(words[place], str) else words[place][0]
        # In CoNLL-U there may be other lines between those of words.
        of = f"of word {place + 1} of this sentence," if format == "conllu" else "of"
        raise DataError(
            f'the tag "{tags[place]}" {of} "{word}" was never seen in training',
            name=name,
            line=line + place if format == "conll" else line,
            cures=[
                "choose the column of the tags with --column",
                "count such answers as wrong with --new-tags wrong",
            ],
        )
