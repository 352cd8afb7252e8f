"""The timeline is exact: every pixel has the color of the value that plain SQL finds there, over random windows."""

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
        """Compares a column with SQL, but for the pixels at the border of two values; how many were compared."""
        height = row["height"] - 2 * PAD
        pixels = self.column(x, row["top"] + PAD, height)[::-1]
        ground, checked = 0.0, 0
        for value, share in shares:
            top = ground + share * height
            color = legend.get(value, REST)
            for y in range(int(ground + 1.5), height):
                if y + 1.5 <= top:
                    self.assertEqual(color, pixels[y], f"{name}, column {x}, pixel {y} from the ground, {value}")
                    checked += 1
            ground = top
        return checked

    def test_columns_add_up(self):
        """What the rows behind the picture say adds up to the time in states of the window."""
        self.open(trace=self.trace)
        statement = next(sql for sql in self.queries() if "timeline(" in sql)
        width = int(statement.split("width => ")[1].split(",")[0])
        column = (self.end - self.begin) / width
        drawn = rows(f"SELECT sum(CAST(ticks AS DOUBLE) / length * (further_columns + 1)) AS columns FROM ({statement}) AS drawn WHERE level = 0 AND container_id IN ({self.ids()})", self.trace)
        told = rows(f"SELECT sum(duration) AS seconds FROM state_segments WHERE container_id IN ({self.ids()})", self.trace)
        self.assertAlmostEqual(told[0]["seconds"], drawn[0]["columns"] * column, delta=told[0]["seconds"] * 1e-6)

    def ids(self):
        return ", ".join(str(row["container_id"]) for row in self.flat) or "-1"


if __name__ == "__main__":
    unittest.main()
