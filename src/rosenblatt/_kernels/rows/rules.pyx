"""The rules of the linear family: each is one step-size function.

A step of 0 leaves the model as it is. To add a rule, write its step function and name it in `Rule`;
its learner, its row in the catalogue and its oracle stand elsewhere.
"""

from libc.math cimport floor, INFINITY, isfinite, ldexp

from numbers import Real


cdef double perceptron_step(const Parameters *p, double margin, double squared_norm,
                            bint mistaken) noexcept nogil:
    return p.eta if mistaken or margin <= p.threshold else 0.0


cdef double mira_step(const Parameters *p, double margin, double squared_norm,
                      bint mistaken) noexcept nogil:
    """The smallest change after which the row is right by 1."""
    if squared_norm == 0.0 or not (mistaken or margin < p.threshold):
        return 0.0
    return (1.0 - margin) / squared_norm


cdef double pa_step(const Parameters *p, double margin, double squared_norm,
                    bint mistaken) noexcept nogil:
    if margin >= 1.0 or squared_norm == 0.0:
        return 0.0
    return (1.0 - margin) / squared_norm


cdef double pa1_step(const Parameters *p, double margin, double squared_norm,
                     bint mistaken) noexcept nogil:
    cdef double step = pa_step(p, margin, squared_norm, mistaken)
    return step if step < p.C else p.C


cdef double pa2_step(const Parameters *p, double margin, double squared_norm,
                     bint mistaken) noexcept nogil:
    if margin >= 1.0:
        return 0.0
    return (1.0 - margin) / (squared_norm + 0.5 / p.C)


cdef double soft_step(const Parameters *p, double margin, double squared_norm,
                      bint mistaken) noexcept nogil:
    """Every row moves the model by the probability it gave to the wrong answer."""
    return p.eta / (1.0 + exponential(margin))


cdef double exponential(double x) noexcept nogil:
    """exp(x) from additions and multiplications only, so that it is the same everywhere.

    The C library may pick another algorithm for another processor, which would change bytes.
    """
    cdef double n, r, sum
    cdef int k
    if x > 709.0:
        return INFINITY
    if x < -745.0:
        return 0.0
    n = floor(x * 1.4426950408889634 + 0.5)
    r = (x - n * 0.693145751953125) - n * 1.42860682030941723212e-6
    sum = 1.0
    for k in range(14, 0, -1):
        sum = 1.0 + r * sum / k
    return ldexp(sum, <int>n)


def exp(double x):
    return exponential(x)


cdef double python_step(const Parameters *p, double margin, double squared_norm,
                        bint mistaken) noexcept nogil:
    """Asks a function of Python, which takes the interpreter's lock for every row."""
    with gil:
        return (<Rule>p.rule).ask(margin, squared_norm, mistaken)


cdef class Rule:
    """A step function with its parameters; what it does at a tie and whom it blames.

    Either a compiled one by its name, or a function of Python: ``step(margin, squared_norm,
    mistaken)`` gives the length of the step, 0 for none. It is asked about every row. With
    ``aims_at_one`` no weight of a row makes its step overshoot a margin of 1.

    `raise_only_on_tie`: at a multiclass tie the right class gains and no rival is lowered.
    `blames_all_rivals`: each wrong class is lowered by its own share, not the best one alone.
    """

    def __init__(self, str name, *, double eta=1.0, double threshold=0.0, double C=1.0,
                 str ties="mistake", step=None, bint aims_at_one=False):
        self._made_of = (name, eta, threshold, C, ties, step, aims_at_one)
        self.name = name
        self.parameters = Parameters(eta, threshold, C, <void *>self)
        self.tie_is_mistake = ties == "mistake"
        self.raise_only_on_tie = False
        self.blames_all_rivals = False
        self.quiet_above = 1.0
        self.aims_at_one = self.needs_norm = True
        self._python = step
        if step is not None:
            self.step = python_step
            self.quiet_above = INFINITY
            self.aims_at_one = aims_at_one
        elif name == "perceptron":
            # Without a threshold the loop's own verdict decides, so that ties are its business.
            self.parameters.threshold = threshold if threshold > 0.0 else -INFINITY
            self.step = perceptron_step
            self.quiet_above = threshold
            self.aims_at_one = self.needs_norm = False
            self.raise_only_on_tie = self.tie_is_mistake and threshold == 0.0
        elif name == "mira":
            self.step = mira_step
            self.quiet_above = threshold
        elif name == "PA":
            self.step = pa_step
        elif name == "PA-I":
            self.step = pa1_step
        elif name == "PA-II":
            self.step = pa2_step
        elif name == "soft":
            self.step = soft_step
            self.quiet_above = INFINITY
            self.aims_at_one = self.needs_norm = False
            self.blames_all_rivals = True
        else:
            raise ValueError(f"no rule is called {name!r}")

    def __reduce__(self):
        return _rebuild, self._made_of

    cdef double ask(self, double margin, double squared_norm, bint mistaken):
        """The step of a function of Python; what it raises is kept until the loop has ended."""
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

    @property
    def counts_tell_all(self):
        """Whether each update is a mistake and has the same length, so that counting suffices."""
        return self._python is None and self.name == "perceptron" and self.quiet_above == 0.0

    @property
    def asks_every_row(self):
        """Whether no row is left alone for being right by enough."""
        return self.quiet_above == INFINITY

    @property
    def eta(self):
        return self.parameters.eta

    @property
    def longest_step(self):
        """No step is longer than this, for a row of weight 1."""
        if self._python is None and self.name == "PA-I":
            return self.parameters.C
        return INFINITY if self.needs_norm else self.parameters.eta

    def step_for(self, double margin, double squared_norm, bint mistaken):
        return self.step(&self.parameters, margin, squared_norm, mistaken)


def _rebuild(name, eta, threshold, C, ties, step, aims_at_one):
    return Rule(name, eta=eta, threshold=threshold, C=C, ties=ties, step=step,
                aims_at_one=aims_at_one)
