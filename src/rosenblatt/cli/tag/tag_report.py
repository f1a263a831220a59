"""Tags beside the right ones: words, sentences, new words, each tag, spans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.frame.terminal import cut, printable
from rosenblatt.cli.tag.tag_outcome import words as counted

if TYPE_CHECKING:
    from rosenblatt.evaluate import Report, SpanReport

__all__ = ["Judged", "scheme_of"]

WORST = 10
LONGEST_TAG = 24


@dataclass
class Judged:
    """Right tags and answers, sentence by sentence."""

    right: list[list[str]] = field(default_factory=list)
    answers: list[list[str]] = field(default_factory=list)
    new_words: int = 0
    new_right: int = 0

    def add(self, right: list[str], answers: list[str], new: Iterable[int]) -> None:
        """`new` are the places of words that training did not meet."""
        self.right.append(right)
        self.answers.append(answers)
        for place in new:
            self.new_words += 1
            self.new_right += right[place] == answers[place]

    def facts(self) -> dict[str, Any]:
        told, found = self._report(), self._spans
        sentences = sum(a == b for a, b in zip(self.right, self.answers, strict=True))
        new = None if not self.new_words else self.new_right / self.new_words
        return {
            "sentences": len(self.right),
            "words": told.n,
            "mistakes": told.mistakes,
            "accuracy": told.accuracy,
            "sentences_right": sentences,
            "sentence_accuracy": sentences / len(self.right),
            "new_words": self.new_words,
            "new_word_accuracy": new,
            "baseline": {"label": told.most_frequent, "accuracy": told.baseline},
            "per_tag": [
                {"tag": c.label, **{k: v for k, v in asdict(c).items() if k != "label"}}
                for c in told.per_class
            ],
            "confusions": [
                {"tag": true, "answer": answer, "words": count}
                for true, answer, count in told.worst_pairs(WORST)
            ],
            "spans": None
            if found is None
            else {
                **{k: v for k, v in asdict(found.overall).items() if k != "type"},
                "per_type": [asdict(kind) for kind in found.per_type],
            },
        }

    def lines(self) -> list[str]:
        facts = self.facts()
        wrong = f"{facts['mistakes']:,} wrong"
        told = [
            f"{counted(facts['sentences'], 'sentence')}, {counted(facts['words'])}, {wrong}",
            f"accuracy   {facts['accuracy']:.4f}",
            f"sentences  {facts['sentence_accuracy']:.4f}  "
            f"({facts['sentences_right']:,} wholly right)",
        ]
        if facts["new_word_accuracy"] is not None:
            told.append(
                f"new words  {facts['new_word_accuracy']:.4f}  "
                f"({counted(facts['new_words'])} not met in training)"
            )
        usual = facts["baseline"]
        told.append(f"baseline   {usual['accuracy']:.4f}  (always {_tag(usual['label'])})")
        told += ["", *_each_tag(facts["per_tag"])]
        if facts["confusions"]:
            told += ["", *_confusions(facts["confusions"])]
        if self._spans is not None:
            told += ["", *self._spans.lines()[3:]]
        return told

    def _report(self) -> Report:
        from rosenblatt.evaluate import report

        return report(_flat(self.right), _flat(self.answers))

    @cached_property
    def _spans(self) -> SpanReport | None:
        """If these are the tags of spans."""
        from rosenblatt.evaluate import span_scores

        scheme = scheme_of({*_flat(self.right), *_flat(self.answers)})
        return None if scheme is None else span_scores(self.right, self.answers, scheme)


def scheme_of(tags: Iterable[str]) -> str | None:
    """BIO or BIOES, if all tags are of it; else None."""
    known = set(tags)
    letters = {tag.partition("-")[0] for tag in known}
    if not all(tag == "O" or (tag[1:2] == "-" and tag[2:]) for tag in known) or letters <= {"O"}:
        return None
    return next((s for s in ("BIO", "BIOES") if letters <= set(s)), None)


def _flat(tags: list[list[str]]) -> list[str]:
    return [tag for sentence in tags for tag in sentence]


def _tag(tag: str) -> str:
    return cut(printable(tag), LONGEST_TAG)


def _each_tag(per_tag: list[dict[str, Any]]) -> list[str]:
    widest = max(len(_tag(each["tag"])) for each in [*per_tag, {"tag": "tag"}])
    return [f"{'tag':{widest}}  precision  recall      f1  {'words':>9}"] + [
        f"{_tag(each['tag']):{widest}}  {each['precision']:9.4f}  {each['recall']:6.4f}  "
        f"{each['f1']:6.4f}  {each['support']:9,}"
        for each in per_tag
    ]


def _confusions(found: list[dict[str, Any]]) -> list[str]:
    widest = max(len(_tag(one[key])) for one in found for key in ("tag", "answer"))
    widest = max(widest, len("answer"))
    return [f"{'true':{widest}}  {'answer':{widest}}  {'words':>9}"] + [
        f"{_tag(one['tag']):{widest}}  {_tag(one['answer']):{widest}}  {one['words']:9,}"
        for one in found
    ]
