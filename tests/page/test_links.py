"""Links of the timeline: one by one where they are few, else in bundles from row to row and from column to column."""

import collections
import math
import re
import unittest

from browser import BrowserTest, rows, trace_with

BUNDLES = "), bundles AS ("


class Links(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("links")
        if self.trace is None:
            self.skipTest("no trace with links")
        self.links = rows("SELECT source_id, target_id, start_time, end_time FROM links", self.trace)
        self.parents = {one["container_id"]: one["parent_id"] for one in rows("SELECT container_id, parent_id FROM containers", self.trace)}

    def note(self):
        """What stands beside the ruler; in full where there is more to say."""
        return self.page.get_attribute(".timeline .note", "title")

    def asked(self):
        """The last question for bundles, and its numbers: the rows, the window, the columns."""
        sql = [sql for sql in self.queries() if BUNDLES in sql][-1]
        shown = {int(number) for number in re.search(r"ancestor_id IN \(([\d, ]+)\)", sql)[1].split(",")}
        start, stop, low, columns = re.search(r"greatest\(start_time, (\S+)\).*?/ \((\S+) - (\S+)\) \* (\d+)\)", sql).groups()
        self.assertEqual(start, low)
        return sql, shown, float(start), float(stop), int(columns)

    def bundled(self, shown, start, stop, columns):
        """The bundles, counted here."""

        def row(container):
            while container is not None and container not in shown:
                container = self.parents[container]
            return container

        def column(time):
            return math.floor((time - start) / (stop - start) * columns)

        found = collections.Counter()
        for link in self.links:
            if link["end_time"] >= start and link["start_time"] <= stop:
                ends = row(link["source_id"]), row(link["target_id"])
                if None not in ends:
                    found[*ends, column(max(link["start_time"], start)), column(min(link["end_time"], stop))] += 1
        return found

    def check(self):
        sql, shown, *columns = self.asked()
        expected = self.bundled(shown, *columns)
        answered = {(one["source_id"], one["target_id"], one["first_column"], one["last_column"]): one["links"] for one in rows(sql, self.trace)}
        most = int(re.search(r"LIMIT (\d+)$", sql)[1])
        self.assertEqual(min(most, len(expected)), len(answered))
        self.assertEqual(answered, {key: expected[key] for key in answered})
        self.assertEqual(sorted(expected.values(), reverse=True)[:most], sorted(answered.values(), reverse=True))
        seen = sum(answered.values())
        whole = f"{sum(expected.values()):,} links in {len(expected):,} bundles"
        part = f"{seen:,} of {sum(expected.values()):,} links in the {len(answered):,} largest bundles; zoom in to see the others"
        self.assertEqual(whole if len(answered) == len(expected) else part, self.note())
        self.assertTrue(self.note().startswith(self.page.inner_text(".timeline .note")))
        return shown

    def test_many_links_are_counted_by_rows_and_columns(self):
        self.assertGreater(len(self.links), 600)
        self.open(trace=self.trace)
        self.check()

    def test_links_belong_to_the_rows_that_are_there(self):
        roots = [container for container, parent in self.parents.items() if parent is None]
        self.open(trace=self.trace, x="")
        self.assertEqual(set(roots), self.check())

    def test_few_links_are_drawn_one_by_one(self):
        times = sorted(link["start_time"] for link in self.links)
        start, stop = times[len(times) // 2], times[len(times) // 2 + 40]
        self.open(trace=self.trace, t=f"{start!r},{stop!r}")
        sql = [sql for sql in self.queries() if "FROM links\nWHERE" in sql][-1]
        found = rows(sql, self.trace)
        self.assertLessEqual(len(found), 600)
        self.assertEqual(f"{len(found):,} links", self.note())
        self.assertFalse([sql for sql in self.queries() if BUNDLES in sql])


if __name__ == "__main__":
    unittest.main()
