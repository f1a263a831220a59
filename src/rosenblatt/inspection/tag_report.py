"""Comparison of predicted tags with the right ones: words, sentences, new words, tags, spans."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rosenblatt.errors import InputError
from rosenblatt.html_tables import escape, html_card
from rosenblatt.inspection.report import Report, report, short_label
from rosenblatt.inspection.spans import SCHEMES, SpanReport, span_scores
from rosenblatt.plurals import count


@dataclass(frozen=True)
class TagReport:
    """The result of `tag_report`.

    Attributes
    ----------
    words : Report
        Figures over all words.
    sentences, sentences_right : int
        Number of sentences, and of those without a wrong tag.
    new_words, new_words_right : int
        Number of words that did not occur in training, and of those with the right tag.
    spans : SpanReport or None
        Figures of spans, if the tags are of the form B-NP, I-NP and O.
    """

    words: Report
    sentences: int
    sentences_right: int
    new_words: int
    new_words_right: int
    spans: SpanReport | None

    @property
    def new_word_accuracy(self) -> float | None:
        """Share of right tags among the new words; None if there are no new words."""
        if not self.new_words:
            return None
        return self.new_words_right / self.new_words

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible data."""
        words = self.words
        spans = None
        if self.spans is not None:
            overall = asdict(self.spans.overall)
            overall.pop("type")
            spans = {**overall, "per_type": [asdict(kind) for kind in self.spans.per_type]}

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
            "spans": spans,
        }

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
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
        The right tags and the predicted ones, one list per sentence.
    is_new : list of lists of bool, default=None
        For each word, whether it did not occur in training (``not tagger.knows(word)``).

    Returns
    -------
    report : TagReport

    See Also
    --------
    span_scores : Compute the figures of spans only.

    Examples
    --------
    >>> from rosenblatt.evaluate import tag_report
    >>> found = tag_report([["D", "N"], ["V"]], [["D", "V"], ["V"]])
    >>> found.words.mistakes, found.sentences_right
    (1, 1)
    """
    if [len(own) for own in y_true] != [len(own) for own in y_pred]:
        raise InputError("y_true and y_pred must have a tag each for the same words.")
    true = _flat(y_true)
    predicted = _flat(y_pred)
    new = [False] * len(true) if is_new is None else _flat(is_new)
    words = zip(true, predicted, new, strict=True)
    scheme = scheme_of({*true, *predicted})
    return TagReport(
        words=report(true, predicted),
        sentences=len(y_true),
        sentences_right=sum(list(a) == list(b) for a, b in zip(y_true, y_pred, strict=True)),
        new_words=sum(new),
        new_words_right=sum(a == b for a, b, is_new_word in words if is_new_word),
        spans=None if scheme is None else span_scores(y_true, y_pred, scheme),
    )


def scheme_of(tags: Iterable[str]) -> str | None:
    """Return "BIO" or "BIOES" if all tags follow that scheme, otherwise None."""
    known = set(tags)
    has_types = all(tag == "O" or (tag[1:2] == "-" and tag[2:]) for tag in known)
    letters = {tag.partition("-")[0] for tag in known}
    if not has_types or letters <= {"O"}:
        return None
    for scheme in SCHEMES:
        if letters <= set(scheme):
            return scheme
    return None


def _flat(listed: Iterable[Iterable[Any]]) -> list[Any]:
    return [one for sentence in listed for one in sentence]


def _renamed(facts: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in facts.items()}
