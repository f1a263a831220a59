"""rosenblatt tag: a tagger for the words of sentences, trained, asked and judged."""

from __future__ import annotations

import click

from rosenblatt.cli.frame.groups import Verbs

VERBS = {
    "train": "Learn from sentences with tags and write a tagger.",
    "predict": "Tag the words of sentences, from a file or a pipe.",
    "evaluate": "Compare the answers of a tagger with tags.",
}


@click.command(
    cls=Verbs,
    name="tag",
    verbs=VERBS,
    files="tag.tag_",
    epilog="\b\nExamples:\n  rosenblatt tag train train.conllu --column upos -o tagger.rbt\n"
    '  echo "the dog barks" | rosenblatt tag predict tagger.rbt\n'
    "  rosenblatt tag evaluate tagger.rbt test.conllu\n\n"
    "rosenblatt tag COMMAND --help tells more of each command.",
)
def command() -> None:
    """Tag the words of sentences: parts of speech, chunks, names.

    Sentences come in CoNLL-U, in other columns (a word and its tags a line, a blank line after each
    sentence), or as text, a sentence a line. The tagger is an averaged structured perceptron: it
    looks for the best sequence of tags and learns from those that it gets wrong.
    """
