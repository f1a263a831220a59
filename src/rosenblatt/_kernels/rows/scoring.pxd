from rosenblatt._kernels.rows.rows cimport Rows


cdef int same_type(Rows rows, bint is_float32) except -1
