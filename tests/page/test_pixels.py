"""The timeline is exact: every pixel has the color of the value that plain SQL finds there, over random windows."""

import itertools
import random
import unittest

from browser import BrowserTest, rows, traces

SEED = 20240501
WINDOWS = 6
COLUMNS = 40
# Room above and below the states of a row, in pixels: that of rows of 14 pixels and more.
PAD = 2
REST = (190, 190, 190)

# Containers with one type of states and no nesting: they have one strip per row.
FLAT = (
    "SELECT container_id, min(container) AS name FROM states GROUP BY container_id "
    "HAVING count(DISTINCT type) = 1 AND max(depth) = 0 ORDER BY container_id"
)


def flat_trace():
    """The trace with most states among those that have such containers and not too many others."""
    fitting = [entry for entry in traces() if 0 < entry["rows"]["containers"] <= 60 and entry["rows"]["states"] > 0 and rows(FLAT, entry["name"])]
    return max(fitting, key=lambda entry: entry["rows"]["states"], default={"name": None})["name"]


class Pixels(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = flat_trace()
        if self.trace is None:
            self.skipTest("no trace with containers whose states are not nested")
        info = rows("SELECT start_time, end_time FROM trace_info", self.trace)[0]
        self.begin, self.end = info["start_time"], info["end_time"]
        self.flat = rows(FLAT, self.trace)
        order = rows("SELECT value, sum(end_tick - start_tick) AS ticks FROM state_segments GROUP BY value", self.trace)
        order.sort(key=lambda row: (-row["ticks"], row["value"]))
        self.place = {row["value"]: place for place, row in enumerate(order)}

    def shares(self, picks):
        """For each pick (container, start, stop) the share of each value, by plain SQL, the one with most time of all first."""
        places = ", ".join(f"({at}, {container}, {start!r}, {stop!r})" for at, (container, start, stop) in enumerate(picks))
        found = rows(
            "SELECT pick, value, sum(least(end_time, stop) - greatest(start_time, start)) / max(stop - start) AS share "
            f"FROM (VALUES {places}) AS picks (pick, place, start, stop) JOIN state_segments ON container_id = place "
            "WHERE start_time < stop AND end_time > start GROUP BY pick, value",
            self.trace,
        )
        found.sort(key=lambda row: self.place[row["value"]])
        return [[(row["value"], row["share"]) for row in found if row["pick"] == at] for at in range(len(picks))]

    def test_pixels_over_random_windows(self):
        random.seed(SEED)
        checked = 0
        for _ in range(WINDOWS):
            length = (self.end - self.begin) * 10 ** random.uniform(-3, 0)
            start = random.uniform(self.begin, self.end - length)
            self.open(trace=self.trace, t=f"{start!r},{start + length!r}", o="links=0")
            plot, labels, legend = self.plot(), {row["name"]: row for row in self.labels()}, self.legend()
            column = length / plot["width"]
            seen = [one for one in self.flat if one["name"] in labels and labels[one["name"]]["top"] + labels[one["name"]]["height"] <= plot["height"]]
            picks = [(random.choice(seen), random.randrange(plot["width"])) for _ in range(COLUMNS)]
            told = self.shares([(one["container_id"], start + x * column, start + (x + 1) * column) for one, x in picks])
            for (one, x), shares in zip(picks, told):
                checked += self.check(one["name"], labels[one["name"]], legend, x, shares)
        self.assertGreater(checked, 50, "too few pixels were compared")

    def check(self, name, row, legend, x, shares):
        """Compares a column with SQL: from the ground up, every value has the pixels of its share, give or take one."""
        height = row["height"] - 2 * PAD
        pixels = self.column(x, row["top"] + PAD, height)[::-1]
        place, checked = 0, 0
        # Colors that several values have are counted together.
        for color, group in itertools.groupby(shares, lambda entry: legend.get(entry[0], REST)):
            group = list(group)
            begin = place
            while place < height and pixels[place] == color:
                place += 1
            quota = sum(share for _, share in group) * height
            # The border of a column lies on a tick, and a value that is there may have a pixel of another.
            self.assertLessEqual(abs(place - begin - quota), len(group) + 0.05, f"{name}, column {x}, {group}: {pixels}")
            checked += place - begin
        return checked

    def test_columns_add_up(self):
        """What the rows behind the picture say adds up to the time in states of the window."""
        self.open(trace=self.trace)
        picture = next(sql for sql in self.queries() if "timeline(" in sql)
        # The rows of the picture are those of a statement with the exact times.
        statement = picture.split("FROM (\n", 1)[1].rsplit("\n) AS rows", 1)[0]
        width = int(statement.split("width => ")[1].split(",")[0])
        column = (self.end - self.begin) / width
        drawn = rows(f"SELECT sum(CAST(ticks AS DOUBLE) / length * (further_columns + 1)) AS columns FROM ({statement}) AS drawn WHERE level = 0 AND container_id IN ({self.ids()})", self.trace)
        told = rows(f"SELECT sum(duration) AS seconds FROM state_segments WHERE container_id IN ({self.ids()})", self.trace)
        self.assertAlmostEqual(told[0]["seconds"], drawn[0]["columns"] * column, delta=told[0]["seconds"] * 1e-6)

    def spot(self):
        """A row in sight and a column of it that is in some state, with the window of that column."""
        plot, labels = self.plot(), {row["name"]: row for row in self.labels()}
        column = (self.end - self.begin) / plot["width"]
        seen = [one for one in self.flat if one["name"] in labels and labels[one["name"]]["top"] + labels[one["name"]]["height"] <= plot["height"]]
        while True:
            one, x = random.choice(seen), random.randrange(plot["width"])
            [shares] = self.shares([(one["container_id"], self.begin + x * column, self.begin + (x + 1) * column)])
            if shares:
                return labels[one["name"]], x, dict(shares)

    def test_a_tooltip_tells_the_exact_shares_of_the_column(self):
        random.seed(SEED)
        self.open(trace=self.trace, o="links=0")
        box = self.page.locator(".timeline canvas.plot").bounding_box()
        for _ in range(5):
            row, x, shares = self.spot()
            self.page.mouse.move(box["x"] + x + 0.5, box["y"] + row["top"] + row["height"] / 2)
            self.page.wait_for_function("() => { const tip = document.querySelector('.tooltip'); return !tip.hidden && !tip.textContent.includes('…'); }")
            self.rest()
            told = dict(self.page.eval_on_selector_all(".tooltip .pair", "(pairs) => pairs.map((pair) => [...pair.children].map((part) => part.textContent))"))
            for value, share in sorted(shares.items(), key=lambda entry: -entry[1])[:8]:
                text = told[value].removesuffix(" %").replace("< 0.1", "0.05").replace("> 99.9", "99.95")
                # The borders of the column lie on ticks, and a span of equal columns is told as a whole.
                self.assertAlmostEqual(100 * share, float(text), delta=0.2, msg=f"{row}, column {x}: {told}")

    def test_a_row_is_asked_for_its_exact_times_once(self):
        random.seed(SEED)
        self.open(trace=self.trace, o="links=0")
        row, x, _ = self.spot()
        box = self.page.locator(".timeline canvas.plot").bounding_box()
        before = len(self.queries())
        for step in range(4):
            self.page.mouse.move(box["x"] + (x + 7 * step) % self.plot()["width"], box["y"] + row["top"] + row["height"] / 2)
            self.page.wait_for_timeout(100)
            self.rest()
        asked = self.queries()[before:]
        self.assertEqual(1, len(asked), asked)
        self.assertNotIn("WHERE pixels > 0", asked[0])

    def test_wide_columns_come_first_where_they_are_wanted(self):
        self.open(trace=self.trace, o="wide=0")
        direct, asked = self.picture(), [sql for sql in self.queries() if "timeline(" in sql]
        self.assertEqual(1, len(asked))
        self.open(trace=self.trace, o="wide=1")
        wide, fine = [sql for sql in self.queries() if "timeline(" in sql][-2:]
        self.assertEqual(asked[0], fine)
        width = int(fine.split("width => ")[1].split(",")[0])
        self.assertEqual(fine.replace(f"width => {width},", f"width => {-(-width // 8)},"), wide)
        self.assertEqual(direct, self.picture())

    def picture(self):
        return self.page.evaluate("() => document.querySelector('.timeline canvas.plot').toDataURL()")

    def ids(self):
        return ", ".join(str(row["container_id"]) for row in self.flat) or "-1"


if __name__ == "__main__":
    unittest.main()
