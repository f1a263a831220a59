"""Many words as two arrays: their UTF-8, one after the other, and where each begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError
from rosenblatt.model.ranges import in_order

__all__ = ["pack_words", "unpack_words"]

# Half of a character beyond the first 65,536 is no character, but a word of Python can hold it.
HALVES = "surrogatepass"


def pack_words(columns: Sequence[Sequence[str]]) -> Arrays:
    """The words of all columns."""
    texts = [word.encode("utf-8", HALVES) for words in columns for word in words]
    starts = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
    return {"words": np.frombuffer(b"".join(texts), np.int8), "words.start": starts}


def unpack_words(arrays: Arrays, counts: Sequence[int]) -> list[list[str]]:
    """The words of each column, of which there are so many; none of them comes twice in one."""
    text, starts = arrays["words"].tobytes(), arrays["words.start"]
    in_order("words.start", starts)
    if starts[0] != 0 or starts[-1] != len(text):
        raise ModelFileError("words.start does not cover the words.")
    places = starts.tolist()
    try:
        found = [text[start:stop].decode("utf-8", HALVES) for start, stop in pairwise(places)]
    except UnicodeDecodeError as error:
        raise ModelFileError(f"words holds bytes that are not UTF-8 ({error.reason}).") from None
    first, columns = 0, []
    for count in counts:
        words = found[first : first + count]
        if len(set(words)) != count:
            twice = Counter(words).most_common(1)[0][0]
            raise ModelFileError(f"the word {shown(twice)} occurs twice.")
        columns.append(words)
        first += count
    return columns
