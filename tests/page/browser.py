"""The browser of the page's tests: a chromium without a window, a page of the server, and what both agree on.

In: OCELLUS_PAGE, the address of a server that serves the page, and OCELLUS_CHROMIUM, the program (/usr/bin/chromium when not
given). The tests start no server. Out: Page, which opens addresses, waits until the page rests, and reads its pixels; and
`rows`, which asks the server without the page.
"""

import atexit
import functools
import json
import os
import re
import unittest
import urllib.parse
import urllib.request

from playwright.sync_api import sync_playwright

ADDRESS = os.environ.get("OCELLUS_PAGE", "").rstrip("/")
# The page itself, with or without a trace in its address; browsers ask without the fragment.
IS_PAGE = re.compile(re.escape(ADDRESS) + r"/(\?.*)?(#.*)?$")
CHROMIUM = os.environ.get("OCELLUS_CHROMIUM", "/usr/bin/chromium")
# Milliseconds that anything may take on a busy machine.
PATIENCE = 120_000
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

REST = """async (patience) => {
  const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  const end = performance.now() + patience;
  for (let calm = 0; calm < 4; ) {
    await frame();
    calm = document.documentElement.hasAttribute('data-busy') || document.querySelector('.refining') ? 0 : calm + 1;
    if (performance.now() > end) throw new Error('the page does not come to rest');
  }
}"""


def rows(sql, trace):
    """The rows of a query, as dictionaries, asked without the page."""
    request = urllib.request.Request(
        f"{ADDRESS}/sql?trace={urllib.parse.quote(trace)}", data=sql.encode(), headers={"accept": "application/json", "content-type": "text/plain"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def traces():
    """The traces of the server, as it lists them."""
    with urllib.request.urlopen(f"{ADDRESS}/traces") as answer:
        return json.load(answer)


def trace_with(table, most_containers=60):
    """The trace with most rows of a table among those with few containers; None when no trace has any."""
    fitting = [entry for entry in traces() if entry["rows"].get(table, 0) > 0 and entry["rows"]["containers"] <= most_containers]
    fitting.sort(key=lambda entry: (entry["name"] == "hostile", -entry["rows"][table]))
    return fitting[0]["name"] if fitting else None


def without_answers(page):
    """The text of the page as it is sent to those who may not read."""
    page = re.sub(r"<template id=.answers.>.*</template>\n", "", page, flags=re.DOTALL)
    return re.sub(r'data-trace="\w*"', 'data-trace=""', page)


@functools.cache
def chromium():
    """The browser of all tests, until this program ends; each test has a context of its own."""
    driver = sync_playwright().start()
    atexit.register(driver.stop)
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    atexit.register(browser.close)
    return browser


@unittest.skipUnless(ADDRESS, "OCELLUS_PAGE is not set: the address of a server with the page")
class BrowserTest(unittest.TestCase):
    """A test with a fresh page; a message of the browser about the policy of content, or an error of a script, fails it."""

    scheme = "light"
    width = 1280

    def setUp(self):
        self.context = chromium().new_context(viewport={"width": self.width, "height": 800}, color_scheme=self.scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.faults, self.requests = [], []
        self.page.on("pageerror", lambda error: self.faults.append(f"error of a script: {error}"))
        self.page.on("console", self.heard)
        self.page.on("request", lambda request: self.requests.append(request))

    def heard(self, message):
        text = message.text
        if message.type == "error" and ("Content Security Policy" in text or "Trusted" in text):
            self.faults.append(f"against the policy: {text}")

    def tearDown(self):
        self.context.close()
        self.assertEqual([], self.faults)

    def open(self, **state):
        """Opens the page in a state: the parts of its address, which tells the server the trace as the page does."""
        self.page.goto("about:blank")
        told = "?" + urllib.parse.urlencode({"trace": state["trace"]}) if "trace" in state else ""
        parts = urllib.parse.urlencode({"v": "1", **state}, doseq=True)
        self.page.goto(f"{ADDRESS}/{told}#{parts}")
        self.page.wait_for_selector(".app")
        self.rest()

    def rest(self):
        """Waits until the page has nothing left to do: no gesture to settle, no question, no frame, for a few frames."""
        self.page.evaluate(REST, PATIENCE)

    def hash(self):
        return self.page.evaluate("() => location.hash")

    def await_hash(self, condition, given=None):
        """Waits until the address fits a condition of JavaScript on `hash`, then until the page rests."""
        self.page.wait_for_function(f"(given) => {{ const hash = location.hash; return {condition}; }}", arg=given)
        self.rest()

    def queries(self):
        """The queries that the page has sent so far."""
        return [request.post_data or "" for request in self.requests if urllib.parse.urlparse(request.url).path.endswith("/sql")]

    def plot(self):
        """Where the timeline is on the screen, and how many pixels it has."""
        return self.page.evaluate(
            "() => { const c = document.querySelector('.timeline canvas.plot'), b = c.getBoundingClientRect();"
            " return {left: b.left, top: b.top, width: c.width, height: c.height}; }"
        )

    def labels(self):
        """The rows of the timeline: name, top below the upper edge of the plot, and height."""
        return self.page.evaluate(
            "() => { const top = document.querySelector('.timeline canvas.plot').getBoundingClientRect().top;"
            " return [...document.querySelectorAll('.row-label')].map(e => { const b = e.getBoundingClientRect();"
            " return {name: e.querySelector('.name').textContent, top: Math.round(b.top - top), height: Math.round(b.height)}; }); }"
        )

    def column(self, x, top, height):
        """The colors of a column of pixels, from top to bottom."""
        data = self.page.evaluate(
            "([x, top, height]) => [...document.querySelector('.timeline canvas.plot').getContext('2d').getImageData(x, top, 1, height).data]",
            [x, top, height],
        )
        return [tuple(data[at : at + 3]) for at in range(0, len(data), 4)]

    def legend(self):
        """The color of each value, as the legend shows it."""
        found = self.page.evaluate(
            "() => [...document.querySelectorAll('.legend-item')].map(e =>"
            " [e.title, getComputedStyle(e.querySelector('.swatch')).backgroundColor])"
        )
        return {name: tuple(int(part) for part in color[4:-1].split(",")) for name, color in found}
