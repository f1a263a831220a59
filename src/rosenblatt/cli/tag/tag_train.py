"""rosenblatt tag train: a tagger from sentences with tags."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import DATA, named, notices
from rosenblatt.cli.frame.destinations import (
    check_destination,
    default_destination,
    keep_rejects_apart,
)
from rosenblatt.cli.frame.json_output import say_json
from rosenblatt.cli.frame.learner_options import TaggerCommand, chosen_parameters
from rosenblatt.cli.frame.options import refuse_together
from rosenblatt.cli.frame.terminal import say
from rosenblatt.cli.frame.train_options import (
    progress_shown,
    refuse_parameters,
    share_of,
    train_options,
)
from rosenblatt.cli.tag.tag_models import layout_of, open_tagger
from rosenblatt.cli.tag.tag_outcome import facts_of, summary, unseen_tags
from rosenblatt.cli.tag.tag_reading import SentenceReading, sentence_options
from rosenblatt.cli.tag.tag_templates import GivenTemplates
from rosenblatt.errors import DataError, InputError, Item, Message, Notice, Place, Setting, Where

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.io.sentence_blocks import SentenceBlock

__all__ = ["command"]

AGAINST = {
    "resume": ("templates", "seed", "record"),
    "one_pass": ("epochs", "dev"),
}


@click.command(
    cls=TaggerCommand,
    name="train",
    epilog="\b\nExamples:\n"
    "  rosenblatt tag train train.conllu --dev dev.conllu -o tagger.rbt\n"
    "  rosenblatt tag train chunks.conll --constraints BIO --dev 0.1 -o chunker.rbt",
)
@click.argument("data", nargs=-1, required=True, type=DATA)
@train_options(
    "sentences",
    "tagger",
    epochs=10,
    dev="Sentences to watch, in a file or as a share of DATA (0.1): the epoch that tags them best "
    "is kept, and training ends when it gains no more.",
    record="Keep the ledger of all mistakes.",
)
@click.option(
    "--templates",
    metavar="FILE|TEXT",
    help="What to tag by: a file with a template a line, or templates apart by blanks, as "
    "'w[0] w[-1].lower'.  [default: a set that suits most tags]",
)
@sentence_options
def command(
    data: tuple[str, ...],
    out: str | None,
    epochs: int | None,
    dev: str | None,
    seed: int,
    one_pass: bool,
    resume: str | None,
    record: bool,
    as_json: bool,
    quiet: bool,
    templates: str | None,
    **options: Any,
) -> None:
    """Train on the sentences of DATA and write a tagger.

    DATA are CoNLL-U, or other columns with the tag in the last one, or text as the/DET dog/NOUN.
    Templates call the inputs w, pos, c2, c3 and so on, in the order of --inputs.

    --resume learns from each sentence once, in order; new words and tags may be among them. With
    --epochs it goes on as if training had not ended: 5 epochs and 5 more give the tagger of 10,
    bit for bit; with --dev the best of the new epochs is kept. It writes the tagger it started
    from unless --out is given.
    """
    refuse_together(AGAINST)
    once = one_pass or (resume is not None and epochs is None)
    if once and dev is not None:
        raise click.UsageError("--dev has no meaning with --resume unless --epochs is given.")
    parameters = chosen_parameters()
    if resume is not None:
        refuse_parameters(parameters)
    share = share_of(dev)
    file = dev if share is None else None
    path = default_destination(out, resume, data, "tagger", [] if file is None else [file])
    reading = SentenceReading(**options)
    keep_rejects_apart(reading.on_bad, [path])
    texts = None if templates is None else GivenTemplates(templates)
    if texts is not None and texts.path is not None:
        check_destination("--out", path, [texts.path], "templates")
        keep_rejects_apart(reading.on_bad, [texts.path])
    known = None if resume is None else open_tagger(resume)
    layout = None if known is None else layout_of(known)
    held = None
    with notices(quiet):
        reader = reading.reader(data, layout, labelled=True)
        layout = layout or reader.layout
        if texts is not None:
            parameters["templates"] = texts.checked(len(layout.inputs))
        examples = reader.whole()
        if known is None:
            _refuse_one_tag(examples, named(data))
        if file is not None:
            held = _watched(reading, file, layout)
        elif share is not None:
            seed = seed if known is None else known.state.card.record.seed
            examples, held = examples.hold_out(share, seed)
    if known is None:
        parameters |= {"random_state": seed, **({"record": True} if record else {})}
        tagger = _new_tagger(parameters)
    else:
        tagger = known.learner
    if not quiet:
        say([layout.describe()], err=True)
    with notices(quiet), progress_shown(quiet or as_json), _placed(examples):
        if once:
            tagger.partial_fit(examples.sentences, examples.tags)
        else:
            _fit(tagger, examples, held, epochs)
    from rosenblatt.model.file import write_learner

    tagger.schema_ = layout
    state = write_learner(tagger, path, data=None if resume or "-" in data else list(data))
    facts = facts_of(tagger, state, examples, held, path) | {"skipped": reader.skipped}
    if not quiet:
        say(unseen_tags(held, tagger, dev), err=True)
    if as_json:
        say_json(facts)
    elif not quiet:
        say(summary(facts, tagger, named(data)))


# ---------------------------------------------------------------------- the sentences


def _refuse_one_tag(examples: SentenceBlock, name: str) -> None:
    tags = {tag for own in examples.tags or () for tag in own}
    if len(tags) == 1:
        raise DataError(
            f'all words have the tag "{tags.pop()}"; there must be two tags at least',
            name=name,
            cures=Message("choose the column of the tags with ", Setting("target")),
        )


def _watched(reading: SentenceReading, path: str, layout: Any) -> SentenceBlock:
    """The sentences of a file to watch, laid out as those to learn from."""
    # The rejects of the first files would be written over.
    on_bad = "skip" if reading.on_bad.startswith("rejects=") else reading.on_bad
    return replace(reading, on_bad=on_bad).reader([path], layout, labelled=True).whole()


# ---------------------------------------------------------------------- learning


def _new_tagger(parameters: dict[str, Any]) -> SequenceTagger:
    import rosenblatt

    search = parameters.get("search")
    if "beam" in parameters:
        if search not in (None, "beam"):
            raise click.UsageError(f"--beam has no meaning with --search {search}.")
        parameters["search"] = "beam"
    return rosenblatt.SequenceTagger(**parameters)


def _fit(
    tagger: SequenceTagger,
    examples: SentenceBlock,
    held: SentenceBlock | None,
    epochs: int | None,
) -> None:
    """Epochs that go on where the last ones ended."""
    usual = tagger.warm_start
    tagger.set_params(warm_start=True, **({} if epochs is None else {"max_iter": epochs}))
    validation_set = None if held is None else (held.sentences, held.tags)
    tagger.fit(examples.sentences, examples.tags, validation_set)
    tagger.set_params(warm_start=usual)


@contextmanager
def _placed(examples: SentenceBlock) -> Iterator[None]:
    """Errors and warnings about a sentence name its file and line."""
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield
    except InputError as error:
        error.where = _place(error.where, examples)
        raise
    for warning in heard:
        if isinstance(warning.message, Notice):
            warning.message.where = _place(warning.message.where, examples)
        warnings.warn(warning.message, stacklevel=2)


def _place(where: Where, examples: SentenceBlock) -> Where:
    return Place(*examples.place(where.number)) if isinstance(where, Item) else where
