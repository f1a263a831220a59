"""How a tagger hands itself over to a model file, and is made from one again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rosenblatt._kernels.tags.tag_features import FeatureTable
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.structured.constraints import allowed_steps
from rosenblatt.structured.sentences import Encoder
from rosenblatt.structured.tag_fitting import TagLearning
from rosenblatt.structured.tagging import TagLedger, TagModel

if TYPE_CHECKING:  # files are not for those who only fit and predict
    from rosenblatt.model.card import Fit
    from rosenblatt.model.state import State
    from rosenblatt.model.tagger import Tagger

__all__ = ["SavedTagger"]


class SavedTagger(TagLearning):
    """``_to_state`` and ``_from_state``, between which nothing is lost."""

    def _to_state(self) -> State:
        from rosenblatt.model.tagger import Tagger, tagger_state

        self._refuse_unfitted()
        self._check_saved()
        model, encoder = self._model, self._encoder
        templates = encoder.templates
        tagger = Tagger(
            tags=model.tags,
            tokens=encoder.kind,
            columns=None if templates is None else list(encoder.columns),
            templates=None if templates is None else [str(text) for text in templates.texts],
            words=[] if templates is None else [list(known) for known in encoder.known],
            hashes=encoder.table.hashes,
            weights=model.weights,
            best=model.best,
            dictionary=model.dictionary,
            ledger=None if model.ledger is None else model.ledger._entries,
            n_mistakes=model.n_mistakes,
            seed=model.seed,
            random=model.random,
            notes=model.notes,
        )
        parameters = self.get_params(deep=False)
        return tagger_state(
            tagger, learner=type(self).__name__, parameters=parameters, fit=self._fit_record()
        )

    def _fit_record(self) -> Fit | None:
        from rosenblatt.model.card import Fit

        known = self.__dict__
        if "n_iter_" not in known:
            return None
        return Fit(
            rows=0,
            n_iter=known["n_iter_"],
            mistakes_per_epoch=list(known["mistakes_per_epoch_"]),
            n_updates=0,
            stop_reason=known["stop_reason_"],
            converged=known["converged_"],
            margin_ceiling=None,
            cycle_length=None,
            validation_scores=known.get("validation_scores_"),
            best_iter=known.get("best_iter_"),
            eta=1.0,
            dual="none",
        )

    def _check_saved(self) -> None:
        """The parameters, also those that are looked at only when they are needed."""
        self.check_parameters()
        allowed_steps(self.constraints, self._model.tags)

    @classmethod
    def _from_state(cls, state: State) -> Self:
        """A learner of a state that was read and is therefore sound."""
        from rosenblatt.model.tagger import tagger_of

        card, saved = state.card, tagger_of(state)
        estimator = cls(**card.parameters)
        estimator._model = _model(saved)
        try:
            estimator._encoder = _encoder(saved)
            estimator._check_saved()
        # A word that cannot be written as UTF-8 is a ValueError, as is a number without end.
        except (ParameterError, OverflowError, ValueError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None
        fit = card.record.fit
        if fit is not None:
            estimator.__dict__ |= {
                "n_iter_": fit.n_iter,
                "mistakes_per_epoch_": fit.mistakes_per_epoch,
                "converged_": fit.converged,
                "stop_reason_": fit.stop_reason,
            }
            if fit.best_iter is not None:
                estimator.__dict__["validation_scores_"] = fit.validation_scores
                estimator.__dict__["best_iter_"] = fit.best_iter
        return estimator


def _model(saved: Tagger) -> TagModel:
    model = TagModel(saved.weights.order, saved.seed)
    model.random, model.n_mistakes = saved.random, saved.n_mistakes
    model.tags = saved.tags
    model.slots = {tag: slot for slot, tag in enumerate(saved.tags)}
    model.weights, model.best = saved.weights, saved.best
    model.dictionary = saved.dictionary
    if saved.ledger is not None:
        model.ledger = TagLedger(model.tags)
        model.ledger._entries = saved.ledger
    model.notes = saved.notes
    return model


def _encoder(saved: Tagger) -> Encoder:
    encoder = Encoder(saved.tokens, saved.templates, saved.columns)
    encoder.table = FeatureTable(saved.hashes)
    if encoder.templates is not None:
        known = [{word: k for k, word in enumerate(words)} for words in saved.words]
        encoder._remember(known, encoder.templates.hashes(saved.words))
    return encoder
