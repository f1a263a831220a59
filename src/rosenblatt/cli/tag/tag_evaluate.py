"""rosenblatt tag evaluate: compare the predictions of a tagger with tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import DATA, notices
from rosenblatt.cli.frame.options import MODEL, Command, n_jobs_option
from rosenblatt.cli.frame.terminal import say, say_json
from rosenblatt.cli.tag.tag_reading import (
    SentenceReading,
    layout_of,
    open_tagger,
    predict_block,
    sentence_options,
    tell_of_skipped,
)
from rosenblatt.errors import DataError, Message, Setting

if TYPE_CHECKING:
    from rosenblatt.tables.readers.sentence_blocks import SentenceBlock


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
    help="What to do with a tag never seen in training: refuse it, or count it as a mistake.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@n_jobs_option
@sentence_options
def command(
    model: str,
    data: tuple[str, ...],
    new_tags: str,
    as_json: bool,
    quiet: bool,
    n_jobs: int | None,
    **options: Any,
) -> None:
    """Compare the predictions of a tagger with the tags of DATA.

    Reports tag accuracy, sentence accuracy and accuracy on unseen words, with the majority-tag
    baseline; precision, recall and F1 of each tag, and for tags such as B-NP and I-NP those of the
    spans, as conlleval counts them. The model is not changed.
    """
    from rosenblatt.inspection.tag_report import tag_report

    found = open_tagger(model, n_jobs)
    tagger = found.learner
    reader = SentenceReading(**options).reader(data, layout_of(found), labelled=True)
    right = list[list[str]]()
    predicted = list[list[str]]()
    is_new = list[list[bool]]()
    with notices(quiet), reader:
        for block in reader:
            if new_tags == "refuse":
                _refuse_new(block, set(tagger.tags_), reader.source, reader.layout.format)
            predicted += predict_block(tagger, reader, block)
            right += block.tags or []
            is_new += [[not tagger.knows(word) for word in words] for words in block.sentences]
    report = tag_report(right, predicted, is_new)
    if not quiet:
        tell_of_skipped(reader, "not counted")
    if as_json:
        say_json({**report.to_json(), "model": model, "files": list(data)})
    else:
        say(report.lines())


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
                Message("choose the column of the tags with ", Setting("target")),
                Message("count such predictions as wrong with ", Setting("new_tags", "wrong")),
            ],
        )
