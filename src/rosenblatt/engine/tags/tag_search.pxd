from libc.stdint cimport int32_t, int64_t
from rosenblatt.engine.tags.tag_weights cimport Sentence, TagWeights


cdef struct Beam:
    float *scores       # (length, size): of the partial answers kept at each token, best first
    int32_t *tags
    int32_t *parents
    int32_t *sizes      # how many there are at each token
    float *taken_off    # of all scores at a token, behind it


cdef class Search:
    """Room for the search over one sentence after the other, and how it is done."""

    cdef readonly int64_t beam          # 0: all paths
    cdef readonly object allowed        # None, or (n_tags + 2, n_tags): may follow, may end
    cdef int64_t n_tags, width, order
    cdef int64_t room
    cdef object _mask, _steps, _emit, _from, _score
    cdef float *mask
    cdef float *steps
    cdef float *emit
    cdef int32_t *back
    cdef float *work
    cdef Beam kept
    cdef object _kept

    cdef void reserve(self, int64_t length)
    cdef void prepare(self, TagWeights weights) noexcept nogil
    cdef void emissions(self, TagWeights weights, const Sentence *sentence) noexcept nogil
    cdef void close_last(self, int64_t length) noexcept nogil
    cdef void close_dead_ends(self, int64_t length) noexcept nogil
    cdef float best_path(self, TagWeights weights, int64_t length, int32_t *path) noexcept nogil
    cdef void fill_beam(self, TagWeights weights, int64_t length) noexcept nogil
    cdef void trace(self, int64_t at, int64_t which, int32_t *path) noexcept nogil
    cdef float step_score(self, TagWeights weights, int64_t i, int32_t before, int32_t last,
                          int32_t tag) noexcept nogil
