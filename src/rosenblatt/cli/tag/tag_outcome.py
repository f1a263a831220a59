"""What the training of a tagger came to: for programs, and for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.data.training_report import fit_facts, shortened
from rosenblatt.cli.frame.terminal import cut, listed
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.io.sentence_blocks import SentenceBlock

__all__ = ["facts_of", "summary", "unseen_tags"]

LONGEST_TAG = 24


def facts_of(
    tagger: SequenceTagger,
    state: Any,
    examples: SentenceBlock,
    held: SentenceBlock | None,
    path: str,
) -> dict[str, Any]:
    record = state.card.record
    fit = fit_facts(record)
    dev_accuracy = fit.pop("dev_accuracy")
    watched = held is not None and dev_accuracy is not None
    return {
        "model": path,
        "learner": state.card.learner,
        "sentences": len(examples),
        "words": examples.n_tokens,
        "features": state.n_features,
        "tags": dict(sorted(_counts(examples).items())),
        "examples": record.t,
        "mistakes": record.n_mistakes,
        **fit,
        "dev_accuracy_per_epoch": record.fit.validation_scores if watched else None,
        "accuracy": {
            "train": tagger.score(examples.sentences, examples.tags),
            "dev": dev_accuracy,
        },
        "dev_sentences": None if held is None else len(held),
        "dev_words": None if held is None else held.n_tokens,
        "data_sha256": None if record.data is None else record.data.sha256,
        "layout": tagger.schema_ and tagger.schema_.describe(),
    }


def _counts(examples: SentenceBlock) -> Counter[str]:
    return Counter(tag for own in examples.tags or () for tag in own)


def summary(facts: dict[str, Any], tagger: SequenceTagger, name: str) -> list[str]:
    from rosenblatt.core.result import stop_text

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
        ended = stop_text(facts["stop_reason"], "sentences")
        # Sentences may have been left out, and the averaged weights are others than the last.
        if facts["converged"] and facts["accuracy"]["train"] < 1.0:
            ended = ended.partition(":")[0]
        lines.append(f"ended: {ended}")
    accuracy = facts["accuracy"]
    line = f"accuracy: {accuracy['train']:.4f} on these words"
    if accuracy["dev"] is not None:
        line += (
            f", {accuracy['dev']:.4f} on {count(facts['dev_words'], 'word')} held out "
            f"(epoch {facts['best_epoch']})"
        )
    return [*lines, line, f"wrote {facts['model']}"]


def _counted_tags(counts: dict[str, int]) -> str:
    """As many tags as fit into a line, the most frequent first."""
    order = sorted(counts, key=lambda tag: -counts[tag])
    words = [f"{cut(tag, LONGEST_TAG)} ({counts[tag]:,})" for tag in order]
    return listed(f"{count(len(counts), 'tag')}: ", words)


def unseen_tags(
    held: SentenceBlock | None, tagger: SequenceTagger, name: str | None
) -> Iterator[str]:
    """Tags to watch that training has not met: they can only be wrong."""
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
