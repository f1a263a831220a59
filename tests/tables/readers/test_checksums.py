"""CRC-32 of packed files: what zlib gives, whatever the length and the place in memory."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.text.checksums import crc32


@given(data=st.binary(max_size=400), before=st.integers(0, 2**32 - 1), start=st.integers(0, 17))
def test_the_checksum_is_zlibs(data, before, start):
    assert crc32(memoryview(data)[start:], before) == zlib.crc32(data[start:], before)


def test_long_data_in_parts_have_the_checksum_of_the_whole():
    data = np.random.default_rng(0).bytes(100_003)
    found = 0
    for cut in range(0, len(data), 7_777):
        found = crc32(data[cut : cut + 7_777], found)
    assert found == crc32(data) == zlib.crc32(data)


def test_arrays_of_numbers_are_taken_as_their_bytes():
    table = np.random.default_rng(1).standard_normal((40, 9))
    assert crc32(table.data) == zlib.crc32(table.tobytes())
