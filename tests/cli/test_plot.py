"""rosenblatt plot, and the picture of the demo."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import rosenblatt
from cli.shell import Done, inside, run, trained, written
from rosenblatt import KernelPerceptron, plot
from rosenblatt.cli.plot.plot_kinds import KINDS

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
SIX = "x,y,sign\n-1,2,minus\n1,0,plus\n1,1,plus\n-1,0,minus\n-1,-2,minus\n1,-1,plus\n"
THREE = "x,y,which\n0,3,up\n1,4,up\n-4,-2,left\n-3,-3,left\n4,-2,right\n3,-3,right\n"
LIFTED = "x,y,xy,differ\n0,0,0,no\n0,1,0,yes\n1,0,0,yes\n1,1,1,no\n"
WIDE = "a,b,c,d,kind\n1,0,2,5,x\n2,1,2,4,x\n-1,0,-2,5,y\n-2,1,-2,6,y\n"
PLAIN = ("--no-scale", "--learner", "perceptron", "--record")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of every sort beside their data."""
    here = tmp_path_factory.mktemp("plot")
    trained(here, *PLAIN, data=SIX, name="six.csv")
    trained(here, data=SIX, name="scaled.csv")
    trained(here, "--learner", "soft", data=SIX, name="soft.csv")
    trained(here, "--learner", "voted", data=SIX, name="voted.csv")
    trained(here, *PLAIN, data=THREE, name="three.csv")
    trained(here, *PLAIN, data=LIFTED, name="lifted.csv")
    trained(here, data=WIDE, name="wide.csv")
    trained(here)
    X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], ["same", "other", "other", "same"]
    machine = KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    rosenblatt.save(machine, here / "kernel.csv.rbt")
    written(here, "kernel.csv", "a,b,kind\n1,1,same\n1,-1,other\n-1,1,other\n-1,-1,same\n")
    for name in ("harbour", "harbour_new"):
        written(here, f"{name}.conllu", (ROOT / f"examples/{name}.conllu").read_text())
    assert (
        run("tag", "train", here / "harbour.conllu", "--quiet", "-o", here / "tagger.rbt").code == 0
    )
    return here


def drawn(desk: Path, line: str) -> Done:
    with inside(desk):
        return run("plot", *line.split())


FITTING = {
    "boundary": "six.csv.rbt six.csv",
    "regions": "three.csv.rbt three.csv",
    "kernel_boundary": "kernel.csv.rbt kernel.csv",
    "updates": "six.csv.rbt six.csv",
    "animate": "six.csv.rbt six.csv",
    "lift": "lifted.csv.rbt lifted.csv",
    "mistakes": "six.csv.rbt",
    "proof": "six.csv.rbt six.csv",
    "weights": "pets.csv.rbt",
    "vote": "voted.csv.rbt",
    "confusion": "pets.csv.rbt pets.csv",
    "reliability": "soft.csv.rbt soft.csv",
    "score_curves": "soft.csv.rbt soft.csv",
    "orders": "six.csv.rbt six.csv --orders 3",
    "tag_path": "tagger.rbt harbour_new.conllu --row 2",
    "losses": "",
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_and_told(desk: Path, kind: str) -> None:
    file = desk / f"{kind}.{KINDS[kind].endings[0]}"
    done = drawn(desk, f"{kind} {FITTING[kind]} -o {file.name}")
    assert (done.code, done.out) == (0, f"wrote {file.name}\n"), done.err
    assert done.err.count("\n") == 1
    caption = done.err.strip().replace("&", "&amp;")
    assert caption[:20].encode() in file.read_bytes()


def test_the_kinds_are_the_pictures_of_the_library() -> None:
    # Contributions are those of an explanation, which explain writes; the others need no model.
    apart = {"contributions", "side_by_side", "projection", "one_hot"}
    assert set(KINDS) == set(plot.__all__) - apart


def test_the_picture_is_the_one_that_python_draws(desk: Path) -> None:
    assert drawn(desk, "regions three.csv.rbt three.csv -o shell.svg").code == 0
    model = rosenblatt.load(desk / "three.csv.rbt")
    table = model.schema_.read(desk / "three.csv", labelled=True)
    X = model.schema_.encode(table)
    model.feature_names_in_ = rosenblatt.load(desk / "three.csv.rbt").schema_.names(range(2))
    plot.regions(model, X, table.labels).save(desk / "python.svg")
    assert (desk / "shell.svg").read_bytes() == (desk / "python.svg").read_bytes()


def test_json_has_the_kind_the_path_and_the_caption(desk: Path) -> None:
    done = drawn(desk, "mistakes six.csv.rbt -o m.svg --json")
    assert done.err == ""
    told = done.json
    assert (told["kind"], told["path"]) == ("mistakes", "m.svg")
    assert told["caption"] in (desk / "m.svg").read_text(encoding="utf-8")


def test_quiet_draws_without_a_word(desk: Path) -> None:
    done = drawn(desk, "losses -o quiet.pdf --quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (desk / "quiet.pdf").read_bytes().startswith(b"%PDF")


def test_axes_have_the_names_of_the_columns_and_scaling_is_told(desk: Path) -> None:
    assert drawn(desk, "boundary scaled.csv.rbt scaled.csv -o named.svg").err.endswith(
        "Scaled as in training: 0 and 1 stand for 0 and 1.483 of x, 0 and 1.112 of y.\n"
    )
    drawing = (desk / "named.svg").read_text(encoding="utf-8")
    assert {"x, scaled", "y, scaled"} <= texts(drawing)


def texts(drawing: str) -> set[str]:
    """The words of a drawing: as text, or as a comment before their outlines."""
    return {
        *re.findall(r"<!-- (.*?) -->", drawing),
        *re.findall(r"<text[^>]*>(.*?)</text>", drawing),
    }


def test_rows_of_updates_are_counted_from_one_as_in_the_shell(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    kept = plot.updates.__globals__["UpdatesDisplay"].save
    monkeypatch.setattr(
        plot.updates.__globals__["UpdatesDisplay"],
        "save",
        lambda self, *given, **more: (shown.append(self), kept(self, *given, **more)),
    )
    assert drawn(desk, "updates six.csv.rbt six.csv -o u.svg --max-frames 2").code == 0
    first = rosenblatt.load(desk / "six.csv.rbt").ledger_[0]
    assert shown[0].titles[0].startswith(f"update 1, row {first.row + 1}: ")
    assert len(shown[0].titles) == 2


def test_size_theme_and_dots_are_those_asked_for(desk: Path) -> None:
    from matplotlib.image import imread

    assert drawn(desk, "losses -o l.png --size 6x4 --dpi 50 --theme dark").code == 0
    dots = imread(desk / "l.png")
    assert dots.shape[:2] == (200, 300)
    assert dots[0, 0, :3].max() < 0.3


def test_a_sentence_may_be_typed(desk: Path) -> None:
    with inside(desk):
        done = run("plot", "tag-path", "tagger.rbt", "--sentence", "a gull waits .", "-o", "p.svg")
    assert done.code == 0, done.err
    assert "The best path scores" in done.err


def test_an_image_of_weights_has_the_shape_asked_for(desk: Path) -> None:
    assert "of the pixels" in drawn(desk, "weights wide.csv.rbt --shape 2x2 -o w.svg").err
    done = drawn(desk, "weights wide.csv.rbt --shape 3x3 -o w.svg")
    assert (done.code, "9 pixels, but the model has 4 features" in done.err) == (2, True)


# ---------------------------------------------------------------------- what does not fit


@pytest.mark.parametrize(
    ("line", "why", "instead"),
    [
        ("boundary three.csv.rbt three.csv", "3 classes, and a line divides two", "regions"),
        ("boundary kernel.csv.rbt kernel.csv", "not divided by one line", "kernel_boundary"),
        ("boundary voted.csv.rbt voted.csv", "not divided by one line", "kernel_boundary"),
        ("boundary tagger.rbt harbour.conllu", "not divided by one line", "tag_path"),
        ("regions wide.csv.rbt wide.csv", "4 features", "boundary"),
        ("regions kernel.csv.rbt kernel.csv", "not divided by lines", "kernel_boundary"),
        ("kernel_boundary wide.csv.rbt wide.csv", "4 features", "boundary"),
        ("kernel_boundary tagger.rbt harbour.conllu", "tags sentences", "tag_path"),
        ("updates scaled.csv.rbt scaled.csv", "train --record", "boundary"),
        ("updates kernel.csv.rbt kernel.csv", "move no line", "kernel_boundary"),
        ("updates wide.csv.rbt wide.csv", "4 features", "weights"),
        ("proof three.csv.rbt three.csv", "a tie raised one and lowered none", "regions"),
        ("proof scaled.csv.rbt scaled.csv", "train --record", "boundary"),
        ("proof kernel.csv.rbt kernel.csv", "moves on mistakes alone", "confusion"),
        ("lift six.csv.rbt six.csv", "their product", "boundary"),
        ("weights kernel.csv.rbt", "support rows", "vote"),
        ("weights tagger.rbt", "have no names", "mistakes"),
        ("vote wide.csv.rbt", "--learner voted or --record", "boundary"),
        ("orders tagger.rbt harbour.conllu", "linear learners", "confusion"),
        ("tag_path six.csv.rbt six.csv", "rows, not sentences", "boundary"),
    ],
)  # fmt: skip
def test_what_a_model_has_no_picture_of_is_said_with_those_it_has(
    desk: Path, line: str, why: str, instead: str
) -> None:
    kind, model, *_ = line.split()
    done = drawn(desk, f"{line} -o never.{KINDS[kind].endings[0]}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {model} has no {kind}: ")
    assert done.err.count("\n") == 1
    assert why in done.err
    tried = re.findall(r"\w+", done.err.partition(" Try ")[2].replace(" or ", " "))
    assert instead in tried
    assert not list(desk.glob("never.*"))


@pytest.mark.parametrize("model", ["six.csv", "wide.csv", "pets.csv", "voted.csv", "kernel.csv"])
def test_what_is_suggested_can_be_drawn(desk: Path, model: str) -> None:
    said = drawn(desk, f"tag_path {model}.rbt {model} -o never.svg").err
    for kind in re.findall(r"\w+", said.partition(" Try ")[2].replace(" or ", " ")):
        data = "" if KINDS[kind].data == "no" else model
        done = drawn(desk, f"{kind} {model}.rbt {data} -o {model}.{kind}.{KINDS[kind].endings[0]}")
        assert done.code == 0, (kind, done.err)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("boundry six.csv.rbt -o x.svg", "Did you mean 'boundary'?"),
        ("pie six.csv.rbt -o x.svg", "there is no 'pie'"),
        ("six.csv.rbt six.csv -o x.svg", "'six.csv.rbt' is a file; what to draw comes first"),
        ("mistakes six.csv.rbt", "say where to write with -o, as -o mistakes.svg"),
        ("animate six.csv.rbt six.csv", "as -o animate.gif"),
        ("mistakes six.csv.rbt -o x.jpg", "a picture ends in .svg, .pdf or .png."),
        ("mistakes six.csv.rbt -o x", "a picture ends in .svg, .pdf or .png."),
        ("updates six.csv.rbt six.csv -o x.gif", "a picture ends in .svg, .pdf or .png."),
        ("animate six.csv.rbt six.csv -o x.svg", "a film ends in .gif or .mp4."),
        ("mistakes -o x.svg", "give MODEL after mistakes"),
        ("mistakes six.csv.rbt six.csv -o x.svg", "leave six.csv out"),
        ("losses six.csv.rbt -o x.svg", "leave six.csv.rbt out"),
        ("regions six.csv.rbt -o x.svg", "give DATA after MODEL"),
        ("tag_path tagger.rbt -o x.svg", "give DATA, or words with --sentence"),
        ("tag_path tagger.rbt --row 1 --sentence a -o x.svg", "give one of them"),
        ("losses --top 3 -o x.svg", "--top is for weights, not for losses"),
        ("losses --max-frames 3 -o x.svg", "--max-frames is for updates or animate, not"),
        ("updates six.csv.rbt six.csv --max-frames 101 -o x.svg", "100 at most; animate shows"),
        ("losses --size 6 -o x.svg", "as 6x4"),
        ("losses --size 6x1000 -o x.svg", "0.5 to 100 each"),
        ("losses --size 0.6x0.6 -o x.svg", "--size 0.6x0.6 is too small for this picture"),
        ("losses --size 99x99 --dpi 600 -o x.png", "3,528 million dots"),
        ("losses --dpi 90 -o x.svg", "--dpi has no meaning for .svg"),
        ("animate six.csv.rbt six.csv -o x.html", "a film ends in .gif or .mp4. To play a run in"),
        ("confusion tagger.rbt harbour.conllu --missing NA -o x.svg", "--missing has no meaning"),
        ("confusion tagger.rbt harbour.conllu --format csv -o x.svg", "--format csv has no"),
    ],
)  # fmt: skip
def test_a_slip_of_the_hand_is_told_and_nothing_is_written(
    desk: Path, line: str, said: str
) -> None:
    before = sorted(desk.iterdir())
    done = drawn(desk, line)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert sorted(desk.iterdir()) == before


def test_updates_of_other_rows_are_refused(desk: Path) -> None:
    written(desk, "short.csv", SIX.rpartition("-1,-2")[0])
    done = drawn(desk, "updates six.csv.rbt short.csv -o x.svg")
    assert (done.code, "short.csv has 4 rows, but an update" in done.err) == (3, True)
    swapped = SIX.replace("plus", "?").replace("minus", "plus").replace("?", "minus")
    written(desk, "swapped.csv", swapped)
    for kind in ("updates", "proof"):
        done = drawn(desk, f"{kind} six.csv.rbt swapped.csv -o x.svg")
        assert (done.code, "but six.csv.rbt learned it as" in done.err) == (3, True)


def test_a_lift_of_columns_that_are_no_product_is_refused(desk: Path) -> None:
    written(desk, "no_product.csv", LIFTED.replace("1,1,1", "1,1,2"))
    done = drawn(desk, "lift lifted.csv.rbt no_product.csv -o x.svg")
    assert (done.code, "--no-scale" in done.err) == (3, True)


def test_a_sentence_that_is_not_there_is_refused(desk: Path) -> None:
    done = drawn(desk, "tag_path tagger.rbt harbour.conllu --row 4000 -o x.svg")
    assert (done.code, "there is no sentence 4,000" in done.err) == (3, True)


# ---------------------------------------------------------------------- without Matplotlib


def test_without_matplotlib_plot_says_what_to_install(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = drawn(desk, "confusion pets.csv.rbt pets.csv -o x.svg")
    assert (done.code, done.out) == (5, "")
    assert done.err == (
        "error: drawing needs Matplotlib. Install it with pip install 'rosenblatt[plot]'.\n"
    )
    assert drawn(desk, "animate six.csv.rbt six.csv -o x.gif").code == 5


def test_without_ffmpeg_a_film_says_what_to_install(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    done = drawn(desk, "animate six.csv.rbt six.csv -o x.mp4")
    assert (done.code, "the program ffmpeg, which was not found" in done.err) == (5, True)


# ---------------------------------------------------------------------- the demo


def demo(folder: Path, *options: str) -> Done:
    with inside(folder):
        return run("demo", "--epochs", "3", *options)


@pytest.mark.parametrize(
    ("data", "seen"),
    [("digits", "Weights of the pixels"), ("wine", "3 epochs"), ("breast_cancer", "w points to")],
)
def test_the_demo_ends_with_a_picture_and_its_path(tmp_path: Path, data: str, seen: str) -> None:
    done = demo(tmp_path, "--data", data)
    assert (done.code, done.err) == (0, "")
    *_, caption, path = done.out.splitlines()
    assert path == "wrote rosenblatt-demo.svg"
    assert caption.startswith(f"rosenblatt demo, {data}: ")
    assert seen in caption
    assert f"<title>rosenblatt demo, {data}" in (tmp_path / "rosenblatt-demo.svg").read_text(
        "utf-8"
    )


def test_w_of_the_demo_points_to_the_class_it_speaks_for(tmp_path: Path) -> None:
    # As every learner has it, the classes stand in the order of their names.
    assert "w points to the side of malignant" in demo(tmp_path, "--data", "breast_cancer").out


def test_the_demo_overwrites_its_own_picture_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "rosenblatt-demo.svg"
    for data in ("wine", "breast_cancer"):
        assert demo(tmp_path, "--data", data).code == 0
        assert f"demo, {data}" in file.read_text("utf-8")
    file.write_text("mine")
    done = demo(tmp_path, "--data", "wine")
    assert done.code == 0
    assert "there is another rosenblatt-demo.svg here; --out FILE" in done.err
    assert file.read_text() == "mine"
    done = demo(tmp_path, "--data", "wine", "--out", "rosenblatt-demo.svg")
    assert (done.code, done.err) == (0, "")
    assert file.read_text("utf-8") != "mine"


def test_without_matplotlib_the_demo_works_and_says_how_to_get_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = demo(tmp_path, "--data", "wine")
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("held-out accuracy, mean weights: ")
    assert (
        done.err == "notice: no picture: drawing needs Matplotlib. Install it with "
        "pip install 'rosenblatt[plot]'\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_demo_where_nothing_can_be_written_goes_without_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> None:
        raise PermissionError(13, "Permission denied", "rosenblatt-demo.svg")

    monkeypatch.setattr("rosenblatt.persistence.disk.replace", refused)
    done = demo(tmp_path, "--data", "wine")
    assert done.code == 0
    assert "no picture: Permission denied: rosenblatt-demo.svg" in done.err
    done = demo(tmp_path, "--data", "wine", "--out", "mine.svg")
    assert done.code == 5


def test_a_picture_of_vw_rows_compares_their_labels(tmp_path: Path) -> None:
    (tmp_path / "rows.vw").write_text("1 | a:1 b:2\n-1 | a:-1 c:1\n1 | a:2\n-1 | c:2\n")
    train = ("train", tmp_path / "rows.vw", "--learner", "perceptron", "--out", tmp_path / "m.rbt")
    assert run(*train).code == 0
    done = run(
        "plot", "confusion", tmp_path / "m.rbt", tmp_path / "rows.vw", "-o", tmp_path / "c.svg"
    )
    assert (done.code, (tmp_path / "c.svg").exists()) == (0, True), done.err
