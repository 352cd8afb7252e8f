"""R through the server: RPostgreSQL and dbplyr list tables and columns and fetch rows, ggplot2 draws; the R of docs/r.md."""
import os
import re
import subprocess
import unittest

from place import PATIENCE, ROOT, TRACE, Server, WithStore, embedded

# Compares what the page left behind with rows of the engine, which the test writes beside it.
CHECK = """
stopifnot(all(c("states", "containers", "links", "variables") %in% tables))
stopifnot(identical(fields[1:4], c("container_id", "container", "type", "value")))
expected <- read.csv("profile.csv")
stopifnot(nrow(profile) == nrow(expected), all(profile$container == expected$container), all(profile$value == expected$value))
stopifnot(all.equal(profile$seconds, expected$seconds))
total <- read.csv("slices.csv")$seconds
stopifnot(nrow(slices) > 40, all.equal(sum(slices$seconds), total))
cat(nrow(profile), nrow(slices), "\\n")
"""


class R(WithStore):
    def test_the_page_runs(self):
        with open(os.path.join(ROOT, "docs/r.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```r\n(.*?)```", file.read(), re.DOTALL)
        self.assertEqual(len(blocks), 4)
        profile, slices = embedded(self.store, [
            "SELECT container, value, sum(duration) AS seconds FROM states WHERE duration > 0 GROUP BY 1, 2 ORDER BY 1, 2",
            "SELECT sum(duration) AS seconds FROM state_segments",
        ])
        for name, table in (("profile.csv", profile), ("slices.csv", slices)):
            rows = [table.column_names, *(list(row.values()) for row in table.to_pylist())]
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.writelines(",".join(map(str, row)) + "\n" for row in rows)
        with Server(self.store, protocols=("pg",)) as server:
            program = "".join(blocks).replace("port = 5432", f"port = {server.ports['pg']}")
            program = program.replace("dbListTables(con)", "tables <- dbListTables(con)")
            program = program.replace('dbListFields(con, "states")', 'fields <- dbListFields(con, "states")')
            self.assertIn(f"search_path = {TRACE}", program)
            done = subprocess.run(
                ["Rscript", "--vanilla", "-"], input=program + CHECK, capture_output=True, text=True, cwd=self.folder.name,
                timeout=PATIENCE, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(self.folder.name, "slices.png"), "rb") as file:
            picture = file.read()
        self.assertTrue(picture.startswith(b"\x89PNG") and len(picture) > 5_000)


if __name__ == "__main__":
    unittest.main()
