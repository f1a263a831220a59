"""rosenblatt tag predict: what comes out is what went in, with the tags in their place."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from itertools import chain
from pathlib import Path

import pytest
from waiting import PATIENCE, ending

import rosenblatt
from cli.processes import argv, environment, on_terminal
from cli.shell import PETS, inside, run, trained, written
from cli.tagging import CHUNKS, CHUNKS_NEW, HARBOUR, HARBOUR_NEW, row, trained_tagger
from rosenblatt.errors import ModelFileError
from rosenblatt.io import read_conll

WORDS = "a gull waits ."
TAGS = ["DET", "NOUN", "VERB", "PUNCT"]


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_tagger(tmp_path_factory.mktemp("tagger"))


@pytest.fixture(scope="module")
def chunker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_tagger(tmp_path_factory.mktemp("chunker"), data=CHUNKS)


def predicted(model: Path, *arguments: str | Path, text: str = "") -> str:
    done = run("tag", "predict", model, *arguments, text=text)
    assert (done.code, done.err) == (0, "")
    return done.out


# ---------------------------------------------------------------------- CoNLL-U


def test_conllu_gets_the_tags_of_python_and_keeps_all_else(tagger: Path) -> None:
    sentences, right = read_conll(HARBOUR_NEW)
    expected = rosenblatt.load(tagger).predict(sentences)
    assert expected != right
    out = predicted(tagger, HARBOUR_NEW)
    lines, before = out.splitlines(), HARBOUR_NEW.read_text().splitlines()
    assert len(lines) == len(before)
    answers = iter(tag for tags in expected for tag in tags)
    for line, old in zip(lines, before, strict=True):
        fields, were = line.split("\t"), old.split("\t")
        if len(were) == 10:
            were[3] = next(answers)
        assert fields == were


ODD = (
    "# newdoc\n\n"
    "# text = a gull can't\n"
    + row("1", "a", "X", misc="Deep=Yes")
    + "# within\n"
    + row("2", "gull", xpos="NN").replace("\n", "\r\n")
    + row("3-4", "can't", "_", misc="SpaceAfter=No")
    + row("3", "can")
    + row("4", "wait", "VERB")
    + row("4.1", "will", "NOUN", misc="empty")
    + "\n\n\n# between\n\n"
    + row("1", "waits")
    + "\n# the end\n"
)


def test_remarks_ranges_empty_nodes_and_line_ends_stay_byte_for_byte(
    tagger: Path, tmp_path: Path
) -> None:
    file = tmp_path / "odd.conllu"
    file.write_bytes(ODD.encode())
    out = tmp_path / "tagged.conllu"
    assert predicted(tagger, file, "-o", out) == ""
    answers = rosenblatt.load(tagger).predict([["a", "gull", "can", "wait"], ["waits"]])
    expected = ODD
    for word, tag in zip(["a", "gull", "can", "wait", "waits"], chain(*answers), strict=True):
        expected = re.sub(rf"(?m)^(\d\t{word}\t_\t)\w+", rf"\g<1>{tag}", expected, count=1)
    assert out.read_bytes() == expected.encode()


def test_tagging_what_was_tagged_changes_nothing(tagger: Path, chunker: Path) -> None:
    once = predicted(tagger, "-", text=ODD)
    assert predicted(tagger, "-", text=once) == once
    once = predicted(chunker, CHUNKS_NEW)
    assert predicted(chunker, "-", text=once) == once


@pytest.mark.parametrize("size", [1, 7, 64])
def test_the_pieces_of_a_pipe_do_not_matter(
    tagger: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rosenblatt.tables.readers import lines

    text = ODD + "\n" + HARBOUR_NEW.read_text()[:3000]
    whole = predicted(tagger, "-", "--on-bad", "skip", "--quiet", text=text)
    monkeypatch.setattr(lines, "PIECE", size)
    assert predicted(tagger, "-", "--on-bad", "skip", "--quiet", text=text) == whole


def test_bad_sentences_are_left_out_with_their_remarks(tagger: Path) -> None:
    good = "# good\n" + row("1", "a", "DET") + "\n"
    bad = "# bad\n" + row("1", "a") + "2\tgull\n" + row("3", "waits") + "\n"
    for text in (good + bad + good, bad + good, good + bad):
        done = run("tag", "predict", tagger, "--on-bad", "skip", text=text)
        assert done.code == 0
        assert done.out == text.replace(bad, "")
        assert "1 bad sentence was left out" in done.err
    done = run("tag", "predict", tagger, text=good + bad)
    assert done.code == 3
    assert "<stdin>:6:1: 2 columns, but CoNLL-U has 10" in done.err


def test_files_are_kept_apart_by_a_blank_line(tagger: Path, tmp_path: Path) -> None:
    first = written(tmp_path, "a.conllu", row("1", "a", "DET").rstrip("\n"))
    second = written(tmp_path, "b.conllu", "# b\n" + row("1", "a", "DET"))
    assert predicted(tagger, first, second) == first.read_text() + "\n\n" + second.read_text()


# ---------------------------------------------------------------------- columns


def test_a_column_of_tags_is_replaced_or_added(chunker: Path) -> None:
    sentences, _ = read_conll(CHUNKS_NEW)
    expected = rosenblatt.load(chunker).predict(sentences)
    blocks = [
        "".join(f"{word} {part} {tag}\n" for (word, part), tag in zip(words, tags, strict=True))
        for words, tags in zip(sentences, expected, strict=True)
    ]
    text = "\n".join(blocks)
    assert predicted(chunker, CHUNKS_NEW) == text
    bare = re.sub(r"(?m) \S+$", "", CHUNKS_NEW.read_text())
    assert predicted(chunker, "-", text=bare) == text
    tabs = bare.replace(" ", "\t")
    assert predicted(chunker, "-", text=tabs) == text.replace(" ", "\t")


def test_append_leaves_the_tags_and_puts_the_answers_behind_them(chunker: Path) -> None:
    sentences, right = read_conll(CHUNKS_NEW)
    expected = rosenblatt.load(chunker).predict(sentences)
    rows = [line.split(" ") for line in predicted(chunker, CHUNKS_NEW, "--append").splitlines()]
    rows = [fields for fields in rows if fields != [""]]
    assert [fields[2] for fields in rows] == list(chain(*right))
    assert [fields[3] for fields in rows] == list(chain(*expected))
    assert {len(fields) for fields in rows} == {4}


def test_blanks_between_columns_and_marks_of_documents_stay(chunker: Path) -> None:
    form = "-DOCSTART- -X- O\n\nthe   DET  {} \ngull NOUN\t{}\r\n\n-DOCSTART- -X- O\nhe PRON {}\n"
    done = run("tag", "predict", chunker, "-", "--to", "tags", text=form.format("O", "O", "O"))
    assert predicted(chunker, "-", text=form.format("O", "O", "O")) == form.format(
        *done.out.split()
    )


def test_columns_elsewhere_are_named_by_options(chunker: Path, tagger: Path) -> None:
    assert predicted(
        chunker, "-", "--inputs", "3,2", "--column", "1", text="_ DET the\n_ NOUN gull\n"
    ) == ("B-NP DET the\nI-NP NOUN gull\n")
    conllu = row("1", "the", "DET") + row("2", "gull", "NOUN")
    out = predicted(chunker, "-", "--inputs", "form,upos", "--column", "misc", text=conllu)
    assert out == row("1", "the", "DET", misc="B-NP") + row("2", "gull", "NOUN", misc="I-NP")
    assert predicted(tagger, "-", "--format", "conll", text="the\ngull\n") == "the DET\ngull NOUN\n"


def test_two_words_are_not_taken_for_a_word_and_its_tag(tmp_path: Path) -> None:
    data = written(tmp_path, "d.conll", "go VERB\nnow ADV\n\nrain NOUN\n")
    model = trained_tagger(tmp_path, data=data)
    assert predicted(model, text="go now\n") == "go/VERB now/ADV\n"
    assert predicted(model, text="go NOUN\nnow NOUN\n") == "go VERB\nnow ADV\n"
    assert predicted(model, text="go\nnow\n\nrain\n") == "go VERB\nnow ADV\n\nrain NOUN\n"
    assert predicted(model, "--format", "text", text="rain\n") == "rain/NOUN\n"
    odd = predicted(model, "--format", "conll", text="\x0c\n\ngo\n\x0b\n")
    assert re.fullmatch("\x0c (\\w+)\n\ngo VERB\n\x0b (\\w+)\n", odd)


@pytest.mark.parametrize(
    ("arguments", "text", "code", "said"),
    [
        ([], "the DET O X\n", 3, "4 columns, but the tagger was trained on 3"),
        ([], "the\n", 3, "1 column, but the tagger reads columns 1, 2"),
        (["--format", "text"], "the\n", 3, "the tagger reads 2 columns for each word"),
        (["--inputs", "1"], "the DET O\n", 2, "reads 2 columns for each word, not 1."),
        (["--column", "1"], "the DET O\n", 2, "--target and --inputs both name column 1."),
        ([], row("1", "the"), 2, "trained on columns, but the data are CoNLL-U"),
        (["--inputs", "form,upos"], row("1", "the"), 2, "say which one has tags with --target."),
        (["--to", "conllu"], "the DET\n", 2, "--to conllu needs a tagger that was trained on"),
        (["--append", "--to", "text"], "the DET\n", 2, "--append is for columns"),
        (["--json", "--to", "text"], "the DET\n", 2, "--to has no meaning with --json."),
        (["--to", "tag"], "the DET\n", 2, "Did you mean 'tags'?"),
        ([], "", 3, "<stdin>: 0 sentences"),
        (["--mark", ""], "the DET\n", 2, "--mark '' is not allowed: give one or more characters"),
        (["--max-tokens", f"{2**63}"], "the DET\n", 2, f"--max-tokens {2**63} is not allowed"),
    ],
)
def test_what_does_not_fit_is_refused(
    chunker: Path, arguments: list[str], text: str, code: int, said: str
) -> None:
    done = run("tag", "predict", chunker, *arguments, text=text)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_neither_answers_nor_rejects_are_written_over_a_file_that_is_needed(
    tagger: Path, tmp_path: Path
) -> None:
    model = tmp_path / "m.rbt"
    model.write_bytes(tagger.read_bytes())
    link = tmp_path / "link.rbt"
    link.symlink_to(model)
    data = written(tmp_path, "d.txt", WORDS)
    for target in (model, link):
        done = run("tag", "predict", model, data, "-o", target)
        assert (done.code, done.out) == (2, "")
        assert f"--out {target} holds the tagger; give another name." in done.err
        for verb in ("predict", "evaluate"):
            done = run("tag", verb, model, data, "--on-bad", f"rejects={target}")
            assert (done.code, done.out) == (2, "")
            assert f"rejects={target}: this command needs {model} for" in done.err
    out = tmp_path / "out.txt"
    done = run("tag", "predict", model, data, "-o", out, "--on-bad", f"rejects={out}")
    assert done.code == 2
    assert f"this command needs {out} for something else; give another name." in done.err
    assert model.read_bytes() == tagger.read_bytes()
    assert not out.exists()


def test_the_first_row_is_the_same_for_who_looks_and_who_reads(chunker: Path) -> None:
    # Behind blanks it is not the mark of a document.
    done = run("tag", "predict", chunker, text="  -DOCSTART- X\n\nthe DET O\n")
    assert done.code == 3
    assert "<stdin>:3:1: 3 columns, but the first row has 2" in done.err


# ---------------------------------------------------------------------- text and other forms


def test_text_comes_out_with_a_tag_behind_every_word(tagger: Path) -> None:
    out = predicted(tagger, text=f"{WORDS}\n\n  a\tgull \n")
    assert out == "a/DET gull/NOUN waits/VERB ./PUNCT\n\na/DET gull/NOUN\n"
    assert predicted(tagger, "--mark", "_", text="a gull") == "a_DET gull_NOUN\n"


@pytest.mark.parametrize("source", ["text", "conllu"])
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("tags", "DET NOUN VERB PUNCT\n"),
        ("text", "a/DET gull/NOUN waits/VERB ./PUNCT\n"),
        ("conll", "a\tDET\ngull\tNOUN\nwaits\tVERB\n.\tPUNCT\n\n"),
        (
            "conllu",
            "".join(
                row(str(i), word, tag)
                for i, (word, tag) in enumerate(zip(WORDS.split(), TAGS, strict=True), 1)
            )
            + "\n",
        ),
    ],
)
def test_any_form_can_be_asked_for(tagger: Path, source: str, form: str, expected: str) -> None:
    text = WORDS
    if source == "conllu":
        rows = [row(str(i), word) for i, word in enumerate(WORDS.split(), 1)]
        text = "".join(rows) + "\n"
    assert predicted(tagger, "--to", form, text=text) == expected


def test_json_has_an_object_for_each_sentence(tagger: Path, chunker: Path) -> None:
    lines = predicted(tagger, "--json", text=f"{WORDS}\n").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"schema": 2, "line": 1, "words": WORDS.split(), "tags": TAGS}
    ]
    line = predicted(chunker, "--json", text="\nthe DET\n").strip()
    assert json.loads(line)["line"] == 2
    assert json.loads(line)["words"] == [["the", "DET"]]


def test_files_and_a_pipe_are_read_in_order(tagger: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "w.txt", "a gull\n")
    assert predicted(tagger, file, "-", text="a boat\n") == "a/DET gull/NOUN\na/DET boat/NOUN\n"
    assert predicted(tagger, "-", file, text="a boat\n") == "a/DET boat/NOUN\na/DET gull/NOUN\n"


def test_only_blanks_and_tabs_divide_columns(chunker: Path) -> None:
    out = predicted(chunker, "-", text="a\u00a0gull NOUN B-NP\nwaits VERB B-VP\n")
    assert [line.split(" ")[0] for line in out.splitlines()] == ["a\u00a0gull", "waits"]


def test_packed_and_foreign_text_is_read(tagger: Path, tmp_path: Path) -> None:
    packed = tmp_path / "w.txt.gz"
    packed.write_bytes(gzip.compress(WORDS.encode()))
    assert predicted(tagger, packed, "--to", "tags") == "DET NOUN VERB PUNCT\n"
    latin = tmp_path / "w.txt"
    latin.write_bytes("a café waits".encode("latin-1"))
    assert "café/" in predicted(tagger, latin, "--encoding", "latin-1")
    done = run("tag", "predict", tagger, latin)
    assert done.code == 3
    assert "--encoding latin-1" in done.err


# ---------------------------------------------------------------------- models


def test_another_model_is_refused_with_what_it_is(tmp_path: Path, tagger: Path) -> None:
    other = trained(tmp_path, data=PETS)
    for verb in ("predict", "evaluate"):
        done = run("tag", verb, other, HARBOUR)
        assert (done.code, done.out) == (4, "")
        assert "a model for rows (AveragedPerceptron), not a tagger" in done.err


@pytest.mark.parametrize(
    "line",
    [
        "predict MODEL DATA",
        "evaluate MODEL DATA",
        "explain MODEL DATA --row 1",
        "stream DATA --resume MODEL",
        "train DATA --resume MODEL",
        "train DATA --schema-from MODEL",
        "convert MODEL --out out.onnx",
        "convert DATA --model MODEL",
        "show MODEL --weights",
    ],
)
def test_commands_for_rows_refuse_a_tagger_in_one_sentence(
    line: str, tagger: Path, tmp_path: Path
) -> None:
    data = written(tmp_path, "pets.csv", PETS)
    places = {"MODEL": str(tagger), "DATA": str(data)}
    with inside(tmp_path):
        done = run(*(places.get(word, word) for word in line.split()))
    assert (done.code, done.out) == (4, "")
    assert len(done.err.splitlines()) == 1
    assert "tag predict" in done.err or "no names" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["pets.csv"]


def test_a_tagger_of_python_is_fed_by_its_columns(tmp_path: Path) -> None:
    words = rosenblatt.SequenceTagger().fit([["a", "gull"], ["waits"]], [["D", "N"], ["V"]])
    rosenblatt.save(words, tmp_path / "words.rbt")
    assert predicted(tmp_path / "words.rbt", text="a gull\n") == "a/D gull/N\n"
    pairs = rosenblatt.SequenceTagger().fit([[("a", "D"), ("gull", "N")]], [["B", "I"]])
    rosenblatt.save(pairs, tmp_path / "pairs.rbt")
    assert predicted(tmp_path / "pairs.rbt", text="a D\ngull N\n") == "a D B\ngull N I\n"
    by_hand = rosenblatt.SequenceTagger().fit([[{"w": "a"}, {"w": "b"}]], [["X", "Y"]])
    rosenblatt.save(by_hand, tmp_path / "by_hand.rbt")
    done = run("tag", "predict", tmp_path / "by_hand.rbt", text="a\n")
    assert done.code == 4
    assert "mappings of features" in done.err


def test_a_made_up_layout_is_refused(tagger: Path, tmp_path: Path) -> None:
    from rosenblatt.model import read, write

    told = read(tagger).card.schema
    for change in (
        {"inputs": []},
        {"inputs": ["form"]},
        {"target": 10},
        {"format": "csv"},
        {"mark": 1},
        {"mark": " "},
    ):
        state = read(tagger)
        state.card.schema = {**told, **change}
        write(state, tmp_path / "made_up.rbt")
        done = run("tag", "predict", tmp_path / "made_up.rbt", text="a gull")
        assert done.code == 4
        assert "the schema of the tagger is not sound" in done.err
    state.card.schema = ["sentences"]
    with pytest.raises(ModelFileError, match="schema"):
        write(state, tmp_path / "made_up.rbt")


def test_the_first_line_may_be_as_long_as_any(tagger: Path, tmp_path: Path) -> None:
    n = 70_000
    words = "the boat " * n
    assert len(words) > 1 << 19
    data = written(tmp_path, "d.txt", f"{words}{' ' * (1 << 20)}\nrain\n")
    out = predicted(tagger, data, "--max-tokens", f"{2 * n}")
    assert out == " ".join(["the/DET boat/NOUN"] * n) + "\nrain/NOUN\n"
    done = run("tag", "predict", tagger, data)
    assert (done.code, done.out) == (3, "")
    assert f"{data}:1:1: more than 100,000 words in one sentence" in done.err
    assert predicted(tagger, data, "--on-bad", "skip", "--quiet") == "rain/NOUN\n"
    done = run("tag", "predict", tagger, data, "--max-line-bytes", "1000")
    assert (done.code, done.out) == (3, "")
    assert f"{data}:1:1: this row is longer than 1,000 bytes" in done.err


def test_remarks_alone_are_no_sentences(tagger: Path, tmp_path: Path) -> None:
    data = written(tmp_path, "d.conllu", "# only a remark\n")
    for verb in ("predict", "evaluate"):
        done = run("tag", verb, tagger, data)
        assert (done.code, done.out) == (3, "")
        assert f"{data}: 0 sentences\nhelp: give a file with sentences in it" in done.err


@pytest.mark.parametrize("odd", ["\u00a0", "\x0c", "\u2003x", "10\u00a0000"])
def test_only_blanks_and_tabs_divide_words(tagger: Path, odd: str) -> None:
    out = predicted(tagger, text=f"{odd}\nrain\n")
    assert re.fullmatch(f"{odd}/[A-Z]+\nrain/NOUN\n", out)


def test_empty_lines_alone_are_text_if_it_is_said_so(tagger: Path) -> None:
    assert predicted(tagger, "--format", "text", text="\n\n") == "\n\n"


def test_files_of_several_formats_are_refused(tagger: Path, tmp_path: Path) -> None:
    done = run("tag", "predict", tagger, written(tmp_path, "d.txt", WORDS), HARBOUR_NEW)
    assert (done.code, done.out) == (2, "")
    assert "the names of the files do not tell one format for all" in done.err


# ---------------------------------------------------------------------- a pipe


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        (
            ["the gull waits\n", "a boat\n", "\n", "rain\n"],
            ["the/DET gull/NOUN waits/VERB\n", "a/DET boat/NOUN\n", "\n", "rain/NOUN\n"],
        ),
        (
            ["# x\n" + row("1", "the") + "\n", "# y\n" + row("1", "a") + "\n"],
            ["# x\n" + row("1", "the", "DET") + "\n", "# y\n" + row("1", "a", "DET") + "\n"],
        ),
    ],
    ids=["text", "conllu"],
)
def test_each_sentence_is_answered_before_the_next_one_is_sent(
    tagger: Path, sent: list[str], answers: list[str]
) -> None:
    process = subprocess.Popen(
        argv("tag", "predict", str(tagger)),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with ending(process):
        for sentence, answer in zip(sent, answers, strict=True):
            process.stdin.write(sentence)
            process.stdin.flush()
            # This waits for ever if the command waits for more.
            got = "".join(process.stdout.readline() for _ in answer.splitlines())
            assert got == answer
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(PATIENCE) == 0


def test_tags_and_words_cannot_steer_a_terminal(tmp_path: Path) -> None:
    learner = rosenblatt.SequenceTagger().fit([["a", "b"]], [["\x1b[31mX", "Y\x9b"]])
    rosenblatt.save(learner, tmp_path / "t.rbt")
    (tmp_path / "in.txt").write_text("a \x1b]0;x\x07b\n", encoding="utf-8")
    for options in ([], ["--to", "conll"], ["--to", "tags"], ["--json"]):
        line = ["tag", "predict", "t.rbt", "in.txt", "--format", "text", *options]
        shown = on_terminal(*line, folder=tmp_path).terminal
        assert "[31mX" in shown
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    piped = run("tag", "predict", tmp_path / "t.rbt", "-", "--format", "text", text="a b\n")
    assert piped.out == "a/\x1b[31mX b/Y\x9b\n"


@pytest.mark.parametrize("tag", ["two\tcolumns", "two\nlines", "end\r"])
def test_a_tag_that_columns_cannot_hold_is_refused_but_for_json(tmp_path: Path, tag: str) -> None:
    rosenblatt.save(rosenblatt.SequenceTagger().fit([["a", "b"]], [["X", tag]]), tmp_path / "t.rbt")
    done = run("tag", "predict", tmp_path / "t.rbt", text="a b\n")
    assert (done.code, done.out) == (2, "")
    assert f"the tagger has the tag {tag!r}, which columns and text cannot hold" in done.err
    assert run("tag", "predict", tmp_path / "t.rbt", "--json", text="a b\n").json["tags"][1] == tag
