"""Two runs: aligned at a marker, and the map of their difference."""

import re
import unittest

from browser import BrowserTest, rows, traces

SLICES = 60
LABELS, HEAD, EDGE = 150, 22, 8


class Compare(BrowserTest):
    def setUp(self):
        super().setUp()
        names = {entry["name"] for entry in traces()}
        if not {"busy", "busier"} <= names:
            self.skipTest("the server has no traces busy and busier")

    def windows(self):
        """The windows that the titles of both runs say."""
        return [tuple(float(part) for part in re.findall(r"([\d.e+-]+) s", text)) for text in self.page.locator(".compare > h3").all_inner_texts()]

    def test_runs_are_aligned_at_a_marker(self):
        """The same distance to the marker in both windows: to the value whose first states are farthest from each other."""
        firsts = [{row["value"]: row["time"] for row in rows("SELECT value, min(start_time) AS time FROM states GROUP BY value", run)} for run in ("busy", "busier")]
        value = max(sorted(firsts[0].keys() & firsts[1].keys()), key=lambda value: abs(firsts[1][value] - firsts[0][value]))
        shift = firsts[1][value] - firsts[0][value]
        self.assertGreater(abs(shift), 1e-5, "the runs differ")
        self.open(trace="busy", view="compare", other="busier", align="marker", o=f"marker=state:{value}")
        self.assertEqual(f"state:{value}", self.page.input_value("[aria-label=Marker]"))
        one, other = self.windows()
        for mine, theirs in zip(one, other):
            self.assertAlmostEqual(shift, theirs - mine, delta=2e-6)

    def test_notes_are_markers(self):
        self.open(trace="busy")
        self.page.evaluate("() => { localStorage.setItem('ocellus.annotations.busy', '[{\"time\": 0.01, \"text\": \"warm\"}]');"
                           " localStorage.setItem('ocellus.annotations.busier', '[{\"time\": 0.03, \"text\": \"warm\"}]'); }")
        self.open(trace="busy", view="compare", other="busier", align="marker")
        self.page.select_option("[aria-label=Marker]", "note:warm")
        self.await_hash("hash.includes('note')")
        one, other = self.windows()
        self.assertAlmostEqual(0.02, other[0] - one[0], delta=1e-4)

    def shares(self, run, value):
        """The share of time that each container is in a value, by path and slice, by plain SQL."""
        found = rows(
            "SELECT path, slice, sum(least(states.end_time, begin + (slice + 1) * step) - greatest(states.start_time, begin + slice * step)) / max(step) AS share "
            "FROM state_segments AS states JOIN containers ON containers.container_id = states.container_id "
            f"CROSS JOIN (SELECT start_time AS begin, (end_time - start_time) / {SLICES} AS step FROM trace_info) AS whole "
            f"JOIN (SELECT value AS slice FROM generate_series(0, {SLICES - 1})) AS slices "
            "ON states.start_time < begin + (slice + 1) * step AND states.end_time > begin + slice * step "
            f"WHERE states.value = '{value}' GROUP BY path, slice",
            run,
        )
        return {(row["path"], row["slice"]): row["share"] for row in found}

    def test_the_map_shows_the_difference(self):
        self.open(trace="busy", view="compare", other="busier", o="compare=map")
        value = self.page.input_value("[aria-label='Value of the map']")
        left, right = self.shares("busy", value), self.shares("busier", value)
        paths = [row["path"] for row in rows("SELECT path FROM containers WHERE container_id IN (SELECT container_id FROM states) ORDER BY preorder", "busy")]
        box = self.page.locator(".difference-map canvas").bounding_box()
        high = min(26, (int(box["height"]) - HEAD - 4) / len(paths))
        wide = (int(box["width"]) - LABELS - EDGE) / SLICES
        seen = set()
        for row, path in enumerate(paths):
            for slice in range(2, SLICES, 9):
                expected = right.get((path, slice), 0) - left.get((path, slice), 0)
                if abs(expected) < 0.005:
                    continue
                x, y = LABELS + (slice + 0.5) * wide, HEAD + (row + 0.5) * high
                red, _, blue = self.page.evaluate("([x, y]) => [...document.querySelector('.difference-map canvas').getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)", [x, y])
                self.assertEqual(expected > 0, red > blue, f"{path}, slice {slice}: {expected}")
                seen.add(expected > 0)
                self.page.mouse.move(box["x"] + x, box["y"] + y)
                self.page.wait_for_function("(text) => document.querySelector('.tooltip').textContent.includes(text)", arg=f"slice{slice + 1} of")
                told = float(re.search(r"difference([+−][\d.]+)", self.page.inner_text(".tooltip").replace("\n", ""))[1].replace("−", "-"))
                self.assertAlmostEqual(expected * 100, told, delta=0.06)
        self.assertEqual({True, False}, seen, "some are more, some are less")
        self.page.mouse.move(5, 5)

    def test_the_sql_of_the_map_gives_its_rows(self):
        self.open(trace="busy", view="compare", other="busier", o="compare=map")
        self.page.click("[data-view=compare] >> text=Show SQL")
        section = self.page.locator("dialog section")
        self.assertEqual(1, section.count())
        told = int(section.locator(".note").inner_text().split(" ")[0].replace(",", ""))
        self.assertEqual(told, len(rows(section.locator("pre").inner_text(), "busy")))


if __name__ == "__main__":
    unittest.main()
