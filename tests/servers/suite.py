"""The suite of queries, with the rows that the embedded engine gives."""
import glob
import os
import re

from place import ROOT, embedded


class Query:
    """A query by name, and its rows."""

    def __init__(self, name, sql):
        self.name, self.sql = name, sql.strip().rstrip(";")
        self.is_ordered = "ordered" in name
        # What is read as it is stored or written has every bit; views and functions add up.
        self.is_exact = name.startswith("table ") or "exact" in name
        self.expected, self.rows = None, None

    def is_nested(self):
        return any(kind.num_fields > 0 for kind in self.expected.schema.types)

    def has_records(self):
        return any("struct<" in str(kind) for kind in self.expected.schema.types)

    def __repr__(self):
        return self.name


def names(pattern):
    return sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(ROOT, pattern)))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def parse(text):
    """Queries of a text: each ends with `;` at the end of a line, and the comment above names it."""
    found = re.findall(r"^-- ([^\n]*)\n((?!--|\n).*?);\n", text, re.M | re.S)
    return [Query(name, sql) for name, sql in found]


def load(store):
    """All tables, all views, the cookbook, and the queries beside them, with their rows."""
    queries = [Query(f"table {name}", f"SELECT * FROM {name}") for name in names("schemas/*.toml")]
    queries += [Query(f"view {name}", f"SELECT * FROM {name}") for name in names("sql/views/*.sql")]
    queries += [Query(f"cookbook {name}", read("sql/queries", name + ".sql")) for name in names("sql/queries/*.sql")]
    queries += parse(read("tests/servers/queries.sql"))
    for query, table in zip(queries, embedded(store, [query.sql for query in queries]), strict=True):
        query.expected = table
    return queries
