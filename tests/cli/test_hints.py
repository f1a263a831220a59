"""Usual slips of the hand: the error names the option that was forgotten, or does without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import MAIL, run, trained, written

BARE = "5.1,3.5,a\n4.9,3.0,b\n6.0,3.1,a\n4.7,2.9,b\n"
NAMED = "x,y,z\n" + BARE


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A model of a file without a header."""
    return trained(tmp_path, "--no-header", data=BARE, name="bare.csv")


# ---------------------------------------------------------------------- --no-header


@pytest.mark.parametrize(
    "line",
    [
        "predict MODEL FILE",
        "evaluate MODEL FILE",
        "explain MODEL FILE --row 2",
        "convert FILE --model MODEL",
        "stream FILE --resume MODEL --out new.rbt",
        "train FILE --resume MODEL --out new.rbt",
    ],
)
def test_a_model_trained_without_a_header_reads_so_again(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    call = line.replace("MODEL", bare.name).replace("FILE", "bare.csv").split()
    said, left_out = run(*call, "--no-header"), run(*call)
    assert said.code == 0
    assert (left_out.code, left_out.out, left_out.err) == (0, said.out, said.err)


def test_from_a_pipe_too(bare: Path) -> None:
    done, said = (run("evaluate", bare, "-", *more, text=BARE) for more in ([], ["--no-header"]))
    assert (done.code, done.out) == (said.code, said.out) == (0, said.out)


def test_a_header_of_names_is_not_taken_for_a_row(bare: Path, tmp_path: Path) -> None:
    done = run("predict", bare, written(tmp_path, "named.csv", NAMED))
    assert (done.code, done.out) == (3, "")
    assert 'the file has "x", "y", "z"\n' in done.err


def test_a_header_that_numbers_the_columns_is_a_header(bare: Path, tmp_path: Path) -> None:
    numbered = written(tmp_path, "numbered.csv", "1,2,3\n" + BARE)
    done = run("evaluate", bare, numbered)
    assert (done.code, done.err.count("without a header")) == (0, 0)
    assert done.out.startswith("4 rows")


def test_a_title_above_the_rows_is_skipped_and_told_of(bare: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "odd.csv", "\n|1x3 Cross validator\n" + BARE)
    for options in ([], ["--no-header"]):
        done = run("evaluate", bare, file, *options)
        assert (done.code, done.out.splitlines()[0][:6]) == (0, "4 rows")
        assert "'|1x3 Cross validator' skipped" in done.err


# ---------------------------------------------------------------------- the target


def test_labels_that_a_file_lacks_are_bad_data_and_a_wrong_option_is_not(tmp_path: Path) -> None:
    model = trained(tmp_path, data=NAMED, name="named.csv")
    file = written(tmp_path, "new.csv", "x,y\n1,2\n")
    done = run("evaluate", model, file)
    assert done.code == 3
    assert f'{file}: there is no target column "z", which the model was trained for: ' in done.err
    assert (
        'give one of the columns "x", "y"\n'
        "help: if the labels have another name, give --target" in done.err
    )
    done = run("evaluate", model, file, "--target", "q")
    assert done.code == 2
    assert 'there is no target column "q"' in done.err


# ---------------------------------------------------------------------- --format


@pytest.mark.parametrize("verb", ["train", "check", "stream", "convert", "certify"])
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("svmlight", "-1 3:1 5:1\n+1 2:1 5:0.5\n-1 1:1\n"),
        ("svmlight", "sport 3:1 5:-1e-3 # a, b\nart 2:1\n"),
        ("vw", "1 |f a b\n-1 |f c\n"),
        ("text", "ham\tsee you, at noon\nspam\twin money\nham\tcall me\n"),
        ("text", "\n".join(MAIL) + "\n"),
    ],
)
def test_the_format_that_was_forgotten_is_named_and_works(
    tmp_path: Path, verb: str, kind: str, text: str
) -> None:
    file = written(tmp_path, "rows.csv", text)
    out = ("--out", tmp_path / "made") if verb in ("train", "stream", "convert") else ()
    done = run(verb, file, *out)
    assert (done.code, done.out) == (3, "")
    assert done.err.endswith(f": --format {kind}\n")
    assert run(verb, file, *out, "--format", kind).code in ((0, 1) if verb == "certify" else (0,))


def test_svmlight_from_a_pipe_is_seen_too() -> None:
    done = run("check", "-", text="-1 3:1 5:1\n+1 2:1\n")
    assert done.code == 3
    assert done.err.endswith(": --format svmlight\n")


@pytest.mark.parametrize(
    "text", ["a,b,y\n1,2,u\n1,y\n", "a b,y\n1,2,3\n", "time 10:30,y\n1,u\n2\n", "n\na\nb\n"]
)
def test_other_faults_keep_their_cure(tmp_path: Path, text: str) -> None:
    done = run("check", written(tmp_path, "rows.dat", text))
    assert done.code == 3
    assert "--format" not in done.err


# ---------------------------------------------------------------------- --on-bad skip


@pytest.mark.parametrize("how", ["skip", "rejects=rejects.txt"])
@pytest.mark.parametrize("rows", [1, 3])
def test_if_every_row_is_bad_the_first_fault_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, rows: int
) -> None:
    monkeypatch.chdir(tmp_path)
    model = trained(tmp_path, data=NAMED, name="named.csv")
    file = written(tmp_path, "dots.csv", ["x,y,z", *["1,2,a."] * rows])
    done = run("evaluate", model, file, "--on-bad", how)
    assert done.code == 3
    assert f'{file}:2:5: column "z": the label "a." is not one of the known classes' in done.err
    assert "\n  1,2,a.\n      ^^\n" in done.err
    assert ("the only row" if rows == 1 else "all 3 rows") in done.err
    assert "--on-bad" not in done.err
