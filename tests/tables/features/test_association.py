"""Association units are wired by the seed alone and fire as the ten-line version says (L3.11)."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import association as reference
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from strategies import floats, integers, seeds

from rosenblatt import AveragedPerceptron, Perceptron, datasets
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.features import AssociationLayer
from rosenblatt.tables.features import association

XOR, XOR_LABELS = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]


def dense(table):
    return table.toarray() if sp.issparse(table) else table


def connections(layer):
    """The wiring as the reference has it."""
    wiring = layer.wiring_
    bounds = zip(wiring.indptr[:-1], wiring.indptr[1:], strict=True)
    return [
        dict(zip(wiring.indices[a:b].tolist(), wiring.data[a:b].tolist(), strict=True))
        for a, b in bounds
    ]


@st.composite
def settings(draw):
    excitatory = draw(st.integers(1, 5))
    own_levels = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=3)
    return {
        "n_units": draw(st.integers(1, 12)),
        "excitatory": excitatory,
        "inhibitory": draw(st.integers(0, 5)),
        "threshold": draw(st.integers(1, excitatory)),
        "levels": draw(st.integers(1, 4) | own_levels),
        "spread": draw(st.sampled_from([0.3, 1.0, 3.0])),
        "random_state": draw(seeds),
    }


@given(settings(), st.sampled_from([None, (2, 3), (1, 6), (6, 1)]), seeds, st.booleans())
def test_units_are_wired_and_fire_as_in_the_reference(setting, shape, seed, whole):
    X, _ = (integers if whole else floats)(seed, n=9, d=6)
    Z, _ = (integers if whole else floats)(seed + 1, n=5, d=6)
    layer = AssociationLayer(**setting, image_shape=shape).fit(X)
    levels = setting["levels"]
    levels = reference.even_levels(X, levels) if isinstance(levels, int) else [levels] * 6
    np.testing.assert_array_equal(layer.levels_, levels)
    signs = [1] * setting["excitatory"] + [-1] * setting["inhibitory"]
    units = reference.wired(
        setting["random_state"],
        setting["n_units"],
        signs,
        6,
        len(levels[0]),
        shape,
        setting["spread"],
    )
    assert connections(layer) == units
    for table in (X, Z):
        expected = [reference.fires(x, units, levels, setting["threshold"]) for x in table]
        np.testing.assert_array_equal(dense(layer.transform(table)), expected)
    assert layer.activity_ == pytest.approx(dense(layer.transform(X)).mean())


@given(settings(), seeds, st.sampled_from(["csr_array", "csc_matrix", "coo_array"]))
def test_sparse_and_dense_rows_agree_to_the_last_bit(setting, seed, kind):
    X, _ = floats(seed, n=20)
    sparse = getattr(sp, kind)(X)
    one, other = (AssociationLayer(**setting).fit(table) for table in (X, sparse))
    np.testing.assert_array_equal(one.levels_, other.levels_)
    assert one.activity_ == other.activity_
    np.testing.assert_array_equal(dense(one.transform(X)), dense(other.transform(sparse)))


def test_entries_stored_twice_are_added_and_the_callers_matrix_stays_as_it_is():
    X = sp.csr_array(([1.0, 1.0, 1.5], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    layer = AssociationLayer(30).fit(X)
    np.testing.assert_array_equal(layer.levels_, AssociationLayer(30).fit(X.toarray()).levels_)
    np.testing.assert_array_equal(
        dense(layer.transform(X)), dense(layer.transform(X.toarray().copy()))
    )
    assert X.nnz == 3


@pytest.mark.parametrize("sparse_output", [True, False])
@pytest.mark.parametrize("table", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("block_bytes", [1, 5_000, 20_000])
def test_the_size_of_the_blocks_changes_nothing(monkeypatch, sparse_output, table, block_bytes):
    X = table(floats(3, n=57, d=7)[0])
    layer = AssociationLayer(40, sparse_output=sparse_output).fit(X)
    whole = layer.transform(X)
    monkeypatch.setattr(association, "BLOCK_BYTES", block_bytes)
    assert len(list(layer._blocks(X))) > 1
    np.testing.assert_array_equal(dense(layer.transform(X)), dense(whole))
    again = AssociationLayer(40, sparse_output=sparse_output).fit(X)
    assert again.activity_ == layer.activity_
    one_by_one = [dense(layer.transform(X[i : i + 1])) for i in range(57)]
    np.testing.assert_array_equal(np.vstack(one_by_one), dense(whole))


def test_memory_beside_input_and_output_is_bounded():
    import tracemalloc

    X = np.random.default_rng(0).random((20_000, 50), np.float32)
    layer = AssociationLayer(1000, sparse_output=False, levels=2).fit(X)
    tracemalloc.start()
    out = layer.transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - out.nbytes < 3 * association.BLOCK_BYTES < out.nbytes / 3


def test_the_same_seed_gives_the_same_wiring_whatever_the_rows_hold():
    one, same, other = (
        AssociationLayer(50, random_state=seed).fit(floats(k)[0])
        for k, seed in enumerate((7, 7, 8))
    )
    assert connections(one) == connections(same) != connections(other)


def test_the_wiring_of_seed_0_is_the_same_on_every_machine():
    layer = AssociationLayer(3, levels=1).fit(np.eye(20))
    image = AssociationLayer(3, levels=1, image_shape=(4, 5)).fit(np.eye(20))
    assert connections(layer) == [
        {1: -1, 5: 2, 12: -1, 14: -1, 16: 1},
        {1: 1, 5: 1, 11: -1, 13: -1},
        {8: 2, 12: -1, 19: -1},
    ]
    assert connections(image) == [
        {5: 1, 7: -1, 9: -1, 14: 1},
        {1: 1, 6: -2, 8: -1, 9: 1, 13: 1},
        {4: -1, 8: -1, 9: 1, 11: -1, 14: 1, 17: 1},
    ]


def test_a_smaller_layer_is_the_beginning_of_a_larger():
    for shape in (None, (2, 3)):
        X, _ = floats(1, d=6)
        small, large = (AssociationLayer(n, image_shape=shape).fit(X) for n in (15, 60))
        assert connections(small) == connections(large)[:15]


def test_generators_and_none_give_new_wirings():
    X, _ = floats(1)
    for state in (None, np.random.default_rng(0), np.random.RandomState(0)):
        first, second = (AssociationLayer(50, random_state=state).fit(X) for _ in range(2))
        assert connections(first) != connections(second)


@pytest.mark.parametrize(("x", "y", "threshold"), [(3, 3, 1), (5, 5, 2), (6, 0, 4), (4, 2, 2)])
@pytest.mark.parametrize("share_on", [0.1, 0.3, 0.6])
def test_as_many_units_fire_as_rosenblatt_reckoned(x, y, threshold, share_on):
    X = np.zeros((2, 1000))
    X[0, : int(1000 * share_on)] = 1.0
    layer = AssociationLayer(20_000, excitatory=x, inhibitory=y, threshold=threshold, levels=[0.5])
    share = dense(layer.fit_transform(X))[0].mean()
    expected = reference.expected_activity(x, y, threshold, share_on)
    assert share == pytest.approx(expected, abs=5 * np.sqrt(expected / 20_000))


def test_an_empty_retina_makes_nothing_fire():
    assert dense(AssociationLayer(levels=[0.5]).fit_transform(np.zeros((3, 4)))).sum() == 0


def test_on_an_image_units_are_wired_around_a_point():
    X, plain = np.zeros((1, 900)), {"n_units": 2000, "levels": 1, "inhibitory": 0}

    def height(layer):
        """Rows of the image from the first connection of a unit to its last, on average."""
        return np.mean([np.ptp(np.array(list(unit)) // 30) for unit in connections(layer)])

    near, wide, all_over = (
        AssociationLayer(image_shape=(30, 30), spread=spread, **plain).fit(X)
        for spread in (1.0, 3.0, 1e6)
    )
    assert height(near) < height(wide) / 2 < height(all_over) / 3
    anywhere = AssociationLayer(**plain).fit(X)
    assert height(all_over) == pytest.approx(height(anywhere), rel=0.03)
    assert set(near.wiring_.indices) == set(range(900)), "no point is left out"


def test_units_whose_connections_cancel_never_fire():
    X = np.array([[0.0], [1.0]])
    layer = AssociationLayer(4, excitatory=1, inhibitory=1, levels=1)
    assert dense(layer.fit_transform(X)).tolist() == [[0.0] * 4] * 2
    assert layer.wiring_.nnz == 0


def test_two_values_are_seen_alike_at_any_number_of_levels():
    X = np.random.default_rng(0).integers(0, 2, (40, 9)).astype(float)
    codes = [dense(AssociationLayer(60, levels=n).fit_transform(X)) for n in (1, 3)]
    np.testing.assert_array_equal(codes[0], codes[1])


def test_levels_do_not_depend_on_scale_or_offset():
    X, _ = integers(5, n=40)
    code = dense(AssociationLayer(levels=4).fit_transform(X))
    np.testing.assert_array_equal(code, dense(AssociationLayer(levels=4).fit_transform(8 * X - 16)))


KINDS = (np.asarray, sp.csr_array, sp.csr_matrix)


@pytest.mark.parametrize("fitted", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_out_is_of_the_kind_that_went_in_unless_said_otherwise(fitted, kind):
    bright, dark = np.ones((4, 10)), np.zeros((4, 10))
    always = {"levels": [0.5], "inhibitory": 0}
    layer = AssociationLayer(**always).fit(fitted(bright))
    assert layer.activity_ == 1.0
    for X in (bright, dark):
        assert type(layer.transform(kind(X))) is type(kind(X))
    assert isinstance(layer.set_params(sparse_output=False).transform(kind(dark)), np.ndarray)
    sparse = layer.set_params(sparse_output=True).transform(kind(dark))
    assert type(sparse) is (sp.csr_matrix if kind is sp.csr_matrix else sp.csr_array)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse_output", [True, False])
def test_ones_are_of_the_type_of_the_rows_and_both_types_see_the_same(dtype, sparse_output):
    X = floats(1, n=50)[0].astype(np.float32)
    layer = AssociationLayer(sparse_output=sparse_output).fit(X)
    code = layer.transform(X.astype(dtype))
    assert code.dtype == dtype
    np.testing.assert_array_equal(dense(code), dense(layer.transform(X)))
    if sparse_output:
        assert code.has_sorted_indices
        code.has_canonical_format = False
        code.sum_duplicates()
        assert set(code.data) == {1.0}


def test_many_connections_are_counted_without_overflow():
    X = np.array([[1.0], [0.0]])
    for excitatory in (127, 128, 40_000):
        layer = AssociationLayer(
            2, excitatory=excitatory, inhibitory=0, threshold=excitatory, levels=[0.5]
        )
        assert dense(layer.fit_transform(X)).tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_exclusive_or_is_separated_behind_the_layer():
    """L3.9, by Rosenblatt's means."""
    for seed in range(10):
        code = AssociationLayer(100, random_state=seed).fit_transform(XOR)
        assert Perceptron().fit(code, XOR_LABELS).stop_reason_ == "separated"


def test_digits_as_dots_are_answered_better_behind_the_layer():
    digits = datasets.digits()
    X = (digits.X > 7).astype(np.float32)
    learner = AveragedPerceptron(max_iter=10, tol=None)
    layer = AssociationLayer(1000, image_shape=(8, 8))
    with pytest.warns(match="max_iter"):
        plain = cross_val_score(learner, X, digits.y, cv=3).mean()
    pipeline = make_pipeline(layer, AveragedPerceptron(max_iter=100))
    assert cross_val_score(pipeline, X, digits.y, cv=3).mean() > plain + 0.01


def test_the_layer_works_in_pipelines_searches_clones_and_pickles():
    X, y = floats(2, n=60)
    pipeline = make_pipeline(AssociationLayer(200), Perceptron())
    search = GridSearchCV(pipeline, {"associationlayer__n_units": [300, 400]}, cv=2).fit(X, y)
    assert search.best_params_["associationlayer__n_units"] in (300, 400)
    layer = AssociationLayer(30, threshold=2, levels=[0.0, 1.0], image_shape=(2, 2), spread=1)
    copy = clone(layer.fit(X))
    assert copy.get_params() == layer.get_params()
    assert not hasattr(copy, "wiring_")
    kept = pickle.loads(pickle.dumps(layer))
    for other in (copy.fit(X), kept):
        np.testing.assert_array_equal(dense(other.transform(X)), dense(layer.transform(X)))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_give_names_in_and_units_have_names_out(kind):
    X, _ = floats(1)
    named = pytest.importorskip(kind).DataFrame(dict(zip("abcd", X.T, strict=True)))
    layer = AssociationLayer(3, sparse_output=False).fit(named)
    assert list(layer.feature_names_in_) == list("abcd")
    names = ["associationlayer0", "associationlayer1", "associationlayer2"]
    assert list(layer.get_feature_names_out()) == names
    assert list(layer.set_output(transform=kind).transform(named).columns) == names
    with pytest.raises(InputError, match=r"[Ff]eature names"):
        layer.transform(named[["b", "a", "c", "d"]])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n_units": 0}, "n_units=0 .* at least 1"),
        ({"n_units": 2.5}, "n_units=2.5"),
        ({"excitatory": 0}, "excitatory=0 .* at least 1"),
        ({"inhibitory": -1}, "inhibitory=-1 .* at least 0"),
        ({"threshold": 0}, "threshold=0 .* at least 1"),
        ({"threshold": 4}, "threshold=4 is above excitatory=3"),
        ({"levels": 0}, "levels=0"),
        ({"levels": True}, "levels=True"),
        ({"levels": []}, "levels="),
        ({"levels": "many"}, "levels='many'"),
        ({"levels": [0.0, np.nan]}, "levels=.*nan"),
        ({"levels": 0.5}, r"levels=0.5 .* \[0.5\]"),
        ({"image_shape": 28}, "image_shape=28"),
        ({"image_shape": (2, 2, 1)}, "image_shape"),
        ({"image_shape": (0, 4)}, "image_shape"),
        ({"image_shape": (2, 3)}, r"image_shape=\(2, 3\) has 6 points, but X has 4"),
        ({"spread": 0}, "spread=0 .* above 0"),
        ({"spread": np.inf}, "spread=inf"),
        ({"sparse_output": "dense"}, "sparse_output='dense'"),
        ({"sparse_output": None}, "sparse_output=None"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": "x"}, "random_state='x'"),
    ],
)
def test_bad_parameters_are_refused_with_what_is_allowed(parameters, said):
    layer = AssociationLayer(**parameters)
    with pytest.raises(ParameterError, match=said):
        layer.fit(floats(1)[0])


@pytest.mark.parametrize("table", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_values_that_are_no_numbers_are_named_by_row_and_column(table, value):
    X, _ = floats(1)
    layer = AssociationLayer(5).fit(X)
    X[7, 1] = value
    for call in (layer.fit, layer.transform):
        with pytest.raises(InputError, match="row 7, column 1"):
            call(table(X))


def test_rows_of_another_shape_or_kind_are_refused():
    X, _ = floats(1)
    layer = AssociationLayer(5)
    with pytest.raises(NotFittedError):
        layer.transform(X)
    layer.fit(X)
    for bad, said in [
        (X[:, :3], "3 features"),
        (X[0], "1D array"),
        (np.empty((0, 4)), "0 sample"),
        ([["a", "b", "c", "d"]], "could not convert"),
    ]:
        with pytest.raises(InputError, match=said):
            layer.transform(bad)


def test_the_rest_of_the_features_loads_without_scikit_learn():
    code = "import rosenblatt.features as f, sys; f.Schema; print('sklearn' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
    assert "AssociationLayer" in dir(sys.modules["rosenblatt.features"])
    with pytest.raises(AttributeError, match="no attribute 'AssociationLayr'"):
        _ = sys.modules["rosenblatt.features"].AssociationLayr
