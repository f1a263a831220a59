"""Whose turn it is on a learner that several threads share: one learns, any number read.

A thread that learns takes the turn for a whole call; another that wants to learn meanwhile is
refused. Readers are never refused. While a model of its own is trained, as in `fit`, they are
given the learner as it was before. While the model is changed in place, as in `partial_fit`, they
wait; and whoever wants to change it waits until those who read are done. So a reader sees the state
before a call or the state after it, and nothing in between. At the end of a turn all who waited are
let in before the next one can begin: neither side can starve the other.

All of this is compiled, as between two statements of Python a signal may raise KeyboardInterrupt,
and a turn that was taken there would never be given back. What is counted is guarded by the lock of
the interpreter and, where there is none, by critical sections. Nobody waits inside of one.
"""

cimport cython

import os
from _thread import allocate_lock, LockType

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident()

BUSY = "this model is learning in another thread; use one model for each thread, or a lock around it"
cdef object release = LockType.release
cdef long long n_forks = 0


def _count_fork():
    global n_forks
    n_forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


cdef object locked():
    """Return a lock that is taken already, so that whoever acquires it waits."""
    gate = allocate_lock()
    gate.acquire()
    return gate


cdef class Reading:
    """One call that reads: where it is counted, and the attributes to read if not the present ones.

    `counted` is None in a turn of one's own, and as long as it waits until `gate` is released.
    """

    cdef int count(self, dict counted, Turns turns) except -1:
        self.counted = counted
        counted[self.thread] = counted.get(self.thread, 0) + 1
        if counted is turns.guests and turns.learner is self.learner:
            self.before = turns.before
        return 0


cdef class Turns:
    """Who learns on one learner at this moment, and who reads it."""

    def __cinit__(self):
        self.fork = n_forks
        self.readers = {}
        self.guests = {}
        self.waiting = []

    cdef int refresh(self) except -1:
        """Forget the threads of the process that this one was forked from: they are not here."""
        if self.fork == n_forks:
            return 0
        self.fork = n_forks
        self.readers = {}
        self.guests = {}
        self.waiting = []
        if self.owner != PyThread_get_thread_ident():
            self.owner = 0
            self.depth = 0
            self.changing = False
            self.learner = None
            self.before = None
            self.owner_gate = None
        return 0

    # ------------------------------------------------------------------ learning

    @property
    def is_taken(self):
        """Whether another thread learns now."""
        self.refresh()
        return self.owner != 0 and self.owner != PyThread_get_thread_ident()

    cdef bint take(self) except -1:
        """Take the turn to change the learner at once, without a way back; False if it is not free.

        Only where the lock of the interpreter is held from here to `give_back`.
        """
        if self.owner != 0 or self.readers or self.guests:
            return False
        self.owner = PyThread_get_thread_ident()
        self.depth = 1
        self.changing = True
        return True

    cdef int give_back(self) except -1:
        self.owner = 0
        self.depth = 0
        self.changing = False
        self.n_changes += 1
        return self.admit() if self.waiting else 0

    cdef int begin(self, learner) except -1:
        """Take the turn to learn, once nobody reads the learner's attributes any more."""
        cdef unsigned long me = PyThread_get_thread_ident()
        cdef bint is_first = False
        cdef bint is_mine = False
        with cython.critical_section(self):
            self.refresh()
            is_first = self.owner == 0
            if is_first:
                # Who comes now waits until the others are done, and it is known what may be read.
                self.owner = me
                self.learner = learner
                self.changing = True
            is_mine = self.owner == me
            self.depth += is_mine
        if not is_mine:
            raise RuntimeError(BUSY)
        if not is_first:
            return 0
        try:
            self.wait_for(False)
            before = dict(learner.__dict__)
            with cython.critical_section(self):
                self.before = before
                self.changing = False
                self.admit()
        except BaseException:
            self.end()
            raise
        return 0

    cdef int change(self) except -1:
        """Wait for all who read; who comes later waits until the turn ends."""
        with cython.critical_section(self):
            self.changing = True
        return self.wait_for(True)

    cdef int end(self) except -1:
        with cython.critical_section(self):
            self.depth -= 1
            if self.depth == 0:
                self.n_changes += self.changing
                self.owner = 0
                self.changing = False
                self.learner = None
                self.before = None
                self.owner_gate = None
                self.admit()
        return 0

    cdef int wait_for(self, bint guests) except -1:
        """Wait until no other thread reads the learner itself, or, with `guests`, as it was before."""
        cdef object me = PyThread_get_thread_ident()
        while True:
            gate = None
            with cython.critical_section(self):
                if (len(self.readers) > (me in self.readers)
                        or (guests and len(self.guests) > (me in self.guests))):
                    gate = self.owner_gate = locked()
            if gate is None:
                return 0
            gate.acquire()

    cdef int admit(self) except -1:
        """Let in all readers that wait, as what they may read is known."""
        cdef Reading one
        for one in self.waiting:
            one.count(self.readers if self.owner == 0 else self.guests, self)
            release(one.gate)
        self.waiting = []
        return 0

    # ------------------------------------------------------------------ reading

    cdef Reading enter(self, learner):
        """Begin to read, once the state is a whole one."""
        cdef Reading reading = Reading()
        reading.thread = PyThread_get_thread_ident()
        reading.learner = learner
        with cython.critical_section(self):
            self.refresh()
            if self.owner == PyThread_get_thread_ident():
                pass
            elif self.owner == 0 or reading.thread in self.readers:
                reading.count(self.readers, self)  # the owner, if any, still waits for this thread
            elif not self.changing or reading.thread in self.guests:
                reading.count(self.guests, self)
            else:
                reading.gate = locked()
                self.waiting.append(reading)
        if reading.gate is not None:
            try:
                reading.gate.acquire()
            except BaseException:
                self.leave(reading)
                raise
        return reading

    cdef int leave(self, Reading reading) except -1:
        cdef dict counted
        with cython.critical_section(self):
            counted = reading.counted
            if counted is None:
                self.waiting = [other for other in self.waiting if other is not reading]
            elif counted.get(reading.thread, 0) > 1:
                counted[reading.thread] -= 1
            else:
                counted.pop(reading.thread, None)
                if self.owner_gate is not None:
                    release(self.owner_gate)
                    self.owner_gate = None
        return 0


def read_whole(learner, Turns turns, method, tuple args, dict named):
    """``method(learner, …)`` of a whole state: of before or of after what another thread learns."""
    cdef Reading reading = turns.enter(learner)
    try:
        if reading.before is not None:
            kind = type(learner)
            learner = kind.__new__(kind)
            learner.__dict__.update(reading.before)
        return method(learner, *args, **named)
    finally:
        turns.leave(reading)


cdef class LearningTurn:
    """A turn to learn, for a ``with`` statement; an error takes back the attributes that were set.

    Another thread that has the turn makes it a RuntimeError.
    """

    cdef object _learner
    cdef Turns _turns
    cdef dict _before

    def __init__(self, learner, Turns turns):
        self._learner = learner
        self._turns = turns

    def __enter__(self):
        self._turns.begin(self._learner)
        self._learner.before_learning()
        self._before = dict(self._learner.__dict__)
        return self

    def change_in_place(self):
        """Wait for those who read; until the turn ends, others wait."""
        self._turns.change()

    def __exit__(self, kind, error, trace):
        cdef dict now = self._learner.__dict__
        try:
            if kind is not None:
                # Never empty: a thread that predicts by what is usual may look at any moment.
                now.update(self._before)
                for name in list(now):
                    if name not in self._before:
                        now.pop(name, None)
        finally:
            self._turns.end()
        return False
