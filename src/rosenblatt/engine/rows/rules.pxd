cdef extern from "rows/rules.h" nogil:
    ctypedef struct rb_parameters:
        double eta
        double threshold
        double C
        double r
        double phi
        double alpha
        double B
        double lambda_ "lambda"
        void *owner

    ctypedef struct rb_case:
        double margin
        double squared
        double weight
        bint mistaken

    ctypedef struct rb_decision:
        double step
        double scale
        double change

    enum: RB_NORM, RB_VARIANCE, RB_AIMS, RB_BLAMES_ALL, RB_COUNTS, RB_RAISES, RB_SCALES, RB_HINGE

    ctypedef struct rb_rule:
        rb_parameters parameters
        rb_decision decide(const rb_parameters *, const rb_case *) noexcept nogil
        int number
        int does
        int rates
        double quiet_above
        double longest_step
        bint tie_is_mistake

    double rb_exponential(double) noexcept nogil
    bint rb_set_rule(rb_rule *, const char *) noexcept nogil


cdef class Rule:
    cdef rb_rule c
    cdef readonly str name
    cdef readonly double eta
    cdef readonly object rates  # what multiplies the steps of each weight, as `Weights` have it
    cdef readonly double longest_step  # no step is longer, for a row of weight 1
    cdef readonly bint aims_at_one, tie_is_mistake, blames_all_rivals
    cdef readonly bint counts_tell_all  # each update is a mistake and has the same length
    cdef readonly bint asks_every_row  # no row is left alone for being right by enough
    cdef readonly bint scales  # all weights, beside its step
    cdef readonly bint ends_by_loss  # what it minimizes says when there is no gain, not mistakes
    cdef object error  # what a function of Python raised
    cdef object _python
    cdef dict _options
    cdef double ask(self, double margin, double squared_norm, bint mistaken)
