"""Copy on write: who may change a model in place. Compiled, since every prediction asks."""

from _thread import RLock
from contextlib import contextmanager


cdef class CopyOnWrite:
    """Decide whether learning may change a model in place or has to copy it first.

    A model is changed in place only if its learner made it, nobody reads it at the moment and it
    was never handed out. Readers hold it while they predict (``with copy_on_write:``). A copy of
    the learner, a ledger or a file has it for good (`hand_out`).
    """

    cdef object acquire, release, owned
    cdef long n_readers

    def __init__(self):
        lock = RLock()
        self.acquire = lock.acquire
        self.release = lock.release

    def __enter__(self):
        self.acquire()
        self.n_readers += 1
        self.release()

    def __exit__(self, *_):
        self.acquire()
        self.n_readers -= 1
        self.release()

    def own(self, model):
        """Note that this model was made here and nobody else has it yet."""
        self.acquire()
        self.owned = model
        self.release()

    def hand_out(self):
        """Note that somebody else has the model from now on; wait until it is not changing."""
        self.own(None)

    @contextmanager
    def writing(self, model):
        """Yield whether the model may be changed in place; new readers wait until this ends."""
        self.acquire()
        try:
            yield model is not None and self.owned is model and not self.n_readers
        finally:
            self.release()
