cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t


cdef extern from "text/hash64.h" nogil:
    uint64_t rb_mix(uint64_t, uint64_t)


cdef class Scratch:
    """Room for two answers, used again and again."""

    cdef bytearray first, second
    cdef int64_t room


cdef class Ask:
    """What templates ask of the words of a column.

    `kind` is the hash of what is asked, which is mixed before each answer. `questions` are rows
    (which of QUESTIONS, its size), asked one after the other; `answer` does all of it for a word
    that is not ASCII.
    """

    cdef readonly int64_t column
    cdef readonly object answer
    cdef uint64_t kind
    cdef cnp.ndarray questions
    cdef int64_t n_questions

    cdef uint64_t hash(self, str word, Scratch scratch) except? 0


cdef class FeatureTable:
    """Numbers of features by their hashes, in the order in which they were met."""

    cdef readonly int64_t count
    cdef object _slots, _numbers, _keys
    cdef uint64_t *slots      # 0: free
    cdef int32_t *numbers
    cdef uint64_t mask
    cdef uint64_t *keys       # of each number
    cdef int64_t room

    cdef void _resize(self, int64_t size)
    cpdef reserve(self, int64_t more)
    cdef int32_t number(self, uint64_t key, bint learning) noexcept nogil
