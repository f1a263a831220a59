"""Every transformer speaks scikit-learn's protocol, and hands out what it was asked for."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import floats

from rosenblatt import Perceptron, errors
from rosenblatt.arrays import SparseRows
from rosenblatt.estimators.inputs import read_rows
from rosenblatt.estimators.transformer import Transformer
from rosenblatt.features import AssociationLayer, TextFeatures

NUMBERS = floats(1, n=24)[0]
TEXTS = ["Win money now!", "see you at noon", "win a prize", "lunch at noon?", "", "WIN win"] * 4
LABELS = ["spam", "ham"] * 12


@dataclass
class Case:
    make: Any
    X: Any
    changed: dict[str, Any]
    dense: dict[str, Any]


CASES = {
    "association": Case(
        partial(AssociationLayer, 20), NUMBERS, {"levels": [0.5]}, {"sparse_output": False}
    ),
    "association-sparse": Case(
        partial(AssociationLayer, 20, sparse_output=True),
        NUMBERS,
        {"threshold": 2},
        {"sparse_output": False},
    ),
    "text": Case(
        partial(TextFeatures, bits=10), TEXTS, {"words": (1, 3), "bits": 9}, {"output": "array"}
    ),
    "text-exact": Case(
        partial(TextFeatures, bits=None, chars=(2, 3)), TEXTS, {"unit": False}, {"output": "array"}
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def dense(table: Any) -> Any:
    return table.toarray() if hasattr(table, "tocsr") else np.asarray(table)


class Written(TextFeatures):
    """Texts of the numbers of a row, so that scikit-learn can hand its own data in."""

    def fit(self, X, y=None):
        self._fit_rows(self._texts(X, reset=True))
        return self

    def fit_transform(self, X, y=None):
        return self._as_output(self._fit_rows(self._texts(X, reset=True)), X)

    def transform(self, X):
        self._refuse_unfitted()
        return self._as_output(self.encode(self._texts(X, reset=False)), X)

    def _texts(self, X, *, reset):
        table = dense(read_rows(self, X, reset=reset)[0])
        return [" ".join(f"x{j}_{round(value)}" for j, value in enumerate(row)) for row in table]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = False, True
        tags.input_tags.sparse = tags.requires_fit = True
        return tags


# ---------------------------------------------------------------- scikit-learn's own checks


@parametrize_with_checks(
    [
        AssociationLayer(),
        AssociationLayer(sparse_output=False),
        AssociationLayer(levels=[0.5]),
        Written(output="csr_array", bits=8),
        Written(output="array", bits=None),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


# scikit-learn hands numbers to those of its checks that need rows, and skips them at texts.
WITHOUT_ROWS = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_transformer_n_iter",
)


@every_case
@pytest.mark.parametrize("check", WITHOUT_ROWS)
def test_scikit_learn_check_without_rows(case, check):
    transformer = case.make()
    getattr(estimator_checks, check)(type(transformer).__name__, transformer)


@pytest.mark.filterwarnings("ignore:Can't test estimator:sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_has_no_rows_for_texts_and_passes_over_its_other_checks():
    outcome = estimator_checks.check_estimator(TextFeatures(), on_fail=None)
    assert [(done["check_name"], done["status"]) for done in outcome] == [
        ("check_estimator_cloneable", "passed")
    ]


OUTPUT_CHECKS = (
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_global_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_set_output_transform_polars",
)
NAME_CHECKS = (
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
)


# They hand in frames and arrays by turns, and know what is said about it.
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning")
@pytest.mark.parametrize(
    ("transformer", "check"),
    [
        *((AssociationLayer(20), check) for check in (*OUTPUT_CHECKS, *NAME_CHECKS)),
        *((Written(output="array", bits=6), check) for check in OUTPUT_CHECKS),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_scikit_learn_check_of_containers_and_names(transformer, check):
    pytest.importorskip("pandas")
    if "polars" in check:
        pytest.importorskip("polars")
    getattr(estimator_checks, check)(type(transformer).__name__, transformer)


# ---------------------------------------------------------------- parameters


@every_case
def test_what_is_declared_is_the_signature_and_the_docstring(case):
    kind = type(case.make())
    assert list(inspect.signature(kind).parameters) == list(kind.options())
    section = inspect.getdoc(kind).split("Parameters\n----------\n")[1].split("\n\n")[0]
    named = [line.split(" : ")[0] for line in section.split("\n") if not line.startswith(" ")]
    assert named == list(kind.options())
    assert all(declared.help and declared.type for declared in kind.options().values())


@every_case
def test_repr_tells_what_was_changed_and_makes_the_same_again(case):
    transformer = case.make().set_params(**case.changed)
    shown = repr(transformer)
    assert all(f"{name}={value!r}" in shown for name, value in case.changed.items())
    assert "spread" not in shown
    assert "lowercase" not in shown
    assert eval(shown).get_params() == transformer.get_params()
    assert shown.split("(")[0] in transformer._repr_html_()


@every_case
def test_a_clone_has_parameters_and_container_and_nothing_learned(case):
    transformer = case.make().set_params(**case.changed).fit(case.X)
    twin = clone(transformer.set_output(transform="pandas"))
    assert twin.get_params() == transformer.get_params()
    assert all(twin.get_params()[name] == value for name, value in case.changed.items())
    assert not twin.__sklearn_is_fitted__()
    assert twin._container() == "pandas"
    twin.set_output(transform="default")
    assert transformer._container() == "pandas"


@every_case
def test_a_parameter_that_is_not_there_is_named_with_those_that_are(case):
    transformer = case.make()
    with pytest.raises(errors.ParameterError, match=r"Invalid parameter 'size'.* has \w+, "):
        transformer.set_params(size=3)
    with pytest.raises(TypeError, match="size"):
        type(transformer)(size=3)


@every_case
def test_a_wrong_value_is_refused_by_fit_and_leaves_what_was_learned(case):
    transformer = case.make().fit(case.X)
    before = dense(transformer.transform(case.X))
    for name in ("threshold", "bits"):
        if name in transformer.get_params():
            good = getattr(transformer, name)
            transformer.set_params(**{name: 0})
            with pytest.raises(errors.ParameterError, match=f"{name}=0"):
                transformer.fit(case.X)
            transformer.set_params(**{name: good})
    np.testing.assert_array_equal(dense(transformer.transform(case.X)), before)


# ---------------------------------------------------------------- fitting


@every_case
def test_fit_transform_is_fit_then_transform_and_labels_do_not_matter(case):
    together = case.make().fit_transform(case.X)
    apart = case.make().fit(case.X, LABELS).transform(case.X)
    assert type(together) is type(apart)
    np.testing.assert_array_equal(dense(together), dense(apart))
    np.testing.assert_array_equal(dense(case.make().fit_transform(case.X, LABELS)), dense(apart))


@every_case
def test_fit_forgets_what_was_fitted_before(case):
    other = case.X[:2][::-1]
    again = case.make().fit(case.X).fit(other)
    once = case.make().fit(other)
    assert list(again.get_feature_names_out()) == list(once.get_feature_names_out())
    np.testing.assert_array_equal(dense(again.transform(case.X)), dense(once.transform(case.X)))


@every_case
def test_before_fit_there_are_no_rows_and_no_names(case):
    transformer = case.make()
    if not get_tags(transformer).requires_fit:
        pytest.skip("hashes need nothing learned")
    for use in (lambda: transformer.transform(case.X), transformer.get_feature_names_out):
        with pytest.raises(errors.NotFittedError, match="Call fit first"):
            use()
        with pytest.raises(sklearn.exceptions.NotFittedError):
            use()


@every_case
def test_copies_give_the_same_rows_and_names(case, tmp_path):
    transformer = case.make().fit(case.X)
    joblib.dump(transformer, tmp_path / "kept")
    for twin in (
        pickle.loads(pickle.dumps(transformer)),
        copy.deepcopy(transformer),
        joblib.load(tmp_path / "kept"),
    ):
        found, expected = twin.transform(case.X), transformer.transform(case.X)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(dense(found), dense(expected))
        names = transformer.get_feature_names_out()
        np.testing.assert_array_equal(twin.get_feature_names_out(), names)


@every_case
def test_other_processes_give_the_same_rows(case):
    transformer = case.make().fit(case.X)
    work = [joblib.delayed(transformer.transform)(case.X[i : i + 6]) for i in range(0, 24, 6)]
    parts = [dense(part) for part in joblib.Parallel(n_jobs=2)(work)]
    np.testing.assert_array_equal(np.vstack(parts), dense(transformer.transform(case.X)))


# ---------------------------------------------------------------- containers and names


@every_case
def test_every_column_has_a_name_and_no_two_the_same(case):
    transformer = case.make().fit(case.X)
    names = transformer.get_feature_names_out()
    assert names.dtype == object
    assert len(set(names)) == len(names) == transformer.transform(case.X).shape[1]


@every_case
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_has_the_rows_and_the_names(case, kind):
    package = pytest.importorskip(kind)
    transformer = case.make().set_params(**case.dense)
    plain = transformer.fit_transform(case.X)
    assert isinstance(plain, np.ndarray)
    names = list(transformer.get_feature_names_out())
    with sklearn.config_context(transform_output=kind):
        frames = [transformer.transform(case.X)]
        unless_chosen = clone(transformer).set_output(transform="default").fit_transform(case.X)
        assert type(unless_chosen) is np.ndarray
    transformer.set_output(transform=kind).set_output(transform=None)
    for frame in (*frames, transformer.transform(case.X), transformer.fit_transform(case.X)):
        assert isinstance(frame, package.DataFrame)
        assert list(frame.columns) == names
        np.testing.assert_array_equal(frame.to_numpy(), plain)
    assert type(transformer.set_output(transform="default").transform(case.X)) is np.ndarray


@every_case
def test_rows_keep_the_index_that_pandas_gave_them(case):
    pandas = pytest.importorskip("pandas")
    index = [f"row {i}" for i in range(24)]
    X = pandas.Series(case.X, index) if case.X is TEXTS else pandas.DataFrame(case.X, index)
    transformer = case.make().set_params(**case.dense).set_output(transform="pandas")
    assert list(transformer.fit_transform(X).index) == index
    assert list(transformer.transform(X[5:9]).index) == index[5:9]


@every_case
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_sparse_rows_in_a_frame_are_refused_with_the_cure(case, kind):
    transformer = case.make()
    if isinstance(transformer.fit_transform(case.X), np.ndarray):
        pytest.skip("gives arrays")
    transformer.set_output(transform=kind)
    with pytest.raises(ValueError, match=f"outputs .*sparse.*disable {kind.capitalize()} output"):
        transformer.transform(case.X)
    name, value = next(iter(case.dense.items()))
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        transformer.transform(case.X)


@every_case
def test_a_container_that_is_not_known_or_not_installed_is_named(case, monkeypatch):
    transformer = case.make().set_params(**case.dense).fit(case.X)
    with pytest.raises(errors.ParameterError, match=r"'pandas', 'polars'.*got 'arrow'"):
        transformer.set_output(transform="arrow")
    assert type(transformer.transform(case.X)) is np.ndarray
    with (
        sklearn.config_context(transform_output="arrow"),
        pytest.raises(errors.ParameterError, match="output config must be in"),
    ):
        transformer.transform(case.X)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(errors.MissingExtra, match="'polars' requires polars to be installed"):
        transformer.set_output(transform="polars").transform(case.X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_transformer_of_ones_own_needs_three_methods():
    class Halved(Transformer):
        """Half of every number."""

        def fit(self, X, y=None, *, shift=0.0):
            self.shift_ = shift
            read_rows(self, X, reset=True)
            return self

        def transform(self, X):
            self._refuse_unfitted()
            return self._in_container(read_rows(self, X, reset=False)[0] / 2 + self.shift_, X)

        @property
        def _n_features_out(self):
            return self.n_features_in_

        def __sklearn_is_fitted__(self):
            return "shift_" in self.__dict__

    assert Halved().fit_transform([[2.0, 4.0]], shift=1.0).tolist() == [[2.0, 3.0]]
    assert list(Halved().fit(NUMBERS).get_feature_names_out()) == [f"halved{i}" for i in range(4)]
    weighted = make_pipeline(Halved(), Perceptron())
    assert weighted.fit(NUMBERS, LABELS, halved__shift=1.0)[0].shift_ == 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(Halved().set_fit_request(shift=True), Perceptron())
        assert routed.fit(NUMBERS, LABELS, shift=2.0)[0].shift_ == 2.0


# ---------------------------------------------------------------- texts in pipelines


PIPELINES = {
    "ours": lambda: make_pipeline(TextFeatures(), Perceptron()),
    "ours, two": lambda: make_pipeline(TextFeatures(bits=6), AssociationLayer(50), Perceptron()),
    "theirs": lambda: make_pipeline(TextFeatures(bits=10), LogisticRegression(solver="liblinear")),
    "matrix": lambda: make_pipeline(
        TextFeatures(bits=10, output="csr_matrix"), LogisticRegression(solver="liblinear")
    ),
    "exact": lambda: make_pipeline(
        TextFeatures(bits=None, output="array"), LogisticRegression(solver="liblinear")
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES.keys())
def test_texts_are_learned_in_pipelines_searches_and_cross_validation(pipeline, routing):
    labels = ["spam", "ham", "spam", "ham", "ham", "spam"] * 4
    with sklearn.config_context(enable_metadata_routing=routing):
        model = pipeline().fit(TEXTS, labels)
        assert model.score(TEXTS, labels) > 0.8
        assert model.score(np.array(TEXTS), labels) == model.score(TEXTS, labels)
        scores = cross_val_score(pipeline(), TEXTS, labels, cv=2)
        assert scores.mean() > 0.8
        grid = {"textfeatures__words": [None, (1, 1)], "textfeatures__chars": [(9, 9), (1, 1)]}
        search = GridSearchCV(pipeline(), grid, cv=2, error_score="raise").fit(TEXTS, labels)
        assert search.best_score_ > 0.8
        assert (
            search.best_estimator_[0].words == search.best_params_["textfeatures__words"] == (1, 1)
        )
        assert len(search.cv_results_["mean_test_score"]) == 4


@pytest.mark.slow
def test_a_search_in_other_processes_finds_the_same():
    grid = {"textfeatures__bits": [3, None]}
    one, two = (
        GridSearchCV(PIPELINES["ours"](), grid, cv=2, n_jobs=n).fit(TEXTS, LABELS) for n in (1, 2)
    )
    found, expected = (search.cv_results_["mean_test_score"] for search in (two, one))
    np.testing.assert_array_equal(found, expected)


def test_what_comes_out_is_what_was_asked_for_and_holds_the_same():
    expected = TextFeatures(bits=7, output="rows").fit_transform(TEXTS)
    assert type(expected) is SparseRows
    for output, kind in {
        "auto": sp.csr_array,
        "csr_array": sp.csr_array,
        "csr_matrix": sp.csr_matrix,
        "array": np.ndarray,
    }.items():
        found = TextFeatures(bits=7, output=output).fit_transform(TEXTS)
        assert type(found) is kind
        np.testing.assert_array_equal(dense(found), expected.toarray())
        if kind is not np.ndarray:
            assert found.has_canonical_format
            for part in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))


def test_rows_that_scikit_learn_cannot_read_are_refused_with_the_cure():
    ours = TextFeatures(output="rows")
    with pytest.raises(errors.InputError, match=r"or with output='csr_array'"):
        make_pipeline(ours, LogisticRegression(solver="liblinear")).fit(TEXTS, LABELS)


def test_rows_are_those_of_scipy_only_where_scipy_is_loaded(monkeypatch):
    found = TextFeatures(bits=7).fit_transform(TEXTS)
    monkeypatch.delitem(sys.modules, "scipy.sparse")
    rows = TextFeatures(bits=7).fit_transform(TEXTS)
    assert (type(found), type(rows)) == (sp.csr_array, SparseRows)
    model, same = Perceptron().fit(found, LABELS), Perceptron().fit(rows, LABELS)
    assert model.coef_.tobytes() == same.coef_.tobytes()


def test_our_learners_take_what_comes_out_without_a_copy():
    found = TextFeatures(bits=7).fit_transform(TEXTS)
    rows = SparseRows.of(found)
    for part in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(found, part), getattr(rows, part))


def test_texts_are_a_column_among_others():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS, "n": np.arange(24.0)}, index=np.arange(24) * 7)
    for output in ("csr_array", "array"):
        columns = make_column_transformer(
            (TextFeatures(bits=None, output=output), "text"), remainder="passthrough"
        )
        table = dense(columns.fit_transform(frame))
        alone = TextFeatures(bits=None).fit(TEXTS)
        np.testing.assert_array_equal(table[:, :-1], alone.transform(TEXTS).toarray())
        np.testing.assert_array_equal(table[:, -1], frame["n"])
        names = [f"textfeatures__{name}" for name in alone.get_feature_names_out()]
        assert list(columns.get_feature_names_out()) == [*names, "remainder__n"]
    framed = columns.set_output(transform="pandas").fit_transform(frame)
    assert list(framed.index) == list(frame.index)
    assert list(framed.columns) == [*names, "remainder__n"]


def test_texts_are_no_metadata():
    assert not hasattr(TextFeatures, "set_fit_request")
    assert not hasattr(TextFeatures, "set_transform_request")


def test_hashed_texts_without_idf_need_no_fit_and_others_do():
    assert not get_tags(TextFeatures(idf=False)).requires_fit
    assert get_tags(TextFeatures()).requires_fit
    assert get_tags(TextFeatures(bits=None, idf=False)).requires_fit
    features, fitted = TextFeatures(bits=7, idf=False), TextFeatures(bits=7, idf=False)
    np.testing.assert_array_equal(
        features.transform(TEXTS).toarray(), fitted.fit_transform(TEXTS).toarray()
    )
    assert not features.__sklearn_is_fitted__()
    assert features.set_params(bits=3).transform(TEXTS).shape == (24, 8)


def test_after_fit_other_parameters_wait_for_the_next_fit():
    features = TextFeatures(bits=7).fit(TEXTS).set_params(bits=5)
    assert features.transform(TEXTS).shape == (24, 128)
    assert features.fit(TEXTS).transform(TEXTS).shape == (24, 32)


def test_names_tell_words_from_pieces_and_hashes_without_a_word():
    exact = TextFeatures(bits=None, chars=(3, 3)).fit(["win"])
    assert list(exact.get_feature_names_out()) == ["win", " wi", "win #2", "in "]
    hashed = TextFeatures(bits=2).fit(["win"])
    names = list(hashed.get_feature_names_out())
    assert sorted(name == "win" for name in names) == [False, False, False, True]
    assert all(name in ("win", f"hash {column}") for column, name in enumerate(names))
    assert list(TextFeatures(bits=None).fit([""]).get_feature_names_out()) == ["hash 0"]


def test_a_copy_learns_apart_from_what_it_was_copied_from():
    features = TextFeatures(words=(1, 1), bits=None, unit=False).fit(["a b"])
    twin = copy.deepcopy(features)
    assert twin.learn(["b c"]).toarray().tolist() == [[0.0, 1.0, 1.0]]
    assert list(twin.get_feature_names_out()) == ["a", "b", "c"]
    assert list(features.get_feature_names_out()) == ["a", "b"]


def test_a_learner_with_a_schema_of_texts_can_be_pickled():
    from rosenblatt.features import TextSchema

    schema = TextSchema(TextFeatures(bits=6).fit(TEXTS))
    model = Perceptron(max_iter=3, tol=None).fit(schema.features.encode(TEXTS), LABELS)
    model.schema_ = schema
    assert model.schema_ is not None
    twin = pickle.loads(pickle.dumps(model))
    assert twin.schema_.to_json() == model.schema_.to_json()


def test_schemas_do_not_heed_what_transformers_are_to_return():
    from rosenblatt.features import Schema, TextSchema

    records = [{"text": text, "size": 1.0} for text in TEXTS]
    with sklearn.config_context(transform_output="pandas"):
        assert type(TextSchema(TextFeatures(bits=5)).features.learn(TEXTS)) is SparseRows
        encoded = Schema.guess_records(records).encode_records(records)
    np.testing.assert_array_equal(
        dense(encoded), dense(Schema.guess_records(records).encode_records(records))
    )


def test_a_table_is_not_taken_for_texts():
    frame = pytest.importorskip("pandas").DataFrame({"t": ["a b", "c"], "n": [1, 2]})
    for texts in (frame, frame[["t"]], np.array([["a"], ["b"]])):
        for act in (TextFeatures().fit_transform, TextFeatures().transform):
            with pytest.raises(errors.InputError, match="give one column of it"):
                act(texts)
    assert TextFeatures().fit_transform(frame["t"]).shape[0] == 2


def test_sparse_rows_in_a_frame_are_refused_by_what_they_are():
    texts = TextFeatures().fit(["a b"]).set_output(transform="pandas")
    rows = SparseRows.from_dense(np.eye(2))
    for out, what in (rows, "sparse rows"), (rows.tocsr(), "a scipy sparse matrix"):
        with pytest.raises(errors.ParameterError, match=rf"The transformer outputs {what}\. Try"):
            texts._in_container(out, ["a", "b"])
