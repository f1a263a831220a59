"""Every command that writes, on a small table and a few sentences."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = ["a,b,y", *(f"{i % 7},{i * i % 5},{'uv'[i % 7 > 3 or i % 11 == 0]}" for i in range(300))]
TRAIN = "train rows.csv --learner averaged --target y --epochs 3"

# Every command that writes, and the files it makes; those that hold a model first.
WRITING = {
    "train": (f"{TRAIN} --out made.rbt", ["made.rbt"]),
    "train --resume": ("train rows.csv --resume made.rbt --epochs 2", ["made.rbt"]),
    "stream": (
        "stream rows.csv --target y --out made.rbt --predictions made.txt",
        ["made.rbt", "made.txt"],
    ),
    "stream --checkpoint": ("stream rows.csv --resume made.rbt --checkpoint 50", ["made.rbt"]),
    "tag train": ("tag train harbour.conllu --epochs 2 --out tagger.rbt", ["tagger.rbt"]),
    "tag predict": ("tag predict tagger.rbt harbour.conllu --out made.conllu", ["made.conllu"]),
    "convert a model": ("convert made.rbt --out made.onnx", ["made.onnx"]),
    "convert data": (
        "convert rows.csv --target y --out made.svm --names made.tsv",
        ["made.svm", "made.tsv"],
    ),
    "pack": ("pack rows.csv --target y --out made.rows", ["made.rows"]),
    "plot": ("plot mistakes made.rbt -o made.svg", ["made.svg"]),
    "studio": ("studio rows.csv --out made.html", ["made.html"]),
}
