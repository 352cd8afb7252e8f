"""The first picture: it is asked for before the frame around it is there, each statement once; and it is right where the room
of its rows turns out otherwise than was expected."""

import unittest

from browser import ADDRESS, BrowserTest, trace_with, traces

# Notes of every question whether the frame was there.
WATCH = """
window.asked = [];
const original = window.fetch;
window.fetch = (...given) => {
  window.asked.push([given[1]?.body ?? "", document.querySelector("#app .app") !== null]);
  return original(...given);
};
"""
# Gives the frame, but not the one that is measured before, another layout.
CHANGE = """
const sheet = new CSSStyleSheet();
sheet.replaceSync(%r);
document.adoptedStyleSheets = [sheet];
"""
LOWER = "#app .strip { height: 144px !important; }"
NARROWER = "#app main { grid-template-columns: minmax(0, 1fr) 300px !important; }"


class First(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def asked(self):
        """The statements that the page has sent, findings aside, and whether the frame was there."""
        return [(sql, framed) for sql, framed in self.page.evaluate("() => window.asked") if sql and "findings(" not in sql]

    def picture(self):
        return self.page.evaluate("() => document.querySelector('.timeline canvas.plot').toDataURL()")

    def check_early(self):
        asked = self.asked()
        self.assertEqual(len({sql for sql, _ in asked}), len(asked), "each statement once")
        self.assertEqual([], [sql for sql, framed in asked if framed], "before the frame is there")
        return [sql for sql, _ in asked]

    def test_the_picture_is_asked_for_before_the_frame_is_there(self):
        self.page.add_init_script(WATCH)
        names = [entry["name"] for entry in traces() if entry["rows"]["states"] + entry["rows"]["variables"] + entry["rows"]["events"] > 0]
        for width, height in ((1280, 800), (1920, 1080)):
            self.page.set_viewport_size({"width": width, "height": height})
            for name in names:
                with self.subTest(trace=name, width=width):
                    self.open(trace=name)
                    self.check_early()

    def test_what_the_address_says_is_asked_for(self):
        self.page.add_init_script(WATCH)
        root = 0
        for state in ({"o": "wide=0"}, {"o": "links=0"}, {"x": ""}, {"sort": "name"}, {"pin": root}, {"view": "timeline", "sc": root}):
            with self.subTest(state=state):
                self.open(trace=self.trace, **state)
                self.assertTrue(any("timeline(" in sql for sql in self.check_early()))

    def test_a_page_without_a_trace_in_its_address(self):
        self.page.add_init_script(WATCH)
        self.page.goto(f"{ADDRESS}/")
        self.page.wait_for_selector(".app")
        self.rest()
        self.check_early()

    def test_views_that_have_no_timeline_ask_for_none(self):
        self.open(trace=self.trace, view="profile")
        self.assertFalse([sql for sql in self.queries() if "timeline(" in sql])

    def test_a_room_that_turns_out_otherwise(self):
        """What was asked for the expected room is canceled, though it is not answered, and the picture is that of the room there is."""
        for change in (LOWER, NARROWER):
            with self.subTest(change=change):
                page = self.page = self.context.new_page()
                page.on("request", lambda request: self.requests.append(request))
                page.add_init_script(CHANGE % change)
                self.open(trace=self.trace, view="diagnostics")
                page.click("[data-tab=timeline]")
                self.rest()
                expected = self.picture()
                held, failed = [], []
                page.on("requestfailed", lambda request: failed.append(request))
                page.route("**/sql?*", lambda route: self.hold(route, held))
                before = len(self.queries())
                self.open(trace=self.trace)
                self.assertEqual(expected, self.picture())
                asked = [sql for sql in self.queries()[before:] if "timeline(" in sql]
                self.assertEqual(2, len(asked), asked)
                self.assertEqual([asked[0]], [request.post_data for request in failed if "timeline(" in request.post_data])
                page.unroute_all(behavior="ignoreErrors")

    def test_rows_in_sight_come_first(self):
        """The picture of the rows in sight waits for no others; these are asked for once, without a sign, and are there when scrolled to."""
        self.page.set_viewport_size({"width": 1280, "height": 400})
        self.open(trace=self.trace, o="sight=0")
        expected, asked = self.picture(), [sql for sql in self.queries() if "timeline(" in sql]
        self.assertEqual(1, len(asked))
        below = self.scroll()
        self.assertNotEqual(expected, below)
        held = []
        self.page.route("**/sql?*", lambda route: held.append(route) if route.request.post_data == asked[0] else route.continue_())
        before = len(self.queries())
        self.page.goto("about:blank")
        self.page.goto(f"{ADDRESS}/#v=1&trace={self.trace}&o=sight%3D1")
        while not held:
            self.page.evaluate("() => new Promise((go) => requestAnimationFrame(go))")
        self.assertEqual(expected, self.picture())
        self.assertEqual(0, self.page.locator(".refining").count())
        for route in held:
            route.continue_()
        self.rest()
        self.assertEqual(expected, self.picture())
        self.assertEqual(below, self.scroll())
        statements = [sql for sql in self.queries()[before:] if "findings(" not in sql]
        self.assertEqual(2, sum("timeline(" in sql for sql in statements))
        self.assertEqual(len(set(statements)), len(statements), "each statement once")
        self.page.unroute_all(behavior="ignoreErrors")

    def test_rows_that_are_scrolled_to_at_once(self):
        """Who scrolls before the other rows were asked for sees them as well."""
        self.page.set_viewport_size({"width": 1280, "height": 400})
        self.open(trace=self.trace, o="sight=0")
        below = self.scroll()
        self.page.goto("about:blank")
        self.page.goto(f"{ADDRESS}/#v=1&trace={self.trace}&o=sight%3D1")
        self.page.wait_for_selector(".app")
        self.assertEqual(below, self.scroll())

    def scroll(self):
        """The picture of the last rows."""
        self.page.evaluate("() => { const rows = document.querySelector('.tl-scroll'); rows.scrollTop = rows.scrollHeight; }")
        self.rest()
        return self.picture()

    @staticmethod
    def hold(route, held):
        """Keeps the first question for a picture, lets all others go."""
        if not held and "timeline(" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    def test_a_narrow_window(self):
        self.page.set_viewport_size({"width": 700, "height": 800})
        self.open(trace=self.trace)
        self.assertEqual(1, sum("timeline(" in sql for sql in self.queries()))

    def test_two_views(self):
        self.open(trace=self.trace, side="profile")
        self.assertEqual(1, sum("timeline(" in sql for sql in self.queries()))


if __name__ == "__main__":
    unittest.main()
