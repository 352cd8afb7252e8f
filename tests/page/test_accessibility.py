"""axe finds nothing to complain about in any view, light or dark."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import BrowserTest, trace_with, traces

VIEWS = ("findings", "timeline", "overview", "profile", "treemap", "communication", "diagnostics", "sql", "compare")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


class Light(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def check(self, what, **state):
        if state:
            self.open(trace=self.trace, **state)
        found = Axe().run(self.page, options=RULES).response["violations"]
        told = [f"{one['id']}: {one['help']}: " + "; ".join(node["html"][:160] for node in one["nodes"][:4]) for one in found]
        self.assertEqual([], told, what)

    def test_every_view(self):
        self.open(trace=self.trace)
        for view in VIEWS:
            with self.subTest(view=view):
                self.page.click(f"[data-tab={view}]")
                self.rest()
                self.check(view)

    def test_side_by_side(self):
        self.check("side by side", view="timeline", side="profile")

    def test_dialogs(self):
        self.open(trace=self.trace)
        for opener in ("text=Show SQL >> nth=0", "[aria-label=Keys]", ".legend >> text=Colors", "text=Notes"):
            with self.subTest(dialog=opener):
                self.page.click(opener)
                self.check(opener)
                self.page.keyboard.press("Escape")

    def test_rows_that_are_pinned_and_hidden(self):
        self.check("pinned and hidden", view="timeline", pin="2", hide="1", sort="name", sc="2")

    def test_two_runs(self):
        other = next((entry["name"] for entry in traces() if entry["name"] != self.trace and entry["rows"]["states"] > 0), self.trace)
        self.check("both runs", view="compare", other=other, align="marker")
        self.check("map", view="compare", other=self.trace, o="compare=map")

    def test_a_graph(self):
        self.open(trace=self.trace, view="sql", sql="SELECT source, target, count(*) AS messages FROM links GROUP BY source, target")
        self.page.wait_for_selector(".cm-content")
        self.page.click("button.primary")
        self.page.click("button:has-text('Graph')")
        self.rest()
        self.check("graph")


class Dark(Light):
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
