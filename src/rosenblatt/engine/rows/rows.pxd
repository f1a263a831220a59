from libc.stdint cimport int32_t, int64_t


cdef extern from "rows/rows.h" nogil:
    ctypedef struct rb_rows:
        const void *values
        const void *columns
        const void *starts
        int64_t n_rows
        int64_t n_features
        int64_t n_stored
        int *outside

    enum: RB_BLOCK

    ctypedef struct rb_block:
        void *scores

    ctypedef struct rb_search:
        const int64_t *order
        const int64_t *upcoming
        const int32_t *labels
        const int32_t *counts
        int64_t at
        int64_t stop
        int64_t n_upcoming
        double quiet_above
        rb_block *block

    ctypedef struct rb_ops:
        int64_t seek_class(const rb_rows *, const rb_search *, const void *, const void *, int64_t,
                           int64_t, void *, int64_t *, double *) noexcept nogil
        void score(const rb_rows *, int64_t, int64_t, const void *, double, double *) noexcept nogil
        void score_classes(const rb_rows *, int64_t, int64_t, const void *, const void *, int64_t,
                           int64_t, void *, double *) noexcept nogil
        void add(const rb_rows *, int64_t, double, void *, int64_t) noexcept nogil
        void add_both(const rb_rows *, int64_t, double, void *, double, double *,
                      int64_t) noexcept nogil
        double squared_norm(const rb_rows *, int64_t, double) noexcept nogil
        int inspect(const rb_rows *, double, int64_t *, int64_t *, double *) noexcept nogil
        bint in_blocks


cdef class Rows:
    cdef rb_rows c
    cdef const rb_ops *ops
    cdef readonly bint is_sparse
    cdef readonly bint is_float32
    cdef public double largest_squared_norm
    cdef tuple _arrays  # keeps the memory alive
    cdef int index_bytes  # of sparse rows: the size of a column number
    cdef int _outside

    cdef int refuse_changed(self) except -1
    cdef int64_t most_stored(self) noexcept


cdef int same_type(Rows rows, bint is_float32) except -1
