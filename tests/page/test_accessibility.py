"""axe finds nothing to complain about in any view, light or dark."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import BrowserTest, trace_with

VIEWS = ("timeline", "overview", "profile", "treemap", "communication", "diagnostics", "sql", "compare")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


class Light(BrowserTest):
    def check(self, **state):
        trace = trace_with("states")
        if trace is None:
            self.skipTest("no trace with states")
        self.open(trace=trace, **state)
        found = Axe().run(self.page, options=RULES).response["violations"]
        told = [f"{one['id']}: {one['help']}: " + "; ".join(node["html"][:160] for node in one["nodes"][:4]) for one in found]
        self.assertEqual([], told, state)

    def test_every_view(self):
        for view in VIEWS:
            with self.subTest(view=view):
                self.check(view=view)

    def test_side_by_side(self):
        self.check(view="timeline", side="profile")

    def test_a_dialog(self):
        self.check(view="timeline")
        self.page.click("text=Show SQL >> nth=0")
        found = Axe().run(self.page, options=RULES).response["violations"]
        self.assertEqual([], [one["id"] for one in found])


class Dark(Light):
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
