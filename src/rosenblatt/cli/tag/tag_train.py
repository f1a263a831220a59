"""rosenblatt tag train: train a tagger on sentences with tags."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import named, notices
from rosenblatt.cli.data.training_report import kept_by_interrupt, shortened, training_facts
from rosenblatt.cli.frame.destinations import (
    check_destination,
    default_destination,
    keep_rejects_apart,
    refuse_other_model,
    write_model,
)
from rosenblatt.cli.frame.interrupts import NOTHING_LEARNED, current_interrupts
from rosenblatt.cli.frame.learner_options import TaggerCommand, chosen_parameters
from rosenblatt.cli.frame.options import (
    TRAINING_DATA,
    refuse_parameters,
    refuse_together,
    sharding_options,
    share_of,
    taken_shards,
    train_options,
)
from rosenblatt.cli.frame.terminal import cut, listed, progress_shown, say, say_json
from rosenblatt.cli.tag.tag_reading import SentenceReading, layout_of, open_tagger, sentence_options
from rosenblatt.errors import (
    DataError,
    InputError,
    Item,
    Message,
    Notice,
    ParameterError,
    Place,
    Setting,
    Where,
)
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.models.templates import TemplateError
    from rosenblatt.tables.readers.sentence_blocks import SentenceBlock
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

LONGEST_TAG = 24
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
@click.argument("data", nargs=-1, required=True, type=TRAINING_DATA)
@train_options(
    "sentences",
    "tagger",
    epochs=10,
    dev="Sentences to validate on, in a file or as a share of DATA (0.1): the epoch that tags them "
    "best is kept, and training stops when accuracy no longer improves.",
    record="Log all mistakes in the ledger.",
)
@click.option(
    "--templates",
    metavar="FILE|TEXT",
    help="Feature templates: a file with one per line, or templates separated by spaces, such as "
    "'w[0] w[-1].lower'.  [default: a set that suits most tags]",
)
@sentence_options
@sharding_options
def command(
    data: tuple[str, ...],
    out: str | None,
    epochs: int | None,
    dev: str | None,
    seed: int,
    one_pass: bool,
    resume: str | None,
    record: bool,
    slim: bool,
    as_json: bool,
    quiet: bool,
    templates: str | None,
    **options: Any,
) -> None:
    """Train on the sentences of DATA and write a tagger.

    DATA is CoNLL-U, or other columns with the tag in the last one, or text such as the/DET
    dog/NOUN. Templates call the inputs w, pos, c2, c3 and so on, in the order of --inputs.

    --resume learns from each sentence once, in order; there may be new words and tags. With
    --epochs, training continues as if it had not stopped: 5 epochs and 5 more give the same tagger
    as 10, bit for bit; with --dev the best of the new epochs is kept. The tagger it started from is
    replaced unless --out is given.

    Ctrl-C, SIGTERM and SIGHUP end the training, and the best tagger so far is written.
    """
    refuse_together(AGAINST)
    once = one_pass or (resume is not None and epochs is None)
    if once and dev is not None:
        raise click.UsageError("--dev has no meaning with --resume unless --epochs is given.")
    parameters = chosen_parameters()
    sharding = taken_shards(options, data)
    if sharding is not None:
        parameters |= {"random_state": seed, **({} if epochs is None else {"max_iter": epochs})}
        if templates is not None:
            parameters["templates"] = GivenTemplates(templates).texts
        said: Any = {"dev": dev, "out": out, "slim": slim, "as_json": as_json, "quiet": quiet}
        tagger = _new_tagger(parameters)
        read = SentenceReading(**options).for_shards()
        from rosenblatt.cli.data.sharded_training import train_on_shards

        train_on_shards(tagger, sharding, data, read, unit="sentence", **said)
        return
    if resume is not None:
        refuse_parameters(parameters)
    share = share_of(dev)
    interrupts = current_interrupts()
    interrupts.outcome = NOTHING_LEARNED
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
    if out is None and resume is None:
        refuse_other_model(path, type(tagger).__name__, layout.target, data)
    with interrupts.held():
        with notices(quiet), progress_shown(quiet or as_json), _placed(examples):
            if once:
                tagger.partial_fit(examples.sentences, examples.tags)
            else:
                _fit(tagger, examples, held, epochs)
        tagger.schema_ = layout
        hashed = None if resume or "-" in data else list(data)
        state = write_model(tagger, path, data=hashed, slim=slim)
    interrupts.end(kept_by_interrupt(tagger, path, "sentence"))
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


def _watched(reading: SentenceReading, path: str, layout: SentenceLayout) -> SentenceBlock:
    """Read the sentences of --dev, in the layout of the training sentences."""
    # Otherwise the rejects of the training files would be overwritten.
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
    tagger: SequenceTagger, examples: SentenceBlock, held: SentenceBlock | None, epochs: int | None
) -> None:
    """Train the tagger, continuing after the epochs that it has already made."""
    usual = tagger.warm_start
    tagger.set_params(warm_start=True, **({} if epochs is None else {"max_iter": epochs}))
    validation_set = None if held is None else (held.sentences, held.tags)
    tagger.fit(examples.sentences, examples.tags, validation_set)
    tagger.set_params(warm_start=usual)


@contextmanager
def _placed(examples: SentenceBlock) -> Iterator[None]:
    """Let errors and warnings about a sentence within this block name its file and line."""
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


# ---------------------------------------------------------------------- what it came to


def facts_of(
    tagger: SequenceTagger,
    state: Any,
    examples: SentenceBlock,
    held: SentenceBlock | None,
    path: str,
) -> dict[str, Any]:
    sizes = {"sentences": len(examples), "words": examples.n_tokens}
    tags = {"tags": dict(sorted(_counts(examples).items()))}
    right = tagger.score(examples.sentences, examples.tags)
    facts = training_facts(state, path, sizes, tags, right)
    scores = None
    if held is not None and facts["accuracy"]["dev"] is not None:
        scores = state.card.record.fit.validation_scores
    return facts | {
        "dev_accuracy_per_epoch": scores,
        "dev_sentences": None if held is None else len(held),
        "dev_words": None if held is None else held.n_tokens,
        "layout": tagger.schema_ and tagger.schema_.describe(),
    }


def _counts(examples: SentenceBlock) -> Counter[str]:
    return Counter(tag for own in examples.tags or () for tag in own)


def summary(facts: dict[str, Any], tagger: SequenceTagger, name: str) -> list[str]:
    from rosenblatt.models.result import stop_text

    lines = [
        f"{name}: {count(facts['sentences'], 'sentence')}, {count(facts['words'], 'word')}, "
        f"{count(facts['features'], 'feature')}",
        _counted_tags(facts["tags"]),
    ]
    called = "MIRA" if tagger.rule == "mira" else "perceptron"
    if facts["epochs"] is None:
        lines.append(
            f"averaged structured {called}, one pass: {count(facts['mistakes'], 'mistake')} in "
            f"{count(facts['examples'], 'sentence')} so far"
        )
    else:
        lines.append(
            f"averaged structured {called}, {count(facts['epochs'], 'epoch')}, sentences with "
            f"mistakes {shortened(facts['mistakes_per_epoch'])}"
        )
        if facts["dev_accuracy_per_epoch"] is not None:
            shares = shortened(facts["dev_accuracy_per_epoch"], form=".4f")
            lines.append(f"held out, by epoch: {shares}")
        lines.append(f"ended: {stop_text(facts['stop_reason'], 'sentences')}")
    accuracy = facts["accuracy"]
    line = f"accuracy: {accuracy['train']:.4f} on these words"
    if accuracy["dev"] is not None:
        line += (
            f", {accuracy['dev']:.4f} on {count(facts['dev_words'], 'word')} held out "
            f"(epoch {facts['best_epoch']})"
        )
    return [*lines, line, f"wrote {facts['model']}"]


def _counted_tags(counts: dict[str, int]) -> str:
    """Return a line with as many tags and their counts as fit, the most frequent first."""
    order = sorted(counts, key=lambda tag: -counts[tag])
    words = [f"{cut(tag, LONGEST_TAG)} ({counts[tag]:,})" for tag in order]
    return listed(f"{count(len(counts), 'tag')}: ", words)


def unseen_tags(
    held: SentenceBlock | None, tagger: SequenceTagger, name: str | None
) -> Iterator[str]:
    """Yield a notice about tags of --dev that do not occur in training and count as wrong."""
    if held is None:
        return
    known = set(tagger.tags_)
    unseen = Counter({tag: n for tag, n in _counts(held).items() if tag not in known})
    if unseen:
        some = ", ".join(f"{tag} ({n:,})" for tag, n in unseen.most_common(5))
        yield (
            f"notice: --dev {name}: {count(unseen.total(), 'word')} with tags never seen in "
            f"training, counted as wrong: {some}"
        )


# ---------------------------------------------------------------------- templates


class GivenTemplates:
    """The templates of --templates, with the line and column of each."""

    def __init__(self, given: str) -> None:
        self.path = given if os.path.exists(given) else None
        self.texts: list[str] = []
        self._places: list[tuple[int, int]] = []
        for line, column, text in self._read(given):
            self.texts.append(text)
            self._places.append((line, column))
        if not self.texts:
            raise ParameterError(f"--templates {given}: there are none in it; give some, as w[0].")

    def _read(self, given: str) -> Iterator[tuple[int, int, str]]:
        if self.path is None:
            for word in re.finditer(r"[^\s,]+", given):
                yield 1, word.start() + 1, word[0]
            return
        try:
            with open(self.path, encoding="utf-8-sig") as file:
                for number, line in enumerate(file, 1):
                    text = line.strip()
                    if text and not text.startswith("#"):
                        yield number, line.index(text) + 1, text
        except UnicodeDecodeError as error:
            raise ParameterError(f"--templates {given}: not UTF-8 text ({error}).") from None

    def checked(self, n_inputs: int) -> list[str]:
        """Return the templates; if one cannot be parsed, raise an error with its position."""
        from rosenblatt.models.templates import TemplateError, Templates
        from rosenblatt.tables.readers.sentence_layout import input_names

        columns = input_names(n_inputs)
        for text, (line, column) in zip(self.texts, self._places, strict=True):
            try:
                Templates([text], columns)
            except TemplateError as error:
                raise self._placed(error, line, column) from None
        return self.texts

    def _placed(self, error: TemplateError, line: int, column: int) -> ParameterError:
        if self.path is None:
            hint = "" if "[" in error.text else " Nor is there a file of this name."
            place = f"--templates: {error.text} at character {error.position}"
            return ParameterError(f"{place}: {error.reason}{hint}")
        place = f"{self.path}:{line}:{column + error.position - 1}"
        return ParameterError(f"{place}: {error.text}: {error.reason}")
