"""rosenblatt tag train: the tagger that Python would make, from files of any layout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from cli.shell import PETS, inside, run, trained, written
from cli.tagging import CHUNKS, HARBOUR, HARBOUR_NEW, row, trained_tagger
from rosenblatt import SequenceTagger
from rosenblatt.io import read_conll
from rosenblatt.models.classes import hold_out


def assert_same_tagger(model: Path, expected: SequenceTagger) -> None:
    """To the last bit, but for what the shell adds to the file."""
    found = rosenblatt.model.read(model)
    wanted = expected.to_state()
    assert found.arrays.keys() == wanted.arrays.keys()
    for name, values in wanted.arrays.items():
        assert found.arrays[name].tobytes() == values.tobytes(), name
    assert found.card.classes == wanted.card.classes
    assert found.card.parameters == wanted.card.parameters


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ([], {}),
        (["--epochs", "2", "--seed", "7"], {"max_iter": 2, "random_state": 7}),
        (["--search", "greedy"], {"search": "greedy"}),
        (["--beam", "3", "--order", "2"], {"search": "beam", "beam": 3, "order": 2}),
        (["--rule", "mira", "--dictionary", "2"], {"rule": "mira", "tag_dictionary": 2}),
        (
            ["--C", "0.5", "--rule", "mira", "--no-averaged", "--no-shuffle", "--record"],
            {"C": 0.5, "rule": "mira", "averaged": False, "shuffle": False, "record": True},
        ),
        (["--search", "beam", "--update", "early"], {"search": "beam", "update": "early"}),
        (
            ["--templates", "w[0] w[-1].lower,w[0].suffix(2)"],
            {"templates": ["w[0]", "w[-1].lower", "w[0].suffix(2)"]},
        ),
    ],
)
def test_the_tagger_is_that_of_python(
    tmp_path: Path, options: list[str], parameters: dict[str, Any]
) -> None:
    sentences, tags = read_conll(HARBOUR)
    assert_same_tagger(
        trained_tagger(tmp_path, *options), SequenceTagger(**parameters).fit(sentences, tags)
    )


def test_columns_before_the_tag_are_the_inputs(tmp_path: Path) -> None:
    sentences, tags = read_conll(CHUNKS)
    model = trained_tagger(tmp_path, "--constraints", "BIO", data=CHUNKS)
    assert_same_tagger(model, SequenceTagger(constraints="BIO").fit(sentences, tags))
    words, parts = read_conll(CHUNKS, target=1, inputs=0)
    assert_same_tagger(
        trained_tagger(tmp_path, "--column", "2", data=CHUNKS), SequenceTagger().fit(words, parts)
    )
    turned, words = read_conll(CHUNKS, target=0, inputs=[2, 1])
    assert_same_tagger(
        trained_tagger(tmp_path, "--column", "1", "--inputs", "last,2", data=CHUNKS),
        SequenceTagger().fit(turned, words),
    )


def test_a_dev_file_and_a_share_keep_the_best_epoch(tmp_path: Path) -> None:
    sentences, tags = read_conll(HARBOUR)
    dev = read_conll(HARBOUR_NEW)
    expected = SequenceTagger().fit(sentences, tags, validation_set=dev)
    done = run("tag", "train", HARBOUR, "--dev", HARBOUR_NEW, "-o", tmp_path / "m.rbt", "--json")
    told = done.json
    assert told["best_epoch"] == expected.best_iter_
    assert told["dev_accuracy_per_epoch"] == expected.validation_scores_
    assert told["accuracy"]["dev"] == max(expected.validation_scores_)
    assert (told["dev_sentences"], told["dev_words"]) == (12, sum(map(len, dev[0])))
    assert_same_tagger(tmp_path / "m.rbt", expected)

    rest, held = hold_out(np.zeros(len(sentences), np.int32), 0.2, 3)
    expected = SequenceTagger(random_state=3).fit(
        [sentences[i] for i in rest],
        [tags[i] for i in rest],
        validation_set=([sentences[i] for i in held], [tags[i] for i in held]),
    )
    assert_same_tagger(trained_tagger(tmp_path, "--dev", "0.2", "--seed", "3"), expected)


def test_resume_goes_on_as_if_training_had_not_ended(tmp_path: Path) -> None:
    whole = trained_tagger(tmp_path, "--epochs", "5")
    halves = tmp_path / "halves.rbt"
    assert run("tag", "train", HARBOUR, "--epochs", "2", "-o", halves, "--quiet").code == 0
    more = run("tag", "train", HARBOUR, "--epochs", "3", "--resume", halves)
    assert more.code == 0
    first, second = (rosenblatt.model.read(path) for path in (whole, halves))
    assert first.card.record.t == second.card.record.t == 200
    for name, values in first.arrays.items():
        assert values.tobytes() == second.arrays[name].tobytes(), name


@pytest.mark.parametrize("again", [["--one-pass"], []])
def test_one_pass_over_two_files_is_one_pass_over_both(tmp_path: Path, again: list[str]) -> None:
    once, twice = tmp_path / "once.rbt", tmp_path / "twice.rbt"
    pass_ = ("--one-pass", "--quiet")
    assert run("tag", "train", HARBOUR, HARBOUR_NEW, "-o", once, *pass_).code == 0
    assert run("tag", "train", HARBOUR, "-o", twice, *pass_).code == 0
    assert run("tag", "train", HARBOUR_NEW, "--resume", twice, "--quiet", *again).code == 0
    first, second = (rosenblatt.model.read(path) for path in (once, twice))
    assert first.card.record.t == second.card.record.t == 52
    for name, values in first.arrays.items():
        assert values.tobytes() == second.arrays[name].tobytes(), name


def test_text_with_tags_and_a_pipe_are_read(tmp_path: Path) -> None:
    sentences, tags = read_conll(HARBOUR)
    lines = [
        " ".join(f"{word}/{tag}" for word, tag in zip(words, own, strict=True))
        for words, own in zip(sentences, tags, strict=True)
    ]
    expected = SequenceTagger().fit(sentences, tags)
    text = written(tmp_path, "harbour.txt", lines)
    assert_same_tagger(trained_tagger(tmp_path, data=text), expected)
    marked = written(tmp_path, "marked.txt", [line.replace("/", "_") for line in lines])
    model = trained_tagger(tmp_path, "--format", "text", "--mark", "_", data=marked)
    assert_same_tagger(model, expected)
    piped = tmp_path / "piped.rbt"
    done = run("tag", "train", "-", "-o", piped, "--quiet", text=HARBOUR.read_text())
    assert done.code == 0, done.err
    assert_same_tagger(piped, expected)


def test_the_name_of_the_model_is_that_of_the_data(tmp_path: Path) -> None:
    with inside(tmp_path):
        assert run("tag", "train", HARBOUR, "--quiet").code == 0
        assert run("tag", "train", "-", "--quiet", text=HARBOUR.read_text()).code == 0
    assert {file.name for file in tmp_path.iterdir()} == {"harbour.rbt", "tagger.rbt"}


GOOD = row("1", "a", "DET") + row("2", "dog", "NOUN") + "\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("d.conllu", GOOD + "1\tno\t_\n", "d.conllu:4:1: 3 columns, but CoNLL-U has 10"),
        ("d.conllu", GOOD + row("2", "no", "X"), 'd.conllu:4:1: word "2" where word 1 is due'),
        ("d.conllu", GOOD + row("1", "no"), 'd.conllu:4:8: "_" in the column to learn: no tag'),
        ("d.conll", "a X\nb Y\n\nc\n", "d.conll:4:1: 1 column, but the first row has 2"),
        ("d.conll", "a\nb\n", "d.conll: only one column: words or tags are missing"),
        ("d.conll", "a X\n\nb X\n", 'd.conll: all words have the tag "X"'),
        ("d.txt", "a/X b/Y\nc/X d\n", 'd.txt:2:5: "d" is not a word with its tag'),
        ("d.conllu", "", "d.conllu: 0 sentences"),
        ("d.txt", "\n \n\n", "d.txt: 0 sentences"),
        ("d.conll", "a X\nb\xa0c Y\n".encode("latin-1"), "d.conll:2:2: the byte 0xa0 is not UTF-8"),
    ],
)
def test_bad_data_are_named_with_their_place_and_nothing_is_written(
    tmp_path: Path, name: str, text: str | bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with inside(tmp_path):
        done = run("tag", "train", name, "-o", "m.rbt")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"error: {said}")
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--templates", "w[0] w[0].low"], "'w[0].low' at character 6: 'low' is not known"),
        (["--templates", "w[0] x[1]"], "'x[1]' at character 1: there is no column 'x': w."),
        (["--templates", "features.txt"], "Nor is there a file of this name."),
        (["--templates", " "], "there are none in it"),
        (["--column", "upso"], 'Did you mean "upos"?'),
        (["--column", "11"], "--target 11 is not a column here: give a number from 1 to 10"),
        (["--inputs", "form,upos"], "--inputs has column upos, which is that of tags."),
        (["--constraints", "BIO"], "--constraints BIO: 'ADJ' is no tag of this scheme"),
        (["--beam", "2", "--search", "greedy"], "--beam has no meaning with --search greedy."),
        (["--one-pass", "--epochs", "3"], "--epochs has no meaning with --one-pass."),
        (
            ["--beam", "65537"],
            "'--beam': 65537 is not allowed: give a whole number from 1 to",
        ),
        (["--columns", "w"], "there is no option --columns. Did you mean '--column'?"),
        (["--max-iter", "3"], "there is no --max-iter here: --epochs."),
        (["--dev", "2"], "--dev 2: give a file or a share between 0 and 1"),
        (["--dev", "nothing.conllu"], "--dev nothing.conllu: there is no such file."),
        (["--format", "text", "--column", "2"], "--target has no meaning for text"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_2(
    tmp_path: Path, options: list[str], said: str
) -> None:
    done = run("tag", "train", HARBOUR, "-o", tmp_path / "m.rbt", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_template_of_a_file_is_named_with_its_place(tmp_path: Path) -> None:
    written(tmp_path, "features.txt", ["# mine", "w[0]", "", "  w[-1]|w[0].upper"])
    with inside(tmp_path):
        done = run("tag", "train", HARBOUR, "--templates", "features.txt")
    assert done.code == 2
    assert done.err.startswith("error: features.txt:4:14: 'w[-1]|w[0].upper': 'upper' is not known")
    written(tmp_path, "features.txt", ["# mine", "w[0]", "", "  w[-1]|w[0].lower"])
    with inside(tmp_path):
        model = trained_tagger(tmp_path, "--templates", "features.txt")
    assert rosenblatt.load(model).templates == ["w[0]", "w[-1]|w[0].lower"]


def test_settings_are_kept_by_a_tagger_that_goes_on(tmp_path: Path) -> None:
    model = trained_tagger(tmp_path)
    before = model.read_bytes()
    for option in (["--order", "2"], ["--templates", "w[0]"], ["--seed", "3"]):
        done = run("tag", "train", HARBOUR, "--resume", model, *option)
        assert done.code == 2
        assert f"{option[0]} has no meaning with --resume" in done.err
    done = run("tag", "train", HARBOUR, "--resume", model, "--dev", "0.2")
    assert done.code == 2
    assert "--dev has no meaning with --resume unless --epochs is given." in done.err
    other = trained(tmp_path, data=PETS)
    done = run("tag", "train", HARBOUR, "--resume", other)
    assert done.code == 4
    assert "a model for rows (AveragedPerceptron), not a tagger" in done.err
    assert model.read_bytes() == before


def test_bad_sentences_can_be_skipped_and_kept(tmp_path: Path) -> None:
    data = written(tmp_path, "d.conll", "a X\nb Y\n\nc X\nd\n\ne Y\nf X\n")
    rejects = tmp_path / "rejects.jsonl"
    done = run("tag", "train", data, "-o", tmp_path / "m.rbt", "--on-bad", f"rejects={rejects}")
    assert done.code == 0
    assert "warning: 1 sentence skipped, 2 read; the first: " in done.err
    assert f"{data}:5:1: 1 column" in done.err
    assert len(rejects.read_text().splitlines()) == 1
    told = run("tag", "train", data, "-o", tmp_path / "m.rbt", "--on-bad", "skip", "--json").json
    assert (told["sentences"], told["words"], told["skipped"]) == (2, 4, 1)


def test_nothing_that_is_read_is_written_over(tmp_path: Path) -> None:
    model = trained_tagger(tmp_path)
    dev = written(tmp_path, "dev.conllu", HARBOUR_NEW.read_text())
    templates = written(tmp_path, "features.txt", ["w[0]"])
    kept = {file: file.read_bytes() for file in (model, dev, templates)}
    for options, said in (
        (["--dev", dev, "--on-bad", f"rejects={dev}"], "needs"),
        (["--resume", model, "--on-bad", f"rejects={model}"], "needs"),
        (["--templates", templates, "--on-bad", f"rejects={templates}"], "needs"),
        (["--templates", templates, "-o", templates], "holds the templates; give another name."),
    ):
        with inside(tmp_path):
            done = run("tag", "train", HARBOUR, *options)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
    assert {file: file.read_bytes() for file in kept} == kept


def test_a_mark_is_kept_by_the_tagger(tmp_path: Path) -> None:
    data = written(tmp_path, "d.txt", ["and/or_CONJ now_ADV", "now_ADV go_VERB"])
    model = trained_tagger(tmp_path, "--mark", "_", data=data)
    assert run("tag", "predict", model, text="go now\n").out == "go_VERB now_ADV\n"
    assert run("tag", "predict", model, "--mark", "|", text="go now\n").out == "go|VERB now|ADV\n"
    assert run("tag", "evaluate", model, data, "--json").json["accuracy"] == 1.0
    assert run("tag", "train", data, "--resume", model, "--json").json["words"] == 4


def test_a_word_without_a_tag_does_not_make_columns_of_text(tmp_path: Path) -> None:
    done = run("tag", "train", "-", "-o", tmp_path / "m.rbt", text="the/DET dog/NOUN barks\n")
    assert done.code == 3
    assert done.err.startswith('error: <stdin>:1:18: "barks" is not a word with its tag\n')


def test_sentences_against_the_constraints_are_told_with_their_place(tmp_path: Path) -> None:
    data = written(tmp_path, "d.conll", "a O\nb B-X\n\nc O\nd I-X\n")
    done = run("tag", "train", data, "-o", tmp_path / "m.rbt", "--constraints", "BIO")
    assert done.code == 0
    assert f"warning: {data}:4: 'I-X' after 'O', which the constraints do not allow." in done.err
    data = written(tmp_path, "d.conll", "c O\nd I-X\n")
    done = run("tag", "train", data, "-o", tmp_path / "n.rbt", "--constraints", "BIO")
    assert done.code == 3
    assert f"error: {data}:1: 'I-X' after 'O', which the constraints do not allow" in done.err


def test_sentences_that_were_left_out_are_not_said_to_be_right(tmp_path: Path) -> None:
    data = written(tmp_path, "d.conll", "a O\nb O\n\nc B-X\nd I-X\n")
    done = run("tag", "train", data, "--constraints", "BIOES", "-o", tmp_path / "m.rbt")
    assert "Left out of the training: 1 of 2 sentences." in done.err
    assert "the last weights separate the training sentences\naccuracy: 0.5000" in done.out


def test_tags_of_dev_that_training_never_saw_are_noticed(tmp_path: Path) -> None:
    data = written(tmp_path, "d.conll", "a X\nb Y\n")
    dev = written(tmp_path, "dev.conll", "a X\nb Z\nc Z\n")
    done = run("tag", "train", data, "--dev", dev, "-o", tmp_path / "m.rbt")
    assert done.code == 0
    assert "2 words with tags never seen in training, counted as wrong: Z (2)" in done.err


def test_quiet_says_nothing(tmp_path: Path) -> None:
    trained_tagger(tmp_path, "--dev", "0.2")


def test_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    for arguments in (
        ["tag", "train", str(HARBOUR), "--dev", "0.2", "--out", str(model)],
        ["tag", "train", str(HARBOUR), "--resume", str(model)],
        ["tag", "predict", str(model), str(HARBOUR_NEW)],
        ["tag", "evaluate", str(model), str(HARBOUR_NEW)],
        ["show", str(model)],
        ["diff", str(model), str(model)],
    ):
        code = (
            f"import sys; sys.argv = ['rosenblatt', *{arguments!r}]\n"
            "from rosenblatt.cli import main\n"
            "try: main()\n"
            "except SystemExit as ended: assert not ended.code, ended\n"
            "heavy = {'sklearn', 'scipy', 'matplotlib', 'rich', 'pandas'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, (arguments, done.stderr)
