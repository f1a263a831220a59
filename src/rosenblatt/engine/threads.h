/* Whether the lock of the interpreter keeps other threads from what Python objects hold. */
#ifndef ROSENBLATT_THREADS_H
#define ROSENBLATT_THREADS_H

#include <Python.h>

#ifdef Py_GIL_DISABLED
#define RB_ALONE 0
#else
#define RB_ALONE 1
#endif

#endif
