"""How the page behaves: history, links, requests, hostile names, and a journey by keyboard alone."""

import unittest
import urllib.parse

from browser import ADDRESS, BrowserTest, rows, trace_with, traces


class Behavior(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def pixels(self):
        plot = self.plot()
        return self.page.evaluate(
            "([w, h]) => { const d = document.querySelector('.timeline canvas.plot').getContext('2d').getImageData(0, 0, w, h).data;"
            " let a = 7; for (let i = 0; i < d.length; i++) a = (a * 31 + d[i]) | 0; return a; }",
            [plot["width"], plot["height"]],
        )

    def zoom(self):
        """Four turns of the wheel in one task of the page: one gesture, however slow the machine is; no pointer rests."""
        before = self.hash()
        self.page.evaluate(
            "() => { const c = document.querySelector('.timeline canvas.plot'), b = c.getBoundingClientRect();"
            " const turn = { clientX: b.left + b.width / 3, clientY: b.top + 30, deltaY: -240, bubbles: true, cancelable: true };"
            " for (let i = 0; i < 4; i++) c.dispatchEvent(new WheelEvent('wheel', turn)); }"
        )
        self.await_hash("hash !== given", before)

    def test_the_wheel_zooms_where_the_pointer_is(self):
        self.open(trace=self.trace)
        plot, before = self.plot(), self.hash()
        info = rows("SELECT start_time, end_time FROM trace_info", self.trace)[0]
        self.page.mouse.move(plot["left"] + 1, plot["top"] + 30)
        self.page.mouse.wheel(0, -240)
        self.await_hash("hash !== given", before)
        start, stop = (float(time) for time in urllib.parse.parse_qs(self.hash()[1:])["t"][0].split(","))
        length = info["end_time"] - info["start_time"]
        self.assertAlmostEqual(info["start_time"], start, delta=length * 0.01)
        self.assertLess(stop, info["end_time"] - length * 0.1)

    def test_back_restores(self):
        self.open(trace=self.trace)
        before, picture = self.hash(), self.pixels()
        self.zoom()
        self.assertNotEqual(before, self.hash())
        self.page.go_back()
        self.await_hash("hash === given", before)
        self.assertEqual(picture, self.pixels())

    def test_a_link_reopens_the_same(self):
        self.open(trace=self.trace)
        self.zoom()
        self.page.click(".legend-item >> nth=0")
        self.rest()
        self.page.mouse.move(5, 5)
        self.rest()
        address, picture = self.page.url, self.pixels()
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector(".app")
        self.rest()
        self.assertEqual(address, self.page.url)
        self.assertEqual(picture, self.pixels())

    def test_one_request_per_layer_and_settled_gesture(self):
        self.open(trace=self.trace)
        before = len(self.queries())
        self.zoom()
        asked = self.queries()[before:]
        self.assertEqual(1, sum("timeline(" in sql for sql in asked), asked)
        for table in ("FROM links\nWHERE", "), bundles AS (", "event_slices(", "variable_slices("):
            self.assertLessEqual(sum(table in sql and "timeline(" not in sql for sql in asked), 1, asked)

    def test_a_small_pan_asks_nothing_of_states(self):
        self.open(trace=self.trace)
        self.zoom()
        before = len(self.queries())
        self.page.keyboard.press("d")
        self.rest()
        self.assertEqual(0, sum("timeline(" in sql for sql in self.queries()[before:]))

    def test_a_typed_range(self):
        info = rows("SELECT start_time, end_time FROM trace_info", self.trace)[0]
        third = (info["end_time"] - info["start_time"]) / 3
        self.open(trace=self.trace)
        self.page.fill(".range", f"{info['start_time'] + third!r} – {info['start_time'] + 2 * third!r}")
        self.page.press(".range", "Enter")
        self.rest()
        start, stop = urllib.parse.parse_qs(self.hash()[1:])["t"][0].split(",")
        self.assertAlmostEqual(info["start_time"] + third, float(start), delta=third * 1e-6)
        self.assertAlmostEqual(info["start_time"] + 2 * third, float(stop), delta=third * 1e-6)

    def test_no_request_leaves_the_origin(self):
        self.open(trace=self.trace)
        for view in ("findings", "timeline", "overview", "profile", "treemap", "communication", "diagnostics", "sql", "compare"):
            self.page.click(f"[data-tab={view}]")
            self.rest()
        origin = urllib.parse.urlparse(ADDRESS).netloc
        strange = [request.url for request in self.requests if urllib.parse.urlparse(request.url).scheme.startswith("http") and urllib.parse.urlparse(request.url).netloc != origin]
        self.assertEqual([], strange)

    def test_shown_sql_gives_the_rows_of_the_picture(self):
        self.open(trace=self.trace)
        self.page.click("text=Show SQL >> nth=0")
        section = self.page.locator("dialog section").first
        told = int(section.locator(".note").inner_text().split(" ")[0].replace(",", ""))
        self.assertEqual(told, len(rows(section.locator("pre").inner_text(), self.trace)))

    def test_an_error_is_underlined_at_its_place(self):
        self.open(trace=self.trace, view="sql", sql="SELECT *\nFROM state\nWHERE TRUE")
        self.page.wait_for_selector(".cm-content")
        self.page.click("button.primary")
        self.page.wait_for_selector(".cm-lintRange-error")
        self.assertEqual("state", self.page.inner_text(".cm-lintRange-error"))
        self.assertIn("line 2", self.page.inner_text(".view .message.error"))

    def test_sql_of_a_link_runs_only_on_a_click(self):
        self.open(trace=self.trace, view="sql", sql="SELECT 4711 AS number")
        self.page.wait_for_selector(".cm-content")
        self.assertFalse(any("4711" in sql for sql in self.queries()))
        self.page.click("button.primary")
        self.page.wait_for_selector("[role=cell]")
        self.assertEqual("4711", self.page.inner_text("[role=cell]"))

    def test_a_table_of_many_rows(self):
        self.open(trace=self.trace, view="sql", sql="SELECT value AS number FROM generate_series(1, 100000)")
        self.page.wait_for_selector(".cm-content")
        self.page.click("button.primary")
        self.page.wait_for_selector("[role=cell]")
        self.page.evaluate("() => { const g = document.querySelector('.results .grid'); g.scrollTop = g.scrollHeight; }")
        self.page.wait_for_function("() => [...document.querySelectorAll('[role=cell]')].at(-1).textContent === '100000'")
        self.assertLess(self.page.locator("[role=cell]").count(), 200)

    def test_a_journey_by_keyboard_alone(self):
        self.open(trace=self.trace)
        press, evaluate = self.page.keyboard.press, self.page.evaluate
        press("Tab")
        press("Enter")
        self.assertEqual("Timeline", evaluate("() => document.activeElement.getAttribute('aria-label')"))
        press("ArrowRight")
        said = self.page.inner_text("#live")
        self.assertNotEqual("", said)
        press("ArrowDown")
        self.assertNotEqual(said, self.page.inner_text("#live"))
        press("Enter")
        self.page.wait_for_selector(".inspector .path")
        before = self.hash()
        press("w")
        self.await_hash("hash !== given", before)
        press("z")
        self.await_hash("hash === given", before)
        press("/")
        self.page.keyboard.type("w")
        self.rest()
        self.assertEqual(before.split("&view")[0], self.hash().split("&view")[0], "keys move the window while text is typed")
        press("Escape")
        self.rest()
        press("4")
        self.await_hash("hash.includes('view=profile')")


class Hostile(BrowserTest):
    def test_the_strip_shows_where_a_trace_without_states_has_rows(self):
        self.open(trace="variables", view="variables")
        span = rows("SELECT start_time, end_time FROM trace_info", "variables")[0]
        start, length = float(span["start_time"]), float(span["end_time"]) - float(span["start_time"])
        begins = [float(row["start_time"]) for row in rows("SELECT start_time FROM variables", "variables")]
        expected = sorted({min(399, int((time - start) / length * 400)) for time in begins})
        painted = (
            "() => { const c = document.querySelector('.strip canvas'), d = c.getContext('2d').getImageData(0, c.height - 1, c.width, 1).data;"
            " return [...Array(400).keys()].filter(column => d[4 * Math.floor((column + 0.5) * c.width / 400) + 3] > 0); }"
        )
        self.page.wait_for_function(f"({painted})().length > 0")
        self.assertEqual(self.page.evaluate(painted), expected)

    def test_names_stay_text(self):
        if not any(entry["name"] == "hostile" for entry in traces()):
            self.skipTest("the server has no trace hostile: tests/page/hostile.trace")
        for view in ("findings", "timeline", "overview", "profile", "treemap", "communication", "diagnostics", "sql"):
            self.open(trace="hostile", view=view)
            self.assertIsNone(self.page.evaluate("() => window.hacked ?? null"), view)
            self.assertEqual(0, self.page.locator("#injected, #app iframe, #app img, #app style, #app b, #app u").count(), view)
        self.open(trace="hostile")
        names = {row["name"] for row in self.labels()}
        self.assertIn("'; DROP TABLE states; --", names)
        plot, label = self.plot(), next(row for row in self.labels() if "DROP" in row["name"])
        self.page.mouse.click(plot["left"] + 60, plot["top"] + label["top"] + 8)
        self.page.wait_for_selector(".inspector h3")
        self.assertIn("<img src=x onerror=window.hacked=1>", self.page.inner_text(".inspector"))
        self.assertIsNone(self.page.evaluate("() => window.hacked ?? null"))


if __name__ == "__main__":
    unittest.main()
