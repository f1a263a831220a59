"""A page for each learner: rule, picture, when to use it, cost, parameters, methods."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from typing import Any

import docstrings
from reference_pages import methods

from rosenblatt import datasets, plot
from rosenblatt.estimators.catalogue import CATALOGUE, Entry
from rosenblatt.numpydoc import sections

# Where a learner is the one to take, and where it is not.
WHEN = {
    "perceptron": "To see and to prove: it is the algorithm of the lectures, every step can be "
    "followed by hand, and the theorem bounds its mistakes. To predict, take the averaged one: the "
    "last weights depend on the last few mistakes.",
    "averaged": "The first choice of a linear learner: as cheap as the perceptron, steadier, "
    "nothing to tune. Scale the features. `AutoLinear` tries it beside others.",
    "voted": "When you want the bound of Freund and Schapire to the letter, or to see a vote. "
    "Every prediction asks all weight vectors; the average predicts nearly the same for far less.",
    "mira": "When a mistake should be corrected at once, and only a mistake: few "
    "examples, labels you trust. A wrong one can throw it far; `PassiveAggressive` caps steps.",
    "pa": "For streams and for text: it learns from every margin below 1, and `C` limits what one "
    "wrong label can do. `AutoLinear` starts from it.",
    "soft": "When probabilities are wanted as well: it is logistic regression, example by example.",
    "arow": "Where features are of very different frequency or scale, as words are, and labels are "
    "noisy. Each weight remembers how sure it is, which takes twice the memory.",
    "scw": "As AROW, with a margin that grows with the doubt: good on skewed classes and unscaled "
    "columns. CW, its first form, believes every label.",
    "alma": "When the margin matters and classes can be separated: it comes as close to the "
    "largest one as `alpha` says, by steps as cheap as the perceptron's.",
    "pegasos": "When a linear support vector machine is wanted of more rows than a solver takes at "
    "once, or of a stream whose world does not change. Predict with the mean.",
    "auto": "When you have data and no opinion: it tries rules and numbers of epochs on held-out "
    "rows, and leaves the default only for what is surely better.",
    "kernel": "Where no line will do and the rows are not too many: every prediction sums over the "
    "mistakes that were kept. `budget` limits them.",
    "tagger": "For sequences: parts of speech, chunks, names. Features are templates, so that "
    "another language or task needs no code.",
    "structured": "For outputs of any other shape, as trees, rankings and matchings: you write the "
    "features and the search, it learns the weights.",
}
# Drawn on a page already.
DRAWN = {"tagger": ("tag_path", "A sentence, its candidate tags and the best path through them")}
PICTURE = "The same 40 points for every learner; some labels are wrong. {title}: {errors}"
INDEX = "# Learners\n\nOne page each: the rule, a picture, when to use it, what it costs.\n\n"


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Pages and pictures: path and contents."""
    table = ["| learner | when to use it |", "|---|---|"]
    for entry in CATALOGUE:
        table.append(f"| [{entry.title}]({entry.name}.md) | {WHEN[entry.name]} |")
        image = f"pictures/learner_{entry.name}.svg"
        about = _picture(entry)
        if about is not None:
            yield image, about[1]
            yield f"learners/{entry.name}.md", _page(entry, f"![{about[0]}](../{image})", about[0])
        elif entry.name in DRAWN:
            file, said = DRAWN[entry.name]
            yield (
                f"learners/{entry.name}.md",
                _page(entry, f"![{said}](../pictures/{file}.svg)", said),
            )
        else:
            yield f"learners/{entry.name}.md", _page(entry, "", "")
    yield "learners/index.md", INDEX + "\n".join(table) + "\n"


def _page(entry: Entry, picture: str, caption: str) -> str:
    cls = entry.load()
    opening, _ = sections(cls.__doc__)
    rule, cost = re.split(r"^Cost: ", opening, maxsplit=1, flags=re.MULTILINE)
    rest = docstrings.of(cls.__doc__, level=2).partition("## Parameters")[2]
    parts = [
        f"# {entry.title}",
        f"```python\nfrom rosenblatt import {entry.class_name}\n```",
        "## The rule",
        docstrings.prose(rule),
        *([picture, f"*{caption}*"] if picture else []),
        f"## When to use it\n\n{WHEN[entry.name]}",
        f"## Cost\n\n{docstrings.prose(cost[:1].upper() + cost[1:])}",
        f"In the shell: `--learner {entry.name}`." if entry.family in ("linear", "kernel") else "",
        f"## Parameters{rest}",
        "## Methods",
        *methods(cls, 3),
    ]
    return "\n\n".join(parts) + "\n"


def _picture(entry: Entry) -> tuple[str, bytes] | None:
    if entry.family not in ("linear", "auto", "kernel"):
        return None
    rows = datasets.noisy(40, flip=0.1, margin=0.3, radius=3.0, seed=3)
    learner: Any = entry.load()()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(rows.X, rows.y)
        by_one_line = entry.family != "kernel" and entry.name != "voted"
        draw = plot.boundary if by_one_line else plot.kernel_boundary
        drawn = draw(getattr(learner, "best_learner_", learner), rows.X, rows.y)
    wrong = int((learner.predict(rows.X) != rows.y).sum())
    file = io.BytesIO()
    figure = drawn.plot().figure_
    figure.savefig(file, format="svg", metadata={"Date": None})
    return PICTURE.format(title=entry.title, errors=f"{wrong} training errors."), file.getvalue()
