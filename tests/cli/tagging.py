"""Small taggers for tests, and the sentences they come from."""

from __future__ import annotations

from pathlib import Path

from cli.shell import run

EXAMPLES = Path(__file__).parents[2] / "examples"
HARBOUR, HARBOUR_NEW = EXAMPLES / "harbour.conllu", EXAMPLES / "harbour_new.conllu"
CHUNKS, CHUNKS_NEW = EXAMPLES / "harbour_chunks.conll", EXAMPLES / "harbour_chunks_new.conll"


def trained_tagger(folder: Path, *options: str | Path, data: Path = HARBOUR) -> Path:
    model = folder / f"{data.stem}.rbt"
    done = run("tag", "train", data, "--out", model, "--quiet", *options)
    assert (done.code, done.out, done.err) == (0, "", "")
    return model


def row(number: str, word: str, upos: str = "_", *, xpos: str = "_", misc: str = "_") -> str:
    """A line of CoNLL-U."""
    return "\t".join([number, word, "_", upos, xpos, "_", "_", "_", "_", misc]) + "\n"
