/* What threads share: flags that one of them at a time can take, and the lock of the interpreter. */
#ifndef ROSENBLATT_THREADS_H
#define ROSENBLATT_THREADS_H

#include <Python.h>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

/* Whether the lock of the interpreter keeps other threads from what Python objects hold. */
#ifdef Py_GIL_DISABLED
#define RB_ALONE 0
#else
#define RB_ALONE 1
#endif

/* Take a flag in one step, so that of two threads one gets it; 0 if it is taken. */
static inline int rb_take(long *flag) {
#if defined(_MSC_VER)
    return _InterlockedExchange(flag, 1) == 0;
#else
    return __atomic_exchange_n(flag, 1, __ATOMIC_ACQUIRE) == 0;
#endif
}

/* Give a flag back; whoever takes it next sees all that was written before. */
static inline void rb_give_back(long *flag) {
#if defined(_MSC_VER)
    _InterlockedExchange(flag, 0);
#else
    __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
#endif
}

/* Whether a flag is taken at this moment. */
static inline int rb_is_taken(const long *flag) {
#if defined(_MSC_VER)
    return *(const volatile long *)flag != 0;
#else
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0;
#endif
}

#endif
