"""`TextFeatures`: weighted counts of word and character n-grams, hashed or exact."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, SparseRows
from rosenblatt.errors import InputError, Message, ModelFileError, ParameterError, Value
from rosenblatt.estimators.params import n_jobs_option, option
from rosenblatt.estimators.transformer import Transformer, output_option, rows_as
from rosenblatt.tables.features.ngram_counter import WEIGHTS, NGramCounter

MAX_BITS = 28
# The longest n-gram, in words or characters, and the longest word that ``shortest`` may ask for.
LONGEST = 20
LONGEST_WORD = 1_000
# The defaults of streams: idf needs later texts, which are not known, and in a row of length 1
# unseen n-grams would make the values of all others small.
OF_STREAMS = {"idf": False, "unit": False}
# Exceptions that JSON data of the wrong structure can cause.
UNSOUND = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number and not a bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _check_span(name: str, span: Any) -> None:
    """Raise ParameterError unless ``span`` is a shortest and a longest n-gram, up to `LONGEST`."""
    try:
        least, most = span
    except (TypeError, ValueError):
        least = -1
        most = -1
    are_whole = is_whole(least) and is_whole(most)
    if not (are_whole and 1 <= least <= most <= LONGEST):
        raise ParameterError(
            f"{name}={span!r} must be the shortest and longest n-gram, as (1, 2), of at most "
            f"{LONGEST}."
        )


class TextFeatures(Transformer):
    """Encode texts as sparse rows of weighted n-gram counts.

    An n-gram that occurs k times in a text, and in m of the n texts of ``fit``, has the value
    ``(1 + ln k) · (1 + ln((1 + n) / (1 + m)))``; then rows are scaled to length 1. These are the
    settings that serve linear learners best; each of them can be turned off.

    The n-gram g goes to the column ``murmur3_32(g) mod 2**bits`` (UTF-8 bytes of its words with a
    blank between them; seed 0 for words, 0x9E3779B9 for characters), or with ``bits=None`` to a
    column of its own. Columns remember the first n-gram that was in them, so that weights can be
    read. Hashed texts without ``idf`` can be transformed before any ``fit``.

    Cost: one pass over the characters; a list of texts is not copied.

    Parameters
    ----------
    words : tuple of int or None, default=(1, 2)
        Shortest and longest run of words (word n-grams); None for none.
    chars : tuple of int or None, default=None
        Shortest and longest piece of a word with the blanks around it (character n-grams); None for
        none.
    bits : int or None, default=18
        Hash to 2**bits columns; None keeps an exact vocabulary, which ``learn`` extends.
    value : {"once", "count", "log"}, default="log"
        1 for each n-gram that occurs, its count, or 1 + ln of its count.
    idf : bool, default=True
        Let n-grams count more the fewer texts of ``fit`` have them (inverse document frequency);
        n-grams that no text had are left out. Not for streams, whose texts are not known
        beforehand.
    unit : bool, default=True
        Scale rows to length 1.
    shortest : int, default=1
        Minimum number of characters of a word; shorter words are left out.
    symbols : bool, default=True
        Treat characters such as ``!`` and ``£`` as words of their own.
    lowercase : bool, default=True
        Convert capital letters to small ones.
    output : {"auto", "rows", "csr_array", "csr_matrix", "array"}, default="auto"
        What ``transform`` returns: "rows" are sparse rows, which every learner here takes and which
        need only NumPy; "csr_array" and "csr_matrix" are SciPy's, for scikit-learn's learners;
        "array" is dense, for data frames and few columns. "auto" is SciPy's array if SciPy is
        loaded, as it is with scikit-learn, otherwise rows: the same three arrays, and no copy of
        them.
    n_jobs : int or None, default=None
        Number of threads that count n-grams in ``transform`` (``fit`` has one): None is 1, -1 all
        processors. Results are the same.

    See Also
    --------
    Schema : For tables with columns of other kinds.
    sklearn.feature_extraction.text.TfidfVectorizer : Any tokenizer, in Python, exact columns.

    Notes
    -----
    ``TextFeatures(bits=None)`` gives the numbers of scikit-learn's
    ``TfidfVectorizer(token_pattern=r"\\w+|[^\\w\\s]", sublinear_tf=True, ngram_range=(1, 2))``, in
    columns in the order of appearance instead of the alphabet. Two things differ: control
    characters are no words here, and letters become lower case one by one, so that ``İ`` is ``i``
    and ``Σ`` is ``σ`` everywhere.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.features import TextFeatures
    >>> features = TextFeatures(words=(1, 1), bits=None)
    >>> rows = features.fit_transform(["Win money, win!", "See you at noon"])
    >>> rows.shape, features.names(range(4))
    ((2, 8), ['win', 'money', ',', '!'])
    >>> model = Perceptron().fit(rows, ["spam", "ham"])
    >>> model.predict(features.transform(["Win now!"])).tolist()
    ['spam']
    """

    words: tuple[int, int] | None = option(
        default=(1, 2),
        type="tuple of int or None",
        check=_check_span,
        help="Shortest and longest run of words (word n-grams); None for none.",
    )
    chars: tuple[int, int] | None = option(
        default=None,
        type="tuple of int or None",
        check=_check_span,
        help="""
        Shortest and longest piece of a word with the blanks around it (character n-grams); None for
        none.""",
    )
    bits: int | None = option(
        default=18,
        at_least=1,
        at_most=MAX_BITS,
        cure=Message("for an exact vocabulary give ", Value(None)),
        help="Hash to 2**bits columns; None keeps an exact vocabulary, which ``learn`` extends.",
    )
    value: str = option(
        default="log",
        choices=tuple(WEIGHTS),
        help="1 for each n-gram that occurs, its count, or 1 + ln of its count.",
    )
    idf: bool = option(
        default=True,
        help="""
        Let n-grams count more the fewer texts of ``fit`` have them (inverse document frequency);
        n-grams that no text had are left out. Not for streams, whose texts are not known
        beforehand.""",
    )
    unit: bool = option(default=True, help="Scale rows to length 1.")
    shortest: int = option(
        default=1,
        at_least=1,
        at_most=LONGEST_WORD,
        help="Minimum number of characters of a word; shorter words are left out.",
    )
    symbols: bool = option(
        default=True, help="Treat characters such as ``!`` and ``£`` as words of their own."
    )
    lowercase: bool = option(default=True, help="Convert capital letters to small ones.")
    output: str = output_option()
    n_jobs: int | None = n_jobs_option("count n-grams in ``transform`` (``fit`` has one)")

    dense_setting = "output='array'"

    def check_parameters(self) -> None:
        """Raise ParameterError if a parameter or a combination of parameters is not allowed."""
        super().check_parameters()
        if self.words is None and self.chars is None:
            raise ParameterError("words=None and chars=None leave no features; give one of them.")

    # ------------------------------------------------------------------ scikit-learn's protocol

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Learn names of columns and idf weights, and with ``bits=None`` the columns themselves.

        Parameters
        ----------
        texts : iterable of str
        y : None
            Not used.

        Returns
        -------
        self
        """
        self._fit_rows(texts)
        return self

    def fit_transform(  # type: ignore[override]
        self, texts: Iterable[str], y: Any = None
    ) -> Any:
        """Fit to texts and return their rows, reading the texts only once.

        Parameters
        ----------
        texts : iterable of str
        y : None
            Not used.

        Returns
        -------
        rows : as ``transform`` gives them
        """
        return self._as_output(self._fit_rows(texts), texts)

    def transform(self, texts: Iterable[str]) -> Any:
        """Encode texts as rows, without learning from them.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        rows : SparseRows, csr_array, csr_matrix or ndarray of shape (n_texts, n_features)
            As ``output`` says.
        """
        _refuse_tables(texts)
        return self._as_output(self.encode(texts), texts)

    def _fit_rows(self, texts: Iterable[str]) -> SparseRows:
        """Fit a new counter, and return the rows."""
        _refuse_tables(texts)
        counter = self._new_counter()
        rows = counter.rows(texts, learning=True, tallying=bool(self.idf))
        self._fitted_counter = counter
        return rows

    def _as_output(self, rows: SparseRows, texts: Any) -> Any:
        self._options["output"].check(self.output)
        return self._in_container(rows_as(rows, self.output), texts)

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Return the first n-gram of each column; "hash" and the number for a column without one.

        If a word and a piece of a word, or two n-grams in different columns, read alike, the later
        ones have their column after them, so that no name occurs twice.

        Parameters
        ----------
        input_features : None
            Not used: texts have no columns.

        Returns
        -------
        names : ndarray of str objects
        """
        self._refuse_unlearned()
        columns = range(max(self.n_features, 1))
        names = np.empty(len(columns), dtype=object)
        used: set[str] = set()
        for column, gram in zip(columns, self.names(columns), strict=True):
            name = gram or f"hash {column}"
            # A number sign and a number are two words, so no n-gram ends like that.
            names[column] = name if name not in used else f"{name} #{column}"
            used.add(name)
        return names

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted_counter" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        tags.requires_fit = self.bits is None or self.idf
        return tags

    # ------------------------------------------------------------------ for schemas and streams

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of counting as plain values, as stored in a model file."""
        return dict(self._counter.settings)

    @property
    def n_features(self) -> int:
        return self._counter.n_features

    def encode(self, texts: Iterable[str]) -> SparseRows:
        """Encode texts as `SparseRows` whatever the ``output``, without learning from them."""
        self._refuse_unlearned()
        return self._counter.rows(texts, learning=False, n_jobs=self.n_jobs)

    def learn(self, texts: Iterable[str], *, tallying: bool | None = None) -> SparseRows:
        """Encode training texts as sparse rows; new n-grams get a name or a column.

        How many texts have an n-gram is tallied in the first call, or if ``tallying``; later
        n-grams count as if one text had had them.
        """
        counter = self._counter
        if tallying is None:
            tallying = not self.__sklearn_is_fitted__()
        tallying = tallying and counter.settings["idf"]
        rows = counter.rows(texts, learning=True, tallying=tallying)
        self._fitted_counter = counter
        return rows

    def names(self, columns: Iterable[int]) -> list[str]:
        """Return the n-gram of each column; "" for a column without one."""
        return self._counter.names(columns)

    def shares(self) -> FloatArray | None:
        """Return the share of the training texts that have each column; None without a tally."""
        return self._counter.shares()

    def describe(self) -> str:
        """Describe the n-grams and the number of columns in one line."""
        settings = self.settings
        grams = []
        for what, span in (("words", settings["words"]), ("characters", settings["chars"])):
            if span is None:
                continue
            least, most = span
            grams.append(f"{what} {least}-{most}" if least < most else f"{what} {least}")
        how = "exact" if settings["bits"] is None else "hashed"
        idf = ", idf" if settings["idf"] else ""
        return f"{' and '.join(grams)}{idf}, {self.n_features:,} {how} columns"

    def to_json(self, columns: Iterable[int]) -> dict[str, Any]:
        """Return settings, tally and names of ``columns`` (all if exact) as JSON data."""
        counter = self._counter
        names = counter.names_to_keep(columns)
        return {**counter.settings, "names": names, "tally": counter.tally()}

    @classmethod
    def from_json(cls, kept: Any) -> TextFeatures:
        """Make features from the result of `to_json`; raise ModelFileError if it is invalid."""
        try:
            settings = {key: value for key, value in kept.items() if key not in ("names", "tally")}
            if "output" in settings or "n_jobs" in settings:
                raise ValueError("what comes out, and by how many threads, is not kept in a file")
            # The first files had no idf.
            settings.setdefault("idf", False)
            # JSON has lists for tuples.
            for name in ("words", "chars"):
                if isinstance(settings.get(name), list):
                    settings[name] = tuple(settings[name])
            features = cls(**settings)
            counter = features._new_counter()
            counter.take_names(kept["names"])
            counter.take_tally(kept.get("tally"))
        except UNSOUND as error:
            raise ModelFileError(
                f"the text features of the model are not sound: {error}."
            ) from None
        features._fitted_counter = counter
        return features

    @property
    def _counter(self) -> NGramCounter:
        """Return the fitted counter, or a new one."""
        fitted: NGramCounter | None = self.__dict__.get("_fitted_counter")
        return self._new_counter() if fitted is None else fitted

    def _new_counter(self) -> NGramCounter:
        self.check_parameters()
        return NGramCounter(
            {
                "words": _plain_span(self.words),
                "chars": _plain_span(self.chars),
                "bits": None if self.bits is None else int(self.bits),
                "value": str(self.value),
                "idf": bool(self.idf),
                "unit": bool(self.unit),
                "shortest": int(self.shortest),
                "symbols": bool(self.symbols),
                "lowercase": bool(self.lowercase),
            }
        )

    def _refuse_unlearned(self) -> None:
        if self.bits is None or self.idf:
            self._refuse_unfitted()


def _plain_span(span: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if span is None else (int(span[0]), int(span[1]))


def _refuse_tables(texts: object) -> None:
    """Raise InputError for a table, which would be iterated over as column names or rows."""
    if hasattr(texts, "columns") or getattr(texts, "ndim", 1) != 1:
        raise InputError(
            f"texts is a table ({type(texts).__name__}); give one column of it, such as df['text']."
        )
