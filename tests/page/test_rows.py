"""Rows of the timeline: sorted, pinned and hidden, by mouse and by keyboard; rows of SQL as rows and as a graph."""

import re
import unittest

from browser import BrowserTest, rows, trace_with

NAMES = "() => [...document.querySelectorAll('.row-label:not(.further)')].map(e => [e.getBoundingClientRect().top, e.querySelector('.name').textContent]).sort((a, b) => a[0] - b[0]).map(e => e[1])"


def natural(name):
    """Digits as numbers, as people sort names."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part.lower()) for part in re.split(r"(\d+)", name) if part]


class TimelineRows(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")
        self.tree = rows("SELECT container_id, parent_id, name, depth, preorder FROM containers ORDER BY preorder", self.trace)

    def names(self):
        return self.page.evaluate(NAMES)

    def expected(self, key):
        """Names in the order of a walk through the tree whose siblings are sorted by a key."""
        found = []

        def walk(parent):
            for one in sorted((one for one in self.tree if one["parent_id"] == parent), key=lambda one: (key(one), one["preorder"])):
                found.append(one["name"])
                walk(one["container_id"])

        walk(None)
        return found

    def pictures(self):
        """What some columns of the first row of each container look like, by name."""
        plot = self.plot()
        places = [int(plot["width"] * share) for share in (0.1, 0.37, 0.5, 0.83)]
        known = {one["name"] for one in self.tree}
        return {row["name"]: [self.column(x, row["top"] + 2, row["height"] - 4) for x in places] for row in self.labels() if row["name"] in known}

    def test_rows_are_sorted_with_their_pictures(self):
        self.open(trace=self.trace, o="links=0")
        before = self.pictures()
        self.assertEqual(self.expected(lambda one: one["preorder"]), self.names())
        self.page.select_option("[aria-label='Sort rows']", "name")
        self.await_hash("hash.includes('sort=name')")
        self.assertEqual(self.expected(lambda one: natural(one["name"])), self.names())
        self.assertEqual(before, self.pictures())

    def test_rows_are_sorted_by_time_in_a_value_and_by_first_event(self):
        value = rows("SELECT value FROM state_segments GROUP BY value ORDER BY sum(end_tick - start_tick) DESC, value LIMIT 1", self.trace)[0]["value"]
        time = self.below(f"SELECT container_id, sum(end_tick - start_tick) AS number FROM state_segments WHERE value = '{value}' GROUP BY container_id", sum, 0)
        first = self.below("SELECT container_id, min(start_tick) AS number FROM states GROUP BY container_id", min, float("inf"))
        self.open(trace=self.trace, o="links=0")
        before = self.pictures()
        self.page.select_option("[aria-label='Sort rows']", f"value:{value}")
        self.await_hash("hash.includes('sort=value')")
        self.assertEqual(self.expected(lambda one: -time(one)), self.names())
        self.assertEqual(before, self.pictures())
        self.page.select_option("[aria-label='Sort rows']", "first")
        self.await_hash("hash.includes('sort=first')")
        self.assertEqual(self.expected(first), self.names())

    def below(self, sql, combine, nothing):
        """A number of a container and all below it."""
        numbers = {row["container_id"]: row["number"] for row in rows(sql, self.trace)}

        def of(one):
            children = [of(child) for child in self.tree if child["parent_id"] == one["container_id"]]
            return combine([numbers.get(one["container_id"], nothing), *children])

        return of

    def test_pin_and_hide_by_keyboard(self):
        self.open(trace=self.trace, o="links=0")
        before, names = self.pictures(), self.names()
        press = self.page.keyboard.press
        press("Tab")
        press("Enter")
        for _ in range(40):
            press("ArrowDown")
        chosen = self.page.inner_text("#live").split(",")[0]
        self.assertIn(chosen, names)
        press("p")
        self.await_hash("hash.includes('pin=')")
        self.assertEqual(chosen, self.names()[0])
        self.assertEqual(sorted(names), sorted(self.names()))
        self.assertEqual(before, self.pictures())
        press("h")
        self.await_hash("hash.includes('hide=')")
        self.assertEqual(len(names) - 1, len(self.names()))
        address, shown = self.page.url, self.names()
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector(".app")
        self.rest()
        self.assertEqual(shown, self.names())
        self.page.click("button:has-text('1 hidden')")
        self.await_hash("!hash.includes('hide=')")
        self.assertEqual(sorted(names), sorted(self.names()))

    def test_the_tree_of_names_by_keyboard(self):
        """Arrow keys walk, close and open; Space selects; the picture follows."""
        self.open(trace=self.trace, o="links=0")
        names, press = self.names(), self.page.keyboard.press
        self.page.focus(".tl-labels")
        active = "() => document.querySelector('.tl-labels .row-label.active .own').textContent"
        press("ArrowDown")
        self.assertEqual(names[1], self.page.evaluate(active))
        press("Space")
        self.await_hash("hash.includes('sc=')")
        press("Home")
        self.assertEqual(names[0], self.page.evaluate(active))
        press("ArrowLeft")
        self.await_hash("hash.includes('x=')")
        self.assertEqual(names[:1], self.names())
        press("ArrowRight")
        self.page.wait_for_function("(few) => document.querySelectorAll('.row-label:not(.further)').length > few", arg=1)
        self.rest()

    def test_a_click_on_a_name_selects_and_does_not_scroll(self):
        self.page.set_viewport_size({"width": 1280, "height": 400})
        self.open(trace=self.trace, o="links=0")
        self.page.evaluate("() => { const s = document.querySelector('.tl-scroll'); s.scrollTop = s.scrollHeight; }")
        self.rest()
        before = self.page.evaluate("() => document.querySelector('.tl-scroll').scrollTop")
        self.assertGreater(before, 20)
        self.page.click(".row-label:not(.further) .own >> nth=-1")
        self.await_hash("hash.includes('sc=')")
        self.assertEqual(before, self.page.evaluate("() => document.querySelector('.tl-scroll').scrollTop"))

    def test_hidden_rows_are_not_asked_for(self):
        leaf = rows("SELECT container_id FROM containers WHERE is_leaf ORDER BY preorder LIMIT 1", self.trace)[0]["container_id"]
        self.open(trace=self.trace, hide=leaf)
        statement = next(sql for sql in self.queries() if "timeline(" in sql)
        drawn = rows(f"SELECT count(*) AS rows FROM ({statement}) AS drawn WHERE container_id = {leaf}", self.trace)
        self.assertEqual(0, drawn[0]["rows"])

    def test_pinned_rows_stay_while_others_scroll(self):
        last = rows("SELECT container_id, name FROM containers WHERE is_leaf ORDER BY preorder DESC LIMIT 1", self.trace)[0]
        self.page.set_viewport_size({"width": 1280, "height": 400})
        self.open(trace=self.trace, pin=last["container_id"], o="links=0")
        before = self.pictures()[last["name"]]
        self.page.evaluate("() => { const s = document.querySelector('.tl-scroll'); s.scrollTop = s.scrollHeight; }")
        self.page.wait_for_function("() => document.querySelector('.tl-scroll').scrollTop > 20")
        self.rest()
        label = next(row for row in self.labels() if row["name"] == last["name"])
        self.assertEqual(0, label["top"])
        self.assertEqual(before, self.pictures()[last["name"]])


class RowsOfSql(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("links")
        if self.trace is None:
            self.skipTest("no trace with links")

    def run_sql(self, sql):
        self.open(trace=self.trace, view="sql", sql=sql)
        self.page.wait_for_selector(".cm-content")
        self.page.click("button.primary")
        self.page.wait_for_selector("[role=cell]")
        self.rest()

    def statement(self):
        value = rows("SELECT value FROM states GROUP BY value ORDER BY count(*) DESC, value LIMIT 1", self.trace)[0]["value"]
        return f"SELECT container_id, value, start_tick, end_tick FROM states WHERE depth = 0 AND value = '{value}' ORDER BY start_tick -- mine", value

    def test_rows_become_rows_of_the_timeline(self):
        sql, value = self.statement()
        self.run_sql(sql)
        self.page.click("text=Show in the timeline")
        self.await_hash("hash.includes('view=timeline') && hash.includes('rows=')")
        wanted = rows(f"SELECT name FROM containers WHERE container_id IN (SELECT container_id FROM states WHERE value = '{value}' AND depth = 0) ORDER BY preorder", self.trace)
        labels = self.page.evaluate("() => [...document.querySelectorAll('.row-label')].filter(e => e.querySelector('.name.quiet')?.textContent === 'SQL').map(e => e.querySelector('.name').textContent)")
        self.assertEqual([row["name"] for row in wanted], labels)
        self.check_pixels(wanted[0]["name"], value)
        self.check_shown_sql()

    def check_pixels(self, name, value):
        """Columns of the first row are filled as far as the value lasts in them."""
        info = rows("SELECT start_time, end_time FROM trace_info", self.trace)[0]
        plot, row = self.plot(), next(row for row in self.labels() if row["name"] == name)
        step, height, color = (info["end_time"] - info["start_time"]) / plot["width"], row["height"] - 4, self.legend()[value]
        for x in range(3, plot["width"], plot["width"] // 25):
            start, stop = info["start_time"] + x * step, info["start_time"] + (x + 1) * step
            share = rows(
                f"SELECT coalesce(sum(least(end_time, {stop!r}) - greatest(start_time, {start!r})), 0) / {step!r} AS share FROM states "
                f"WHERE container = '{name}' AND value = '{value}' AND depth = 0 AND start_time < {stop!r} AND end_time > {start!r}",
                self.trace,
            )[0]["share"]
            filled = self.column(x, row["top"] + 2, height).count(color)
            self.assertAlmostEqual(share * height, filled, delta=1.01, msg=f"column {x}")

    def check_shown_sql(self):
        self.page.click("[data-view=timeline] >> text=Show SQL")
        section = self.page.locator("dialog section", has=self.page.locator("h3", has_text=re.compile("^SQL rows$")))
        told = int(section.locator(".note").inner_text().split(" ")[0].replace(",", ""))
        self.assertEqual(told, len(rows(section.locator("pre").inner_text(), self.trace)))
        self.page.keyboard.press("Escape")

    def test_rows_of_a_link_wait_for_a_click(self):
        sql, _ = self.statement()
        self.open(trace=self.trace, rows=sql)
        self.assertFalse(any("-- mine" in asked for asked in self.queries()))
        self.page.click("text=Run the SQL of this link")
        self.page.wait_for_function("() => [...document.querySelectorAll('.row-label .quiet')].some(e => e.textContent === 'SQL')")
        self.rest()
        self.page.click("[aria-label='Close the rows of SQL']")
        self.await_hash("!hash.includes('rows=')")
        self.assertEqual(0, self.page.locator(".row-label .quiet", has_text=re.compile("^SQL$")).count())

    def test_rows_become_a_graph(self):
        sql = "SELECT source, target, count(*) AS messages FROM links GROUP BY source, target"
        edges = rows(sql, self.trace)
        self.run_sql(sql)
        self.page.click("button:has-text('Graph')")
        self.rest()
        nodes = {edge[end] for edge in edges for end in ("source", "target")}
        self.assertIn(f"{len(nodes)} nodes, {len(edges)} edges", self.page.inner_text(".graph-room .note"))
        self.assertGreater(self.page.locator(".graph-table [role=cell]").count(), 0)
        picture = "() => document.querySelector('.graph canvas').toDataURL()"
        first = self.page.evaluate(picture)
        self.run_sql(sql)
        self.page.click("button:has-text('Graph')")
        self.rest()
        self.assertEqual(first, self.page.evaluate(picture), "the layout is the same each time")

    def test_other_rows_offer_neither(self):
        self.run_sql("SELECT 1 AS one")
        self.assertTrue(self.page.locator("text=Show in the timeline").is_hidden())
        self.assertTrue(self.page.locator("button:has-text('Graph')").is_hidden())


if __name__ == "__main__":
    unittest.main()
