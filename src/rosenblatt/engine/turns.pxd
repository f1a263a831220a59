cdef class Turns


cdef class Reading:
    cdef object thread, learner, gate
    cdef dict counted, before

    cdef int count(self, dict counted, Turns turns) except -1


cdef class Turns:
    cdef unsigned long owner  # the thread that learns; 0 if none does
    cdef int depth  # how often it has said so
    cdef bint changing  # whether it changes what others read
    cdef readonly long long n_changes
    cdef long long fork
    cdef dict readers  # how many calls of each thread read the learner itself
    cdef dict guests  # how many read it as it was before the turn
    cdef list waiting  # readers, in the order of their arrival
    cdef object owner_gate  # a locked lock that the owner waits for
    cdef object learner
    cdef dict before

    cdef bint take(self) except -1
    cdef int give_back(self) except -1
    cdef int begin(self, learner) except -1
    cdef int end(self) except -1
    cdef int change(self) except -1
    cdef int wait_for(self, bint guests) except -1
    cdef int admit(self) except -1
    cdef Reading enter(self, learner)
    cdef int leave(self, Reading reading) except -1
    cdef int refresh(self) except -1
