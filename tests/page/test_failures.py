"""Answers that fail: the picture says so, asks no more by itself, and asks again when the user wants it."""

import json
import unittest
import urllib.parse

from browser import ADDRESS, IS_PAGE, BrowserTest, trace_with, traces, without_answers

PLANTED = json.dumps({"message": "planted", "code": "XX000", "kind": "internal"})
MESSAGE = ".view[data-view=timeline] .message.error"


class Failures(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def fail(self, text):
        """From now on, questions with a text fail."""
        self.page.route("**/sql?*", lambda route: route.fulfill(status=500, body=PLANTED) if text in (route.request.post_data or "") else route.continue_())

    def recover(self):
        self.page.unroute_all(behavior="ignoreErrors")

    def pictures(self):
        return [sql for sql in self.queries() if "timeline(" in sql]

    def picture(self):
        return self.page.evaluate("() => document.querySelector('.timeline canvas.plot').toDataURL()")

    def check_failing(self, **state):
        self.open(trace=self.trace, **state)
        expected = self.picture()
        for height in (800, 805, 500):
            with self.subTest(height=height, state=state):
                self.fail("timeline(")
                self.page.set_viewport_size({"width": 1280, "height": 800})
                self.open(trace=self.trace, **state)
                self.assertIn("planted", self.page.inner_text(MESSAGE))
                before = len(self.pictures())
                self.page.set_viewport_size({"width": 1280, "height": height})
                self.rest()
                self.page.click("text=Links")
                self.page.click("text=Links")
                self.rest()
                # Rows that are as high as before are not asked for again; those of a much lower room may be, once.
                self.assertLessEqual(len(self.pictures()) - before, 0 if height >= 800 else 2)
                self.assertIn("planted", self.page.inner_text(MESSAGE))
                self.page.set_viewport_size({"width": 1280, "height": 800})
                self.rest()
                self.recover()
                self.page.click("text=Try again")
                self.rest()
                self.assertEqual(0, self.page.locator(MESSAGE).count())
                self.assertEqual(0, self.page.locator(".failed").count())
                self.assertEqual(expected, self.picture())

    def test_a_picture_that_fails_is_asked_for_again_by_the_user_alone(self):
        self.check_failing(o="wide=0")

    def test_wide_columns_that_fail(self):
        self.check_failing(o="wide=1")

    def test_other_layers(self):
        for table, text in (("variables", "variable_slices("), ("events", "event_slices("), ("links", "FROM links")):
            trace = trace_with(table)
            if trace is None:
                continue
            with self.subTest(layer=table):
                self.open(trace=trace)
                expected = self.picture()
                if not any(text in sql for sql in self.queries()):
                    continue
                self.fail(text)
                self.open(trace=trace)
                self.assertIn("planted", self.page.inner_text(MESSAGE))
                self.recover()
                self.page.click("text=Try again")
                self.rest()
                self.assertEqual(0, self.page.locator(MESSAGE).count())
                self.assertEqual(expected, self.picture())

    def test_the_strip_is_asked_for_again(self):
        strip = "() => document.querySelector('.strip canvas').toDataURL()"
        self.open(trace=self.trace)
        expected = self.page.evaluate(strip)
        self.fail("state_slices(state_segments, slices => 400")
        self.open(trace=self.trace)
        if not any("state_slices(state_segments, slices => 400" in sql for sql in self.queries()):
            self.skipTest("the strip is asked for otherwise")
        self.assertNotEqual(expected, self.page.evaluate(strip))
        self.recover()
        self.page.keyboard.press("f")
        self.page.click("text=Links")
        self.rest()
        self.assertEqual(expected, self.page.evaluate(strip))

    def test_another_trace_in_another_view(self):
        """A trace that is chosen while the timeline is hidden has nothing of the one before."""
        others = [entry["name"] for entry in traces() if entry["rows"]["states"] > 0 and entry["name"] != self.trace]
        if not others:
            self.skipTest("one trace with states")
        for other in others:
            self.open(trace=other)
            expected = self.picture()
            self.open(trace=self.trace)
            self.page.click("[data-tab=profile]")
            self.rest()
            self.page.select_option("select[aria-label=Trace]", other)
            self.rest()
            self.page.click("[data-tab=timeline]")
            self.rest()
            self.assertEqual(expected, self.picture(), other)


class Refused(BrowserTest):
    def test_who_must_log_in_gets_the_form(self):
        """With and without a trace in the address."""
        for fragment in ("", "#v=1&trace=a"):
            with self.subTest(fragment=fragment):
                page = self.page = self.context.new_page()
                seen = []
                page.route("**/login?*", lambda route: (seen.append(route.request.url), route.fulfill(status=200, content_type="text/html", body="<p>a form</p>")))
                page.route("**/traces", lambda route: route.fulfill(status=401, body=PLANTED))
                page.route("**/sql?*", lambda route: route.fulfill(status=401, body=PLANTED))
                # Who may not read gets the page without answers; this server is open.
                page.route(IS_PAGE, lambda route: route.fulfill(response=(response := route.fetch()), body=without_answers(response.text())))
                page.goto("about:blank")
                page.goto(f"{ADDRESS}/{fragment}")
                page.wait_for_selector("text=a form")
                self.assertEqual({"/" + fragment}, {urllib.parse.parse_qs(urllib.parse.urlparse(url).query)["next"][0] for url in seen})


if __name__ == "__main__":
    unittest.main()
