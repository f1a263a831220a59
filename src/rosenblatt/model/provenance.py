"""A digest of the data a model was trained on, for its record."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.errors import ParameterError
from rosenblatt.model.typed_json import encode

__all__ = ["digest_of"]

BLOCK = 1 << 20


def digest_of(data: Any, *, of_sentences: bool = False) -> tuple[str, str]:
    """SHA-256 in hexadecimal digits, and "files", "arrays" or "sentences".

    Files are hashed one after the other, as ``cat a b | sha256sum`` does. Of arrays it is the
    type, the shape and the bytes that count, first of X, then of y. Of sentences and their tags it
    is what they say, whether in lists or tuples.
    """
    paths = [data] if isinstance(data, str | os.PathLike) else data
    if isinstance(paths, list | tuple) and paths:
        if all(isinstance(path, str | os.PathLike) for path in paths):
            return _of_files(paths), "files"
        if isinstance(paths, tuple) and len(paths) == 2:
            if of_sentences:
                return _of_sentences(*paths), "sentences"
            return _of_arrays(*paths), "arrays"
    pair = "(sentences, tags)" if of_sentences else "(X, y)"
    raise ParameterError(
        f"data of type {type(data).__name__}: give a path, a list of paths, or a tuple {pair}."
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
        if is_sparse(values):
            table = values if isinstance(values, SparseRows) else values.tocsr()
            found.update(f"csr {table.shape}".encode())
            for part in (table.data, table.indices.astype("<i8"), table.indptr.astype("<i8")):
                _add(found, part)
        else:
            _add(found, values)
    return found.hexdigest()


def _of_sentences(sentences: Any, tags: Any) -> str:
    found = hashlib.sha256()
    for listed in (sentences, tags):
        for sentence in listed:
            found.update(json.dumps(_plain(sentence)).encode() + b"\n")
        found.update(b"\n")
    return found.hexdigest()


def _plain(part: Any) -> Any:
    if isinstance(part, list | tuple | np.ndarray):
        return [_plain(item) for item in part]
    if isinstance(part, Mapping):
        return {"features": [[_plain(name), _plain(value)] for name, value in part.items()]}
    return encode(part, "data: the token")


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
