cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t


cdef extern from "tags/tagging.h" nogil:
    ctypedef struct rb_change:
        int64_t key
        double change

    void rb_add_row(float *, const float *, float, int64_t)
    void rb_best_step(const float *, const float *, int64_t, int64_t, float *, int32_t *)
    void rb_best_scores(const float *, const float *, int64_t, int64_t, const float *, float *)
    void rb_emit(float *, const float *, const int32_t *, int64_t, const int32_t *,
                 const int64_t *, int64_t, int64_t)
    double rb_squared_length(rb_change *, int64_t)


cdef class TagWeights:
    cdef readonly int64_t n_tags, width, order
    cdef public int64_t t, n_rows
    cdef object row_of_buffer  # `row_of` is its beginning; None: there is no room behind it
    cdef readonly object row_of, rows, row_running_sum, steps, step_running_sum, pairs, pair_running_sum
    cdef int32_t *at
    cdef float *w
    cdef float *s
    cdef float *p
    cdef double *w_running_sum
    cdef double *s_running_sum
    cdef double *p_running_sum
    cdef readonly int64_t n_features
    cdef int64_t capacity

    cdef void bind(self)
    cdef int64_t row(self, int64_t feature) noexcept nogil


cdef struct Sentence:
    const int64_t *feature_starts  # of its first token on
    const int32_t *features
    const float *values            # NULL: every feature has the value 1
    const int32_t *only            # NULL, or for each token the one tag it can have, or -1
    int64_t length


cdef class Encoded:
    cdef readonly cnp.ndarray starts, feature_starts, features
    cdef readonly object values, words

    cdef Sentence tokens(self, only)


cdef void emissions(TagWeights weights, const Sentence *sentence, float *out) noexcept nogil
