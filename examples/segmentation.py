"""Where does a word end? Cutting textwithoutspaces into words.

The answer to a text is a tuple of words that make it up: a text of n letters has 2^(n-1) of them.
The features of an answer are a sum over its words, each seen with the letters around its end, so
the best answer is found exactly by dynamic programming over the ends (a semi-Markov space):

    best[j] = max over i < j of best[i] + score of the word from i to j

Some nouns of the new texts were never seen in training. Taking the longest known word at every
place is helpless there; the learner also weighs the letters on both sides of a cut.

    python examples/segmentation.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from rosenblatt import StructuredPerceptron
from rosenblatt.evaluate import span_scores

VOCABULARY = """cat dog bird horse child farmer teacher river garden house winter summer letter
sees hears finds wants loves watches follows paints remembers visits
old young small green quiet happy cold little
rabbit gardener minister painter"""
NOUNS, VERBS, KINDS, UNSEEN = (line.split() for line in VOCABULARY.splitlines())
LONGEST = 12
Words = tuple[str, ...]


class Segmentation:
    """Words that make up a text, their features, and the search for the best of them."""

    def features(self, text: str, words: Words) -> Counter[str]:
        ends = [0, *accumulate(map(len, words))]
        return Counter(f for start, end in pairwise(ends) for f in self.of_word(text, start, end))

    def of_word(self, text: str, start: int, end: int) -> Iterator[str]:
        padded, at = f"  {text}  ", end + 2
        yield f"word {text[start:end]}"
        yield f"length {end - start}"
        for before, behind in ((1, 1), (2, 0), (0, 2), (2, 1)):
            yield f"cut {padded[at - before : at]}|{padded[at : at + behind]}"

    def argmax(self, text: str, score: Any) -> Words:
        best: list[tuple[float, Words]] = [(0.0, ())]
        for end in range(1, len(text) + 1):
            ways = []
            for start in range(max(0, end - LONGEST), end):
                gain = sum(score.weights[feature] for feature in self.of_word(text, start, end))
                ways.append((best[start][0] + gain, (*best[start][1], text[start:end])))
            best.append(max(ways))
        return best[-1][1]


def longest_known(text: str, known: set[str]) -> Words:
    words: Words = ()
    while text:
        end = max((k for k in range(1, len(text) + 1) if text[:k] in known), default=1)
        words, text = (*words, text[:end]), text[end:]
    return words


def sentences(random: np.random.Generator, n: int, nouns: list[str]) -> list[Words]:
    def noun() -> list[str]:
        kind = [str(random.choice(KINDS))] if random.random() < 0.5 else []
        return ["the", *kind, str(random.choice(nouns))]

    return [(*noun(), str(random.choice(VERBS)), *noun()) for _ in range(n)]


def cuts(words: Words) -> list[str]:
    """Words as spans of letters: B for the first letter of each, I for the others."""
    return [tag for word in words for tag in ["B", *"I" * (len(word) - 1)]]


def main() -> None:
    random = np.random.default_rng(0)
    train, new = sentences(random, 200, NOUNS), sentences(random, 200, NOUNS + UNSEEN)
    model = StructuredPerceptron(Segmentation(), max_iter=50).fit(map("".join, train), train)
    print(f"{len(train)} sentences learned from; {model.stop_reason_} after {model.n_iter_} epochs")
    print(f"{len(new)} new ones, with nouns that were never seen among the others\n")
    texts, known = ["".join(words) for words in new], {word for words in train for word in words}
    found = [longest_known(text, known) for text in texts], model.predict(texts)
    print(f"{'':22}  precision  recall      f1")
    for name, answers in zip(("longest known word", "structured perceptron"), found, strict=True):
        got = span_scores(map(cuts, new), map(cuts, answers))
        print(f"{name:22}  {got.precision:9.4f}  {got.recall:6.4f}  {got.f1:6.4f}")
    print("\n" + "\n".join(" ".join(words) for words in found[1][:3]))


if __name__ == "__main__":
    main()
