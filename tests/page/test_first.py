"""The first picture: what must be known of its trace comes with the page; its states are asked for before the frame around it is
there, each statement once, and what else belongs to it once they are seen; and it is right where the room of its rows turns out
otherwise than was expected."""

import unittest

from browser import ADDRESS, IS_PAGE, BrowserTest, trace_with, traces, without_answers

# Notes of every question whether the frame was there, and whether the first states were answered. The page waits for these as long
# as they take.
WATCH = """
window.asked = [];
let answered = false;
const [fetchNow, later] = [window.fetch, window.setTimeout];
window.fetch = async (...given) => {
  const sql = given[1]?.body ?? "";
  window.asked.push([sql, document.querySelector("#app .app") !== null, answered]);
  const answer = await fetchNow(...given);
  if (sql.includes("timeline(")) answered = true;
  return answer;
};
window.setTimeout = (work, after, ...given) => (after === 1000 ? 0 : later(work, after, ...given));
"""
# Gives the frame, but not the one that is measured before, another layout.
CHANGE = """
const sheet = new CSSStyleSheet();
sheet.replaceSync(%r);
document.adoptedStyleSheets = [sheet];
"""
# What is asked once the first states are seen.
LATER = ("variable_slices(", "event_slices(", "FROM links", "state_segments, slices")
# What the page asks about a trace before it can ask for a picture, unless the answers came with the page.
KNOWN = ("FROM trace_info", "FROM containers\nORDER BY preorder", "'event' AS kind", "FROM entity_values")
LOWER = "#app .strip { height: 144px !important; }"
NARROWER = "#app main { grid-template-columns: minmax(0, 1fr) 300px !important; }"


class First(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def asked(self):
        """The statements that the page has sent, findings aside; whether the frame was there, and whether the first states were answered."""
        return [entry for entry in self.page.evaluate("() => window.asked") if entry[0] and "findings(" not in entry[0]]

    def picture(self):
        return self.page.evaluate("() => document.querySelector('.timeline canvas.plot').toDataURL()")

    def check_early(self):
        """Each statement once; what the page must know and the first states before the frame is there; the rest once these are seen."""
        asked = self.asked()
        statements = [sql for sql, _, _ in asked]
        self.assertEqual(len(set(statements)), len(statements), "each statement once")
        self.assertEqual([], [sql for sql, framed, answered in asked if framed and not answered], "nothing between the frame and the states")
        self.assertEqual([], [sql for sql, framed, _ in asked if not framed and any(text in sql for text in LATER)], "nothing beside the states")
        pictures = [framed for sql, framed, _ in asked if "timeline(" in sql]
        self.assertEqual([False], pictures[:1], "the first states before the frame is there")
        return statements

    def test_the_picture_is_asked_for_before_the_frame_is_there(self):
        self.page.add_init_script(WATCH)
        names = [entry["name"] for entry in traces() if entry["rows"]["states"] > 0]
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
                self.check_early()

    def test_a_trace_without_states_is_asked_for_at_once(self):
        self.page.add_init_script(WATCH)
        for name in [entry["name"] for entry in traces() if entry["rows"]["states"] == 0 and entry["rows"]["variables"] + entry["rows"]["events"] > 0]:
            with self.subTest(trace=name):
                self.open(trace=name)
                asked = [entry for entry in self.asked() if "happenings" not in entry[0]]
                self.assertEqual(len({sql for sql, _, _ in asked}), len(asked), "each statement once")
                self.assertEqual([], [sql for sql, framed, _ in asked if framed], "before the frame is there")

    def test_a_page_without_a_trace_in_its_address(self):
        self.page.add_init_script(WATCH)
        self.page.goto(f"{ADDRESS}/")
        self.page.wait_for_selector(".app")
        self.rest()
        statements = [sql for sql, _, _ in self.asked()]
        self.assertEqual(len(set(statements)), len(statements), "each statement once")

    def known(self):
        """The statements about the trace itself that were asked."""
        return [sql for sql in self.queries() if any(text in sql for text in KNOWN)]

    def open_with(self, address, change):
        """Opens an address of which the page is changed on its way; its picture, and what was asked before it."""
        self.page.goto("about:blank")
        self.page.route(IS_PAGE, lambda route: route.fulfill(response=(response := route.fetch()), body=change(response.text())))
        self.requests.clear()
        self.page.goto(f"{ADDRESS}/{address}")
        self.page.wait_for_selector(".app")
        self.rest()
        self.page.unroute_all(behavior="ignoreErrors")
        return self.picture(), self.known(), [request for request in self.requests if request.url == f"{ADDRESS}/traces"]

    def test_what_must_be_known_comes_with_the_page(self):
        """Of the trace that the server is told, or of the first; the page asks where nothing came, where it was cut off, and for any other trace."""
        fragment = f"#v=1&trace={self.trace}"
        told = f"?trace={self.trace}{fragment}"
        as_it_is = lambda page: page  # noqa: E731
        expected, known, lists = self.open_with(told, as_it_is)
        self.assertEqual(([], []), (known, lists))
        cut = lambda page: page[: page.index("<template") + 1000]  # noqa: E731
        broken = lambda page: page.replace("&quot;answers&quot;:{", "&quot;answers&quot;:{{")  # noqa: E731
        for change in (without_answers, cut, broken):
            picture, known, lists = self.open_with(told, change)
            self.assertEqual((expected, len(KNOWN), 1), (picture, len(known), len(lists)))
        other = next(entry["name"] for entry in traces() if entry["name"] != self.trace)
        picture, known, lists = self.open_with(f"?trace={other}{fragment}", as_it_is)
        self.assertEqual((expected, len(KNOWN), 1), (picture, len(known), len(lists)))

    def test_the_address_tells_the_server_the_trace(self):
        """Without a trace in the address, the first one is shown at once; what the page makes of the address is opened at once again, after another trace was chosen too."""
        _, known, lists = self.open_with("", lambda page: page)
        self.assertEqual(([], []), (known, lists))
        first = traces()[0]["name"]
        self.assertTrue(self.page.url.startswith(f"{ADDRESS}/?trace={first}#v=1&trace={first}&"), self.page.url)
        other = next(entry["name"] for entry in traces() if entry["name"] not in (first, "hostile"))
        self.page.select_option("select[aria-label=Trace]", other)
        self.rest()
        address, expected = self.page.url, self.picture()
        self.assertTrue(address.startswith(f"{ADDRESS}/?trace={other}#v=1&trace={other}&"), address)
        self.requests.clear()
        self.page.reload()
        self.page.wait_for_selector(".app")
        self.rest()
        self.assertEqual((address, expected, []), (self.page.url, self.picture(), self.known()))

    def test_states_that_take_long(self):
        """What else belongs to the picture is asked for after a while though the states are not there, and nothing of it is lost."""
        entries = {entry["name"]: entry["rows"] for entry in traces()}
        if not entries[self.trace]["links"] + entries[self.trace]["variables"] + entries[self.trace]["events"]:
            self.skipTest("nothing but states")
        self.open(trace=self.trace)
        expected, all_asked = self.picture(), sorted(sql for sql in self.queries() if "findings(" not in sql)
        held = []
        self.page.route("**/sql?*", lambda route: self.hold(route, held))
        before = len(self.queries())
        self.page.goto("about:blank")
        self.page.goto(f"{ADDRESS}/?trace={self.trace}#v=1&trace={self.trace}")
        while not any(text in sql for sql in self.queries()[before:] for text in LATER):
            self.page.evaluate("() => new Promise((go) => requestAnimationFrame(go))")
        self.assertEqual(1, len(held))
        for route in held:
            route.continue_()
        self.rest()
        self.assertEqual(expected, self.picture())
        self.assertEqual(all_asked, sorted(sql for sql in self.queries()[before:] if "findings(" not in sql))
        self.page.unroute_all(behavior="ignoreErrors")

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
        self.page.goto(f"{ADDRESS}/?trace={self.trace}#v=1&trace={self.trace}&o=sight%3D1")
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
        self.page.goto(f"{ADDRESS}/?trace={self.trace}#v=1&trace={self.trace}&o=sight%3D1")
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
