"""rosenblatt train: train a model on files with labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model, open_model
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
from rosenblatt.cli.frame.destinations import (
    default_destination,
    refuse_other_model,
    write_model,
)
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
    taken,
    taken_shards,
    train_options,
)
from rosenblatt.cli.frame.terminal import progress_shown, say, say_json, say_notices
from rosenblatt.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rosenblatt.arrays import IndexArray, Table
    from rosenblatt.estimators.catalogue import Entry
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.inspection.target_checks import TargetWarning
    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions

# For each option, those that have no meaning with it.
AGAINST = {
    "resume": ("learner", "dev", "seed", "record", "one_pass", "schema_from"),
    "one_pass": ("epochs", "dev"),
    "cv": ("resume", "one_pass", "dev"),
}


@dataclass(frozen=True)
class TrainRequest:
    """Options of a training, except those for reading the data and those of the learner."""

    data: tuple[str, ...]
    learner: Entry
    epochs: int | None
    dev: str | None
    out: str | None
    seed: int
    one_pass: bool
    resume: str | None
    cv: int | None
    new_classes: str | None
    schema_from: str | None
    record: bool
    slim: bool
    as_json: bool
    quiet: bool

    @cached_property
    def dev_share(self) -> float | None:
        """Return the share of the rows to hold out; None if --dev is not given or names a file."""
        return share_of(self.dev)

    @property
    def dev_file(self) -> str | None:
        return self.dev if self.dev_share is None else None

    @property
    def sees_rows_once(self) -> bool:
        return self.one_pass or (self.resume is not None and self.epochs is None)


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
    epochs="1000; with auto 150",
    dev="Rows to validate on, in a file or as a share of DATA (0.1): training stops when accuracy "
    "on them no longer improves, and auto chooses by them.",
    record="Log every update, so that explain can name past mistakes.",
)
@click.option(
    "--cv",
    type=Whole(2),
    help="First cross-validate: train on all but one of N folds of the rows and predict that one, "
    "N times. The kinds of columns are guessed without it.",
)
@new_classes_option
@click.option(
    "--schema-from",
    type=MODEL,
    metavar="MODEL",
    help="Use the columns and features of this model.",
)
@reading_options
@column_options()
@sharding_options
def command(**options: Any) -> None:
    """Train on the rows of DATA and write a model.

    The kind of each column is guessed and printed; --column overrides it. Without --learner, or
    with --learner auto, several rules are tried on held-out rows, and the best one is trained on
    all rows. Another rule replaces the default only if it is better by two standard errors (on
    texts, by one).

    With a named learner, training stops when the classes are separated, when held-out accuracy
    stops improving, or at the epoch limit. Ctrl-C, SIGTERM and SIGHUP also stop it, and the best
    model so far is written.

    --resume learns from each row once, in order, and writes the model it started from unless --out
    is given. --one-pass over one file and then --resume with the next give the same model as
    --one-pass over both, bit for bit, if numbers are not scaled (--no-scale): the scales are those
    of the first file. With --epochs, training continues as if it had not stopped at its epoch
    limit, except for what depends on the last epochs alone: the mean of --average tail (the
    default of soft and auto) and --calibrate. A notice says so. New category levels are added to
    linear models automatically; new classes only with --new-classes allow.

    --shards cuts DATA into pieces that learn in parallel, in threads, processes or a Dask cluster.
    The model depends on their number, not on who works on them.
    """
    refuse_together(AGAINST)
    request = taken(TrainRequest, options)
    parameters = chosen_parameters()
    sharding = taken_shards(options, request.data)
    if sharding is not None:
        _train_on_shards(request, parameters, sharding, options)
        return
    _refuse_combinations(request, parameters)

    # Names and options are checked before hours of training, not after.
    interrupts = current_interrupts()
    interrupts.outcome = NOTHING_LEARNED
    watched = [] if request.dev_file is None else [request.dev_file]
    path = default_destination(request.out, request.resume, request.data, "model", watched)
    features = feature_options(options)
    reading = Reading(**options)
    known = _known_model(request)
    schema = reading.schema_of(request.data, None if known is None else known.schema)
    kind = reading.kind_of(request.data, schema)
    refuse_meaningless(features, kind, has_schema=schema is not None)

    resumed = known if request.resume else None
    if resumed is None:
        parameters |= _settings(request)
    folds: list[float] = []
    warnings_about_target: list[TargetWarning] = []
    with notices(request.quiet):
        examples = _read_rows(request, reading, features, schema, resumed)
        if not request.quiet:
            warnings_about_target = _odd_about_target(examples)
        if request.cv is not None:
            guess = None if request.schema_from else features
            folds = _cross_validated(
                request.learner, parameters, examples, guess, request.cv, request.seed
            )
        if examples.X is None:
            examples.encode()
        held = _read_held_rows(request, reading, features, examples)
    if not request.quiet:
        say((f"warning: {warning}" for warning in warnings_about_target), err=True)
        say(examples.schema.describe(), err=True)
        say_notices(examples.notices)

    if resumed is None:
        model = _new_learner(request.learner, parameters, examples)
    else:
        model = resumed.learner
        _make_room(model, examples)
    if request.out is None and not request.resume:
        refuse_other_model(path, request.learner.class_name, examples.schema.target, request.data)

    with interrupts.held():
        _learn(request, model, examples, held)
        if request.learner.family == "auto":
            model = model.best_learner_
        _refuse_lone_class(model, request.data)
        model.schema_ = examples.schema
        # A resumed model has also learned from other data; a pipe cannot be read again.
        hashed = None if request.resume or "-" in request.data else list(request.data)
        state = write_model(model, path, data=hashed, slim=request.slim)
    interrupts.end(kept_by_interrupt(model, path))

    facts = facts_of(model, state, examples, held, path)
    if request.cv is not None:
        facts["cross_validation"] = folds
    if request.as_json:
        say_json(facts)
    elif not request.quiet:
        say(_report(facts, request))


# ---------------------------------------------------------------------- the steps


def _train_on_shards(
    request: TrainRequest,
    parameters: dict[str, Any],
    sharding: dict[str, Any],
    options: dict[str, Any],
) -> None:
    from rosenblatt.cli.data.sharded_training import train_on_shards

    parameters["random_state"] = request.seed
    if request.epochs is not None:
        parameters["max_iter"] = request.epochs
    features = feature_options(options)
    train_on_shards(
        request.learner.load()(**parameters),
        sharding,
        request.data,
        {"features": features, **Reading(**options).for_shards()},
        dev=request.dev,
        out=request.out,
        slim=request.slim,
        as_json=request.as_json,
        quiet=request.quiet,
    )


def _refuse_combinations(request: TrainRequest, parameters: dict[str, Any]) -> None:
    """Raise if parameters of the learner conflict with --resume or --one-pass."""
    if request.resume:
        refuse_parameters(parameters)
    if request.one_pass and parameters.get("calibrate"):
        raise click.UsageError("--calibrate trains on folds of the rows; leave --one-pass out.")


def _known_model(request: TrainRequest) -> Model | None:
    """Open the model of ``--resume`` or ``--schema-from``; return None if neither is given."""
    path = request.resume or request.schema_from
    return None if path is None else open_model(path)


def _settings(request: TrainRequest) -> dict[str, Any]:
    """Return the parameters of a new learner that are set by options such as --seed."""
    learner = request.learner
    settings: dict[str, Any] = {"random_state": request.seed}
    if request.record:
        _refuse_record(learner)
        settings["record"] = True
    if request.epochs is not None:
        settings["max_iter"] = request.epochs
    if request.dev_share is not None:
        settings["validation_fraction"] = request.dev_share
        if learner.family != "auto":
            settings["early_stopping"] = True
    if learner.family == "auto":
        # The schema has already scaled the columns.
        settings["standardize"] = False
    return settings


def _refuse_record(learner: Entry) -> None:
    if "record" not in learner.load().options():
        raise click.UsageError(
            f"--record has no meaning for a {learner.title_in_sentence}: it keeps all its mistakes "
            "anyway."
        )


def _read_rows(
    request: TrainRequest,
    reading: Reading,
    features: FeatureOptions,
    schema: AnySchema | None,
    resumed: Model | None,
) -> Examples:
    """Read the training rows; raise if their labels cannot be classes."""
    labels: dict[str, Any] = {}
    grows = True
    if resumed is not None:
        labels = resumed.label_options(request.new_classes)
        # A model that predicts by its support rows has no weights to add features to.
        grows = not resumed.learner.keeps_rows
    examples = read_examples(reading, request.data, features, schema, grows=grows, **labels)
    _check_labels(examples, request.data, resumed=resumed is not None)
    return examples


def _read_held_rows(
    request: TrainRequest, reading: Reading, features: FeatureOptions, examples: Examples
) -> Examples | None:
    """Read the rows of --dev if it names a file; their labels must occur in training."""
    if request.dev_file is None:
        return None
    return read_examples(
        reading,
        [request.dev_file],
        features,
        examples.schema,
        grows=False,
        classes=list(examples.counts),
    )


def _new_learner(learner: Entry, parameters: dict[str, Any], examples: Examples) -> Any:
    """Return a new learner; the keys of its class weights are converted to labels of the rows."""
    weights = parameters.get("class_weight")
    if isinstance(weights, dict):
        labels = list(examples.counts)
        parameters["class_weight"] = weights_by_label(weights, labels, all_known=True)
    return learner.load()(**parameters)


def _make_room(model: LinearLearner, examples: Examples) -> None:
    """Add weights to a resumed model for the features added to its schema."""
    if examples.inserted:
        model.insert_features(examples.inserted)
    elif examples.schema.n_features > model.n_features_in_:
        model.grow(examples.schema.n_features)


def _learn(
    request: TrainRequest, model: RowClassifier, examples: Examples, held: Examples | None
) -> None:
    """Train the model: in one pass, for more epochs if it is resumed, or from scratch."""
    if request.sees_rows_once:
        model.partial_fit(examples.X, examples.labels, sample_weight=examples.weights)
        return
    if not request.resume:
        _fit(request, model, examples, held)
        return
    if not request.quiet:
        say_notices(_of_last_epochs_only(model))
    before = model.warm_start
    model.set_params(warm_start=True, max_iter=request.epochs)
    _fit(request, model, examples, held)
    model.set_params(warm_start=before)


def _fit(request: TrainRequest, model: Any, examples: Examples, held: Examples | None) -> None:
    validation_set = None if held is None else (held.X, held.labels)
    is_silent = request.quiet or request.as_json
    with notices(request.quiet), warnings.catch_warnings(), progress_shown(is_silent):
        # The stop reason is printed anyway, unlike the notices, for example about held-out rows.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Notice)
        model.fit(
            examples.X,
            examples.labels,
            validation_set=validation_set,
            sample_weight=examples.weights,
        )


def _of_last_epochs_only(model: RowClassifier) -> list[str]:
    """Return notices about settings that resumed training applies to the new epochs alone."""
    found = []
    if model.get_params().get("average") == "tail":
        found.append(
            "the weights continue as if training had not stopped, but where their mean begins "
            "(average tail) is counted from here: train once with all epochs for the mean of one "
            "training"
        )
    if model.calibrate:
        found.append(
            "the weights continue as if training had not stopped, but probabilities (calibrate) "
            "are fitted to these epochs only: train once with all epochs for those of one training"
        )
    return found


def _report(facts: dict[str, Any], request: TrainRequest) -> list[str]:
    """Return the lines that describe the training."""
    lines = summary(facts, request.data)
    if request.cv is not None:
        from statistics import mean, stdev

        shares = facts["cross_validation"]
        each = " ".join(f"{share:.4f}" for share in shares)
        average = f"{mean(shares):.4f} ± {stdev(shares):.4f}"
        lines.insert(-1, f"{request.cv} folds: accuracy {average} ({each})")
    return lines


def _cross_validated(
    learner: Entry,
    parameters: dict[str, Any],
    examples: Examples,
    options: FeatureOptions | None,
    n_folds: int,
    seed: int,
) -> list[float]:
    """Return the accuracy on each fold of a learner that is trained on the other folds.

    With `options` the schema is guessed from the other folds; otherwise the known one is used.
    """
    from rosenblatt.estimators.selection import cross_validation
    from rosenblatt.tables.features.schemas import guess_schema

    block = examples.block
    known = examples.schema
    if hasattr(block.labels, "codes"):
        raise click.UsageError("--cv takes folds of rows in memory; packed rows stay on the disk.")

    def encode(learned: IndexArray, held: IndexArray) -> tuple[Table, Table]:
        part = block.take(learned)
        rest = block.take(held)
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


# ---------------------------------------------------------------------- the rows


def _check_labels(examples: Examples, data: tuple[str, ...], *, resumed: bool) -> None:
    """Raise if the labels cannot be classes: fractions or, for a new model, a single class."""
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


def _odd_about_target(examples: Examples) -> list[TargetWarning]:
    """Return warnings about the target: a wrong column, or a feature that leaks it."""
    from rosenblatt.tables.readers.table import Table

    if not isinstance(examples.block, Table):
        return []
    from rosenblatt.inspection.target_checks import check_target

    used = [column.name for column in examples.schema.columns if column.kind != "ignored"]
    return check_target(examples.block, used)


def _refuse_lone_class(model: RowClassifier, data: tuple[str, ...]) -> None:
    from rosenblatt.errors import DataError

    classes = model.classes_.tolist()
    if len(classes) < 2:
        raise DataError(f"only class {classes[0]!r} seen so far; two are needed", name=named(data))
