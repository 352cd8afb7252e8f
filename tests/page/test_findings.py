"""Findings: listed beside the first picture without delaying it, ranked in a view of their own; a click goes to one."""

import contextlib
import json
import unittest
import urllib.parse

from playwright.sync_api import Error

from browser import BrowserTest, rows, traces

# Six processes, of which p4 takes longer for the same work for a while.
TRACE = "slow_worker"
FINDINGS = "SELECT rank, title, severity, container_id, container, start_time, end_time, involved, evidence FROM findings() ORDER BY rank"


class Findings(BrowserTest):
    def state(self):
        return urllib.parse.parse_qs(self.hash()[1:])

    def lines(self):
        """The rows of the view: title and container."""
        return self.page.evaluate(
            "() => [...document.querySelectorAll('table.findings tbody tr')].map(line =>"
            " ({title: line.querySelector('.title').textContent, container: line.querySelector('.where').textContent}))"
        )

    def asked(self):
        return [sql for sql in self.queries() if "findings(" in sql]

    def test_the_view_shows_what_was_found(self):
        found = rows(FINDINGS, TRACE)
        self.assertEqual("p4", found[0]["container"], "the planted cause")
        self.open(trace=TRACE, view="findings")
        self.assertEqual([{"title": row["title"], "container": row["container"] or "all"} for row in found], self.lines())

    def test_the_list_asks_after_the_first_picture(self):
        answered = []
        self.page.on("requestfinished", lambda request: answered.append(request))
        self.open(trace=TRACE)
        self.page.wait_for_selector(".finding-list .finding")
        self.assertEqual(1, len(self.asked()))
        sent = [request.post_data or "" for request in self.requests if "/sql?" in request.url]
        self.assertIn("findings(", sent[-1], "what the first picture needs is asked before")
        last = next(request for request in self.requests if "findings(" in (request.post_data or ""))
        begins = last.timing["startTime"]
        others = [request for request in answered if "/sql?" in request.url and request is not last]
        # What must be known of the trace came with the page.
        self.assertGreaterEqual(len(others), 2)
        for request in others:
            self.assertLessEqual(request.timing["startTime"] + request.timing["responseStart"], begins, request.post_data)

    def check_at(self, finding):
        """The page is at a finding: its time, containers and values are selected, and the window holds its time."""
        state = self.state()
        self.assertEqual([str(finding["container_id"])], state["sc"])
        self.assertEqual([finding["involved"]], state["sv"])
        start, stop = (float(part) for part in state["st"][0].split(","))
        self.assertEqual((finding["start_time"], finding["end_time"]), (start, stop))
        begin, end = (float(part) for part in state["t"][0].split(","))
        self.assertLess(begin, start)
        self.assertGreater(end, stop)

    def test_a_click_goes_there_and_back_undoes_it(self):
        finding = rows(FINDINGS, TRACE)[0]
        self.open(trace=TRACE, view="findings")
        before = self.hash()
        self.page.click("table.findings .finding >> nth=0")
        self.await_hash("hash.includes('view=timeline')")
        self.check_at(finding)
        self.assertEqual("true", self.page.get_attribute(".finding-list .finding", "aria-current"))
        profile = [sql for sql in self.opened("profile") if "state_slices" in sql]
        self.assertTrue(all(f"start => {finding['start_time']:g}" in sql for sql in profile), profile)
        self.page.go_back()
        self.page.go_back()
        self.await_hash("hash === given", before)
        self.assertEqual("false", self.page.get_attribute("table.findings .finding", "aria-current"))

    def opened(self, view):
        """What is asked when a view is opened."""
        before = len(self.queries())
        self.page.click(f"[data-tab={view}]")
        self.rest()
        return self.queries()[before:]

    def test_the_list_goes_there_in_the_view_that_is_shown(self):
        self.open(trace=TRACE, view="profile")
        self.page.click(".finding-list .finding")
        self.await_hash("hash.includes('sc=')")
        self.check_at(rows(FINDINGS, TRACE)[0])
        self.assertEqual(["profile"], self.state()["view"])

    def test_a_container_in_a_closed_one_gets_its_row(self):
        finding = rows(FINDINGS, TRACE)[0]
        parent = rows(f"SELECT parent_id FROM containers WHERE container_id = {finding['container_id']}", TRACE)[0]["parent_id"]
        self.open(trace=TRACE, x="")
        self.assertNotIn("p4", {row["name"] for row in self.labels()})
        self.page.click(".finding-list .finding")
        self.await_hash("hash.includes('sc=')")
        self.assertEqual([str(parent)], self.state()["x"])
        self.assertIn("p4", {row["name"] for row in self.labels()})

    def test_a_link_marks_the_finding(self):
        self.open(trace=TRACE, view="findings", side="timeline")
        self.page.click("table.findings .finding >> nth=0")
        self.await_hash("hash.includes('sc=')")
        address = self.page.url
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector("table.findings")
        self.rest()
        self.assertEqual("true", self.page.get_attribute("table.findings .finding", "aria-current"))
        self.assertEqual(address, self.page.url)

    def test_list_and_view_ask_once(self):
        self.open(trace=TRACE)
        self.page.wait_for_selector(".finding-list .finding")
        self.page.click("text=All >> nth=0")
        self.page.wait_for_selector("table.findings")
        self.assertTrue(self.page.is_hidden(".finding-list"))
        self.assertEqual(1, len(self.asked()))

    def test_the_evidence_is_a_query(self):
        evidence = rows(FINDINGS, TRACE)[0]["evidence"]
        self.open(trace=TRACE, view="findings")
        self.page.click("[aria-label='Evidence of finding 1']")
        self.page.wait_for_selector(".cm-content")
        self.assertEqual([evidence], self.state()["sql"])
        self.assertFalse(any(sql.startswith(evidence) for sql in self.queries()))
        self.page.click("button.primary")
        self.page.wait_for_selector("[role=cell]")
        self.assertEqual(str(len(rows(evidence, TRACE)) + 1), self.page.get_attribute(".results .grid", "aria-rowcount"))

    def test_shown_sql_gives_the_same(self):
        self.open(trace=TRACE, view="findings")
        self.page.click("text=Show SQL >> nth=0")
        shown = self.page.inner_text("dialog pre")
        self.assertEqual([row["title"] for row in rows(shown, TRACE)], [line["title"] for line in self.lines()])

    def test_one_window_only(self):
        span = rows("SELECT start_time, end_time FROM trace_info", TRACE)[0]
        middle = (span["start_time"] + span["end_time"]) / 2
        self.open(trace=TRACE, view="findings", t=f"{span['start_time']!r},{middle!r}")
        self.page.click("text=Look at this window only")
        self.await_hash("hash.includes('findings')")
        self.rest()
        expected = rows(f"SELECT title FROM findings(start => {span['start_time']!r}, stop => {middle!r}) ORDER BY rank", TRACE)
        self.assertNotEqual([], expected)
        self.assertEqual([row["title"] for row in expected], [line["title"] for line in self.lines()])
        asked = len(self.asked())
        self.page.keyboard.press("w")
        self.await_hash("!hash.includes(given)", f"{middle!r}&")
        self.assertEqual(asked, len(self.asked()), "a zoom asks nothing of findings")

    def test_nothing_found_says_so(self):
        calm = [entry["name"] for entry in traces() if not rows(FINDINGS, entry["name"])]
        self.assertNotEqual([], calm)
        self.open(trace=calm[0], view="findings")
        self.assertRegex(self.page.inner_text(".view .message"), "Nothing stands out|has no states")
        self.assertEqual(0, self.page.locator("table.findings").count())
        self.open(trace=calm[0])
        self.assertIn("Nothing", self.page.inner_text(".finding-list"))

    def test_an_error_stays_in_its_place(self):
        self.page.route("**/sql?*", lambda route: route.fulfill(status=500, body=json.dumps({"message": "planted", "code": "XX000", "kind": "internal"})) if "findings(" in (route.request.post_data or "") else route.continue_())
        self.open(trace=TRACE)
        self.assertIn("planted", self.page.inner_text(".finding-list"))
        self.assertEqual(0, self.page.locator(".view .message.error").count())
        self.page.click("[data-tab=findings]")
        self.page.wait_for_selector(".view .message.error")
        self.page.unroute_all(behavior="wait")
        self.page.click("text=Try again")
        self.page.wait_for_selector("table.findings")

    def test_leaving_takes_the_question_back(self):
        self.open(trace=TRACE)
        held = []
        self.page.route("**/sql?*", lambda route: held.append(route))
        with self.page.expect_request(lambda request: "findings(start => 0" in (request.post_data or "")):
            self.page.evaluate("() => { location.hash = location.hash.replace('view=timeline', 'view=findings') + '&o=findings%3D0%2C5'; }")
        with self.page.expect_event("requestfailed", lambda request: "findings(" in (request.post_data or "")):
            self.page.click("[data-tab=diagnostics]")
        for route in held:
            # Some are gone already.
            with contextlib.suppress(Error):
                route.abort()
        self.page.unroute_all(behavior="ignoreErrors")

    def test_by_keyboard_alone(self):
        self.assertGreaterEqual(len(rows(FINDINGS, "quickstart")), 2)
        self.open(trace="quickstart", view="timeline")
        press = self.page.keyboard.press
        press("1")
        self.await_hash("hash.includes('view=findings')")
        self.page.wait_for_selector("table.findings")
        self.page.focus("table.findings .finding >> nth=0")
        press("ArrowDown")
        focused = "() => [...document.querySelectorAll('table.findings .finding')].indexOf(document.activeElement)"
        self.assertEqual(1, self.page.evaluate(focused))
        press("ArrowUp")
        self.assertEqual(0, self.page.evaluate(focused))
        press("Enter")
        self.await_hash("hash.includes('view=timeline')")
        self.assertIn("Went to finding 1", self.page.inner_text("#live"))


if __name__ == "__main__":
    unittest.main()
