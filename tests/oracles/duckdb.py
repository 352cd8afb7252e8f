#!/usr/bin/env python3
"""The answers of tests/sql/duckdb: DuckDB runs the same texts on the exported tables and writes its rows into the files.

usage: duckdb.py OCELLUS [--check]        (pip install duckdb; OCELLUS is the program)

A record is a query that both read; what follows `----` is DuckDB's. Columns are written as the runner of .slt shows
them: T text, I whole number, R floating point, B boolean, P timestamp, ? anything else. `--check` writes nothing and
names the records whose answer would change.
"""
import datetime
import decimal
import pathlib
import subprocess
import sys
import tempfile

# Not this file, which has its name.
sys.path = [folder for folder in sys.path if pathlib.Path(folder or ".").resolve() != pathlib.Path(__file__).resolve().parent]
import duckdb  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ["containers", "states", "events", "variables", "links", "types", "entity_values"]


def letter(kind):
    kind = str(kind)
    if kind == "VARCHAR":
        return "T"
    if kind in ("BOOLEAN",):
        return "B"
    if kind in ("DOUBLE", "FLOAT"):
        return "R"
    if kind.endswith("INT") or kind in ("INTEGER", "UINTEGER"):
        return "I"
    if kind.startswith("TIMESTAMP"):
        return "P"
    return "?"


def cell(value):
    if value is None:
        return "NULL"
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(cell(element) for element in value) + "]"
    return "(empty)" if value == "" else str(value)


def opened(ocellus, traces, folder):
    """A database with a schema per trace, of which the first is the current one."""
    database = duckdb.connect()
    for trace in traces:
        name = pathlib.Path(trace).stem
        database.execute(f"CREATE SCHEMA {name}")
        for table in TABLES:
            file = folder / f"{name}-{table}.parquet"
            if not file.exists():
                query = f"SELECT * FROM {table}"
                subprocess.run([ocellus, "export", str(ROOT / trace), query, "-o", str(file)], check=True, stderr=subprocess.DEVNULL)
            database.execute(f"CREATE TABLE {name}.{table} AS SELECT * FROM read_parquet('{file}')")
    database.execute(f"USE {pathlib.Path(traces[0]).stem}")
    return database


def records(lines):
    """Blocks of lines, as they are separated by empty ones."""
    block = []
    for line in lines + [""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def answered(block, database):
    if not block[0].startswith("query ") or block[0].startswith("query error"):
        return block
    order = block[0].split()[2:]
    sql = block[1 : block.index("----")]
    result = database.sql("\n".join(sql))
    types = "".join(letter(kind) for kind in result.types)
    rows = [" ".join(cell(value) for value in row) for row in result.fetchall()]
    if order == ["rowsort"]:
        rows.sort()
    return [" ".join(["query", types, *order]), *sql, "----", *rows]


def main():
    ocellus, is_check = sys.argv[1], "--check" in sys.argv[2:]
    total = stale = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((ROOT / "tests/sql/duckdb").glob("*.slt")):
            lines = path.read_text().splitlines()
            traces = [line.removeprefix("# trace: ") for line in lines if line.startswith("# trace: ")]
            database = opened(ocellus, traces, pathlib.Path(folder))
            blocks = []
            for block in records(lines):
                try:
                    new = answered(block, database)
                except duckdb.Error as error:
                    print(f"{path.name}: {block[1]}: {str(error).splitlines()[0]}")
                    new, refused = block, refused + 1
                total += new[0].startswith("query")
                if new != block:
                    stale += 1
                    if is_check:
                        print(f"{path.name}: {block[1]}")
                blocks.append("\n".join(new))
            if not is_check:
                path.write_text("\n\n".join(blocks) + "\n")
    print(f"{total} queries, {stale} answers {'differ' if is_check else 'written'}, DuckDB {duckdb.__version__}")
    sys.exit(1 if refused or (is_check and stale) else 0)


main()
