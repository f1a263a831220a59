"""Weights that are mostly 0 take room for those that are not, and come back bit for bit."""

import numpy as np
import pytest

from persistence.forging import bytes_of, closed, forged, opened, parsed
from rosenblatt import AveragedPerceptron, Perceptron, load, save
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import ModelFileError
from rosenblatt.features import Schema

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")


def wide(n_features, n_classes=2, dtype=np.float64):
    """A model of which few features ever occur, one of them far to the right."""
    columns = np.array([3, n_features - 1, 0, 7, 3, 11], np.int32)
    data = np.array([1.0, -2.0, 0.5, 1.5, -1.0, 2.0], dtype)
    rows = SparseRows.from_entries(data, columns, np.arange(7, dtype=np.int32), n_features)
    return AveragedPerceptron(max_iter=3).fit(rows, [i % n_classes for i in range(6)])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_file_grows_with_the_weights_that_are_not_zero(tmp_path, n_classes, dtype):
    small, large = (len(bytes_of(wide(n, n_classes, dtype), tmp_path)) for n in (1 << 12, 1 << 18))
    assert large <= small + 100
    learner = wide(1 << 18, n_classes, dtype)
    save(learner, tmp_path / "model.rbt")
    again = load(tmp_path / "model.rbt")
    for name in ("coef_", "intercept_"):
        assert getattr(again, name).tobytes() == getattr(learner, name).tobytes()
        assert getattr(again, name).dtype == getattr(learner, name).dtype
    again.partial_fit(np.eye(2, 1 << 18), [0, 1])
    learner.partial_fit(np.eye(2, 1 << 18), [0, 1])
    assert again.coef_.tobytes() == learner.coef_.tobytes()


def test_a_negative_zero_keeps_its_sign(tmp_path):
    start = np.zeros((1, 5000))
    start[0, 4321] = -0.0
    rows = SparseRows.from_entries(np.ones(2), np.array([0, 1]), np.arange(3), 5000)
    p = Perceptron(max_iter=1).fit(rows, [0, 1], coef_init=start)
    save(p, tmp_path / "model.rbt")
    assert load(tmp_path / "model.rbt").coef_.tobytes() == p.coef_.tobytes()
    assert np.signbit(p.coef_[0, 4321])


def test_arrays_without_many_zeros_and_small_ones_stay_whole(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 800))
    full = Perceptron().fit(X, np.arange(20) % 2)
    assert not any("/" in name for name in opened(bytes_of(full, tmp_path))[1])
    assert not any("/" in name for name in opened(bytes_of(wide(500), tmp_path))[1])


PART = "stored in parts that do not fit"
FORGERIES = [
    (lambda a: a.pop("coef/values"), PART),
    (lambda a: a.pop("coef/shape"), PART),
    (lambda a: a.update({"coef/index": a["coef/index"][None]}), PART),
    (lambda a: a.update({"coef/shape": a["coef/shape"].astype(np.int32)}), "of the wrong type"),
    (lambda a: a.update({"coef/values": a["coef/index"]}), "is of int32, but must be of float"),
    (lambda a: a.update({"coef/index": a["coef/values"]}), "of the wrong type"),
    (lambda a: a.update({"coef/index": a["coef/index"][:-1]}), "places, but 4 values"),
    (lambda a: a.update({"coef/index": a["coef/index"][::-1].copy()}), "less than allowed there"),
    (lambda a: a["coef/index"].__setitem__(0, -1), "coef/index.0. is -1"),
    (lambda a: a["coef/index"].__setitem__(-1, 1 << 14), r"coef/index\[3\] is 16384"),
    (lambda a: a["coef/index"].__setitem__(1, a["coef/index"][0]), "less than allowed there"),
    (lambda a: a["coef/index"].__setitem__(1, 2**31 - 1), "less than allowed there"),
    (lambda a: a["coef/shape"].__setitem__(1, -5), "the shape of coef is -5"),
    (lambda a: a["coef/shape"].__setitem__(1, 1 << 40), "the shape of coef is"),
    (lambda a: a["coef/shape"].__setitem__(1, 1 << 33), "fit into memory|ask for"),
    (lambda a: a["coef/shape"].__setitem__(1, 1 << 13), r"coef/index\[3\]|ask for"),
    (lambda a: a["coef/shape"].__setitem__(0, 0), "the size of coef is 0"),
    (lambda a: a["coef/values"].__setitem__(0, np.nan), r"coef\[0, 0\] is nan"),
    (lambda a: a.update({"coef": np.full((2, 7), np.nan)}), "'coef' is stored twice"),
    (lambda a: a.update({"more/index": a["coef/index"]}), "'more' is stored in parts"),
    (lambda a: a.pop("coef/index"), "'coef' is missing"),
]


@pytest.mark.parametrize(("change", "said"), FORGERIES)
def test_parts_that_somebody_made_up_are_refused(tmp_path, change, said):
    data = bytes_of(wide(1 << 14), tmp_path)
    assert "coef/index" in opened(data)[1]
    (tmp_path / "forged.rbt").write_bytes(forged(data, change_arrays=change))
    with pytest.raises(ModelFileError, match=said):
        load(tmp_path / "forged.rbt")


def test_a_long_card_stands_beside_the_arrays_and_comes_back(tmp_path):
    names = [f"column number {place:06}" for place in range(60_000)]
    learner = Perceptron().partial_fit(np.eye(2, len(names)), [0, 1])
    learner.schema_ = Schema.of_numbers(names)
    save(learner, tmp_path / "model.rbt")
    data = (tmp_path / "model.rbt").read_bytes()
    header, arrays = opened(data)
    assert set(header) == {"format", "version", "sha256"}
    again = load(tmp_path / "model.rbt")
    assert again.schema_.names([0, 59_999]) == [names[0], names[-1]]
    save(again, tmp_path / "again.rbt")
    assert (tmp_path / "again.rbt").read_bytes() == data
    for rest in (b"[]", b'{"format":4}', b"\xff{", b'{"learner":"Perceptron"}'):
        made_up = closed(header, {**arrays, "card": np.frombuffer(rest, np.int8)})
        with pytest.raises(ModelFileError):
            parsed(made_up)
