/* Whether two texts of Python are equal, for those that are keys of dicts. */
#ifndef ROSENBLATT_TEXTS_H
#define ROSENBLATT_TEXTS_H

#include <Python.h>
#include <string.h>

/* `known` is an exact str. Keys of dicts know their hash, so that most texts that differ do so there; only
 * plain ASCII is compared, as for all else a lookup will do. */
static inline int rb_is_same_text(PyObject *known, PyObject *key) {
    if (known == key) return 1;
    if (!PyUnicode_CheckExact(key)) return 0;
    if (((PyASCIIObject *)known)->hash != ((PyASCIIObject *)key)->hash) return 0;
    if (!PyUnicode_IS_COMPACT_ASCII(known) || !PyUnicode_IS_COMPACT_ASCII(key)) return 0;
    const Py_ssize_t n = PyUnicode_GET_LENGTH(known);
    return n == PyUnicode_GET_LENGTH(key)
           && memcmp(PyUnicode_1BYTE_DATA(known), PyUnicode_1BYTE_DATA(key), (size_t)n) == 0;
}

#endif
