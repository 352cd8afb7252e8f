"""Who leaves a view cancels its question, in the browser and in the server."""

import re
import time
import unittest
import urllib.request

from browser import ADDRESS, PATIENCE, BrowserTest, trace_with

# Takes minutes, if nobody stops it.
LONG = "SELECT count(*) FROM generate_series(1, 3000000) AS a (x) JOIN generate_series(1, 3000000) AS b (y) ON (x * y) % 7 = 3"


def running():
    """How many queries the server says that it runs."""
    with urllib.request.urlopen(f"{ADDRESS}/metrics") as answer:
        return float(re.search(r"^ocellus_queries_running (\S+)$", answer.read().decode(), re.MULTILINE)[1])


class Cancel(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE / 1000
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            # The browser's events, such as requests that fail, are heard meanwhile.
            self.page.evaluate("() => new Promise((go) => requestAnimationFrame(go))")

    def test_leaving_sql_frees_the_server(self):
        self.open(trace=self.trace, view="sql", sql=LONG)
        self.page.wait_for_selector(".cm-content")
        self.page.click("button.primary")
        self.wait_until(lambda: running() == 1, "the query runs")
        self.page.click("[data-tab=diagnostics]")
        self.wait_until(lambda: running() == 0, "the query was stopped")

    def test_leaving_rows_of_sql_frees_the_server(self):
        """The same for a question that a picture asks."""
        self.open(trace=self.trace, rows=f"SELECT 0 AS container_id, 0.0 AS start_time, 1.0 AS end_time, ({LONG}) AS value")
        self.page.click("text=Run the SQL of this link")
        self.wait_until(lambda: running() >= 1, "the query runs")
        self.page.click("[data-tab=diagnostics]")
        self.wait_until(lambda: running() == 0, "the query was stopped")

    def test_leaving_takes_the_question_back(self):
        self.open(trace=self.trace)
        failed = []
        self.page.on("requestfailed", lambda request: failed.append(request.failure))
        held = []
        self.page.route("**/sql?*", lambda route: held.append(route))
        self.page.keyboard.press("w")
        self.wait_until(lambda: held, "the timeline asks")
        self.page.click("[data-tab=diagnostics]")
        self.wait_until(lambda: len(failed) >= 1, "the question is taken back")
        self.assertTrue(all("ABORTED" in failure for failure in failed), failed)
        self.page.unroute_all(behavior="ignoreErrors")


if __name__ == "__main__":
    unittest.main()
