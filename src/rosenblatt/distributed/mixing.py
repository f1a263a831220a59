"""Iterative parameter mixing: every shard learns one epoch, and the weights are averaged."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import SparseRows
from rosenblatt.distributed import tasks
from rosenblatt.distributed.distribution_report import DistributionReport
from rosenblatt.distributed.engines import Engine
from rosenblatt.distributed.merging import RUNNING_SUM_OF, cut, joined_encoder, set_mean
from rosenblatt.distributed.shards import judged_columns
from rosenblatt.distributed.tasks import AnyShard
from rosenblatt.engine.tags.tag_weights import TagWeights
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.estimators.majority import MajorityBaseline
from rosenblatt.estimators.params import seed_from
from rosenblatt.estimators.progress import progress
from rosenblatt.estimators.targets import class_factors, read_pair, read_weights
from rosenblatt.models import epochs
from rosenblatt.models.classes import label_array, refuse_one_class
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.result import FitResult, Validation
from rosenblatt.models.tags import TagModel
from rosenblatt.models.weights import RUNNING_SUM
from rosenblatt.persistence import disk
from rosenblatt.persistence.file import load, save

if TYPE_CHECKING:
    from rosenblatt.distributed.merging import Tables
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.estimators.structured.tagger import SequenceTagger

    AnyLearner = LinearLearner | SequenceTagger

# Epochs of the single learner that the report compares the run with.
EPOCHS_ALONE = 3


class MixingRun(epochs.Trainer):
    """A training run: the mixed model between two epochs, and the next epoch on all shards.

    For a learner that averages, the averages of the shards over the last epoch are mixed. An
    average over all epochs would depend too much on the first ones, because mixing is slow at
    first.
    """

    def __init__(
        self,
        learner: Any,
        workers: Engine,
        shards: Sequence[AnyShard],
        mix: str,
        validation_set: Any,
        checkpoint: str | os.PathLike[str] | None,
    ) -> None:
        self.learner = learner
        self.workers = workers
        self.mix = mix
        self.started = perf_counter()

        # Read all shards; leave out the empty ones.
        found: list[tasks.Summary] = workers.run(tasks.summarize, learner, shards)
        self.numbers = [number for number, summary in enumerate(found) if summary.n_examples]
        if not self.numbers:
            raise InputError("there are no examples in any of the shards.")
        self.shards = [shards[number] for number in self.numbers]
        self.summaries: list[tasks.Summary] = [found[number] for number in self.numbers]
        tallies = [(s.name, own.tallies or {}) for s, own in zip(shards, found, strict=True)]
        self.strays = judged_columns(tallies, shards[0].name)
        self.labels = _count_labels(self.summaries)
        self.seed = seed_from(learner.random_state)
        self._begin()

        self.validation: Validation | None = None
        if validation_set is not None:
            X, y = read_pair(validation_set, "of examples and labels")
            # Sparse rows of a file end with the last feature that occurs in it.
            if isinstance(X, SparseRows):
                X = X.widen(max(X.shape[1], learner.n_features_in_))
            self.validation_set = (X, y)
            patience = int(learner.n_iter_no_change)
            self.validation = Validation(lambda: self._score(learner), self._best, patience)

        super().__init__(sum(summary.n_examples for summary in self.summaries))
        self.result.n_rows = None if self.of_sentences else self.n_examples
        # Mixed sums: steps, steps that raised only one class, updates, longest weights, mistakes.
        self.sums = [0.0] * 5
        # The sums after every epoch, for the checkpoint.
        self.history: list[list[float]] = []
        self.report = self._new_report()
        self.path = None if checkpoint is None else os.fspath(checkpoint)
        if self.path is not None and os.path.exists(self.path):
            self._resume(self.path)

    @property
    def of_sentences(self) -> bool:
        return isinstance(self.learner._model, TagModel)

    def _begin(self) -> None:
        """Start from zero weights for all classes and features of all shards."""
        learner = self.learner
        self.places: list[Any] = [None] * len(self.shards)
        if self.summaries[0].encoder is not None:
            encoders = [summary.encoder for summary in self.summaries]
            encoder, self.places = joined_encoder(encoders)
            learner._model = TagModel(int(learner.order), self.seed, encoder)
            learner._model.admit_all(self.labels)
            learner._model.weights.know(encoder.n_features)
            return
        classes = sorted(self.labels)
        refuse_one_class(classes)
        # All rows of one shard may have weight 0, but not the rows of all shards.
        read_weights(None, learner.class_weight, classes, np.arange(len(classes), dtype=np.int32))
        if all(summary.weighs_nothing for summary in self.summaries):
            raise InputError(
                "sample_weight leaves a weight of zero for every row, so nothing can be learned."
            )
        self._refuse_other_widths()
        learner.n_features_in_ = max(summary.n_features for summary in self.summaries)
        dtype = np.result_type(*(summary.dtype for summary in self.summaries))
        learner._model = learner._empty_model(classes, learner.n_features_in_, dtype)
        learner._model.label_dtype = label_array(classes).dtype
        learner._model.seed = self.seed
        learner._model.random = self.seed
        learner._model.units = self._units()
        self.separates = not learner.rule().blames_all_rivals
        self.converges = self.separates

    def _refuse_other_widths(self) -> None:
        """Raise an error if dense rows of two shards have different numbers of columns.

        Sparse rows may differ, because they end with their last value.
        """
        pairs = list(zip(self.shards, self.summaries, strict=True))
        widest, most = max(pairs, key=lambda pair: pair[1].n_features)
        for shard, summary in pairs:
            if summary.is_dense and summary.n_features != most.n_features:
                raise InputError(
                    f"{shard.name} has {summary.n_features} columns, but {widest.name} has "
                    f"{most.n_features}. Give all of them the same columns."
                )

    def _units(self) -> DataUnits:
        """Return the data units of the rows of all shards, averaged by their numbers of rows."""
        counts = [summary.n_examples for summary in self.summaries]
        bias = float(self.learner.fit_intercept)
        means = zip(*(s.units for s in self.summaries if s.units is not None), strict=True)
        norm, values = (float(np.average(mean, weights=counts)) + bias for mean in means)
        return DataUnits(norm, values)

    def _new_report(self) -> DistributionReport:
        # The largest total variation distance between the classes of a shard and those of all.
        n_labels = sum(self.labels.values())
        class_difference = 0.0
        for summary in self.summaries:
            n_own = sum(summary.labels.values())
            differences = (
                abs(summary.labels.get(label, 0) / n_own - n / n_labels)
                for label, n in self.labels.items()
            )
            class_difference = max(class_difference, sum(differences) / 2)

        # R² of (x, 1) with a bias; twice as much with several classes (Kesler's construction).
        squared_radius = max(summary.longest for summary in self.summaries)
        if not self.of_sentences:
            squared_radius += self.learner.fit_intercept
            if self.learner._model.n_vectors > 1:
                squared_radius *= 2

        report = DistributionReport(
            engine=type(self.workers).__name__.lower(),
            n_workers=self.workers.n_workers,
            mix=self.mix,
            examples=[summary.n_examples for summary in self.summaries],
            labels=self.labels,
            class_difference=class_difference,
            radius=math.sqrt(squared_radius),
        )
        report.strays = [tally.stray_words(name) for name, tally in self.strays.items()]
        report.read = sum(summary.seconds for summary in self.summaries)
        report.seconds = {"reading": report.read, "learning": 0.0, "mixing": 0.0, "total": 0.0}
        return report

    # ------------------------------------------------------------------ epochs

    def train(self) -> FitResult:
        """Train until a stopping criterion is met; the result becomes that of the learner."""
        learner = self.learner
        result = self.result
        report = self.report
        max_iter = int(learner.max_iter)
        self.last_predicts = learner.last_predicts
        with progress(learner.verbose, max_iter, type(learner).__name__) as show:

            def after_epoch(_: int, mistakes: int, score: float | None) -> None:
                if score is not None:
                    report.clock.append(perf_counter() - self.started)
                    report.errors.append(1.0 - score)
                if show is not None:
                    show(result.n_iter, mistakes, score)

            # A resumed run that had a reason to stop takes no more epochs.
            epochs_left = max_iter - result.n_iter if result.stop_reason == "max_iter" else 0
            epochs.run(
                self,
                max_iter=epochs_left,
                shuffle=False,
                random=result.random,
                tol=getattr(learner, "tol", None),
                validation=self.validation,
                after_epoch=after_epoch,
                patience=int(learner.n_iter_no_change),
            )
        self._keep(result.stop_reason)
        model = copy(learner._model)
        served = model.served(averaged=learner.averaged) if self.of_sentences else None
        learner._keep_errors(self._count_errors(*self._light(model, served)))
        if not self.of_sentences:
            learner._fit_outcome().majority = self._majority_baseline()
        report.seconds["total"] = perf_counter() - self.started
        if self.validation is not None:
            self._run_alone()
        return result

    def learn(self, order: epochs.Order | None = None) -> int:
        """Learn one epoch on all shards and mix the weights; first save the previous epoch."""
        model = self.learner._model
        report = self.report
        epoch = self.result.n_iter + 1
        if epoch > 1 and self.path is not None:
            self._keep("interrupted")
            model.best = None

        # Every shard learns from the mixed weights.
        seeds = [shard_seed(self.seed, epoch, number) for number in self.numbers]
        before = perf_counter()
        light, starts = self._fresh()
        mixing = perf_counter() - before
        found = self.workers.run(tasks.learn, light, self.shards, starts, seeds)

        # The features of a tagger are numbered differently in each shard.
        before = perf_counter()
        parts, counts = zip(*found, strict=True)
        if self.of_sentences:
            pairs = zip(parts, self.places, strict=True)
            parts = tuple(part._replace(features=place[part.features]) for part, place in pairs)

        # Mix them, all alike or by their mistakes.
        mistakes = [own.mistakes for own in counts]
        is_uniform = self.mix == "uniform" or not any(mistakes)
        weights = [1] * len(self.shards) if is_uniform else mistakes
        previous_t = model.t
        previous_mistakes = model.n_mistakes
        set_mean(model, parts, [Fraction(weight) for weight in weights])
        _add_previous_epochs(model, previous_t, previous_mistakes)
        # The fast path of the learner still has the weights of the epoch before.
        self.learner.retire_engine()
        report.mistakes.append(mistakes)
        self._bound_margin([weight / sum(weights) for weight in weights], counts)

        report.seconds["mixing"] += mixing + perf_counter() - before
        report.seconds["reading"] += sum(own.reading for own in counts)
        report.seconds["learning"] += sum(own.learning for own in counts)
        if report.engine != "threads":
            received = [part.tables for part in parts]
            sent = starts if self.of_sentences else received
            tables = (table for own in (*sent, *received) for table in own.values())
            report.bytes_moved += sum(table.nbytes for table in tables)
        self.n_updates += sum(own.updates for own in counts)
        return sum(mistakes)

    def _fresh(self) -> tuple[Any, list[Any]]:
        """Return the learner and weights to send to shards, with counters and averages reset."""
        model = copy(self.learner._model)
        light, starts = self._light(model, model.weights)
        if not self.of_sentences:
            model.weights = model.weights.copy()
            if model.weights.averaged:
                sums = model.weights.plane(RUNNING_SUM)
                sums.table[...] = 0.0
                sums.bias[...] = 0.0
                model.weights.average_from = 0
            if isinstance(light.class_weight, str):
                # "balanced" refers to the classes of all shards.
                classes = list(self.labels)
                numbers = np.repeat(np.arange(len(classes)), list(self.labels.values()))
                factors = class_factors(
                    light.class_weight, classes, numbers.astype(np.int32), all_known=True
                )
                light.class_weight = dict(zip(classes, factors.tolist(), strict=True))
        model.best = None
        model.n_mistakes = 0
        model.t = 0
        model.row_offset = 0
        return light, starts

    def _light(self, model: Any, weights: Any) -> tuple[Any, list[Any]]:
        """Return a learner to send to all shards, and the weights to send to each.

        A tagger is sent without weights, and each shard gets only the weights of its own features.
        """
        light = copy(self.learner)
        light._model = model
        starts = self.places
        if self.of_sentences:
            model.encoder = None
            model.best = None
            model._average = None
            model.weights = TagWeights(len(model.tags), model.order)
            starts = [cut(weights, place) for place in self.places]
        return light, starts

    def _bound_margin(self, shares: list[float], counts: Sequence[tasks.Counts]) -> None:
        """Update the upper bound on the margin γ that the run proves.

        The product of the mixed weights with a unit vector of margin γ is at least γ Σ μ·steps and
        at most ‖w‖, so γ is at most ‖w‖ / Σ μ·steps. This is the mixed form of
        `rosenblatt.models.linear_training.MarginCeiling`.
        """
        pairs = list(zip(shares, counts, strict=True))
        self.sums[0] += sum(c * own.step_sum for c, own in pairs)
        self.sums[1] += sum(c * own.raised_sum for c, own in pairs)
        self.sums[2] += sum(own.updates for own in counts)
        self.sums[4] += sum(c * own.mistakes for c, own in pairs)
        self.report.weighted_mistakes = self.sums[4]
        mixed = self.learner._model.weights
        # A tagger has no steps in its sums, so these are the weights of a linear model.
        if self.sums[0] > 0.0 and not mixed.rates:
            length = math.sqrt(mixed.squared_distance())
            self.sums[3] = max(self.sums[3], length, *(own.length for own in counts))
            steps, raised, updates, longest, _ = self.sums
            # Every update and every mix rounds the weights.
            n_roundings = updates + 8 * len(shares) * (self.result.n_iter + 1)
            rounding = n_roundings * (2.0 * float(np.finfo(mixed.table.dtype).eps))
            # A step that raised only one class gained less, by at most the length of a row.
            longest_row = math.sqrt(max(summary.longest for summary in self.summaries) + 1.0)
            ceiling = (length + raised * longest_row + rounding * longest) / steps
            self.report.margin_ceiling = min(self.report.margin_ceiling, ceiling)
        self.history.append(list(self.sums))

    def margin_ceiling(self) -> float:
        return self.report.margin_ceiling

    @property
    def longest(self) -> float:
        return self.report.radius

    def is_right(self, *, changed: bool) -> bool:
        if self.of_sentences or not changed:
            return True
        light, starts = self._fresh()
        return all(self.workers.run(tasks.is_right, light, self.shards, starts))

    def _count_errors(self, light: AnyLearner, starts: Sequence[Tables | None]) -> int:
        return sum(self.workers.run(tasks.count_errors, light, self.shards, starts))

    def _majority_baseline(self) -> MajorityBaseline | None:
        """Return the comparison with the majority baseline; None if rows have weights."""
        learner = self.learner
        counts = self.labels
        if learner.class_weight is not None or any(own.weighted for own in self.summaries):
            return None
        top = max(counts, key=counts.__getitem__)
        errors = learner.n_training_errors_
        majority_errors = sum(counts.values()) - counts[top]
        if self.validation is not None:
            labels = np.asarray(self.validation_set[1])
            majority_errors = int(np.count_nonzero(labels != top))
            errors = round(len(labels) * (1 - max(self.validation.scores)))
        if not majority_errors:
            return None
        return MajorityBaseline(top, majority_errors, errors, self.validation is not None)

    def _score(self, learner: AnyLearner) -> float:
        return float(learner.score(*self.validation_set))

    def _best(self) -> Any:
        """Return a snapshot of the weights that predict."""
        model = self.learner._model
        model.t_of_best = model.t
        if self.of_sentences:
            return model.weights.averaged() if self.learner.averaged else model.weights.copy()
        return model.state()

    def _run_alone(self) -> None:
        """Train one learner for some epochs on the first shard only, as a baseline."""
        # Start from zero weights, and restore the trained learner afterwards.
        trained = self.learner.__dict__.copy()
        self._begin()
        light, starts = self._fresh()
        self.learner.__dict__ = trained

        alone = tasks.own_learner(light, starts[0])
        examples = tasks.loaded(self.shards[0], light)
        if self.of_sentences:
            alone._model.encoder = self.summaries[0].encoder
        trainer = examples.trainer(alone)
        seconds = 0.0
        for epoch in range(1, EPOCHS_ALONE + 1):
            seed = shard_seed(self.seed, epoch, self.numbers[0])
            before = perf_counter()
            epochs.run(trainer, max_iter=1, shuffle=bool(alone.shuffle), random=seed)
            seconds += perf_counter() - before
            self.report.alone.append((seconds, 1.0 - self._score(alone)))

    # ------------------------------------------------------------------ checkpoints

    def _fingerprint(self) -> str:
        """Return a hash of everything that decides the run, except its length."""
        params = self.learner.get_params() | {"max_iter": 0, "verbose": 0}
        data = [(s.n_examples, s.n_features, sorted(s.labels.items())) for s in self.summaries]
        text = repr((sorted(params.items()), self.mix, self.numbers, data, bool(self.validation)))
        return hashlib.sha256(text.encode()).hexdigest()

    def _keep(self, stop_reason: str) -> None:
        """Store the state of the run in the learner, and in the checkpoint if there is one."""
        result = copy(self.result)
        result.stop_reason = stop_reason
        result.mistakes_per_epoch = [*result.mistakes_per_epoch]
        if self.validation is None:
            self.learner._model.best = None
            self.learner._set_fit(result)
        else:
            self.learner._model.best = self.validation.best
            self.learner._set_fit(result, list(self.validation.scores), self.validation.best_epoch)
        self.learner.retire_engine()
        if self.path is None:
            return
        run = {"run": self._fingerprint(), "sums": self.history, "mistakes": self.report.mistakes}
        # Written before the model: if the run is killed in between, `_resume` ignores the epochs
        # that the model does not have.
        disk.replace(f"{self.path}.json", [json.dumps(run).encode()])
        save(self.learner, self.path)

    def _resume(self, path: str) -> None:
        """Restore the state of a run from its checkpoint; raise an error if it is another run."""
        kept = load(path)
        try:
            with open(f"{path}.json", encoding="utf-8") as file:
                run = json.load(file)
            is_same_run = run["run"] == self._fingerprint()
        except (OSError, ValueError, KeyError):
            is_same_run = False
        if not is_same_run:
            raise ParameterError(
                f"{path} is no checkpoint of this run: the learner, its parameters, the shards or "
                "the data differ. Name another file, or delete it."
            )

        # The sums of the run.
        self.history = run["sums"][: kept.n_iter_]
        self.sums = list(self.history[-1])
        self.report.mistakes = run["mistakes"][: kept.n_iter_]
        self.report.weighted_mistakes = self.sums[4]

        # The model and its result; a tagger has no margin ceiling.
        self.seed = kept._model.seed
        self.learner._model = kept._model
        self.result.mistakes_per_epoch = list(kept.mistakes_per_epoch_)
        ceiling = getattr(kept, "margin_ceiling_", math.inf)
        self.result.margin_ceiling = ceiling
        self.report.margin_ceiling = ceiling
        if kept.stop_reason_ != "interrupted":
            self.result.stop_reason = kept.stop_reason_
        if self.validation is not None:
            self.validation.scores = kept.validation_scores_
            self.validation.best_epoch = kept.best_iter_
            self.validation.best = kept._model.best
            self.report.errors = [1.0 - score for score in self.validation.scores]
            self.report.clock = [0.0] * kept.n_iter_
        kept._model.best = None


def shard_seed(seed: int, epoch: int, shard: int) -> int:
    """Return the seed for the order of a shard in an epoch."""
    digest = hashlib.sha256(f"{seed} {epoch} {shard}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def _count_labels(summaries: list[tasks.Summary]) -> dict[Any, int]:
    """Return how often each label occurs, in the order of the labels."""
    total = Counter[Any]()
    for summary in summaries:
        total.update(summary.labels)
    try:
        return dict(sorted(total.items()))
    except TypeError:
        raise InputError(
            "labels of different shards cannot be compared: in some they are numbers, in others "
            "texts. Read all of them as texts (labels='text')."
        ) from None


def _add_previous_epochs(mixed: Any, t: int, n_mistakes: int) -> None:
    """Add the counters of the previous epochs to those of the last one.

    The average ``w - running_sum / t`` must stay that of the last epoch, so the sums grow with t.
    """
    weights = mixed.weights
    growth = (t + mixed.t) / mixed.t
    if isinstance(mixed, TagModel):
        running_sums = [getattr(weights, name) for name in RUNNING_SUM_OF.values()]
    else:
        running_sums = list(weights.plane(RUNNING_SUM)) if weights.averaged else []
    for sums in running_sums:
        sums *= growth
    if not isinstance(mixed, TagModel):
        mixed.n_epochs += 1
    mixed.t += t
    mixed.n_mistakes += n_mistakes
    mixed.next_row = mixed.t
