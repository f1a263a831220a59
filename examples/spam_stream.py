"""Spam as a stream: each message is judged before its label is known, then learned.

Every message is a mapping from its words to 1. `predict_one` answers, the label arrives, and
`learn_one` learns; words never seen before may turn up at any time. What counts is the number of
mistakes made on the way, shown after 1, 2, 4, 8, ... messages; having no answer to the first one
counts as one.

The messages are those of the SMS Spam Collection (Almeida and Hidalgo) if the folder named by the
environment variable ROSENBLATT_DATA holds them. Otherwise the stream is simulated.

    python examples/spam_stream.py
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

from rosenblatt import AveragedPerceptron, PassiveAggressive, Perceptron
from rosenblatt.io import iter_text

BESIDE = Path(__file__).resolve().parents[1].parent / "shared" / "data"
FILE = Path(os.environ.get("ROSENBLATT_DATA", BESIDE)) / "sms_spam" / "SMSSpamCollection.gz"
WORD = re.compile(r"[a-z']+|[0-9]+|[£$!?]")

Message = tuple[dict[str, int], str]


def real_messages() -> Iterator[Message]:
    """In the order of the file, which is mixed. A number counts by how many digits it has."""
    for texts, labels in iter_text(FILE):
        for text, label in zip(texts, labels.tolist(), strict=True):
            words = WORD.findall(text.lower())
            yield {f"<{len(w)} digits>" if w.isdigit() else w: 1 for w in words}, label


def simulated_messages(n: int = 5000, seed: int = 0) -> Iterator[Message]:
    """One message in eight is spam. Both kinds draw their words by Zipf's law from a list of 2,000.

    The lists are the same, but spam has 200 of the words in another place, so some words are
    typical of spam, some of ham, and most of neither.
    """
    dice = random.Random(seed)
    ham = [f"word{k}" for k in range(2000)]
    places = dice.sample(range(2000), 200)
    spam = ham.copy()
    for place, other in zip(places, dice.sample(places, len(places)), strict=True):
        spam[place] = ham[other]
    frequencies = [1 / (k + 1) for k in range(2000)]
    for _ in range(n):
        label = "spam" if dice.random() < 1 / 8 else "ham"
        words = spam if label == "spam" else ham
        yield dict.fromkeys(dice.choices(words, frequencies, k=dice.randint(5, 25)), 1), label


def main() -> None:
    real = FILE.exists()
    stream = list(real_messages() if real else simulated_messages())
    if real:
        print(f"{len(stream):,} text messages of the SMS Spam Collection, as they come")
    else:
        print(f"{len(stream):,} simulated messages (no real ones: ROSENBLATT_DATA is not set or")
        print("holds no sms_spam): two distributions of the same words")
    learners = [Perceptron(), AveragedPerceptron(), PassiveAggressive()]
    names = [type(learner).__name__ for learner in learners]
    mistakes, always_ham = [0] * len(learners), 0

    print("\nmistakes so far\nmessages  always ham  " + "  ".join(names))
    for n, (words, label) in enumerate(stream, start=1):
        always_ham += label != "ham"
        for k, learner in enumerate(learners):
            mistakes[k] += learner.predict_one(words) != label
            learner.learn_one(words, label)
        if n & (n - 1) == 0 or n == len(stream):
            columns = (f"{m:>{len(name)}}" for m, name in zip(mistakes, names, strict=True))
            print(f"{n:>8}  {always_ham:>10}  " + "  ".join(columns))

    perceptron = learners[0]
    strongest = perceptron.coef_[0].argsort(kind="stable")[:-11:-1]
    named = ", ".join(perceptron.feature_names_in_[strongest])
    print(f"\nwords that speak most for spam: {named}")


if __name__ == "__main__":
    main()
