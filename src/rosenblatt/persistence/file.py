"""Model files: save, load, and a way to read one without the estimators."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec
import numpy as np

from rosenblatt import __version__
from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.errors import ModelFileError, ParameterError, Place
from rosenblatt.estimators.catalogue import entry_of
from rosenblatt.persistence import disk
from rosenblatt.persistence.card import (
    FORMAT,
    Card,
    Data,
    State,
    class_of,
    saved_learners,
    strict_json,
)
from rosenblatt.persistence.container import ZEROS, pack, unpack
from rosenblatt.persistence.parameters import encode
from rosenblatt.persistence.soundness import check

Path = str | os.PathLike[str]
MOST_CHARACTERS = 500


def save(model: Any, path: Path, *, data: Any = None, slim: bool = False) -> None:
    """Write a learner to a file from which it can be loaded and learn on, bit for bit.

    The file is written under a temporary name, synced and renamed: whatever happens, there is the
    old file or the new one, and neither is half. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator
        A fitted learner of this package.
    path : str or path-like
        Where to; by custom it ends in ``.rbt``.
    data : path, list of paths, tuple (X, y) or (sentences, tags), default=None
        The training data. Only their SHA-256 is kept, in the record of the model. None keeps what
        the record of a loaded model says.
    slim : bool, default=False
        Leave out what nothing but learning on needs, such as running sums and the ledger: the
        model predicts and explains by feature exactly the same, and refuses to learn.

    See Also
    --------
    load : Makes the learner again.

    Examples
    --------
    >>> import os, tempfile
    >>> import rosenblatt
    >>> digits = rosenblatt.datasets.digits()
    >>> X, y = digits.X, digits.y
    >>> half = rosenblatt.AveragedPerceptron().partial_fit(X[:900], y[:900])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "digits.rbt")
    ...     rosenblatt.save(half, path)
    ...     resumed = rosenblatt.load(path).partial_fit(X[900:], y[900:])
    >>> whole = rosenblatt.AveragedPerceptron().partial_fit(X, y)
    >>> bool((resumed.coef_ == whole.coef_).all())
    True
    """
    write_learner(model, path, data=data, slim=slim)


def write_learner(
    model: Any, path: Path, *, data: Any = None, slim: bool = False, **made_by: Any
) -> State:
    """As `save`, with what `Data` has of the shell; gives back what was written."""

    def write_held(model: Any) -> State:
        state: State = model.to_state(slim=slim)
        if data is not None:
            sha256, of = digest_of(data, of_sentences=state.layout.of_sentences)
            known = Data(sha256=sha256, of=of, t=state.card.record.t, **made_by)  # type: ignore[arg-type]
            state.card.record.data = known
        write(state, path)
        return state

    _refuse_unsaved(model)
    # Its arrays are written as they lie, while nobody changes them.
    written: State = model._hold(write_held)
    return written


def load(path: Path) -> Any:
    """Make the learner again that was saved to a file.

    It predicts the same bits as the one that was saved, and goes on learning as that one would
    have. A file that is damaged, made up or not ours is refused; nothing in it is ever run.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    model : estimator
        Its ``schema_`` says how rows of a file become its features; None if the file does not know.

    Raises
    ------
    ModelFileError
        If the file is not a sound model; the message starts with the path and says what it is.

    See Also
    --------
    save : Writes the file.
    rosenblatt.model.read : Only the data; no scikit-learn.

    Examples
    --------
    >>> import os, tempfile
    >>> import rosenblatt
    >>> spam = rosenblatt.Perceptron().learn_one({"win": 1, "money": 1}, "spam")
    >>> spam = spam.learn_one({"lunch": 1, "noon": 1}, "ham")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "spam.rbt")
    ...     rosenblatt.save(spam, path)
    ...     rosenblatt.load(path).predict_one({"noon": 1})
    'ham'
    """
    return learner_of(read(path), path)


def learner_of(state: State, path: Path | None = None) -> Any:
    """The learner of a state that `read` gave; an error names the path it came from.

    Parameters
    ----------
    state : State
    path : str or path-like, default=None

    Returns
    -------
    model : estimator
        As `load` makes it.
    """
    try:
        return class_of(state.card.learner).from_state(state)
    except ModelFileError as error:
        if path is None:
            raise
        raise _refusal(os.fsdecode(path), error) from None


def read(path: Path) -> State:
    """The card and the arrays of a model file, checked.

    Parameters
    ----------
    path : str or path-like

    Raises
    ------
    ModelFileError
        As `load`.
    """
    name = os.fsdecode(path)
    try:
        with os.fdopen(disk.open_regular(name), "rb") as file:
            return read_from(file, os.fstat(file.fileno()).st_size)
    except ModelFileError as error:
        raise _refusal(name, error) from None


def read_from(file: BinaryIO, size: int) -> State:
    """As `read`, of an open file of ``size`` bytes; errors do not name it."""
    fields, arrays = unpack(file, size)
    try:
        card = Card.from_plain(fields)
    except RecursionError:
        raise ModelFileError("the card is nested too deeply.") from None
    check(card, arrays)
    return State(card, arrays)


def write(state: State, path: Path) -> None:
    """Write a state to a file, as `save` does.

    What `read` would refuse is refused here too, before anything is written.
    """
    card = msgspec.structs.replace(state.card, format=FORMAT, version=__version__, sha256=ZEROS)
    check(card, state.arrays)
    try:
        text = card.to_json()
        Card.from_plain(strict_json(text, "card"))
    except RecursionError:
        raise ModelFileError("a label or parameter is nested too deeply to be kept.") from None
    disk.replace(os.fsdecode(path), pack(text, state.arrays))


def write_unchecked(model: Any, path: Path) -> None:
    """Write a learner that `save` refuses, so that what it learned is not lost.

    `load` refuses the file for the same reason. Its arrays can be read by safetensors.
    """

    def write_held(model: Any) -> None:
        state: State = model.to_state()
        card = msgspec.structs.replace(state.card, format=FORMAT, version=__version__, sha256=ZEROS)
        disk.replace(os.fsdecode(path), pack(card.to_json(), state.arrays))

    model._hold(write_held)


def _refusal(name: str, error: ModelFileError) -> ModelFileError:
    """The error with the path before it; texts from the file cannot steer a terminal."""
    text = "".join(c if c.isprintable() else "?" for c in str(error)[:MOST_CHARACTERS])
    return ModelFileError(text, where=Place(name))


def _refuse_unsaved(model: Any) -> None:
    if entry_of(type(model)) is not None:
        return
    hint = ""
    if hasattr(model, "steps"):
        hint = " Of a pipeline save the last step: save(pipeline[-1], path)."
    raise ParameterError(
        f"a {type(model).__name__} cannot be saved: model files hold "
        f"{', '.join(saved_learners())}, and no classes derived from them, unless a package "
        f"registers them (see CONTRIBUTING).{hint}"
    )


# ---------------------------------------------------------------------- a digest of the data


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
