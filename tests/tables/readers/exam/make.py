"""Forty files as people's programs write them, each with the clean original beside it.

``python tests/tables/readers/exam/make.py`` writes `files/` anew (pandas, openpyxl, R and a
PostgreSQL server are needed; without R or psql their files are left as they are). What a reader
must find in each stands in `answers.py`, written by hand. The tables are seeded, so a file changes
only if its writer does.
"""

from __future__ import annotations

import csv
import datetime
import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FILES = Path(__file__).parent / "files"
Row = dict[str, Any]
MAKERS: dict[str, Callable[[Path], None]] = {}
CLEAN: dict[str, list[Row]] = {}


def made(name: str, rows: list[Row], clean: list[Row] | None = None) -> Callable[[Any], Any]:
    """Register a maker of a file, of these rows; the clean original may have other columns."""

    def register(maker: Callable[[list[Row], Path], None]) -> Callable[[list[Row], Path], None]:
        MAKERS[name] = lambda path: maker(rows, path)
        CLEAN[name] = rows if clean is None else clean
        return maker

    return register


# ---------------------------------------------------------------------- the tables

DAY = datetime.timedelta(days=1)
CITIES = ["Köln", "Zürich", "Bern", "Málaga"]


def customers(seed: int, n: int = 48) -> list[Row]:
    """Age, income, city, membership, a date, and whether they left."""
    dice, rows = random.Random(seed), []
    for i in range(n):
        age, income = dice.randint(18, 79), round(dice.lognormvariate(10.2, 0.5), 2)
        rows.append(
            {
                "customer": 1000 + i,
                "age": age,
                "income": income,
                "city": dice.choice(CITIES),
                "member": dice.choice(["yes", "no"]),
                "joined": datetime.date(2021, 1, 1) + dice.randrange(1200) * DAY,
                "left": "yes" if income / 600 + dice.gauss(0, 12) > age else "no",
            }
        )
    return rows


def sensors(seed: int, n: int = 48) -> list[Row]:
    """A time every quarter of an hour and a half, three measurements, and the state."""
    dice, rows = random.Random(seed), []
    start = datetime.datetime(2024, 2, 27, 22, 15)
    for i in range(n):
        heat = round(dice.gauss(21.5, 4.0), 2)
        rows.append(
            {
                "time": start + i * datetime.timedelta(minutes=97),
                "temperature": heat,
                "humidity": round(dice.uniform(20, 90), 1),
                "pressure": dice.randint(98000, 103500),
                "state": "hot" if heat + dice.gauss(0, 1.5) > 22 else "ok",
            }
        )
    return rows


def houses(seed: int, n: int = 48) -> list[Row]:
    """A code with leading zeros, a price, a rate, an area, and the kind of house."""
    dice, rows = random.Random(seed), []
    for _ in range(n):
        kind = dice.choice(["flat", "house"])
        area = dice.randint(40, 120) if kind == "flat" else dice.randint(80, 260)
        rows.append(
            {
                "kind": kind,
                "zip": dice.choice(["01067", "04109", "50667", "80331", "06108"]),
                "area": area,
                "price": round(area * dice.uniform(2100, 5200), 2),
                "rate": round(dice.uniform(0.5, 6.5), 2),
                "floors": dice.randint(1, 4),
            }
        )
    return rows


REMARKS = [
    'said it was "fine" in the end',
    "too slow, and too dear for me",
    "it works; nothing to add here",
    'the 5" screen is far too small',
    "would buy it again any time",
]


def survey(seed: int, n: int = 48) -> list[Row]:
    """A code of the person, marks from 1 to 5, an answer, a remark, and the group."""
    dice, rows = random.Random(seed), []
    for i in range(n):
        marks = [dice.randint(1, 5) for _ in range(3)]
        rows.append(
            {
                "person": f"{(i * 37) % 89 + 4:04d}",
                "q1": marks[0],
                "class": "pleased" if sum(marks) + dice.gauss(0, 1.5) > 9 else "not",
                "q2": marks[1],
                "q3": marks[2],
                "again": dice.choice(["Yes", "No"]),
                "remark": dice.choice(REMARKS) + dice.choice(["", ".", "!"]),
            }
        )
    return rows


def with_gaps(rows: list[Row], **gaps: list[int]) -> list[Row]:
    """The same rows, without values in these rows of these columns."""
    lacking = {(i, name) for name, places in gaps.items() for i in places}
    return [
        {name: None if (i, name) in lacking else value for name, value in row.items()}
        for i, row in enumerate(rows)
    ]


def without(rows: list[Row], *names: str) -> list[Row]:
    return [{name: v for name, v in row.items() if name not in names} for row in rows]


# ---------------------------------------------------------------------- how values are written


def grouped(value: float, mark: str, point: str, digits: int = 2) -> str:
    """12345.6 as 12.345,60, by the marks of a place."""
    plain = f"{value:,.{digits}f}"
    return plain.replace(",", "\0").replace(".", point).replace("\0", mark)


def frame(rows: list[Row]) -> Any:
    import pandas

    return pandas.DataFrame(rows)


def by_csv(rows: list[Row], path: Path, encoding: str = "utf-8", **dialect: Any) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, **{"lineterminator": "\n", **dialect})
        writer.writerow(rows[0])
        writer.writerows(row.values() for row in rows)


def changed(rows: list[Row], **change: Callable[[Any], Any]) -> list[Row]:
    return [
        {name: v if v is None else change.get(name, lambda v: v)(v) for name, v in row.items()}
        for row in rows
    ]


# ---------------------------------------------------------------------- pandas


@made("01_pandas.csv", customers(1))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False)


@made("02_pandas_index.csv", [{"column 1": i, **row} for i, row in enumerate(sensors(2))])
def _(rows: list[Row], path: Path) -> None:
    frame(without(rows, "column 1")).to_csv(path)


@made("03_pandas_german.csv", customers(3))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, sep=";", decimal=",")


@made("04_pandas_tabs.csv", survey(4))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, sep="\t")


@made("05_pandas_excel_utf8.csv", customers(5))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, encoding="utf-8-sig", sep=";")


@made("06_pandas_utf16.csv", customers(6))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, encoding="utf-16", sep="\t")


@made("07_pandas_latin1.csv", customers(7))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, encoding="latin-1")


@made("08_pandas_cp1252.csv", houses(8))
def _(rows: list[Row], path: Path) -> None:
    priced = changed(rows, price=lambda v: f"{v:.2f} €")
    frame(priced).to_csv(path, index=False, encoding="cp1252", sep=";")


@made("09_pandas_all_quoted.csv", survey(9))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, quoting=csv.QUOTE_ALL)


GAPS_OF_CUSTOMERS = {"age": [3, 11, 30], "income": [0, 17], "city": [5, 6, 40]}


@made("10_pandas_na.csv", with_gaps(customers(10), **GAPS_OF_CUSTOMERS))
def _(rows: list[Row], path: Path) -> None:
    whole = frame(rows).astype({"age": "Int64"})
    whole.to_csv(path, index=False, na_rep="NA", quoting=csv.QUOTE_NONNUMERIC)


@made("11_pandas_null_bars.csv", with_gaps(sensors(11), humidity=[2, 3, 44], temperature=[9]))
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, na_rep="null", sep="|")


@made(
    "12_pandas_no_header.csv",
    [dict(zip("1234", row.values(), strict=True)) for row in without(sensors(12), "time")],
)
def _(rows: list[Row], path: Path) -> None:
    frame(rows).to_csv(path, index=False, header=False)


@made("13_pandas_array.json", with_gaps(customers(13), age=[4, 20], city=[7]))
def _(rows: list[Row], path: Path) -> None:
    dated = changed(rows, joined=str)
    frame(dated).to_json(path, orient="records", indent=1, force_ascii=False)


@made("14_pandas_lines.jsonl", with_gaps(sensors(14), humidity=[1, 33]))
def _(rows: list[Row], path: Path) -> None:
    frame(changed(rows, time=str)).to_json(path, orient="records", lines=True)


# ---------------------------------------------------------------------- csv, as places write it


@made("15_csv_germany.csv", with_gaps(customers(15), income=[8, 9]))
def _(rows: list[Row], path: Path) -> None:
    told = changed(
        rows, income=lambda v: grouped(v, ".", ","), joined=lambda d: d.strftime("%d.%m.%Y")
    )
    by_csv(told, path, "cp1252", delimiter=";")


@made("16_csv_america.csv", customers(16))
def _(rows: list[Row], path: Path) -> None:
    told = changed(
        rows, income=lambda v: grouped(v, ",", "."), joined=lambda d: d.strftime("%m/%d/%Y")
    )
    by_csv(told, path, lineterminator="\r\n")


@made("17_csv_switzerland.csv", customers(17))
def _(rows: list[Row], path: Path) -> None:
    told = changed(
        rows, income=lambda v: grouped(v, "'", "."), joined=lambda d: d.strftime("%d.%m.%Y")
    )
    by_csv(told, path, delimiter=";")


@made("18_csv_france.csv", customers(18))
def _(rows: list[Row], path: Path) -> None:
    told = changed(
        rows, income=lambda v: grouped(v, "\u202f", ","), joined=lambda d: d.strftime("%d/%m/%Y")
    )
    by_csv(told, path, delimiter=";")


@made("19_csv_dollars.csv", houses(19))
def _(rows: list[Row], path: Path) -> None:
    by_csv(changed(rows, price=lambda v: "$" + grouped(v, ",", ".")), path, lineterminator="\r\n")


@made("20_csv_euros.csv", with_gaps(houses(20), price=[0, 21]))
def _(rows: list[Row], path: Path) -> None:
    told = changed(
        rows, price=lambda v: grouped(v, ".", ",") + " €", rate=lambda v: grouped(v, ".", ",")
    )
    by_csv(told, path, delimiter=";")


@made("21_csv_percent.csv", houses(21))
def _(rows: list[Row], path: Path) -> None:
    by_csv(changed(rows, rate=lambda v: f"{v}%", price=lambda v: f"€ {v}"), path)


# ---------------------------------------------------------------------- spreadsheets


def by_openpyxl(rows: list[Row], path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    book.save(path)


@made("22_openpyxl.xlsx", customers(22, 30))
def _(rows: list[Row], path: Path) -> None:
    by_openpyxl(rows, path)


@made("23_openpyxl_gaps.xlsx", with_gaps(sensors(23, 30), humidity=[2, 8], temperature=[11]))
def _(rows: list[Row], path: Path) -> None:
    by_openpyxl(rows, path)


# ---------------------------------------------------------------------- PostgreSQL


def by_psql(rows: list[Row], path: Path, *options: str, copy: str = "") -> None:
    """What psql writes of a table of these rows, on a server of its own."""
    types = {int: "bigint", float: "double precision", str: "text"}
    types |= {datetime.date: "date", datetime.datetime: "timestamp"}
    kinds = {
        name: types[next(type(row[name]) for row in rows if row[name] is not None)]
        for name in rows[0]
    }
    columns = ", ".join(f'"{name}" {kind}' for name, kind in kinds.items())
    values = ", ".join("(" + ", ".join(_literal(v) for v in row.values()) + ")" for row in rows)
    ask = copy or "select * from t"
    script = f"create temp table t ({columns}); insert into t values {values};"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["chown", "postgres", folder], check=True)
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        as_postgres = ["runuser", "-u", "postgres", "--"]
        data = ["-D", f"{folder}/d"]
        quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([*as_postgres, f"{programs}/initdb", *data, "-E", "UTF8"], **quiet)
        serve = [*as_postgres, f"{programs}/pg_ctl", *data, "-w"]
        settings = f"-c listen_addresses= -c unix_socket_directories={folder}"
        subprocess.run([*serve, "-l", f"{folder}/log", "-o", settings, "start"], **quiet)
        try:
            asked = [
                "psql",
                "-h",
                folder,
                "-d",
                "postgres",
                "-q",
                *options,
                "-c",
                script,
                "-c",
                ask,
            ]
            found = subprocess.run([*as_postgres, *asked], check=True, stdout=subprocess.PIPE)
        finally:
            subprocess.run([*serve, "stop", "-m", "fast"], **quiet)
    path.write_bytes(found.stdout)


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    return (
        str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"
    )


@made("24_psql_aligned.txt", with_gaps(customers(24, 30), age=[2, 19]))
def _(rows: list[Row], path: Path) -> None:
    by_psql(rows, path)


@made("25_psql_unaligned.txt", sensors(25, 30))
def _(rows: list[Row], path: Path) -> None:
    by_psql(rows, path, "-A")


@made("26_psql_copy.tsv", with_gaps(customers(26, 30), income=[6], city=[12, 13]))
def _(rows: list[Row], path: Path) -> None:
    by_psql(rows, path, copy="copy t to stdout with (header)")


# ---------------------------------------------------------------------- R


def by_r(rows: list[Row], path: Path, write: str) -> None:
    """What R writes of a data frame of these rows."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "rows.csv"
        by_csv(changed(rows), source)
        read = f'd <- read.csv("{source}", na.strings="", check.names=FALSE, encoding="UTF-8")'
        kinds = "colClasses=c(zip='character', person='character')"
        if not {"zip", "person"}.isdisjoint(rows[0]):
            read = read[:-1] + f", {kinds})"
        call = write.replace("FILE", str(path))
        subprocess.run(["Rscript", "-e", f"options(warn=-1); {read}; {call}"], check=True)


@made(
    "27_r_write_csv.csv",
    [
        {"column 1": str(i), **row}
        for i, row in enumerate(with_gaps(customers(27), **GAPS_OF_CUSTOMERS), 1)
    ],
)
def _(rows: list[Row], path: Path) -> None:
    by_r(without(rows, "column 1"), path, 'write.csv(d, "FILE")')


@made("28_r_write_table.txt", [{"column 1": str(i), **row} for i, row in enumerate(houses(28), 1)])
def _(rows: list[Row], path: Path) -> None:
    by_r(without(rows, "column 1"), path, 'write.table(d, "FILE")')


@made("29_r_tabs.txt", with_gaps(survey(29), q1=[0, 5], q3=[18]))
def _(rows: list[Row], path: Path) -> None:
    by_r(rows, path, 'write.table(d, "FILE", sep="\\t", quote=FALSE, row.names=FALSE)')


@made("30_r_write_csv2.csv", with_gaps(customers(30), income=[4, 14, 24]))
def _(rows: list[Row], path: Path) -> None:
    by_r(rows, path, 'write.csv2(d, "FILE", row.names=FALSE)')


# ---------------------------------------------------------------------- logs and sensors

MESSAGES = ["disk is full", 'no "route" to host', "done in time", "user said: stop, please"]


def log(seed: int, n: int = 48) -> list[Row]:
    dice, rows = random.Random(seed), []
    start = datetime.datetime(2024, 3, 30, 23, 50, 11)
    for i in range(n):
        took = round(dice.expovariate(1 / 40), 3)
        rows.append(
            {
                "at": start + i * datetime.timedelta(seconds=613),
                "level": "ERROR" if took > 45 else dice.choice(["INFO", "WARN"]),
                "host": dice.choice(["web1", "web2", "db"]),
                "took": took,
                "message": dice.choice(MESSAGES),
            }
        )
    return rows


@made("31_log.txt", log(31))
def _(rows: list[Row], path: Path) -> None:
    lines = ["\t".join(rows[0])]
    for row in rows:
        told = [row["at"].isoformat() + "Z", *(str(v) for v in list(row.values())[1:])]
        lines.append("\t".join(told))
    path.write_text("\n".join(lines) + "\n")


def sensor_lines(
    rows: list[Row], clock: Callable[[datetime.datetime], str], mark: str
) -> list[str]:
    told = [mark.join(rows[0])]
    for row in rows:
        told.append(mark.join([clock(row["time"]), *(str(v) for v in list(row.values())[1:])]))
    return told


@made("32_sensor_comments.csv", sensors(32))
def _(rows: list[Row], path: Path) -> None:
    lines = sensor_lines(rows, datetime.datetime.isoformat, ",")
    lines.insert(20, "# recalibrated")
    path.write_text("\n".join(["# station 7", "# times are UTC", *lines]) + "\n")


@made("33_sensor_america.csv", sensors(33))
def _(rows: list[Row], path: Path) -> None:
    lines = sensor_lines(rows, lambda t: t.strftime("%m/%d/%Y %I:%M %p"), ",")
    path.write_text("\r\n".join(lines) + "\r\n", newline="")


@made("34_sensor_europe.csv", sensors(34))
def _(rows: list[Row], path: Path) -> None:
    lines = sensor_lines(rows, lambda t: t.strftime("%d.%m.%Y %H:%M"), ";")
    path.write_text("\n".join(lines).replace(";", " ; ") + "\n")


@made("35_sensor_epoch.csv", sensors(35))
def _(rows: list[Row], path: Path) -> None:
    stamp = datetime.UTC
    lines = sensor_lines(rows, lambda t: str(int(t.replace(tzinfo=stamp).timestamp())), ",")
    path.write_text("\n".join(lines))


# ---------------------------------------------------------------------- surveys, and the rest


@made("36_survey.csv", with_gaps(survey(36), q1=[1, 2, 40], q2=[7], q3=[0, 10], again=[3, 9, 12]))
def _(rows: list[Row], path: Path) -> None:
    marks = iter(["N.A.", "-", "?", "n/a", "", "NULL"] * 3)
    by_csv([{k: next(marks) if v is None else v for k, v in row.items()} for row in rows], path)


@made("37_ids_and_codes.csv", [{**h, "no": i} for i, h in enumerate(houses(37), 501)])
def _(rows: list[Row], path: Path) -> None:
    by_csv([{"no": row["no"], **without([row], "no")[0]} for row in rows], path, delimiter="|")


CLEAN["37_ids_and_codes.csv"] = [
    {"no": row["no"], **without([row], "no")[0]} for row in CLEAN["37_ids_and_codes.csv"]
]


@made("38_excel_sep.csv", with_gaps(houses(38), area=[3, 30]))
def _(rows: list[Row], path: Path) -> None:
    told = changed(
        rows,
        price=lambda v: f"{v:.2f}".replace(".", ","),
        rate=lambda v: f"{v:.2f}".replace(".", ","),
    )
    by_csv(
        [{**row, "": ""} for row in told], path, "utf-8-sig", delimiter=";", lineterminator="\r\n"
    )
    path.write_bytes(path.read_bytes().replace(b"\xef\xbb\xbf", b"\xef\xbb\xbfsep=;\r\n", 1))


@made("39_apostrophes.csv", survey(39))
def _(rows: list[Row], path: Path) -> None:
    by_csv(rows, path, quotechar="'", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n\r\n")


@made("40_title.csv", [{"y": row["state"], **without([row], "state")[0]} for row in sensors(40)])
def _(rows: list[Row], path: Path) -> None:
    by_csv(rows, path, delimiter=";")
    path.write_text("Measurements of the north hall\n\n" + path.read_text())


# ---------------------------------------------------------------------- all of it


def clean_lines(rows: list[Row]) -> Iterator[str]:
    """The original as the plainest CSV: commas, points, nothing for a gap."""
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(["" if v is None else v for v in row.values()] for row in rows)
    yield from text.getvalue().splitlines(keepends=True)


def main() -> None:
    FILES.mkdir(exist_ok=True)
    for name, make in MAKERS.items():
        needs = {"_r_": "Rscript", "_psql_": "psql"}
        lacking = [p for part, p in needs.items() if part in name and shutil.which(p) is None]
        if lacking:
            print(f"{name}: left as it is, there is no {lacking[0]}")
            continue
        make(FILES / name)
    print(json.dumps({name: (FILES / name).stat().st_size for name in MAKERS}))


if __name__ == "__main__":
    main()
