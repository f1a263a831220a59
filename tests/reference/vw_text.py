"""Vowpal Wabbit text, line by line.

row       = [label [importance]] [tag] (| namespace)+     the tag touches the bar, or begins with '
namespace = [name[:weight]] (blank name[:value])*
hash      = number + seed if the name is a number, else murmur3(name, seed)
column    = hash(name, seed = hash(namespace, 0)) mod 2**bits
X[column] = sum of weight * value
"""

import re
from typing import NamedTuple

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LARGEST = 1e150


class Bad(Exception):
    """The line cannot be read."""


class Row(NamedTuple):
    label: str
    weight: float
    features: list[tuple[bytes, bytes, float]]  # namespace, name, value


def murmur3(key: bytes, seed: int) -> int:
    def turn(v: int, by: int) -> int:
        return (v << by | v >> (32 - by)) & 0xFFFFFFFF

    h = seed & 0xFFFFFFFF
    whole = len(key) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(key[i : i + 4], "little") * 0xCC9E2D51 & 0xFFFFFFFF
        h = turn(h ^ turn(k, 15) * 0x1B873593 & 0xFFFFFFFF, 13) * 5 + 0xE6546B64 & 0xFFFFFFFF
    if key[whole:]:
        k = int.from_bytes(key[whole:], "little") * 0xCC9E2D51 & 0xFFFFFFFF
        h ^= turn(k, 15) * 0x1B873593 & 0xFFFFFFFF
    h ^= len(key)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


def hashed(name: bytes, seed: int) -> int:
    if re.fullmatch(rb"[0-9]*", name):
        return (int(name or b"0") + seed) % 2**64
    return murmur3(name, seed)


def column(namespace: bytes, name: bytes, bits: int) -> int:
    return hashed(name, hashed(namespace, 0)) % 2**bits


def number(text: bytes) -> float:
    if not NUMBER.fullmatch(text):
        raise Bad
    return float(text)


def named(word: bytes) -> tuple[bytes, float]:
    name, colon, value = word.partition(b":")
    if not name:
        raise Bad
    return name, number(value) if colon else 1.0


def label_and_weight(head: bytes) -> tuple[str, float]:
    if b"\t" in head:
        raise Bad
    words = [word for word in head.split(b" ") if word]
    if words and (not head.endswith(b" ") or words[-1].startswith(b"'")):
        words.pop()
    if len(words) not in (1, 2) or b":" in b"".join(words):
        raise Bad
    weight = number(words[1]) if len(words) == 2 else 1.0
    if not 0 <= weight < float("inf"):
        raise Bad
    try:
        label = words[0].decode()
    except UnicodeDecodeError:
        raise Bad from None
    strange = label == "shared" or "," in label or label.startswith("'") or "\0" in label
    if strange or label.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise Bad
    return label, weight


def row(line: bytes) -> Row | None:
    """The row in a line without its line feed; None if it is blank."""
    line = line.removesuffix(b"\r").lstrip(b" \t")
    if not line:
        return None
    head, bar, rest = line.partition(b"|")
    if not bar or b"\r" in line:
        raise Bad
    features = []
    for part in rest.split(b"|"):
        words = [word for word in re.split(rb"[ \t]", part) if word]
        namespace, scale = b"", 1.0
        if part and part[:1] not in b" \t":
            namespace, scale = named(words.pop(0))
            if abs(scale) > LARGEST:
                raise Bad
        for word in words:
            name, value = named(word)
            features.append((namespace, name, scale * value))
    if not all(abs(value) <= LARGEST for _, _, value in features):
        raise Bad
    return Row(*label_and_weight(head), features)


def summed(features: list[tuple[int, float]]) -> dict[int, float]:
    """Columns in order, with the sums of their values."""
    sums: dict[int, float] = {}
    for place, value in features:
        sums[place] = sums.get(place, 0.0) + value
    return dict(sorted(sums.items()))
