"""CRC-32 as zlib computes it, at the speed of memory where the processor helps."""

import zlib

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint32_t

cdef extern from "text/crc32.h":
    int64_t rb_fold(uint32_t state, const unsigned char *data, int64_t n,
                    unsigned char *folded) noexcept nogil


def crc32(data, uint32_t before=0):
    """Return the CRC-32 of bytes after others, whose CRC-32 is ``before``: what `zlib.crc32` gives."""
    cdef Py_buffer view
    cdef unsigned char folded[16]
    cdef int64_t done
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        with nogil:
            done = rb_fold(~before, <const unsigned char *>view.buf, view.len, folded)
        if done == 0:
            return zlib.crc32(data, before)
        rest = (<const unsigned char *>view.buf)[done : view.len]
        # 2^32 - 1 begins with the remainder 0, since zlib reverses all bits first.
        return zlib.crc32(rest, zlib.crc32(folded[:16], 0xFFFFFFFF))
    finally:
        PyBuffer_Release(&view)
