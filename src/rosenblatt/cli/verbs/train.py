"""rosenblatt train: a model from files with labels."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import open_model, refuse_other_model
from rosenblatt.cli.data.reading import Reading, named, notices, reading_options
from rosenblatt.cli.data.training_data import (
    RIGHT_TARGET,
    Examples,
    column_options,
    feature_options,
    read_examples,
    refuse_meaningless,
    refuse_one_class,
)
from rosenblatt.cli.data.training_report import facts_of, kept_by_interrupt, summary
from rosenblatt.cli.frame.destinations import default_destination, write_model
from rosenblatt.cli.frame.interrupts import NOTHING_LEARNED, current_interrupts
from rosenblatt.cli.frame.learner_options import (
    LearnerCommand,
    chosen_parameters,
    learner_option,
    weights_by_label,
)
from rosenblatt.cli.frame.options import (
    MODEL,
    TRAINING_DATA,
    Whole,
    new_classes_option,
    refuse_parameters,
    refuse_together,
    sharding_options,
    share_of,
    taken_shards,
    train_options,
)
from rosenblatt.cli.frame.terminal import progress_shown, say, say_json, say_notices
from rosenblatt.errors import Notice

if TYPE_CHECKING:
    from rosenblatt.estimators.catalogue import Entry
    from rosenblatt.tables.features.schemas import FeatureOptions

AGAINST = {
    "resume": ("learner", "dev", "seed", "record", "one_pass", "schema_from"),
    "one_pass": ("epochs", "dev"),
    "cv": ("resume", "one_pass", "dev"),
}


@click.command(
    cls=LearnerCommand,
    name="train",
    epilog="\b\nExamples:\n  rosenblatt train iris.csv --target species\n"
    "  rosenblatt train mail.tsv --format text --dev 0.1 --out spam.rbt",
)
@click.argument("data", nargs=-1, required=True, type=TRAINING_DATA)
@learner_option()
@train_options(
    "rows",
    "model",
    epochs="1000; of auto 150",
    dev="Rows to watch, in a file or as a share of DATA (0.1): training ends when it gains no more "
    "on them, and auto chooses by them.",
    record="Keep every update, so that explain can name past mistakes.",
)
@click.option(
    "--cv",
    type=Whole(2),
    help="Before that, train on all but one of N folds of the rows and predict that one, N times; "
    "what the columns are is guessed without it, too.",
)
@new_classes_option
@click.option(
    "--schema-from",
    type=MODEL,
    metavar="MODEL",
    help="Take the columns and features of this model.",
)
@reading_options
@column_options()
@sharding_options
def command(
    data: tuple[str, ...],
    learner: Entry,
    epochs: int | None,
    dev: str | None,
    out: str | None,
    seed: int,
    one_pass: bool,
    resume: str | None,
    cv: int | None,
    new_classes: str | None,
    schema_from: str | None,
    record: bool,
    slim: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Train on the rows of DATA and write a model.

    What the columns are is guessed and printed; --column says otherwise. Without --learner, or with
    --learner auto, several rules are tried on held-out rows, and the best is trained on all rows;
    the default is left only for what is better by two standard errors, on texts by one. Otherwise
    training ends with a reason: the classes are separated, held-out rows gain no more, or the limit
    of epochs.

    --resume learns from each row once, in order, and writes the model it started from unless
    --out is given. A --one-pass over one file and --resume with the next give the model of one
    --one-pass over both, bit for bit, if numbers are not scaled (--no-scale): the scales are
    those of the first file. With --epochs it goes on as if training had not ended at its limit of
    epochs, but for the mean of --average tail, the default of soft and auto, and for --calibrate:
    both are of the last epochs alone, and a notice says so. Levels that were never met join a
    linear model; classes do with --new-classes allow.

    --shards cuts DATA into pieces that learn side by side, by threads, processes or a Dask
    cluster; the model depends on their number, and not on who works on them.

    Ctrl-C, SIGTERM and SIGHUP end the training, and the best so far is written.
    """
    refuse_together(AGAINST)
    parameters, sharding = chosen_parameters(), taken_shards(options, data)
    if sharding is not None:
        parameters |= {"random_state": seed, **({} if epochs is None else {"max_iter": epochs})}
        read = {"features": feature_options(options), **Reading(**options).for_shards()}
        more: Any = {"dev": dev, "out": out, "slim": slim, "as_json": as_json, "quiet": quiet}
        from rosenblatt.cli.data.sharded_training import train_on_shards

        train_on_shards(learner.load()(**parameters), sharding, data, read, **more)
        return
    if resume:
        refuse_parameters(parameters)
    if one_pass and parameters.get("calibrate"):
        raise click.UsageError("--calibrate trains on folds of the rows; leave --one-pass out.")
    share, interrupts = share_of(dev), current_interrupts()
    interrupts.outcome = NOTHING_LEARNED
    path = default_destination(out, resume, data, "model", [dev] if dev and share is None else [])
    features, reading = feature_options(options), Reading(**options)
    known = None if not (resume or schema_from) else open_model(str(resume or schema_from))
    schema = reading.schema_of(data, None if known is None else known.schema)
    refuse_meaningless(features, reading.kind_of(data, schema), has_schema=schema is not None)
    model = known.learner if known is not None and resume else None
    if model is None:
        parameters |= _settings(learner, seed, record, epochs, share)
    odd, folds = list[Any](), list[float]()
    with notices(quiet):
        examples = read_examples(
            reading,
            data,
            features,
            schema,
            # A model that predicts by its support rows has no weights to add features to.
            grows=model is None or not model.keeps_rows,
            **({} if known is None or not resume else known.label_options(new_classes)),
        )
        _check_labels(examples, data, resumed=bool(resume))
        if not quiet:
            odd = _odd_about_target(examples)
        if cv is not None:
            guess = None if schema_from else features
            folds = _cross_validated(learner, parameters, examples, guess, cv, seed)
        if examples.X is None:
            examples.encode()
        held = None
        if dev is not None and share is None:
            schema, known_labels = examples.schema, list(examples.counts)
            held = read_examples(
                reading, [dev], features, schema, grows=False, classes=known_labels
            )
    if not quiet:
        say((f"warning: {warning}" for warning in odd), err=True)
        say(examples.schema.describe(), err=True)
        say_notices(examples.notices)
    if model is None:
        model = _new_learner(learner, parameters, examples)
    elif examples.inserted:
        model.insert_features(examples.inserted)
    elif examples.schema.n_features > model.n_features_in_:
        model.grow(examples.schema.n_features)
    if out is None and not resume:
        refuse_other_model(path, learner.class_name, examples.schema.target, data)
    with interrupts.held():
        if one_pass or (resume and epochs is None):
            model.partial_fit(examples.X, examples.labels, sample_weight=examples.weights)
        elif resume:
            if not quiet:
                say_notices(_counted_anew(model))
            usual = model.warm_start
            model.set_params(warm_start=True, max_iter=epochs)
            _fit(model, examples, held, quiet=quiet, as_json=as_json)
            model.set_params(warm_start=usual)
        else:
            _fit(model, examples, held, quiet=quiet, as_json=as_json)
        model = getattr(model, "best_learner_", model)
        _refuse_lone_class(model, data)
        model.schema_ = examples.schema
        hashed = None if resume or "-" in data else list(data)
        state = write_model(model, path, data=hashed, slim=slim)
    interrupts.end(kept_by_interrupt(model, path))
    facts = facts_of(model, state, examples, held, path)
    facts |= {} if cv is None else {"cross_validation": folds}
    if as_json:
        say_json(facts)
    elif not quiet:
        said = summary(facts, data)
        if cv is not None:
            from statistics import mean, stdev

            each = " ".join(f"{share:.4f}" for share in folds)
            said.insert(-1, f"{cv} folds: accuracy {mean(folds):.4f} ± {stdev(folds):.4f} ({each})")
        say(said)


def _settings(
    learner: Entry, seed: int, record: bool, epochs: int | None, share: float | None
) -> dict[str, Any]:
    """What the options of training say to the learner."""
    settings: dict[str, Any] = {"random_state": seed}
    if record:
        _refuse_record(learner)
        settings["record"] = True
    if epochs is not None:
        settings["max_iter"] = epochs
    if share is not None:
        settings["validation_fraction"] = share
        if learner.family != "auto":
            settings["early_stopping"] = True
    if learner.family == "auto":
        settings["standardize"] = False  # the schema has scaled what is to be scaled
    return settings


def _counted_anew(model: Any) -> list[str]:
    """What depends on where one training ended and the next began, beside the weights."""
    found = []
    if getattr(model, "average", None) == "tail":
        found.append(
            "the weights go on as if training had not ended, but where their mean begins (average "
            "tail) is counted from here: train once with all epochs for the mean of one training"
        )
    if model.calibrate:
        found.append(
            "the weights go on as if training had not ended, but probabilities (calibrate) are "
            "fitted to these epochs alone: train once with all epochs for those of one training"
        )
    return found


def _new_learner(learner: Entry, parameters: dict[str, Any], examples: Examples) -> Any:
    """The learner with these parameters; weights of classes by the labels that the rows have."""
    weights = parameters.get("class_weight")
    if isinstance(weights, dict):
        labels = getattr(examples.labels, "classes", examples.labels)
        parameters["class_weight"] = weights_by_label(weights, labels, all_known=True)
    return learner.load()(**parameters)


def _cross_validated(
    learner: Entry,
    parameters: dict[str, Any],
    examples: Examples,
    options: FeatureOptions | None,
    n_folds: int,
    seed: int,
) -> list[float]:
    """What folds come to; what their features are is guessed without them, unless it is known."""
    from rosenblatt.estimators.selection import cross_validation
    from rosenblatt.tables.features.schemas import guess_schema

    block, known = examples.block, examples.schema
    if hasattr(block.labels, "codes"):
        raise click.UsageError("--cv takes folds of rows in memory; packed rows stay on the disk.")

    def encode(learned: Any, held: Any) -> tuple[Any, Any]:
        part, rest = block.take(learned), block.take(held)
        if options is None:
            return known.encode(part), known.encode(rest)
        schema = guess_schema(known.kind, part, options)
        return schema.learn(part), schema.encode(rest)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cross_validation(
            lambda: _new_learner(learner, dict(parameters), examples),
            encode,
            examples.labels,
            n_folds,
            seed,
            examples.weights,
        )


def _fit(
    model: Any, examples: Examples, held: Examples | None, *, quiet: bool, as_json: bool
) -> None:
    dev = None if held is None else (held.X, held.labels)
    with notices(quiet), warnings.catch_warnings(), progress_shown(quiet or as_json):
        # The reason to stop is shown anyway; what could not be held out is not.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Notice)
        model.fit(examples.X, examples.labels, validation_set=dev, sample_weight=examples.weights)


def _refuse_record(learner: Entry) -> None:
    if "record" not in learner.load().options():
        raise click.UsageError(
            f"--record has no meaning for a {learner.title_in_sentence}: it keeps all its mistakes "
            "anyway."
        )


# ---------------------------------------------------------------------- the rows


def _check_labels(examples: Examples, data: tuple[str, ...], *, resumed: bool) -> None:
    """Refuse what cannot be classes before any time is spent on it."""
    from rosenblatt.errors import DataError

    of_table = examples.schema.kind == "table"
    for label in examples.counts:
        if isinstance(label, float) and label % 1:
            raise DataError(
                f"the label {label:g} is a measure, not a class",
                name=named(data),
                cures=RIGHT_TARGET if of_table else (),
            )
    if not resumed:
        refuse_one_class(examples.counts, named(data), of_table=of_table)


def _odd_about_target(examples: Examples) -> list[Any]:
    """Before a long training: that it may be for the wrong column, or by one that tells it."""
    from rosenblatt.tables.readers.table import Table

    if not isinstance(examples.block, Table):
        return []
    from rosenblatt.inspection.target_checks import check_target

    used = [column.name for column in examples.schema.columns if column.kind != "ignored"]
    return check_target(examples.block, used)


def _refuse_lone_class(model: Any, data: tuple[str, ...]) -> None:
    from rosenblatt.errors import DataError

    classes = model.classes_.tolist()
    if len(classes) < 2:
        raise DataError(f"only class {classes[0]!r} seen so far; two are needed", name=named(data))
