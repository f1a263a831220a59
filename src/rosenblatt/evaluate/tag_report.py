"""Tags beside the right ones: words, sentences, new words, each tag, spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rosenblatt.errors import InputError
from rosenblatt.evaluate.report import Report, report, short_label
from rosenblatt.evaluate.spans import SpanReport, span_scores
from rosenblatt.html_tables import escape, html_card
from rosenblatt.plurals import count


@dataclass(frozen=True)
class TagReport:
    """What `tag_report` found.

    Attributes
    ----------
    words : Report
        Word by word.
    sentences, sentences_right : int
        How many there are, and how many have no wrong tag.
    new_words, new_words_right : int
        Words that training did not meet, and how many of them have the right tag.
    spans : SpanReport or None
        Of tags as B-NP, I-NP and O.
    """

    words: Report
    sentences: int
    sentences_right: int
    new_words: int
    new_words_right: int
    spans: SpanReport | None

    @property
    def new_word_accuracy(self) -> float | None:
        return self.new_words_right / self.new_words if self.new_words else None

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        words, spans = self.words, self.spans
        return {
            "sentences": self.sentences,
            "words": words.n,
            "mistakes": words.mistakes,
            "accuracy": words.accuracy,
            "sentences_right": self.sentences_right,
            "sentence_accuracy": self.sentences_right / self.sentences,
            "new_words": self.new_words,
            "new_word_accuracy": self.new_word_accuracy,
            "baseline": {"label": words.most_frequent, "accuracy": words.baseline},
            "per_tag": [_renamed(asdict(each), "label", "tag") for each in words.per_class],
            "confusions": [
                {"tag": true, "predicted": predicted, "words": n}
                for true, predicted, n in words.worst_pairs()
            ],
            "spans": None
            if spans is None
            else {
                **{name: v for name, v in asdict(spans.overall).items() if name != "type"},
                "per_type": [asdict(kind) for kind in spans.per_type],
            },
        }

    def lines(self) -> list[str]:
        """The report as text."""
        words = self.words
        lines = [
            f"{count(self.sentences, 'sentence')}, {count(words.n, 'word')}, "
            f"{words.mistakes:,} wrong",
            f"accuracy   {words.accuracy:.4f}",
            f"sentences  {self.sentences_right / self.sentences:.4f}  "
            f"({self.sentences_right:,} wholly right)",
        ]
        if self.new_word_accuracy is not None:
            lines.append(
                f"new words  {self.new_word_accuracy:.4f}  "
                f"({count(self.new_words, 'word')} not met in training)"
            )
        lines.append(
            f"baseline   {words.baseline:.4f}  (always {short_label(words.most_frequent)})"
        )
        lines += ["", *words.class_lines("tag", "words")]
        if words.mistakes:
            lines += ["", *words.pair_lines("words")]
        if self.spans is not None:
            lines += ["", *self.spans.lines()[3:]]
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return html_card(f"<pre>{escape(str(self))}</pre>")


def tag_report(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    is_new: Iterable[Iterable[bool]] | None = None,
) -> TagReport:
    """Compare the tags of sentences with the right ones.

    Parameters
    ----------
    y_true, y_pred : list of lists of str
        The right tags and those predicted, sentence by sentence.
    is_new : list of lists of bool, default=None
        Of each word whether training did not meet it (``not tagger.knows(word)``).

    Returns
    -------
    report : TagReport

    See Also
    --------
    span_scores : Of spans alone.

    Examples
    --------
    >>> from rosenblatt.evaluate import tag_report
    >>> found = tag_report([["D", "N"], ["V"]], [["D", "V"], ["V"]])
    >>> found.words.mistakes, found.sentences_right
    (1, 1)
    """
    if [len(own) for own in y_true] != [len(own) for own in y_pred]:
        raise InputError("y_true and y_pred must have a tag each for the same words.")
    true, predicted = _flat(y_true), _flat(y_pred)
    new = [False] * len(true) if is_new is None else _flat(is_new)
    pairs = zip(true, predicted, new, strict=True)
    scheme = scheme_of({*true, *predicted})
    return TagReport(
        words=report(true, predicted),
        sentences=len(y_true),
        sentences_right=sum(list(a) == list(b) for a, b in zip(y_true, y_pred, strict=True)),
        new_words=sum(new),
        new_words_right=sum(a == b for a, b, unmet in pairs if unmet),
        spans=None if scheme is None else span_scores(y_true, y_pred, scheme),
    )


def scheme_of(tags: Iterable[str]) -> str | None:
    """BIO or BIOES, if all tags are of it; else None."""
    known = set(tags)
    letters = {tag.partition("-")[0] for tag in known}
    if not all(tag == "O" or (tag[1:2] == "-" and tag[2:]) for tag in known) or letters <= {"O"}:
        return None
    return next((s for s in ("BIO", "BIOES") if letters <= set(s)), None)


def _flat(listed: Iterable[Iterable[Any]]) -> list[Any]:
    return [one for sentence in listed for one in sentence]


def _renamed(facts: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in facts.items()}
