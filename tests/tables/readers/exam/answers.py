"""What a reader must find in each file of `files/`, written by hand before there was a sniffer.

Of each file: delimiter, encoding, decimal point, mark of thousands, whether there is a header, the
kind of every column, how many gaps there are, and the target that is learned where nobody names
one.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    kinds: dict[str, str]
    target: str
    delimiter: str | None = ","  # None: not a text with delimiters
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str | None = None
    header: bool = True
    quote: str = '"'
    gaps: dict[str, int] = field(default_factory=dict)


def kinds(**columns: str) -> dict[str, str]:
    return {name.replace("column_", "column "): kind for name, kind in columns.items()}


CUSTOMERS = kinds(
    customer="ignored",
    age="number",
    income="number",
    city="category",
    member="category",
    joined="date",
)
SENSORS = kinds(time="date", temperature="number", humidity="number", pressure="number")
HOUSES = kinds(kind="category", zip="category", area="number", price="number", rate="number")
SURVEY = kinds(
    person="ignored", q1="number", q2="number", q3="number", again="category", remark="text"
)
LOG = kinds(at="date", level="category", host="category", took="number")

ANSWERS = {
    "01_pandas.csv": Answer(CUSTOMERS, "left"),
    "02_pandas_index.csv": Answer(kinds(column_1="ignored") | SENSORS, "state"),
    "03_pandas_german.csv": Answer(CUSTOMERS, "left", ";", decimal=","),
    "04_pandas_tabs.csv": Answer(SURVEY, "class", "\t"),
    "05_pandas_excel_utf8.csv": Answer(CUSTOMERS, "left", ";"),
    "06_pandas_utf16.csv": Answer(CUSTOMERS, "left", "\t", encoding="utf-16"),
    "07_pandas_latin1.csv": Answer(CUSTOMERS, "left", encoding="cp1252"),
    "08_pandas_cp1252.csv": Answer(HOUSES, "floors", ";", encoding="cp1252"),
    "09_pandas_all_quoted.csv": Answer(SURVEY, "class"),
    "10_pandas_na.csv": Answer(CUSTOMERS, "left", gaps={"age": 3, "income": 2, "city": 3}),
    "11_pandas_null_bars.csv": Answer(
        SENSORS, "state", "|", gaps={"humidity": 3, "temperature": 1}
    ),
    "12_pandas_no_header.csv": Answer(
        {"1": "number", "2": "number", "3": "number"}, "4", header=False
    ),
    "13_pandas_array.json": Answer(CUSTOMERS, "left", None, gaps={"age": 2, "city": 1}),
    "14_pandas_lines.jsonl": Answer(SENSORS, "state", None, gaps={"humidity": 2}),
    "15_csv_germany.csv": Answer(
        CUSTOMERS, "left", ";", encoding="cp1252", decimal=",", thousands=".", gaps={"income": 2}
    ),
    "16_csv_america.csv": Answer(CUSTOMERS, "left", thousands=","),
    "17_csv_switzerland.csv": Answer(CUSTOMERS, "left", ";", thousands="'"),
    "18_csv_france.csv": Answer(CUSTOMERS, "left", ";", decimal=",", thousands="\u202f"),
    "19_csv_dollars.csv": Answer(HOUSES, "floors", thousands=","),
    "20_csv_euros.csv": Answer(
        HOUSES, "floors", ";", decimal=",", thousands=".", gaps={"price": 2}
    ),
    "21_csv_percent.csv": Answer(HOUSES, "floors"),
    "22_openpyxl.xlsx": Answer(CUSTOMERS, "left", None),
    "23_openpyxl_gaps.xlsx": Answer(SENSORS, "state", None, gaps={"humidity": 2, "temperature": 1}),
    "24_psql_aligned.txt": Answer(CUSTOMERS, "left", "|", gaps={"age": 2}),
    "25_psql_unaligned.txt": Answer(SENSORS, "state", "|"),
    "26_psql_copy.tsv": Answer(CUSTOMERS, "left", "\t", gaps={"income": 1, "city": 2}),
    "27_r_write_csv.csv": Answer(
        kinds(column_1="ignored") | CUSTOMERS, "left", gaps={"age": 3, "income": 2, "city": 3}
    ),
    "28_r_write_table.txt": Answer(kinds(column_1="ignored") | HOUSES, "floors", " "),
    "29_r_tabs.txt": Answer(SURVEY, "class", "\t", gaps={"q1": 2, "q3": 1}),
    "30_r_write_csv2.csv": Answer(CUSTOMERS, "left", ";", decimal=",", gaps={"income": 3}),
    "31_log.txt": Answer(LOG, "message", "\t"),
    "32_sensor_comments.csv": Answer(SENSORS, "state"),
    "33_sensor_america.csv": Answer(SENSORS, "state"),
    "34_sensor_europe.csv": Answer(SENSORS, "state", ";"),
    "35_sensor_epoch.csv": Answer(SENSORS, "state"),
    "36_survey.csv": Answer(SURVEY, "class", gaps={"q1": 3, "q2": 1, "q3": 2, "again": 3}),
    "37_ids_and_codes.csv": Answer(kinds(no="ignored") | HOUSES, "floors", "|"),
    "38_excel_sep.csv": Answer(HOUSES, "floors", ";", decimal=",", gaps={"area": 2}),
    "39_apostrophes.csv": Answer(SURVEY, "class", quote="'"),
    "40_title.csv": Answer(SENSORS, "y", ";"),
}
