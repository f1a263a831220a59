"""What the training of a tagger came to: for programs, and for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.data.training_report import shortened
from rosenblatt.cli.frame.terminal import cut, listed
from rosenblatt.cli.tag.tag_corpus import Corpus
from rosenblatt.cli.tag.tag_layout import Layout

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger

__all__ = ["counted_tags", "facts_of", "strange_tags", "summary", "words"]

LONGEST_TAG = 24


def words(count: int, what: str = "word") -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def facts_of(
    tagger: SequenceTagger,
    state: Any,
    corpus: Corpus,
    held: Corpus | None,
    layout: Layout,
    path: str,
) -> dict[str, Any]:
    record = state.card.record
    facts: dict[str, Any] = {
        "model": path,
        "learner": state.card.learner,
        "sentences": len(corpus.sentences),
        "words": corpus.tokens,
        "skipped": corpus.skipped,
        "features": state.n_features,
        "tags": dict(sorted(corpus.counts().items())),
        "examples": record.t,
        "mistakes": record.n_mistakes,
        "epochs": None,
        "mistakes_per_epoch": None,
        "dev_accuracy_per_epoch": None,
        "stop_reason": None,
        "converged": None,
        "best_epoch": None,
        "accuracy": {"train": tagger.score(corpus.sentences, corpus.tags), "dev": None},
        "dev_sentences": None if held is None else len(held.sentences),
        "dev_words": None if held is None else held.tokens,
        "data_sha256": None if record.data is None else record.data.sha256,
        "layout": layout.told(),
    }
    fit = record.fit
    if fit is not None:
        facts |= {
            "epochs": fit.n_iter,
            "mistakes_per_epoch": fit.mistakes_per_epoch,
            "stop_reason": fit.stop_reason,
            "converged": fit.converged,
            "best_epoch": fit.best_iter,
        }
        if fit.validation_scores is not None and fit.best_iter is not None:
            facts["dev_accuracy_per_epoch"] = fit.validation_scores
            facts["accuracy"]["dev"] = fit.validation_scores[fit.best_iter - 1]
    return facts


def summary(facts: dict[str, Any], tagger: SequenceTagger, name: str) -> list[str]:
    lines = [
        f"{name}: {words(facts['sentences'], 'sentence')}, {words(facts['words'])}, "
        f"{words(facts['features'], 'feature')}",
        counted_tags(facts["tags"]),
    ]
    called = "MIRA" if tagger.rule == "mira" else "perceptron"
    if facts["epochs"] is None:
        lines.append(
            f"averaged structured {called}, one pass: {facts['mistakes']:,} mistakes in "
            f"{words(facts['examples'], 'sentence')} so far"
        )
    else:
        lines.append(
            f"averaged structured {called}, {words(facts['epochs'], 'epoch')}, sentences with "
            f"mistakes {shortened(facts['mistakes_per_epoch'])}"
        )
        if facts["dev_accuracy_per_epoch"] is not None:
            lines.append(f"held out, by epoch: {_shares(facts['dev_accuracy_per_epoch'])}")
        from rosenblatt.core.result import stop_text

        ended = stop_text(facts["stop_reason"], "sentences")
        # Sentences may have been left out, and the averaged weights are others than the last.
        if facts["converged"] and facts["accuracy"]["train"] < 1.0:
            ended = ended.partition(":")[0]
        lines.append(f"ended: {ended}")
    accuracy = facts["accuracy"]
    line = f"accuracy: {accuracy['train']:.4f} on these words"
    if accuracy["dev"] is not None:
        line += (
            f", {accuracy['dev']:.4f} on {words(facts['dev_words'])} held out "
            f"(epoch {facts['best_epoch']})"
        )
    return [*lines, line, f"wrote {facts['model']}"]


def counted_tags(counts: dict[str, int]) -> str:
    """As many tags as fit into a line, the most frequent first."""
    order = sorted(counts, key=lambda tag: -counts[tag])
    return listed(
        f"{len(counts):,} tag{'s' * (len(counts) != 1)}: ",
        [f"{cut(tag, LONGEST_TAG)} ({counts[tag]:,})" for tag in order],
    )


def strange_tags(held: Corpus | None, tagger: SequenceTagger, name: str | None) -> Iterator[str]:
    """Tags to watch that training has not met: they can only be wrong."""
    if held is None:
        return
    known = set(tagger.tags_)
    strange = Counter({tag: n for tag, n in held.counts().items() if tag not in known})
    if strange:
        some = ", ".join(f"{tag} ({n:,})" for tag, n in strange.most_common(5))
        yield (
            f"notice: --dev {name}: {words(sum(strange.values()))} with tags never seen in "
            f"training, counted as wrong: {some}"
        )


def _shares(scores: list[float], most: int = 8) -> str:
    shown = [f"{score:.4f}" for score in scores]
    return " ".join(shown if len(shown) <= most else [*shown[: most - 3], "…", *shown[-2:]])
