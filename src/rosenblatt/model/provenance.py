"""A digest of the data a model was trained on, for its record."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.model.labels import encode

__all__ = ["digest_of"]

BLOCK = 1 << 20


def digest_of(data: Any) -> tuple[str, str]:
    """SHA-256 in hexadecimal digits, and "files" or "arrays".

    Files are hashed one after the other, as ``cat a b | sha256sum`` does. Of arrays it is the
    type, the shape and the bytes that count, first of X, then of y.
    """
    paths = [data] if isinstance(data, str | os.PathLike) else data
    if isinstance(paths, list | tuple) and paths:
        if all(isinstance(path, str | os.PathLike) for path in paths):
            return _of_files(paths), "files"
        if isinstance(paths, tuple) and len(paths) == 2:
            return _of_arrays(*paths), "arrays"
    raise ParameterError(
        f"data of type {type(data).__name__}: give a path, a list of paths, or a tuple (X, y)."
    )


def _of_files(paths: Any) -> str:
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                found.update(block)
    return found.hexdigest()


def _of_arrays(X: Any, y: Any) -> str:
    found = hashlib.sha256()
    for values in (X, y):
        if hasattr(values, "tocsr"):
            table = values.tocsr()
            found.update(f"csr {table.shape}".encode())
            for part in (table.data, table.indices.astype("<i8"), table.indptr.astype("<i8")):
                _add(found, part)
        else:
            _add(found, values)
    return found.hexdigest()


def _add(found: Any, values: Any) -> None:
    if isinstance(values, list) and any(isinstance(value, tuple) for value in values):
        array = np.empty(len(values), object)
        array[:] = values
    else:
        array = np.asarray(values)
    if array.dtype.kind in "OT":
        plain = [encode(value, "data: the value") for value in array.ravel().tolist()]
        found.update(f"objects {array.shape}".encode() + json.dumps(plain).encode())
        return
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    found.update(f"{array.dtype.str} {array.shape}".encode())
    found.update(array.tobytes())
