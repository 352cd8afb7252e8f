#!/usr/bin/env python3
"""The page in a chromium: what it draws is checked first, then how long its main thread works, and how much it sends.

In: a built `ocellus` (target/release/ocellus, or OCELLUS) and `pip install -r tests/servers/requirements.txt`, with chromium
(OCELLUS_CHROMIUM; /usr/bin/chromium when not given). Out: a line per figure, with the aim of each. It ends with an error when
the page draws something wrong, not when it is slow: times are those of this machine.
"""
import argparse
import concurrent.futures
import contextlib
import gzip
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/servers"))
sys.path.insert(0, os.path.join(ROOT, "tests/page"))

from place import Server, ocellus  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

DIST = os.path.join(ROOT, "src/server/page/dist")
CHROMIUM = os.environ.get("OCELLUS_CHROMIUM", "/usr/bin/chromium")
ARROW = "application/vnd.apache.arrow.stream"
# How hard the server compresses answers.
LEVEL = 4

# The mark of the page when all that was asked for is drawn, and before it looks for findings.
CALM = "ocellus-calm"
# Its mark when states are seen for the first time: of a large trace in wide columns.
PICTURE = "ocellus-picture"
# Zooms after which most scripts are compiled; and bytes that a zoom may leave, for code that is compiled later: the texts of
# its statements have more.
WARM_ZOOMS = 300
MOST_GROWTH = 1000
# What the page must know of a trace before it asks for its picture: the server answers this with the page.
KNOWN_FIRST = [pathlib.Path(ROOT, f"sql/page/{name}.sql").read_text().strip() for name in ("trace", "containers", "series", "values")]
# How often each is measured, in turn.
ROUNDS = 7
# Milliseconds that a new window of the browser takes for itself: it has a page of its own to draw, which a user's has behind it.
WINDOW_STARTS = 2000
# Waits until the page has nothing to do for some frames.
REST = """async () => {
  const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  for (let calm = 0; calm < 4; ) {
    await frame();
    calm = document.documentElement.hasAttribute('data-busy') || document.querySelector('.refining') ? 0 : calm + 1;
  }
}"""
# Steps of a gesture, one per frame, by the page's own wheel listener; the milliseconds that listener and frame take in each.
GESTURE = """async (steps) => {
  const canvas = document.querySelector('.timeline canvas.plot'), box = canvas.getBoundingClientRect();
  const original = window.requestAnimationFrame.bind(window);
  let inFrame = 0;
  window.requestAnimationFrame = (work) => original((now) => { const begin = performance.now(); work(now); inFrame += performance.now() - begin; });
  const times = [];
  for (let step = 0; step < steps; step++) {
    inFrame = 0;
    const begin = performance.now();
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: step % 40 < 20 ? -60 : 60, clientX: box.left + box.width * (0.2 + 0.6 * (step % 7) / 7), clientY: box.top + 40, cancelable: true, bubbles: true }));
    const handled = performance.now() - begin;
    await new Promise((go) => original(() => setTimeout(go)));
    times.push(handled + inFrame);
  }
  window.requestAnimationFrame = original;
  return times;
}"""
# A page that gets the same answers with it as the explorer, or asks for these as well, then asks what that asks, in the same steps
# and with the same headers, and does nothing with the answers: what it takes is the time of server and browser, whatever the page.
BARE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bare</title><script nonce="__NONCE__">
const steps = %s;
const marks = %s;
const trace = new URLSearchParams(location.hash.slice(1)).get("trace");
const ask = async (sql) => {
  const answer = await fetch("sql?trace=" + trace, { method: "POST", body: sql, headers: { "content-type": "text/plain", accept: "%s", "x-ocellus-text": "dictionary" } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.arrayBuffer();
};
(async () => {
  await new Promise((go) => document.addEventListener("DOMContentLoaded", go));
  for (const [place, statements] of steps.entries()) {
    await Promise.all(statements.map(ask));
    if (marks[place]) performance.mark(marks[place]);
  }
})();
</script></head><body>bare
%s
</body></html>"""
# Of the statements that were asked until an instant, in their order: whether each was answered by then.
ASKED_UNTIL = """(end) => performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/sql?') && entry.startTime < end)
  .sort((one, other) => one.startTime - other.startTime).map((entry) => entry.responseEnd <= end)"""
# Milliseconds until an instant in which the page waits for an answer of the server, be it one that comes with the page.
ASKED = """(end) => {
  const asked = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/sql?'))];
  const waits = asked.map((entry) => [entry.startTime, Math.min(end, entry.responseEnd)]).sort((a, b) => a[0] - b[0]);
  let [sum, until] = [0, 0];
  for (const [from, to] of waits) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}"""
SLIDE = """async () => {
  const slider = document.querySelector('input[type=range]'), times = [];
  for (let at = 0; at <= Number(slider.max); at++) {
    slider.value = String(at);
    const begin = performance.now();
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    times.push(performance.now() - begin);
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  }
  return times;
}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=5_000_000, help="of the trace of the first picture")
    parser.add_argument("--large", type=int, default=0, help="events of a larger trace, such as 80000000, for the same first picture; 0 for none")
    parser.add_argument("--zooms", type=int, default=500)
    parser.add_argument("--only", choices=("gestures", "slider", "response", "first", "heap"), help="one part, after the check")
    parser.add_argument("--page", help="a folder whose page is measured instead of the one in the program")
    arguments = parser.parse_args()
    print_start_size(arguments.page or DIST)
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-page-") as folder:
        store = make_store(folder, arguments)
        options = ("--page", arguments.page) if arguments.page else ()
        with Server(store, *options, protocols=("http",)) as server, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu", "--js-flags=--expose-gc", "--enable-precise-memory-info"])
            bench = Bench(server, browser)
            bench.check("small")
            print("checked: the pixels of random windows are those of the times that plain SQL finds")
            parts = {
                "gestures": lambda: bench.gestures("rows"),
                "slider": lambda: bench.slider("small"),
                "response": lambda: bench.response("worst"),
                "first": lambda: first_pictures(bench, store, arguments),
                "heap": lambda: bench.heap("small", arguments.zooms),
            }
            for name, part in parts.items():
                if arguments.only in (None, name):
                    part()
            browser.close()


def first_pictures(bench, store, arguments):
    first = bench.first_picture("events", arguments.events, store)
    if arguments.large:
        larger = bench.first_picture("large", arguments.large, store)
        print(f"  {larger / first:.2f} times that of the smaller trace (aim: 1.5)")


def make_store(folder, arguments):
    store = os.path.join(folder, "store")
    wanted = {"small": (200_000, 16), "rows": (600_000, 200), "worst": (2_000_000, 64), "events": (arguments.events, 64)}
    if arguments.large:
        wanted["large"] = (arguments.large, 64)
    needed = {"gestures": {"rows"}, "response": {"worst"}, "first": {"events", "large"}}
    for name, (events, ranks) in wanted.items():
        if arguments.only and name not in {"small"} | needed.get(arguments.only, set()):
            continue
        path = os.path.join(folder, f"{name}.trace")
        ocellus("generate", "mpi", "--events", str(events), "--ranks", str(ranks), "-o", path)
        ocellus("import", path, "--store", store)
        os.remove(path)
    return store


def print_start_size(folder):
    """What a browser loads before the first picture: all files of the page but the editor, which only the view SQL needs."""
    sizes = {}
    for name in ("index.html", "begin.js", "app.css", "app.js"):
        with open(os.path.join(folder, name), "rb") as file:
            sizes[name] = len(gzip.compress(file.read(), 9))
    told = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
    print(f"start, compressed: {sum(sizes.values()) / 1000:.1f} kB (aim: 80): {told}")


def bare_page(steps, marks, answers):
    return BARE % (json.dumps(steps).replace("</", "<\\/"), json.dumps(marks), ARROW, answers)


@contextlib.contextmanager
def serve_text(store, index):
    """A server whose page is a text."""
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-bare-") as folder:
        pathlib.Path(folder, "index.html").write_text(index)
        with Server(store, "--page", folder, protocols=("http",)) as server:
            yield server


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


class Bench:
    def __init__(self, server, browser):
        self.server, self.browser = server, browser
        self.address = server.url("").rstrip("/")

    def rows(self, sql, trace):
        request = urllib.request.Request(f"{self.address}/sql?trace={trace}", data=sql.encode(), headers={"accept": "application/json", "content-type": "text/plain"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def open(self, width, height, address=None, **state):
        context = self.browser.new_context(viewport={"width": width, "height": height})
        page = context.new_page()
        page.set_default_timeout(600_000)
        page.wait_for_timeout(WINDOW_STARTS)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request) if "/sql?" in request.url else None)
        # As the page itself writes its address.
        told = urllib.parse.urlencode({"trace": state["trace"]})
        page.goto(f"{address or self.address}/?{told}#{urllib.parse.urlencode({'v': 1, **state})}")
        # Asked now and then: frames of animation would take time from the picture.
        page.wait_for_function(f"() => performance.getEntriesByName('{CALM}').length > 0", polling=20)
        # Milliseconds since the browser began to load the page, and all that it asked until then.
        page.calm = page.evaluate(f"() => performance.getEntriesByName('{CALM}')[0].startTime")
        page.pictured = page.evaluate(f"() => (performance.getEntriesByName('{PICTURE}')[0] ?? {{ startTime: 0 }}).startTime")
        page.before_picture = self.answered(page, page.pictured)
        page.before_calm = self.answered(page, page.calm)
        page.evaluate(REST)
        return page

    def check(self, trace):
        """What the statements of the page say about random windows is what plain SQL says."""
        info = self.rows("SELECT start_time, end_time, ticks_per_second FROM trace_info", trace)[0]
        random.seed(1)
        for _ in range(5):
            length = (info["end_time"] - info["start_time"]) * 10 ** random.uniform(-2, 0)
            start = random.uniform(info["start_time"], info["end_time"] - length)
            page = self.open(1280, 800, trace=trace, t=f"{start!r},{start + length!r}", o="links=0")
            sql = next(request.post_data for request in page.asked if "timeline(" in request.post_data)
            page.context.close()
            self.check_pixels(sql, trace, info["ticks_per_second"])

    def check_pixels(self, sql, trace, ticks_per_second):
        """Every value of every column has as many pixels as its exact time asks for, give or take one; and all times add up to what plain SQL finds."""
        exact = sql.split("FROM (\n", 1)[1].rsplit("\n) AS rows", 1)[0]
        number = lambda name: float(exact.split(f"{name} => ")[1].split(",")[0].split(")")[0])  # noqa: E731
        height = number("height")
        rows = self.rows(f"SELECT * FROM ({exact}) AS exact WHERE level = 0", trace)
        painted = {(row["container_id"], row["type"], row["first_column"], row["value"]): row["pixels"] for row in self.rows(sql, trace) if row["level"] == 0}
        assert painted, sql
        for row in rows:
            found = painted.pop((row["container_id"], row["type"], row["first_column"], row["value"]), 0)
            assert abs(found - height * row["ticks"] / row["length"]) <= 1, row
        assert not painted, "pixels of values that no exact row has"
        begin, end = number("start"), number("stop")
        drawn = sum(row["ticks"] for row in rows) / ticks_per_second
        told = self.rows(f"SELECT sum(least(end_time, {end!r}) - greatest(start_time, {begin!r})) AS seconds FROM state_segments WHERE start_time < {end!r} AND end_time > {begin!r}", trace)[0]["seconds"]
        assert abs(told - drawn) <= 1e-6 * told, (told, drawn, sql)

    def gestures(self, trace):
        page = self.open(2080, 1200, trace=trace, o="links=0")
        seen = page.evaluate("() => [document.querySelectorAll('.row-label').length, document.querySelector('.timeline canvas.plot').width]")
        times = page.evaluate(GESTURE, 200)
        page.context.close()
        containers = self.rows("SELECT count(*) AS containers FROM containers", trace)[0]["containers"]
        print(f"gesture, {containers} containers, {seen[0]} labels in sight, {seen[1]} columns: p50 {quantile(times, 0.5):.1f} ms, p95 {quantile(times, 0.95):.1f} ms of scripts per frame (aim: 8)")

    def slider(self, trace):
        page = self.open(1600, 900, trace=trace, view="overview")
        times, asked = page.evaluate(SLIDE), len(page.asked)
        again = page.evaluate(SLIDE)
        assert len(page.asked) == asked, "a step of the slider asks the server"
        page.context.close()
        print(f"slider of p, {len(times)} levels: p50 {quantile(again, 0.5):.1f} ms, p95 {quantile(again, 0.95):.1f} ms, most {max(again):.1f} ms per step (aim: 16), no request")

    def response(self, trace):
        """The timeline of 64 rows and 1,600 columns, as the page asks for it, of a trace with many states in every column."""
        page = self.open(1600 + 190 + 264 + 17, 1200, trace=trace, o="links=0")
        # The rows in sight are asked for first, then all of them.
        sql = [request.post_data for request in page.asked if "timeline(" in request.post_data][-1]
        page.context.close()
        request = urllib.request.Request(f"{self.address}/sql?trace={trace}", data=sql.encode(), headers={"accept": ARROW, "content-type": "text/plain", "x-ocellus-text": "dictionary"})
        with urllib.request.urlopen(request) as answer:
            plain = answer.read()
        # The server compresses for other machines only, in this way.
        compressed = gzip.compress(plain, LEVEL)
        rows = self.rows(f"SELECT count(*) AS rows FROM ({sql}) AS drawn", trace)[0]["rows"]
        width = sql.split("width => ")[1].split(",")[0].split(")")[0]
        print(f"timeline of 64 ranks, {width} columns, {rows:,} rows: {len(compressed) / 1000:.0f} kB compressed, {len(plain) / 1000:.0f} kB as it is (aim: 600 kB)")

    @staticmethod
    def answered(page, until):
        """The statements that were answered until an instant."""
        return [request.post_data for request, is_answered in zip(page.asked, page.evaluate(ASKED_UNTIL, until)) if is_answered]

    def first_picture(self, trace, events, store):
        """From the request of the page until states are seen, and until all is drawn; what a bare page takes for the same answers; and what they take without a browser."""
        page = self.open(1280, 800, trace=trace, o="links=0")
        page.context.close()
        first, all_asked = page.before_picture, page.before_calm
        assert not set(KNOWN_FIRST) & set(all_asked), "what came with the page is asked"
        steps = [step for step in (first, [sql for sql in all_asked if sql not in first]) if step]
        marks = [PICTURE, CALM][: len(steps)]
        marks[-1] = CALM
        own, alone, unasked = [], [], []
        bare = {"handed": [], "asking": []}
        texts = {"handed": bare_page(steps, marks, "__ANSWERS__"), "asking": bare_page([KNOWN_FIRST, *steps], ["", *marks], "")}
        with contextlib.ExitStack() as stack:
            addresses = {name: stack.enter_context(serve_text(store, text)).url("").rstrip("/") for name, text in texts.items()}
            for _ in range(ROUNDS):
                page = self.open(1280, 800, trace=trace, o="links=0")
                own.append((page.pictured / 1000, page.calm / 1000))
                unasked.append((page.pictured - page.evaluate(ASKED, page.pictured)) / 1000)
                assert sorted(page.before_calm) == sorted(all_asked), "the same is asked each time"
                page.context.close()
                for name, address in addresses.items():
                    page = self.open(1280, 800, address, trace=trace)
                    bare[name].append(((page.pictured or page.calm) / 1000, page.calm / 1000))
                    known = [] if name == "handed" else KNOWN_FIRST
                    assert sorted(page.before_calm) == sorted(all_asked + known), "the bare page asks the same"
                    assert page.locator("template").count() == (name == "handed"), "answers come with the page"
                    page.context.close()
                begin, ends = time.perf_counter(), []
                for step in (KNOWN_FIRST, *steps):
                    self.answer(step, trace)
                    ends.append(time.perf_counter() - begin)
                alone.append((ends[1], ends[-1]))
        told = lambda times: f"best {min(times):.2f} s, median {statistics.median(times):.2f} s"  # noqa: E731
        for place, name in enumerate((f"first picture of {events:,} events", "  all of it, a column per pixel")):
            page, handed, asking, server = ([times[place] for times in found] for found in (own, bare["handed"], bare["asking"], alone))
            print(f"{name}: {told(page)}; a bare page with the same answers: {told(handed)}; one that asks for all of them: {told(asking)}; without a browser: {told(server)}")
            for empty, what in ((handed, "" if place else " (aims: 1.5, of which the page 0.2)"), (asking, ", compared with one that asks for all of them")):
                added = statistics.median(one - other for one, other in zip(page, empty))
                print(f"  the page adds {min(page) - min(empty):.2f} s, by the median of pairs {added:.2f} s{what}")
        print(f"  until the first picture, the page waits for no answer for {min(unasked):.2f} s")
        return min(seen for seen, _ in own)

    def answer(self, statements, trace):
        """Asks statements at once, as the page does, and waits for all answers."""

        def ask(sql):
            request = urllib.request.Request(f"{self.address}/sql?trace={trace}", data=sql.encode(), headers={"accept": ARROW, "content-type": "text/plain"})
            with urllib.request.urlopen(request) as answer:
                answer.read()

        with concurrent.futures.ThreadPoolExecutor(len(statements)) as pool:
            list(pool.map(ask, statements))

    def heap(self, trace, zooms):
        """What is left in the heap of scripts after zooms, when all garbage is collected."""
        page = self.open(1280, 800, trace=trace, o="links=0")
        session = page.context.new_cdp_session(page)

        def used():
            # What dies in one collection may free more in the next.
            for _ in range(3):
                session.send("HeapProfiler.collectGarbage")
            return session.send("Runtime.getHeapUsage")["usedSize"]

        def zoom(times):
            for step in range(times):
                page.keyboard.press("w" if step % 10 < 5 else "s")
                page.evaluate(REST)

        zoom(WARM_ZOOMS)
        before = used()
        zoom(zooms)
        after = used()
        page.context.close()
        print(f"heap after {zooms} zooms: {before / 1e6:.2f} MB before, {after / 1e6:.2f} MB after, {(after - before) / zooms / 1000:.2f} kB each (aim: none)")
        assert after - before <= zooms * MOST_GROWTH, "the heap grows with every zoom"


if __name__ == "__main__":
    main()
