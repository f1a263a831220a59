"""Save and load model files, and read them without the estimators."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol

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

if TYPE_CHECKING:
    from rosenblatt.estimators.learner import Learner

Path = str | os.PathLike[str]
# Longest error about a file, in characters.
MAX_CHARACTERS = 500


def save(model: Any, path: Path, *, data: Any = None, slim: bool = False) -> None:
    """Save a learner to a file; once loaded, it continues learning exactly, to the last bit.

    The file is written under a temporary name, synced and renamed: whatever happens, there is the
    old file or the new one, and neither is half. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator
        A fitted learner of this package.
    path : str or path-like
        The file to write; by custom it ends in ``.rbt``.
    data : path, list of paths, tuple (X, y) or (sentences, tags), default=None
        The training data. Only their SHA-256 is stored, in the record of the model. None keeps the
        digest in the record of a loaded model.
    slim : bool, default=False
        Leave out everything that is only needed to continue learning, such as running sums and the
        ledger: the model predicts and explains by feature exactly the same, and refuses to learn.

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
    model: Learner, path: Path, *, data: Any = None, slim: bool = False, **made_by: Any
) -> State:
    """Save a learner, with further fields of `Data` in ``made_by``, and return its state."""

    def write_held(model: Learner) -> State:
        state: State = model.to_state(slim=slim)
        if data is not None:
            sha256, of = digest_of(data, of_sentences=state.layout.of_sentences)
            t = state.card.record.t
            state.card.record.data = Data(sha256=sha256, of=of, t=t, **made_by)
        write(state, path)
        return state

    _refuse_unsaved(model)
    # Its arrays are written without a copy, so nobody may change them meanwhile.
    written: State = model._hold(write_held)
    return written


def load(path: Path) -> Any:
    """Load the learner that was saved to a file.

    It predicts the same bits as the saved one, and continues learning as that one would have. A
    file that is damaged, forged or foreign is rejected; nothing in it is ever run.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    model : estimator
        Its ``schema_`` encodes rows of a file as its features; None if the file has no schema.

    Raises
    ------
    ModelFileError
        If the file is not a valid model; the message starts with the path and names the fault.

    See Also
    --------
    save : Writes the file.
    rosenblatt.model.read : Reads the card and the arrays only, without scikit-learn.

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
    """Return the learner of a state that `read` returned; errors name the path if it is given.

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
    """Read and validate the card and the arrays of a model file.

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
    """Read and validate an open model file of ``size`` bytes; errors do not name the file."""
    fields, arrays = unpack(file, size)
    try:
        card = Card.from_plain(fields)
    except RecursionError:
        raise ModelFileError("the card is nested too deeply.") from None
    check(card, arrays)
    return State(card, arrays)


def write(state: State, path: Path) -> None:
    """Write a state to a file, as `save` does.

    A state that `read` would reject is rejected before anything is written.
    """
    card = _card_to_write(state)
    check(card, state.arrays)
    try:
        text = card.to_json()
        Card.from_plain(strict_json(text, "card"))
    except RecursionError:
        raise ModelFileError("a label or parameter is nested too deeply to be kept.") from None
    disk.replace(os.fsdecode(path), pack(text, state.arrays))


def write_unchecked(model: Learner, path: Path) -> None:
    """Write a learner that `save` rejects, so that its training is not lost.

    `load` rejects the file for the same reason; its arrays can be read with safetensors.
    """

    def write_held(model: Learner) -> None:
        state: State = model.to_state()
        disk.replace(os.fsdecode(path), pack(_card_to_write(state).to_json(), state.arrays))

    model._hold(write_held)


def _card_to_write(state: State) -> Card:
    """Return the card in the current format, with zeros in place of the digest."""
    return msgspec.structs.replace(state.card, format=FORMAT, version=__version__, sha256=ZEROS)


def _refusal(name: str, error: ModelFileError) -> ModelFileError:
    """Return the error with the path, shortened and without unprintable characters."""
    text = "".join(c if c.isprintable() else "?" for c in str(error)[:MAX_CHARACTERS])
    return ModelFileError(text, where=Place(name))


def _refuse_unsaved(model: object) -> None:
    """Raise ParameterError if an object is not a learner that model files can hold."""
    if entry_of(type(model)) is not None:
        return
    hint = ""
    # A pipeline of scikit-learn.
    if hasattr(model, "steps"):
        hint = " Of a pipeline save the last step: save(pipeline[-1], path)."
    raise ParameterError(
        f"a {type(model).__name__} cannot be saved: model files hold "
        f"{', '.join(saved_learners())}, and no classes derived from them, unless a package "
        f"registers them (see CONTRIBUTING).{hint}"
    )


# ---------------------------------------------------------------------- a digest of the data


# Bytes read at once.
BLOCK = 1 << 20
Origin = Literal["files", "arrays", "sentences"]


class Digest(Protocol):
    """Protocol of the hash objects of `hashlib`."""

    def update(self, data: bytes, /) -> None:
        """Add bytes."""
        ...

    def hexdigest(self) -> str:
        """Return the digest so far."""
        ...


def digest_of(data: Any, *, of_sentences: bool = False) -> tuple[str, Origin]:
    """Return the SHA-256 of training data in hexadecimal digits, and the kind of the data.

    Files are hashed one after the other, as ``cat a b | sha256sum`` does. Arrays are hashed by
    type, shape and bytes, first X, then y; sentences and their tags by their contents, in lists or
    in tuples.
    """
    paths = [data] if isinstance(data, str | os.PathLike) else data
    if isinstance(paths, list | tuple) and paths:
        if all(isinstance(path, str | os.PathLike) for path in paths):
            return _digest_of_files(paths), "files"
        if isinstance(paths, tuple) and len(paths) == 2:
            if of_sentences:
                return _digest_of_sentences(*paths), "sentences"
            return _digest_of_arrays(*paths), "arrays"
    pair = "(sentences, tags)" if of_sentences else "(X, y)"
    raise ParameterError(
        f"data of type {type(data).__name__}: give a path, a list of paths, or a tuple {pair}."
    )


def _digest_of_files(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()


def _digest_of_arrays(X: Any, y: Any) -> str:
    digest = hashlib.sha256()
    for values in (X, y):
        if is_sparse(values):
            table = values if isinstance(values, SparseRows) else values.tocsr()
            digest.update(f"csr {table.shape}".encode())
            for part in (table.data, table.indices.astype("<i8"), table.indptr.astype("<i8")):
                _add_array(digest, part)
        else:
            _add_array(digest, values)
    return digest.hexdigest()


def _add_array(digest: Digest, values: Any) -> None:
    """Update a digest with the type, the shape and the values of an array."""
    if isinstance(values, list) and any(isinstance(value, tuple) for value in values):
        # NumPy would make a second dimension of tuples.
        array = np.empty(len(values), object)
        array[:] = values
    else:
        array = np.asarray(values)

    if array.dtype.kind in "OT":
        plain = [encode(value, "data: the value") for value in array.ravel().tolist()]
        digest.update(f"objects {array.shape}".encode() + json.dumps(plain).encode())
        return
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    digest.update(f"{array.dtype.str} {array.shape}".encode())
    digest.update(array.tobytes())


def _digest_of_sentences(sentences: Any, tags: Any) -> str:
    digest = hashlib.sha256()
    for listed in (sentences, tags):
        for sentence in listed:
            digest.update(json.dumps(_plain_token(sentence)).encode() + b"\n")
        digest.update(b"\n")
    return digest.hexdigest()


def _plain_token(part: object) -> Any:
    """Return a sentence, a token or a part of a token as JSON data."""
    if isinstance(part, list | tuple | np.ndarray):
        return [_plain_token(item) for item in part]
    if isinstance(part, Mapping):
        pairs = [[_plain_token(name), _plain_token(value)] for name, value in part.items()]
        return {"features": pairs}
    return encode(part, "data: the token")
