"""The page about model files shows the tables from which files are read."""

from pathlib import Path

import pytest

from persistence.families import FAMILIES
from rosenblatt.estimators.catalogue import entries

PAGE = Path(__file__).parents[2] / "docs" / "model_file.md"


def table_of(layout):
    lines = [
        "| array | type | shape | values | part | what it holds |",
        "|---|---|---|---|---|---|",
    ]
    for array in layout.arrays:
        name, *rest = array.columns()
        lines.append(f"| {' | '.join([f'`{name}`', *rest])} |")
    return "\n".join(lines)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_page_shows_the_table_of_each_family(family):
    layout = next(entries(family)).load().file_layout()
    assert layout.family == family
    expected = f"<!-- arrays: {family} -->\n{table_of(layout)}\n<!-- end -->"
    assert expected in PAGE.read_text(), f"put this into {PAGE.name}:\n\n{expected}\n"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_table_says_what_every_array_holds_and_names_none_twice(family):
    arrays = next(entries(family)).load().file_layout().arrays
    assert all(array.help for array in arrays)
    assert len({array.name for array in arrays}) == len(arrays)
