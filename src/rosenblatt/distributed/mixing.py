"""Iterative parameter mixing: every shard learns an epoch, and what they learned is mixed."""

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
from typing import Any

import numpy as np

from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.core import epochs
from rosenblatt.core.classes import label_array, refuse_one_class
from rosenblatt.core.result import FitResult, Validation
from rosenblatt.core.weights import RUNNING_SUM
from rosenblatt.distributed import tasks
from rosenblatt.distributed.distribution_report import DistributionReport
from rosenblatt.distributed.merging import RUNNING_SUM_OF, cut, joined_encoder, set_mean
from rosenblatt.distributed.shards import judged_columns
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.learner.majority import MajorityBaseline
from rosenblatt.learner.options import seed_from
from rosenblatt.learner.progress import progress
from rosenblatt.learner.targets import class_factors, read_pair, read_weights
from rosenblatt.linear.data_units import DataUnits
from rosenblatt.model import disk
from rosenblatt.model.file import load, save
from rosenblatt.structured.tagging import TagModel

EPOCHS_ALONE = 3


class MixingRun(epochs.Trainer):
    """One training: the model between two epochs, and how the shards learn the next one.

    The average of a learner that averages is mixed of the means that the shards had over the last
    epoch: a mean over all epochs would be held back by the first, which mixing is slow to leave.
    """

    def __init__(
        self,
        learner: Any,
        workers: Any,
        shards: Sequence[Any],
        mix: str,
        validation_set: Any,
        checkpoint: Any,
    ) -> None:
        self.learner, self.workers, self.mix = learner, workers, mix
        self.began = perf_counter()
        found = workers.run(tasks.summarize, learner, shards)
        self.numbers = [number for number, summary in enumerate(found) if summary.n_examples]
        if not self.numbers:
            raise InputError("there are no examples in any of the shards.")
        self.shards = [shards[number] for number in self.numbers]
        self.summaries: list[tasks.Summary] = [found[number] for number in self.numbers]
        told = [(s.name, own.tallies or {}) for s, own in zip(shards, found, strict=True)]
        self.strays = judged_columns(told, shards[0].name)
        self.labels = _labels_of(self.summaries)
        self.seed = seed_from(learner.random_state)
        self._begin()
        self.validation: Validation | None = None
        if validation_set is not None:
            X, y = read_pair(validation_set, "of examples and labels")
            # Sparse rows of a file are as wide as the last of their features.
            X = X.widen(max(X.shape[1], learner.n_features_in_)) if hasattr(X, "widen") else X
            self.watched, patience = (X, y), int(learner.n_iter_no_change)
            self.validation = Validation(lambda: self._score(learner), self._best, patience)
        super().__init__(sum(summary.n_examples for summary in self.summaries))
        self.result.n_rows = None if self.of_sentences else self.n_examples
        # Mixed sums: steps, those that raised a class alone, updates, longest weights, mistakes.
        self.sums, self.history = [0.0] * 5, list[list[float]]()
        self.report = self._new_report()
        self.path = None if checkpoint is None else os.fspath(checkpoint)
        if self.path is not None and os.path.exists(self.path):
            self._resume(self.path)

    @property
    def of_sentences(self) -> bool:
        return isinstance(self.learner._model, TagModel)

    def _begin(self) -> None:
        """Zero weights for all classes and features that any shard has."""
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
        # Of a shard all rows may weigh nothing, but not of all shards.
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
        learner._model.seed = learner._model.random = self.seed
        learner._model.units = self._units()
        self.separates = self.converges = not learner.rule().blames_all_rivals

    def _refuse_other_widths(self) -> None:
        """Dense rows of all shards have the same columns; sparse ones end with their last value."""
        pairs = list(zip(self.shards, self.summaries, strict=True))
        widest, most = max(pairs, key=lambda pair: pair[1].n_features)
        for shard, summary in pairs:
            if summary.is_dense and summary.n_features != most.n_features:
                raise InputError(
                    f"{shard.name} has {summary.n_features} columns, but {widest.name} has "
                    f"{most.n_features}. Give all of them the same columns."
                )

    def _units(self) -> DataUnits:
        """What the rows of all shards measure."""
        counts, bias = [s.n_examples for s in self.summaries], float(self.learner.fit_intercept)
        means = zip(*(s.units for s in self.summaries if s.units is not None), strict=True)
        norm, values = (float(np.average(mean, weights=counts)) + bias for mean in means)
        return DataUnits(norm, values)

    def _new_report(self) -> DistributionReport:
        every, farthest = sum(self.labels.values()), 0.0
        for summary in self.summaries:
            own = sum(summary.labels.values())
            apart = (summary.labels.get(c, 0) / own - n / every for c, n in self.labels.items())
            farthest = max(farthest, sum(map(abs, apart)) / 2)
        squared = max(s.longest for s in self.summaries) + getattr(self.learner, "fit_intercept", 0)
        squared *= 1 if getattr(self.learner._model, "n_vectors", 1) == 1 else 2
        examples = [summary.n_examples for summary in self.summaries]
        name, n = type(self.workers).__name__.lower(), self.workers.n_workers
        shares = examples, self.labels, farthest
        report = DistributionReport(name, n, self.mix, *shares, math.sqrt(squared))
        report.strays = [tally.stray_words(name) for name, tally in self.strays.items()]
        report.read = sum(summary.seconds for summary in self.summaries)
        report.seconds = {"reading": report.read, "learning": 0.0, "mixing": 0.0, "total": 0.0}
        return report

    # ------------------------------------------------------------------ epochs

    def train(self) -> FitResult:
        learner, result, report = self.learner, self.result, self.report
        most, self.last_predicts = int(learner.max_iter), learner.last_predicts
        with progress(learner.verbose, most, type(learner).__name__) as show:

            def after_epoch(_: int, mistakes: int, score: float | None) -> None:
                if score is not None:
                    report.clock.append(perf_counter() - self.began)
                    report.errors.append(1.0 - score)
                if show is not None:
                    show(result.n_iter, mistakes, score)

            epochs.run(
                self,
                max_iter=most - result.n_iter if result.stop_reason == "max_iter" else 0,
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
        learner._majority = None if self.of_sentences else self._majority_baseline()
        report.seconds["total"] = perf_counter() - self.began
        if self.validation is not None:
            self._run_alone()
        return result

    def learn(self, order: Any = None) -> int:
        """One epoch of all shards, mixed; before it the one that was is kept."""
        model, report, n = self.learner._model, self.report, len(self.shards)
        epoch = self.result.n_iter + 1
        if epoch > 1 and self.path is not None:
            self._keep("interrupted")
            model.best = None
        seeds = [shard_seed(self.seed, epoch, number) for number in self.numbers]
        started, (light, starts) = perf_counter(), self._fresh()
        mixing = perf_counter() - started
        found = self.workers.run(tasks.learn, light, self.shards, starts, seeds)
        started, (parts, counts) = perf_counter(), zip(*found, strict=True)
        if self.of_sentences:
            pairs = zip(parts, self.places, strict=True)
            parts = tuple(part._replace(features=place[part.features]) for part, place in pairs)
        mistakes = [own.mistakes for own in counts]
        weights = [1] * n if self.mix == "uniform" or not any(mistakes) else mistakes
        t, n_mistakes = model.t, model.n_mistakes
        set_mean(model, parts, [Fraction(c) for c in weights])
        _join_past(model, t, n_mistakes)
        report.mistakes.append(mistakes)
        self._prove([c / sum(weights) for c in weights], counts)
        report.seconds["mixing"] += mixing + perf_counter() - started
        report.seconds["reading"] += sum(own.reading for own in counts)
        report.seconds["learning"] += sum(own.learning for own in counts)
        if report.engine != "threads":
            back = [part.tables for part in parts]
            there = starts if self.of_sentences else back
            tables = (table for own in (*there, *back) for table in own.values())
            report.bytes_moved += sum(table.nbytes for table in tables)
        self.n_updates += sum(own.updates for own in counts)
        return sum(mistakes)

    def _fresh(self) -> tuple[Any, list[Any]]:
        """As `_light` of the mixed weights, which begins to count and to average anew."""
        model = copy(self.learner._model)
        light, starts = self._light(model, model.weights)
        if not self.of_sentences:
            model.weights = model.weights.copy()
            if model.weights.averaged:
                sums = model.weights.plane(RUNNING_SUM)
                sums.table[...] = 0.0
                sums.bias[...] = 0.0
                model.weights.average_from = 0
            if isinstance(light.class_weight, str):  # balanced over all shards
                numbers = np.repeat(np.arange(len(self.labels)), list(self.labels.values()))
                given = list(self.labels), numbers.astype(np.int32)
                factors = class_factors(light.class_weight, *given, all_known=True)
                light.class_weight = dict(zip(self.labels, factors.tolist(), strict=True))
        model.best, model.n_mistakes, model.t, model.row_offset = None, 0, 0, 0
        return light, starts

    def _light(self, model: Any, weights: Any) -> tuple[Any, list[Any]]:
        """A learner of a model, for all shards; a tagger's has no weights.

        Instead each shard gets those of its own features.
        """
        light, starts = copy(self.learner), self.places
        light._model = model
        if self.of_sentences:
            model.encoder = model.best = model._average = None
            model.weights = TagWeights(len(model.tags), model.order)
            starts = [cut(weights, place) for place in self.places]
        return light, starts

    def _prove(self, shares: list[float], counts: Sequence[Any]) -> None:
        """A unit vector of margin γ gains γ Σ μ·steps with the mixed weights, which bounds γ.

        The mixed form of `rosenblatt.core.training.MarginCeiling`.
        """
        pairs = list(zip(shares, counts, strict=True))
        self.sums[0] += sum(c * own.step_sum for c, own in pairs)
        self.sums[1] += sum(c * own.raised_sum for c, own in pairs)
        self.sums[2] += sum(own.updates for own in counts)
        self.sums[4] += sum(c * own.mistakes for c, own in pairs)
        self.report.weighted_mistakes = self.sums[4]
        if self.sums[0] > 0.0 and not getattr(self.learner._model.weights, "rates", None):
            mixed = self.learner._model.weights
            length = math.sqrt(mixed.squared_distance())
            self.sums[3] = max(self.sums[3], length, *(own.length for own in counts))
            steps, raised, updates, longest, _ = self.sums
            rounded = updates + 8 * len(shares) * (self.result.n_iter + 1)
            rounded *= 2.0 * float(np.finfo(mixed.table.dtype).eps)
            row = math.sqrt(max(summary.longest for summary in self.summaries) + 1.0)
            ceiling = (length + raised * row + rounded * longest) / steps
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

    def _count_errors(self, light: Any, starts: list[Any]) -> int:
        return sum(self.workers.run(tasks.count_errors, light, self.shards, starts))

    def _majority_baseline(self) -> MajorityBaseline | None:
        """Of rows that all count alike."""
        learner, counts = self.learner, self.labels
        if learner.class_weight is not None or any(own.weighted for own in self.summaries):
            return None
        top, errors = max(counts, key=counts.__getitem__), learner.n_training_errors_
        of_majority = sum(counts.values()) - counts[top]
        if self.validation is not None:
            labels = np.asarray(self.watched[1])
            of_majority = int(np.count_nonzero(labels != top))
            errors = round(len(labels) * (1 - max(self.validation.scores)))
        given = of_majority, errors, self.validation is not None
        return MajorityBaseline(top, *given) if of_majority else None

    def _score(self, learner: Any) -> float:
        return float(learner.score(*self.watched))

    def _best(self) -> Any:
        model = self.learner._model
        model.t_of_best = model.t
        if self.of_sentences:
            return model.weights.averaged() if self.learner.averaged else model.weights.copy()
        return model.state()

    def _run_alone(self) -> None:
        """Some epochs of one learner on the first shard alone, to compare with."""
        trained, seconds = self.learner.__dict__.copy(), 0.0
        self._begin()
        light, starts = self._fresh()
        self.learner.__dict__ = trained
        alone, examples = tasks.own_learner(light, starts[0]), tasks.loaded(self.shards[0], light)
        if self.of_sentences:
            alone._model.encoder = self.summaries[0].encoder
        trainer = examples.trainer(alone)
        for epoch in range(1, EPOCHS_ALONE + 1):
            seed, start = shard_seed(self.seed, epoch, self.numbers[0]), perf_counter()
            epochs.run(trainer, max_iter=1, shuffle=bool(alone.shuffle), random=seed)
            seconds += perf_counter() - start
            self.report.alone.append((seconds, 1.0 - self._score(alone)))

    # ------------------------------------------------------------------ what is left behind

    def _fingerprint(self) -> str:
        """Of all that decides how the run goes on, apart from its length."""
        params = self.learner.get_params() | {"max_iter": 0, "verbose": 0}
        data = [(s.n_examples, s.n_features, sorted(s.labels.items())) for s in self.summaries]
        known = repr((sorted(params.items()), self.mix, self.numbers, data, bool(self.validation)))
        return hashlib.sha256(known.encode()).hexdigest()

    def _keep(self, stop_reason: str) -> None:
        """What is known of the run so far becomes the learner's own, and the checkpoint's."""
        result, watch = copy(self.result), self.validation
        result.stop_reason, result.mistakes_per_epoch = stop_reason, [*result.mistakes_per_epoch]
        self.learner._model.best = None if watch is None else watch.best
        best = () if watch is None else (list(watch.scores), watch.best_epoch)
        self.learner._set_fit(result, *best)
        if self.path is None:
            return
        run = {"run": self._fingerprint(), "sums": self.history, "mistakes": self.report.mistakes}
        # Written first: what it has beyond the epochs of the model is left out on the way back.
        disk.replace(f"{self.path}.json", [json.dumps(run).encode()])
        save(self.learner, self.path)

    def _resume(self, path: str) -> None:
        kept, validation = load(path), self.validation
        try:
            with open(f"{path}.json", encoding="utf-8") as file:
                run = json.load(file)
            same = run["run"] == self._fingerprint()
        except (OSError, ValueError, KeyError):
            same = False
        if not same:
            raise ParameterError(
                f"{path} is no checkpoint of this run: the learner, its parameters, the shards or "
                "the data differ. Name another file, or delete it."
            )
        self.history, self.report.mistakes = run["sums"][: kept.n_iter_], run["mistakes"]
        del self.report.mistakes[kept.n_iter_ :]
        self.sums = list(self.history[-1])
        self.report.weighted_mistakes, self.seed = self.sums[4], kept._model.seed
        self.learner._model = kept._model
        self.result.mistakes_per_epoch = list(kept.mistakes_per_epoch_)
        ceiling = getattr(kept, "margin_ceiling_", math.inf)
        self.result.margin_ceiling = self.report.margin_ceiling = ceiling
        if kept.stop_reason_ != "interrupted":
            self.result.stop_reason = kept.stop_reason_
        if validation is not None:
            validation.scores, validation.best_epoch = kept.validation_scores_, kept.best_iter_
            validation.best = kept._model.best
            self.report.errors = [1.0 - score for score in validation.scores]
            self.report.clock = [0.0] * kept.n_iter_
        kept._model.best = None


def shard_seed(seed: int, epoch: int, shard: int) -> int:
    """Where the order of a shard in an epoch starts from."""
    return int.from_bytes(hashlib.sha256(f"{seed} {epoch} {shard}".encode()).digest()[:8], "little")


def _labels_of(summaries: list[tasks.Summary]) -> dict[Any, int]:
    """How often each label occurs, in their order."""
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


def _join_past(mixed: Any, t: int, n_mistakes: int) -> None:
    """Count what came before. The mean ``w - u/t`` stays that of the last epoch: u grows with t."""
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
