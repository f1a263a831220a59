"""The course in a real browser, from one file on disk: figures, questions, exercises, progress."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from rosenblatt.studio import Session
from rosenblatt.studio.addresses import read_address
from rosenblatt.studio.course import chapters
from rosenblatt.studio.pages import WEB

from .accessibility import scrolls_one_way, unfold, violations
from .browser import running_server
from .test_page import opened, shows

pytestmark = pytest.mark.slow

pytest.importorskip("markdown", reason="Markdown is not installed")

NAMES = [chapter.name for chapter in chapters()]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("course") / "studio.html"
    path.write_text(Session().one_file(course=True), "utf-8")
    return path.as_uri()


def numbers(address: str) -> dict[str, float]:
    """What the library says that a reader may be asked for."""
    answer = Session().ask("run", read_address(address).to_json())
    run, theory = answer["runs"][0], answer["theory"]
    weights = dict(zip(("w1", "w2", "b"), run["weights"][-3:], strict=True))
    means = dict(zip(("a1", "a2"), (run["answers"] or [0, 0, 0])[-3:], strict=False))
    proof = run["proof"] or {"u_dot_w": [0], "norm": [0]}
    return {
        **weights,
        **means,
        "mistakes": run["n_updates"],
        "radius": theory["radius"],
        "margin": theory["margin"] or 0,
        "bound": theory["bound"] or math.inf,
        "uw": proof["u_dot_w"][-1],
        "norm": proof["norm"][-1],
    }


def solve(exercise: Any) -> None:
    """Fails first, then is solved: with the library's numbers, or with the solution of the page."""
    check = exercise.get_by_role("button", name="Check")
    verdict = exercise.locator(".course-verdict")
    wanted = exercise.get_attribute("data-answer")
    check.click()
    shows(verdict, "Not yet.")
    assert "✗" in exercise.locator(".course-conditions").inner_text()
    if wanted:
        known = numbers(exercise.get_attribute("data-address"))
        boxes = exercise.locator(".course-row input").all()
        for box in boxes:
            box.fill("-77")
        check.click()
        shows(verdict, "Not yet.")
        for box, name in zip(boxes, wanted.split(","), strict=True):
            box.fill(f"{known[name.strip()]:.3f}")
    else:
        exercise.get_by_role("button", name="Show a solution").click()
        exercise.page.wait_for_timeout(250)
    check.click()
    shows(verdict, "Solved.")


def answer(question: Any) -> None:
    """A wrong choice is explained, then the right one; a prediction uncovers what it is about."""
    right, wrong = (question.locator(f".course-option{which}").first for which in RIGHT_AND_WRONG)
    verdict = question.locator(".course-verdict")
    predicts = "course-predict" in question.get_attribute("class")
    assert not right.locator(".course-why").is_visible()
    wrong.locator("input").check()
    shows(verdict, "Not")
    assert wrong.locator(".course-why").is_visible()
    assert right.locator(".course-why").is_visible() == predicts
    right.locator("input").check()
    shows(verdict, "As you predicted." if predicts else "Right.")
    assert right.locator(".course-why").is_visible()


RIGHT_AND_WRONG = ("[data-right]", ":not([data-right])")


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_is_read_from_its_first_prediction_to_its_last_exercise(
    page: Any, file: str, name: str
) -> None:
    page.goto(f"{file}#course={name}")
    shows(page.locator("h1"), re.compile(r"^\d+\. "))
    covered = page.locator(".covered").count()
    assert covered >= 1
    for question in page.locator(".course-question").all():
        answer(question)
    assert page.locator(".covered").count() == 0
    figures = page.locator(".course-figure").all()
    assert figures
    for figure in figures:
        figure.scroll_into_view_if_needed()
        shows(figure.locator(".status"), re.compile("separable"))
        assert figure.locator(".surface").first.bounding_box()["height"] > 100
    exercises = page.locator(".course-exercise").all()
    assert len(exercises) >= 2
    for exercise in exercises:
        exercise.scroll_into_view_if_needed()
        solve(exercise)
    tasks = page.locator(".course-question, .course-exercise").count()
    done = f"{tasks} of {tasks} questions and exercises done"
    shows(page.locator(".course-bar [role=status]"), done)
    page.reload()
    shows(page.locator(".course-bar [role=status]"), done)


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_to_fix_and_a_small_phone_scrolls_one_way(
    page: Any, file: str, name: str
) -> None:
    for dark in (False, True):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_viewport_size({"width": 320 if dark else 1280, "height": 900})
        page.goto(f"{file}#course={name}")
        page.reload()
        unfold(page)
        assert violations(page) == []
        assert scrolls_one_way(page)


def test_a_point_is_moved_to_the_right_side_by_keys(page: Any, file: str) -> None:
    """Exercise 1 of chapter 1: the last point is picked up, moved down and to the left."""
    page.goto(f"{file}#course={NAMES[0]}")
    exercise = page.locator(".course-exercise").first
    exercise.scroll_into_view_if_needed()
    shows(exercise.locator(".status"), "separable")
    exercise.locator(".surface").focus()
    for key in ["p", "Enter", *["ArrowDown", "ArrowLeft"] * 4, "Enter"]:
        page.keyboard.press(key)
    exercise.get_by_role("button", name="Check").click()
    shows(exercise.locator(".course-verdict"), "Solved.")
    exercise.get_by_role("button", name="Start again").click()
    page.wait_for_timeout(250)
    exercise.get_by_role("button", name="Check").click()
    shows(exercise.locator(".course-verdict"), "Not yet.")


def tab_to(page: Any, selector: str) -> None:
    """Tab on until the focus is on one of these."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def test_a_chapter_is_worked_through_by_keys_alone(page: Any, file: str) -> None:
    """Chapter 2: predict, step through the six examples, answer and solve."""
    page.goto(f"{file}#course={NAMES[1]}")
    shows(page.locator("h1"), "2. Learning from mistakes")
    tab_to(page, ".course-predict input")
    page.keyboard.press("Space")
    # The first choice may be the right one: each reader has an order of their own.
    predicted = re.compile("Not quite|As you predicted")
    shows(page.locator(".course-predict .course-verdict"), predicted)
    tab_to(page, ".course-figure .playback button.main")
    for _ in range(6):
        page.keyboard.press("Enter")
    shows(page.locator(".course-figure .update-card"), "(3, 1)")
    tab_to(page, ".course-quiz input")
    quiz = page.locator(".course-quiz").first
    for _ in quiz.locator("input").all():  # the right choice may stand anywhere
        if quiz.locator("[data-right] input").is_checked():
            break
        page.keyboard.press("ArrowDown")
    shows(quiz.locator(".course-verdict"), "Right.")
    tab_to(page, ".course-exercise .course-row input")
    page.keyboard.type("6")
    page.keyboard.press("Tab")
    page.keyboard.type("2")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    shows(page.locator(".course-exercise .course-verdict").first, "Solved.")


def test_a_finger_predicts_steps_and_adds_a_point(browser: Any, file: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(f"{file}#course={NAMES[1]}")
    page.locator(".course-predict [data-right] label").tap()
    shows(page.locator(".course-predict .course-verdict"), "As you predicted.")
    page.locator(".course-figure").get_by_role("button", name="Step").tap()
    shows(page.locator(".course-figure .update-card h2"), "Example 1 of 12")
    page.goto(f"{file}#course={NAMES[0]}")
    exercise = page.locator(".course-exercise").last
    exercise.scroll_into_view_if_needed()
    shows(exercise.locator(".status"), "separable")
    exercise.locator(".surface").tap(position={"x": 250, "y": 60})
    exercise.get_by_role("button", name="Check").tap()
    shows(exercise.locator(".course-conditions"), "points: 5")
    context.close()


def touch(session: Any, *places: tuple[float, float]) -> None:
    """A finger that goes down at the first place, over all others, and up at the last."""
    begin, *way = [{"x": x, "y": y} for x, y in places]
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [begin]})
    for place in way:
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_swipe_over_a_plane_scrolls_unless_it_begins_on_the_chosen_point(
    browser: Any, file: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    session = context.new_cdp_session(page)
    page.goto(f"{file}#course={NAMES[0]}")
    exercise = page.locator(".course-exercise").first
    exercise.scroll_into_view_if_needed()
    shows(exercise.locator(".status"), "mistake")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(300)
    bounds = exercise.locator(".surface").bounding_box()
    x, y = bounds["x"] + 200, bounds["y"] + bounds["height"] - 20
    points = exercise.locator(".surface")
    before = points.get_attribute("aria-label")

    top = page.evaluate("scrollY")
    touch(session, (x, y), *((x, y - 20 * k) for k in range(1, 11)))
    page.wait_for_timeout(400)
    assert page.evaluate("scrollY") > top + 100
    assert points.get_attribute("aria-label") == before

    # A tap adds a point; another tap on it chooses it, and then it follows the finger.
    exercise.scroll_into_view_if_needed()
    bounds = points.bounding_box()
    x, y = bounds["x"] + bounds["width"] - 60, bounds["y"] + 60
    touch(session, (x, y))
    shows(exercise.locator(".status"), "mistake")
    touch(session, (x, y))
    page.wait_for_timeout(300)
    added = points.get_attribute("aria-label")
    assert added != before
    top = page.evaluate("scrollY")
    touch(session, (x, y), *((x - 2 * k, y + 8 * k) for k in range(1, 11)))
    page.wait_for_timeout(400)
    assert page.evaluate("scrollY") == top
    exercise.get_by_role("button", name="Check").tap()
    shows(exercise.locator(".course-conditions"), "points: 6")
    assert "6 points" in points.get_attribute("aria-label")
    context.close()


@pytest.mark.parametrize(
    ("chapter", "typed"),
    [
        (5, ["6/2", "√10"]),
        (5, ["3", "sqrt(10)"]),
        (4, ["2√5", "2", "5"]),
        (4, ["2*sqrt(5)", "4/2", "(1 + 4)"]),
        (6, ["2", "−2/3"]),
    ],
)
def test_fractions_and_roots_are_answers(
    page: Any, file: str, chapter: int, typed: list[str]
) -> None:
    page.goto(f"{file}#course={NAMES[chapter]}")
    exercise = page.locator(".course-exercise[data-answer]").first
    for box, text in zip(exercise.locator(".course-row input").all(), typed, strict=True):
        box.fill(text)
    exercise.get_by_role("button", name="Check").click()
    shows(exercise.locator(".course-verdict"), "Solved.")


@pytest.mark.parametrize(
    ("learner", "errors", "solved"),
    [("averaged", 4, True), ("voted", 4, True), ("perceptron", 13, False)],
)
def test_training_errors_are_those_of_whatever_predicts(
    page: Any, file: str, learner: str, errors: int, solved: bool
) -> None:
    page.goto(f"{file}#course={NAMES[6]}")
    exercise = page.locator(".course-exercise").first
    exercise.scroll_into_view_if_needed()
    shows(exercise.locator(".status"), "separable")
    exercise.locator(".learner select:visible").first.select_option(learner)
    exercise.get_by_role("button", name="Check").click()
    shows(exercise.locator(".course-conditions"), f"training errors at the end: {errors}")
    shows(exercise.locator(".course-verdict"), "Solved." if solved else "Not yet.")


def test_each_student_has_an_order_of_the_choices_that_stays(browser: Any, file: str) -> None:
    def orders() -> list[list[str]]:
        questions = page.locator(".course-question").all()
        return [one.locator(".course-option label").all_inner_texts() for one in questions]

    seen = []
    for _ in range(4):
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{file}#course={NAMES[4]}")
        shows(page.locator("h1"), "5. ")
        found = orders()
        page.reload()
        shows(page.locator("h1"), "5. ")
        assert orders() == found
        seen.append(found)
        context.close()
    assert len({str(one) for one in seen}) > 1
    assert len({str([sorted(choices) for choices in one]) for one in seen}) == 1


def test_the_machine_learns_bars_through_its_association_units(page: Any, file: str) -> None:
    page.goto(f"{file}#course={NAMES[-1]}")
    retina = page.locator(".course-retina")
    retina.scroll_into_view_if_needed()
    for question in page.locator(".course-predict").all():
        question.locator("input").first.check()
    shows(retina.locator(".course-says"), "no opinion")
    many = retina.get_by_role("button", name="Learn from 100 bars")
    many.click()
    late = re.compile(r"(\d+) mistakes on (\d+) pictures, (\d+) on the last 50")
    first = late.search(retina.locator(".course-says").inner_text())
    for _ in range(9):
        many.click()
    last = late.search(retina.locator(".course-says").inner_text())
    assert first is not None
    assert last is not None
    assert int(last[2]) == 1000
    assert int(last[3]) < int(first[3])
    # Cells are switched by hand, and the units hear of it.
    before = retina.locator(".course-units").get_attribute("aria-label")
    for cell in retina.locator(".course-cell").all():
        cell.click()
    assert retina.locator(".course-units").get_attribute("aria-label") != before
    # A unit is asked for its wires: four, on cells that then bear its signs.
    retina.get_by_label("Show the wires of unit").fill("7")
    shows(retina.locator(".course-says"), re.compile(r"Unit 7 hears −?\d from its cells"))
    assert len(re.findall("[+−]", "".join(retina.locator(".course-cell").all_inner_texts()))) == 4


def test_the_studio_and_the_course_share_a_file(page: Any, file: str) -> None:
    page.goto(file)
    shows(page.locator("h1"), "The course")
    page.get_by_role("link", name="2. Learning from mistakes").click()
    shows(page.locator("h1"), "2. Learning from mistakes")
    page.locator(".course-question .course-option[data-right] input").first.check()
    page.get_by_role("link", name="Open in the studio").first.click()
    shows(page.locator("#studio .update-card h2"), "Start")
    page.get_by_role("button", name="Step").click()
    page.wait_for_url("**t=1**")
    page.get_by_role("link", name="Course").click()
    shows(page.locator(".course-chapter h1"), "The course")
    shows(page.locator(".course-list"), "1 done")
    page.wait_for_timeout(400)
    assert page.url.endswith("#course=all")
    page.get_by_role("button", name="Forget my progress").click()
    assert "done" not in page.locator(".course-list").inner_text()
    page.go_back()
    shows(page.locator("#studio .update-card h2"), "Example 1 of 12")


def test_a_chapter_is_printed_with_all_its_figures_and_reasons_in_light_colours(
    page: Any, file: str
) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{file}#course={NAMES[5]}")
    page.evaluate(
        "() => { window.print = () => {"
        " document.body.dataset.lit = document.querySelectorAll('.figure.light').length; }; }"
    )
    page.get_by_role("button", name="Print").click()
    page.wait_for_selector("body[data-lit]")
    figures = page.locator(".course-figure, .course-exercise").count()
    assert page.locator("body").get_attribute("data-lit") == str(figures)
    assert page.locator(".studio.figure.dark").count() == figures
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".course-why").first.is_visible()
    assert page.locator(".course-bar").first.is_hidden()
    assert page.evaluate("getComputedStyle(document.querySelector('.course-chapter')).color") == (
        "rgb(27, 30, 35)"
    )


def test_the_file_with_the_course_is_smaller_than_a_megabyte() -> None:
    assert len(Session().one_file(course=True).encode()) < 1_000_000


def test_words_in_the_style_keep_their_blanks_in_one_file() -> None:
    whole = Session().one_file(course=True)
    for sheet in ("style.css", "course.css"):
        said = re.findall(r'content: ("[^"]+")', (WEB / sheet).read_text("utf-8"))
        assert said
        assert all(words in whole for words in said)


def test_an_address_means_the_same_in_the_page_and_in_python(page: Any) -> None:
    found = [re.findall(r"^(?:address|solution): (.*)$", c.text, re.M) for c in chapters()]
    addresses = [address for some in found for address in some]
    assert len(addresses) > 40
    ask = Session().ask
    with running_server() as server:
        opened(page, server)
        states = page.evaluate(
            "async ({addresses, learners}) => {"
            " const {readAddress} = await import('./state/address.js');"
            " (await import('./state/catalogue.js')).setLearners(learners);"
            " return addresses.map((address) => readAddress(address).state); }",
            {"addresses": addresses, "learners": ask("start", {})["learners"]},
        )
    for address, state in zip(addresses, states, strict=True):
        for name in ("each", "show"):  # how the page steps and draws is its own
            state.pop(name, None)
        assert ask("run", state)["state"] == read_address(address).to_json()
