"""Data of ones own in a real browser: pasted, dropped and opened, from disk and served."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from .accessibility import violations
from .test_page import assert_its_end_survives_a_reload, opened, shows

pytestmark = pytest.mark.slow

# A file is dropped on an element as a hand would do it.
DROP = """([selector, name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const target = document.querySelector(selector);
  for (const kind of ["dragover", "drop"])
    target.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true}));
}"""
PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true}));
}"""


def measured(n: int, mark: str = ";", decimal: str = ",") -> str:
    """Three classes one after the other; a column that counts, and one of large numbers."""
    draw = random.Random(1)
    lines = [mark.join(["id", "sepal", "petal", "income", "kind"])]
    for i in range(n):
        k = 3 * i // n
        numbers = [5 + k + draw.gauss(0, 0.3), 1 + 2 * k + draw.gauss(0, 0.3)]
        cells = [f"{number:.2f}" for number in [*numbers, 1000 * (k % 2) + draw.gauss(0, 90)]]
        lines.append(mark.join([str(i), *(c.replace(".", decimal) for c in cells), "abc"[k]]))
    return "\n".join(lines)


def pasted(page: Any, text: str) -> Any:
    page.get_by_role("button", name="Your own data…").click()
    dialog = page.get_by_role("dialog", name="Your own data")
    dialog.get_by_label("Paste a table").fill(text)
    return dialog


def use(dialog: Any) -> None:
    dialog.get_by_role("button", name="Use these points").click()


def state(page: Any) -> dict[str, str]:
    page.wait_for_url(re.compile("rows="))
    return dict(part.split("=", 1) for part in page.url.partition("#")[2].split("&"))


def test_cells_of_a_spreadsheet_are_shuffled_and_scaled_and_one_is_told_why(
    lone_page: Any, file: Path
) -> None:
    opened(lone_page, file.as_uri())
    dialog = pasted(lone_page, measured(60, "\t"))
    shows(dialog, "60 points.")
    shows(dialog, "Decimal commas were read: 1,5 is 1.5.")
    shows(dialog, "The rows are sorted by class, 3 blocks in 60 rows")
    shows(
        dialog, re.compile('"income" ranges over .* unscaled, "income" would decide almost alone')
    )
    assert dialog.get_by_label(re.compile("Shuffle .* one class is learned after")).is_checked()
    assert dialog.get_by_label(re.compile("Scale both columns .* otherwise")).is_checked()
    use(dialog)
    shows(lone_page.locator(".bar").first, "are scaled: mean 0, standard deviation 1.")
    found = state(lone_page)
    assert found["order"] == "shuffled"
    points = [[float(x) for x in row.split(",")] for row in found["rows"].split(";")]
    assert max(abs(x) for row in points for x in row[:2]) < 4
    shows(lone_page.locator(".errors-now"), re.compile(r"Wrong.* of 60"))
    lone_page.get_by_role("button", name="End").click()
    shows(lone_page.locator(".errors-now"), "Wrong: 0 of 60")
    lone_page.wait_for_url(re.compile("&at="))
    address, told = lone_page.url, lone_page.locator(".update-card").inner_text()
    lone_page.reload()
    shows(lone_page.locator(".errors-now"), "Wrong: 0 of 60")
    assert (lone_page.url, lone_page.locator(".update-card").inner_text()) == (address, told)


def test_both_can_be_turned_off_and_a_lesson_has_its_own_order_again(
    page: Any, server: str
) -> None:
    opened(page, server)
    dialog = pasted(page, "a,b,c\n100,5,x\n300,7,y\n200,6,y\n")
    dialog.get_by_label(re.compile("Shuffle")).uncheck()
    dialog.get_by_label(re.compile("Scale")).uncheck()
    use(dialog)
    found = state(page)
    assert found["rows"] == "100,5,0;300,7,1;200,6,1"
    assert "order" not in found
    pasted(page, "a,b,c\n100,5,x\n300,7,y\n200,6,y\n")
    dialog.get_by_label(re.compile("Shuffle")).check()
    use(dialog)
    page.wait_for_url(re.compile("order=shuffled"))
    page.get_by_label("Points", exact=True).select_option("six")
    page.wait_for_url(re.compile("preset=six"))
    assert "order" not in page.url


def test_a_file_is_dropped_on_the_page_and_keeps_its_name(page: Any, server: str) -> None:
    opened(page, server)
    page.evaluate(DROP, [".surface", "flowers.csv", measured(30, ",", ".")])
    dialog = page.get_by_role("dialog", name="Your own data")
    shows(dialog, "30 points.")
    assert dialog.get_by_label("Class", exact=True).input_value() == "kind"
    dialog.get_by_label("Across (x)").select_option("sepal")
    dialog.get_by_label("Up (y)").select_option("petal")
    use(dialog)
    shows(page.get_by_label("Points", exact=True).locator("option:checked"), "flowers.csv")
    assert state(page)["columns"] == "sepal,petal"


def test_a_table_pasted_anywhere_opens_the_dialog(lone_page: Any, file: Path) -> None:
    opened(lone_page, file.as_uri())
    lone_page.evaluate(PASTE, "x y kind\n1 2 p\n3 4 q\n")
    shows(lone_page.get_by_role("dialog", name="Your own data"), "2 points.")


def test_more_columns_are_seen_along_their_two_principal_directions(
    lone_page: Any, file: Path
) -> None:
    opened(lone_page, file.as_uri())
    dialog = pasted(lone_page, measured(60))
    dialog.get_by_label("Show").select_option("directions")
    shows(dialog, re.compile(r"The two directions hold 9\d(\.\d)? % of the spread of 3 columns\."))
    assert dialog.get_by_label("Across (x)").count() == 0
    use(dialog)
    assert state(lone_page)["columns"] == "direction%201,direction%202"
    shows(lone_page.locator(".bar").first, "The two directions hold")


def test_a_column_taken_for_the_class_is_replaced_where_it_was(page: Any, server: str) -> None:
    opened(page, server)
    dialog = pasted(page, "a,b,c,kind\n1,2,0,x\n3,4,1,y\n5,9,1,x\n7,1,0,y\n8,8,0,y\n")
    taken = dialog.get_by_label("Across (x)").input_value()
    dialog.get_by_label("Class", exact=True).select_option(taken)
    shows(dialog, "5 points.")
    assert dialog.get_by_label("Across (x)").input_value() != taken
    assert dialog.locator(".problem").text_content() == ""


def test_wrong_input_gets_one_sentence_and_cannot_be_used(lone_page: Any, file: Path) -> None:
    opened(lone_page, file.as_uri())
    dialog = pasted(lone_page, "a,b,c\n1,2,x\n3,y\n")
    problem, button = dialog.locator(".problem"), dialog.get_by_role("button", name="Use these")
    shows(problem, "Line 3 has 2 cells and the header has 3: give every row as many.")
    assert button.is_disabled()
    dialog.get_by_label("or choose a file").set_input_files(
        {"name": "book.xlsx", "mimeType": "application/zip", "buffer": b"PK\x03\x04\x00\x00"}
    )
    shows(problem, "This file is no text: save the table as CSV or copy its cells.")
    utf16 = {
        "name": "a.csv",
        "mimeType": "text/csv",
        "buffer": "ä;b;c\n1;2;x\n3;4;y".encode("utf-16"),
    }
    dialog.get_by_label("or choose a file").set_input_files(utf16)
    shows(dialog, "2 points.")
    assert problem.text_content() == ""
    assert dialog.get_by_label("Across (x)").input_value() == "ä"
    assert button.is_enabled()


def test_the_keyboard_is_enough(lone_page: Any, file: Path) -> None:
    opened(lone_page, file.as_uri())
    lone_page.get_by_role("button", name="Your own data…").focus()
    lone_page.keyboard.press("Enter")
    lone_page.keyboard.insert_text("a,b,c\n1,2,x\n3,4,y\n2,2,x")
    shows(lone_page.get_by_role("dialog", name="Your own data"), "3 points.")
    words = "document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent"
    for _ in range(12):
        lone_page.keyboard.press("Tab")
        if lone_page.evaluate(words).startswith("Scale"):
            lone_page.keyboard.press("Space")
        if lone_page.evaluate(words) == "Use these points":
            break
    lone_page.keyboard.press("Enter")
    assert state(lone_page)["rows"] == "1,2,0;3,4,1;2,2,0"


def test_ten_thousand_points_are_learned_and_what_an_address_cannot_hold_is_told(
    lone_page: Any, file: Path, tmp_path: Path
) -> None:
    opened(lone_page, file.as_uri())
    path = tmp_path / "many.csv"
    path.write_text(measured(10_000, ",", "."))
    lone_page.get_by_role("button", name="Your own data…").click()
    dialog = lone_page.get_by_role("dialog", name="Your own data")
    dialog.get_by_label("or choose a file").set_input_files(path)
    shows(dialog, "10,000 points.")
    use(dialog)
    shows(lone_page.locator(".errors-now"), re.compile("Wrong.* of 10,?000"))
    shows(lone_page.locator(".bar").first, "too many for the address")
    lone_page.wait_for_url(re.compile("#$"))
    lone_page.locator(".menu summary").click()
    with lone_page.expect_download() as saved:
        lone_page.get_by_role("button", name="The studio in one file").click()
    saved.value.save_as(tmp_path / "again.html")
    lone_page.goto((tmp_path / "again.html").as_uri())
    shows(lone_page.locator(".errors-now"), re.compile("Wrong.* of 10,?000"))
    assert "too many" not in lone_page.locator(".bar").first.inner_text()
    lone_page.get_by_role("button", name="End").click()
    assert_its_end_survives_a_reload(lone_page)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (320, True)])
def test_axe_finds_nothing_to_mend_in_the_dialog_and_a_phone_shows_all_of_it(
    page: Any, server: str, width: int, dark: bool
) -> None:
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": width, "height": 740})
    opened(page, server)
    dialog = pasted(page, measured(60))
    shows(dialog, "60 points.")
    assert violations(page) == []
    box = dialog.evaluate("node => [node.scrollWidth, node.clientWidth]")
    assert box[0] <= box[1]
    button = dialog.get_by_role("button", name="Use these points")
    button.scroll_into_view_if_needed()
    button.click()
    shows(page.locator(".errors-now"), "of 60")
