from libc.stdint cimport int64_t


cdef struct Parameters:
    double eta        # length of a fixed step
    double threshold  # rows right by no more than this are acted on too
    double C          # how far a passive-aggressive step may go
    void *rule        # the rule they belong to, for steps that ask Python

# How far to go: the margin of the row, its squared length (with a bias: of the row with a 1
# appended; multiclass: twice that) and whether the answer was wrong.
ctypedef double (*step_function)(const Parameters *, double margin, double squared_norm,
                                 bint mistaken) noexcept nogil


cdef class Rule:
    cdef Parameters parameters
    cdef step_function step
    cdef double quiet_above
    cdef bint needs_norm
    cdef readonly bint aims_at_one
    cdef readonly bint tie_is_mistake
    cdef readonly bint raise_only_on_tie
    cdef readonly bint blames_all_rivals
    cdef readonly str name
    cdef object error  # what a function of Python raised
    cdef object _python
    cdef tuple _made_of
    cdef double ask(self, double margin, double squared_norm, bint mistaken)


cdef double exponential(double x) noexcept nogil
