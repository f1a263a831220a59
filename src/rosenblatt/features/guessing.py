"""What the features of a file are, where nobody says so: one guess for all who read files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.features.schema import Schema
from rosenblatt.features.schemas import AnySchema, SparseSchema, TextSchema
from rosenblatt.features.text import TextFeatures

__all__ = ["FeatureOptions", "guess_schema"]

# What of the options has a meaning, by kind of data.
MEANINGS = {
    "table": ("declared", "scale", "bits", "words", "chars"),
    "text": ("bits", "words", "chars"),
    "vw": ("bits",),
    "svmlight": (),
}


@dataclass(frozen=True)
class FeatureOptions:
    """What is to be known of columns and texts beyond what is guessed.

    Attributes
    ----------
    declared : dict of str to {"number", "category", "text", "ignored"}
        Columns that are not to be guessed.
    scale : bool
        Whether numbers are brought to mean 0 and standard deviation 1.
    text : dict
        Arguments of `TextFeatures`; ``bits`` counts for Vowpal Wabbit rows, too.
    """

    declared: Mapping[str, str] = field(default_factory=dict)
    scale: bool = True
    text: Mapping[str, Any] = field(default_factory=dict)

    def set_names(self) -> list[str]:
        """The options that differ from their defaults."""
        return ["declared"] * bool(self.declared) + ["scale"] * (not self.scale) + list(self.text)

    def meaningless(self, kind: str) -> list[str]:
        """The options that were set and say nothing about data of this kind."""
        return [name for name in self.set_names() if name not in MEANINGS[kind]]

    def hashed(self, bits: int) -> FeatureOptions:
        """The same, with so many bits where none were given."""
        return replace(self, text={**self.text, "bits": self.text.get("bits") or bits})

    def reader_options(self, kind: str) -> dict[str, Any]:
        """Arguments for the reader of a file to which these apply."""
        if kind == "vw":
            return {"bits": self.text.get("bits")}
        # As text a column that is not used cannot be at fault.
        types = {n: "number" if k == "number" else "text" for n, k in self.declared.items()}
        return {"types": types} if types else {}


def guess_schema(kind: str, block: Any, options: FeatureOptions | None = None) -> AnySchema:
    """How the rows of a file become features, judged by these.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        What the block holds.
    block : Table or Block
        What a reader gave.
    options : FeatureOptions, default=None
        What is not to be guessed.

    Returns
    -------
    schema : Schema, TextSchema or SparseSchema
        Its ``learn(block)`` gives the features.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.features import guess_schema
    >>> from rosenblatt.io import iter_svmlight
    >>> block = iter_svmlight(io.BytesIO(b"1 2:0.5 7:1\\n")).whole()
    >>> guess_schema("svmlight", block).describe()
    ['svmlight  7 columns']
    """
    options = FeatureOptions() if options is None else options
    if kind == "table":
        return Schema.guess(
            block, declared=options.declared, scale=options.scale, text=options.text
        )
    if kind == "text":
        return TextSchema(TextFeatures(**options.text))
    bits = options.text.get("bits") if kind == "vw" else None
    return SparseSchema(kind, block.rows.shape[1], getattr(block, "names", None), bits)
