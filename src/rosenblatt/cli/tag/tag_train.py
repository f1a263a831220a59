"""rosenblatt tag train: a tagger from sentences with tags."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import MODEL
from rosenblatt.cli.data.reading import DATA, named, notices
from rosenblatt.cli.frame.destinations import check_destination, keep_rejects_apart
from rosenblatt.cli.frame.json_output import say_json
from rosenblatt.cli.frame.options import SEED, Command, Whole, refuse_together, said
from rosenblatt.cli.frame.terminal import say
from rosenblatt.cli.frame.train_options import progress_shown, share_of
from rosenblatt.cli.tag.tag_corpus import Corpus, hold_back, read_corpus, refuse_one_tag
from rosenblatt.cli.tag.tag_layout import Layout, input_names, layout_to_learn
from rosenblatt.cli.tag.tag_models import SavedTagger, opened_tagger, write_tagger
from rosenblatt.cli.tag.tag_outcome import facts_of, strange_tags, summary
from rosenblatt.cli.tag.tag_reading import Looked, SentenceReading, sentence_options
from rosenblatt.cli.tag.tag_templates import GivenTemplates
from rosenblatt.errors import InputError, Notice

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger

__all__ = ["command"]

EPOCHS = 10
# What a tagger has from the beginning, and keeps.
GIVEN_ONCE = (
    "templates",
    "search",
    "beam",
    "order",
    "rule",
    "constraints",
    "dictionary",
    "seed",
)


@click.command(
    cls=Command,
    name="train",
    epilog="\b\nExamples:\n"
    "  rosenblatt tag train train.conllu --dev dev.conllu -o tagger.rbt\n"
    "  rosenblatt tag train chunks.conll --constraints BIO --dev 0.1 -o chunker.rbt",
)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option(
    "-o",
    "--out",
    metavar="MODEL",
    help="File for the tagger.  [default: the name of DATA, .rbt]",
)
@click.option("--epochs", type=Whole(1), help="The most passes over the sentences.  [default: 10]")
@click.option(
    "--dev",
    metavar="FILE|SHARE",
    help="Sentences to watch, in a file or as a share of DATA (0.1): the epoch that tags them best "
    "is kept, and training ends when it gains no more.",
)
@click.option(
    "--templates",
    metavar="FILE|TEXT",
    help="What to tag by: a file with a template a line, or templates apart by blanks, as "
    "'w[0] w[-1].lower'.  [default: a set that suits most tags]",
)
@click.option(
    "--search",
    type=click.Choice(["viterbi", "beam", "greedy"]),
    help="How the best tags are looked for: among all, with a beam, or one by one.  [default: "
    "viterbi]",
)
@click.option(
    "--beam", type=Whole(1, 65536), help="How many beginnings a beam keeps; it means --search beam."
)
@click.option(
    "--order",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="How many tags before it the score of a tag looks at.",
)
@click.option(
    "--rule",
    type=click.Choice(["perceptron", "mira"]),
    default="perceptron",
    show_default=True,
    help="How far a mistake moves the weights: by 1, or just far enough.",
)
@click.option(
    "--constraints",
    type=click.Choice(["BIO", "BIOES"]),
    help="Never answer a chunk that was continued but not begun.",
)
@click.option(
    "--dictionary",
    type=Whole(1),
    help="Words met so often, always with one tag, can have that tag only.",
)
@click.option(
    "--seed",
    type=SEED,
    default=0,
    show_default=True,
    help="For the random order of the sentences; equal seeds give equal taggers.",
)
@click.option(
    "--one-pass", is_flag=True, help="Learn from each sentence once, in the order of the file."
)
@click.option(
    "--resume", type=MODEL, metavar="MODEL", help="Go on with this tagger for more epochs."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Print errors only, and what --json prints.")
@sentence_options
def command(
    data: tuple[str, ...],
    out: str | None,
    epochs: int | None,
    dev: str | None,
    templates: str | None,
    seed: int,
    one_pass: bool,
    resume: str | None,
    as_json: bool,
    quiet: bool,
    search: str | None,
    beam: int | None,
    order: str,
    rule: str,
    constraints: str | None,
    dictionary: int | None,
    **options: Any,
) -> None:
    """Train on the sentences of DATA and write a tagger.

    DATA are CoNLL-U, or other columns with the tag in the last one, or text as the/DET dog/NOUN.
    Templates call the inputs w, pos, c2, c3 and so on, in the order of --inputs.

    --resume goes on as if training had not ended: 5 epochs and 5 more give the tagger of 10, bit
    for bit; with --dev the best of the new epochs is kept. It writes the tagger it started from
    unless --out is given. With --one-pass it learns from new sentences as they come; new words and
    tags may be among them.
    """
    _refuse_together(search)
    share = share_of(dev)
    watched = dev if share is None else None
    path = _destination(out, resume, data, watched)
    reading = SentenceReading(**options)
    keep_rejects_apart(reading.on_bad, [path])
    texts = None if templates is None else GivenTemplates(templates)
    if texts is not None and texts.path is not None:
        check_destination("--out", path, [texts.path], "templates")
        keep_rejects_apart(reading.on_bad, [texts.path])
    known = None if resume is None else opened_tagger(resume)
    reading = reading.marked(None if known is None else known.layout)
    with notices(quiet):
        looked, layout = _laid_out(reading, data, known)
        if texts is not None:
            texts.check(input_names(len(layout.inputs)))
        corpus = read_corpus(reading, looked, layout, quiet=quiet)
        if known is None:
            refuse_one_tag(corpus, named(data))
        held = _held(reading, dev, share, layout, quiet=quiet)
        if share is not None:
            seed = seed if known is None else known.state.card.record.seed
            corpus, held = hold_back(corpus, share, seed, named(data))
    if known is not None:
        tagger = known.tagger
    else:
        tagger = _new(
            templates=None if texts is None else texts.texts,
            search=search or ("viterbi" if beam is None else "beam"),
            order=int(order),
            rule=rule,
            constraints=constraints,
            tag_dictionary=dictionary,
            random_state=seed,
            **({} if beam is None else {"beam": beam}),
        )
    kept = layout if known is None else known.layout
    if not quiet:
        say([kept.told()], err=True)
    with notices(quiet):
        _learn(tagger, corpus, held, epochs or EPOCHS, one_pass, told=not (quiet or as_json))
    digest = list(data) if known is None and "-" not in data else None
    state = write_tagger(tagger, path, kept, digest)
    facts = facts_of(tagger, state, corpus, held, kept, path)
    if not quiet:
        say(strange_tags(held, tagger, dev), err=True)
    if as_json:
        say_json(facts)
    elif not quiet:
        say(summary(facts, tagger, named(data)))


# ---------------------------------------------------------------------- what was asked


def _refuse_together(search: str | None) -> None:
    refuse_together({"resume": GIVEN_ONCE, "one_pass": ("epochs", "dev")})
    if said("beam") and said("search") and search != "beam":
        raise click.UsageError(f"--beam has no meaning with --search {search}.")


def _destination(
    out: str | None, resume: str | None, data: tuple[str, ...], dev: str | None
) -> str:
    if out is None:
        stem = "tagger" if data[0] == "-" else Path(data[0]).name.split(".")[0] or "tagger"
        out = resume or f"{stem}.rbt"
    check_destination("--out", out, [*data, *([dev] if dev else [])])
    return out


def _laid_out(
    reading: SentenceReading, data: tuple[str, ...], known: SavedTagger | None
) -> tuple[Looked, Layout]:
    if known is not None:
        return reading.laid_out(data, known.layout, labelled=True)
    looked = reading.look(data, None, labelled=True)
    layout = layout_to_learn(looked.format, looked.count, reading.column, reading.inputs)
    return looked, replace(layout, mark=reading.between) if looked.format == "text" else layout


def _held(
    reading: SentenceReading, dev: str | None, share: float | None, layout: Layout, *, quiet: bool
) -> Corpus | None:
    """The sentences of a file to watch, laid out as those to learn from."""
    if dev is None or share is not None:
        return None
    looked, found = reading.laid_out([dev], layout, labelled=True)
    # The rejects of the first files would be written over.
    once = "skip" if reading.on_bad.startswith("rejects=") else reading.on_bad
    return read_corpus(replace(reading, on_bad=once), looked, found, quiet=quiet)


# ---------------------------------------------------------------------- learning


def _new(**parameters: Any) -> SequenceTagger:
    import rosenblatt

    return rosenblatt.SequenceTagger(**parameters)


def _learn(
    tagger: SequenceTagger,
    corpus: Corpus,
    held: Corpus | None,
    epochs: int,
    one_pass: bool,
    *,
    told: bool,
) -> None:
    try:
        with warnings.catch_warnings(record=True) as heard, progress_shown(not told):
            warnings.simplefilter("always")
            if one_pass:
                tagger.partial_fit(corpus.sentences, corpus.tags)
            else:
                _fit(tagger, corpus, held, epochs)
    except InputError as error:
        error.where = corpus.placed(error.where)
        raise
    for warning in heard:
        if isinstance(warning.message, Notice):
            warning.message.where = corpus.placed(warning.message.where)
        warnings.warn(warning.message, warning.category, stacklevel=2)


def _fit(tagger: SequenceTagger, corpus: Corpus, held: Corpus | None, epochs: int) -> None:
    """Epochs that go on where the last ones ended."""
    usual = tagger.warm_start
    tagger.set_params(max_iter=epochs, warm_start=True)
    watched = None if held is None else (held.sentences, held.tags)
    tagger.fit(corpus.sentences, corpus.tags, watched)
    tagger.set_params(warm_start=usual)
