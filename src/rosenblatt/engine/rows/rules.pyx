"""A rule as Python has it: one of those in rules.h by its name, or a function of Python."""

from libc.math cimport INFINITY, isfinite
from rosenblatt.engine.rows.weights import RATES

from functools import partial
from numbers import Real


def exp(double x):
    """Return the exponential function of the soft rule."""
    return rb_exponential(x)


cdef rb_decision python_decision(const rb_parameters *p, const rb_case *case) noexcept nogil:
    """Ask a function of Python, which takes the interpreter's lock for every row."""
    cdef rb_decision decision
    decision.scale = 1.0
    decision.change = 0.0
    with gil:
        decision.step = (<Rule>p.owner).ask(case.margin, case.squared, case.mistaken)
    return decision


cdef class Rule:
    """A step function with its parameters; what it does at a tie and whom it blames.

    Either a compiled one by its name, or a function of Python: ``step(margin, squared_norm,
    mistaken)`` gives the length of the step, 0 for none. It is asked about every row. With
    ``aims_at_one`` no weight of a row makes its step overshoot a margin of 1. With ``adagrad`` each
    weight has a rate of its own, which its squared gradients make smaller. What ``scales`` also
    multiplies all weights by a number, and learns on weights that allow for it.
    """

    def __init__(self, str name, *, double eta=1.0, double threshold=0.0, double C=1.0,
                 double r=1.0, double phi=1.0, double alpha=1.0, double B=1.0,
                 double lambda_=1.0, bint adagrad=False,
                 str ties="mistake", step=None, bint aims_at_one=False):
        self._options = {"eta": eta, "threshold": threshold, "C": C, "r": r, "phi": phi,
                         "alpha": alpha, "B": B, "lambda_": lambda_, "adagrad": adagrad, "ties": ties,
                         "step": step, "aims_at_one": aims_at_one}
        self.name = name
        self.c.parameters = rb_parameters(eta, threshold, C, r, phi, alpha, B, lambda_,
                                          <void *>self)
        self.c.tie_is_mistake = ties == "mistake"
        self._python = step
        if step is not None:
            self.c.decide = python_decision
            self.c.number = -1
            self.c.quiet_above = INFINITY
            self.c.longest_step = INFINITY
            self.c.does = RB_NORM | (RB_AIMS if aims_at_one else 0)
        elif not rb_set_rule(&self.c, name.encode()):
            raise ValueError(f"no rule is called {name!r}")
        if adagrad:
            self.c.rates = RATES.index("gradient")
            self.c.longest_step = INFINITY
            self.c.does &= ~RB_COUNTS
        self.rates = RATES[self.c.rates]
        self.eta = eta
        self.longest_step = self.c.longest_step
        self.aims_at_one = self.c.does & RB_AIMS
        self.tie_is_mistake = self.c.tie_is_mistake
        self.blames_all_rivals = self.c.does & RB_BLAMES_ALL
        self.counts_tell_all = self.c.does & RB_COUNTS
        self.asks_every_row = self.c.quiet_above == INFINITY
        self.scales = (self.c.does & RB_SCALES) != 0
        self.ends_by_loss = (self.c.does & (RB_BLAMES_ALL | RB_HINGE)) != 0

    @property
    def is_python(self):
        """Whether its steps are those of a function of Python."""
        return self._python is not None

    def set_eta(self, double eta):
        """Take steps of another length from here on, for a rule that has an eta."""
        self.c.parameters.eta = self.eta = self._options["eta"] = eta
        self.c.longest_step = self.longest_step = INFINITY if self.c.rates else eta

    def __reduce__(self):
        return partial(Rule, self.name, **self._options), ()

    cdef double ask(self, double margin, double squared_norm, bint mistaken):
        """Return the step of a function of Python; what it raises is kept until the loop has ended."""
        cdef double step
        if self.error is not None:
            return 0.0
        try:
            found = self._python(margin, squared_norm, bool(mistaken))
            step = found if isinstance(found, Real) else -1.0
            if step < 0.0 or not isfinite(step):
                raise ValueError(
                    f"the step of the rule {self.name} is {found!r} for a margin of {margin}; it "
                    "must be a finite number of at least 0.")
            return step
        except BaseException as error:
            self.error = error
            return 0.0
