"""Names are numbered in the order of first meeting; the hash is the same everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.vw_text import murmur3

from rosenblatt.engine.text.names import Names, hashed

names = st.binary(max_size=6) | st.binary(max_size=40)


@pytest.mark.parametrize(
    ("text", "seed", "expected"),
    [
        (b"", 0, 0),
        (b"", 1, 0x514E28B7),
        (b"", 0xFFFFFFFF, 0x81F16F39),
        (b"\0\0\0\0", 0, 0x2362F9DE),
        (b"\0\0\0", 0, 0x85F0B427),
        (b"\0\0", 0, 0x30F4C306),
        (b"\0", 0, 0x514E28B7),
        (b"\xff\xff\xff\xff", 0, 0x76293B50),
        (b"!Ce\x87", 0, 0xF55B516B),
        (b"!Ce\x87", 0x5082EDEE, 0x2362F9DE),
        (b"!Ce", 0, 0x7E4A8634),
        (b"!C", 0, 0xA0F7B07A),
        (b"!", 0, 0x72661CF4),
        (b"aaaa", 0x9747B28C, 0x5A97808A),
        (b"aaa", 0x9747B28C, 0x283E0130),
        (b"aa", 0x9747B28C, 0x5D211726),
        (b"a", 0x9747B28C, 0x7FA09EA6),
        (b"abcd", 0x9747B28C, 0xF0478627),
        (b"hello", 0, 0x248BFA47),
        (b"hello, world", 0, 0x149BBB7F),
        (b"Hello, world!", 0x9747B28C, 0x24884CBA),
        ("ππππππππ".encode(), 0x9747B28C, 0xD58063C1),
        (b"The quick brown fox jumps over the lazy dog", 0, 0x2E4FF723),
        (b"The quick brown fox jumps over the lazy dog", 0x9747B28C, 0x2FA826CD),
    ],
)
def test_the_hash_is_the_published_one(text: bytes, seed: int, expected: int) -> None:
    assert hashed(text, seed) == expected


@settings(max_examples=200, deadline=None)
@given(names, st.integers(0, 2**32 - 1))
def test_the_hash_is_that_of_the_oracle(text: bytes, seed: int) -> None:
    assert hashed(text, seed) == murmur3(text, seed)


@settings(deadline=None)
@given(st.lists(st.tuples(names, st.booleans()), max_size=200))
def test_names_are_numbered_in_the_order_of_first_meeting(calls: list[tuple[bytes, bool]]) -> None:
    ours, known = Names(), dict[bytes, int]()
    for name, add in calls:
        if add:
            known.setdefault(name, len(known))
        assert ours.number(name, add) == known.get(name, -1)
    assert ours.count == len(known)
    assert ours.listed() == list(known)


def test_the_empty_name_is_a_name() -> None:
    ours = Names()
    assert ours.number(b"", False) == -1
    assert [ours.number(name) for name in (b"", b"a", b"", b"\0")] == [0, 1, 0, 2]
    assert ours.listed() == [b"", b"a", b"\0"]


def test_many_names_are_found_again_after_the_table_has_grown() -> None:
    ours, n = Names(), 100_000
    for i in range(n):
        assert ours.number(b"name %d" % i) == i
    assert [ours.number(b"name %d" % i, False) for i in range(0, n, 997)] == list(range(0, n, 997))
    assert ours.number(b"name %d" % n, False) == -1
    assert ours.count == n


def test_a_name_of_a_megabyte_is_kept_whole() -> None:
    ours, long = Names(), b"x" * (1 << 20)
    assert ours.number(b"x") == 0
    assert ours.number(long) == 1
    assert ours.number(long[:-1]) == 2
    assert ours.listed() == [b"x", long, long[:-1]]
