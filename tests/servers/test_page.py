"""The page and what it asks, as browsers and `ocellus open` do it."""
import base64
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import urllib.parse

from place import OCELLUS, PATIENCE, ROOT, TRACE, Server, WithStore, ocellus, wait_for

PASSWORD = "correct horse"
TOKEN = "0123456789abcdef"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
OWN = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}


def ask(port, method, path, body=None, headers={}):
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


class Page(WithStore):
    def test_the_page_loads_its_own_files_only(self):
        with Server(self.store, protocols=("http",)) as server:
            port = server.ports["http"]
            status, headers, body = ask(port, "GET", "/")
            self.assertEqual(status, 200)
            text, policy = body.decode(), headers["content-security-policy"]
            nonce = re.search(r"'nonce-([^']+)'", policy)[1]
            for script in re.findall(r"<script[^>]*>", text):
                self.assertIn(f'nonce="{nonce}"', script)
                self.assertIn("src=", script, "no script within the page")
            self.assertNotRegex(text, r"\son\w+=|\sstyle=|<style")
            loaded = re.findall(r'(?:src|href)="([^"]*)"', text)
            files = [address for address in loaded if not address.startswith("data:")]
            self.assertTrue(files)
            for address in files:
                self.assertRegex(address, r"^/assets/[0-9a-f]{16}/[\w.-]+$")
                status, headers, plain = ask(port, "GET", address)
                self.assertEqual((status, headers["cache-control"]), (200, "public, max-age=31536000, immutable"))
                self.assertIn(headers["content-type"].split(";")[0], ("text/javascript", "text/css"))
                with open(os.path.join(ROOT, "src/server/page/dist", address.rsplit("/", 1)[1]), "rb") as file:
                    self.assertEqual(plain, file.read())
                self.assertEqual(ask(port, "GET", address, headers={"If-None-Match": headers["etag"]})[0], 304)

    def test_other_sites_cannot_ask(self):
        with Server(self.store, "--accept-uploads", "1MB", protocols=("http",)) as server:
            port = server.ports["http"]
            image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
            link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
            paths = ("/traces", "/functions", "/server", "/queries/abcdefgh", "/complete?sql=x", "/draw/timeline", "/metrics", "/openapi.json")
            for headers in (image, link, {**image, "Sec-Fetch-Site": "same-site"}, {"Origin": "http://evil.example"}):
                for path in paths:
                    self.assertEqual(ask(port, "GET", path, headers=headers)[0], 403, path)
                self.assertEqual(ask(port, "POST", "/sql", "SELECT 1", headers)[0], 403)
                self.assertEqual(ask(port, "POST", "/import?name=evil", "x", headers)[0], 403)
            self.assertEqual(ask(port, "GET", "/", headers=link)[0], 200)
            self.assertEqual(ask(port, "GET", "/", headers=image)[0], 403)
            self.assertEqual(ask(port, "POST", "/sql", "SELECT 1", OWN)[0], 200)

    def test_completions_pictures_and_progress(self):
        with Server(self.store, protocols=("http",)) as server:
            port = server.ports["http"]
            text = "SELECT * FROM flat_pro"
            path = "/complete?" + urllib.parse.urlencode({"sql": text, "trace": "quickstart"})
            self.assertEqual(json.loads(ask(port, "GET", path)[2]), {"start": 14, "candidates": ["flat_profile"]})
            drawn = os.path.join(self.folder.name, "drawn.svg")
            ocellus("draw", self.store, "timeline", "--trace", "quickstart", "--width", "640", "-o", drawn)
            with open(drawn, "rb") as file:
                self.assertEqual(ask(port, "GET", "/draw/timeline?trace=quickstart&width=640")[2], file.read())
            name, seen = "a-long-query", []
            sql = "SELECT sum(a.value * b.value) FROM range(0, 1000000) AS a, range(0, 1000000) AS b"
            query = threading.Thread(target=lambda: seen.append(ask(port, "POST", "/sql", sql, {"X-Ocellus-Query": name})))
            query.start()
            progress = lambda: ask(port, "GET", f"/queries/{name}")
            wait_for(lambda: progress()[0] == 200 and json.loads(progress()[2])["rows_scanned"] > 0, "the query runs")
            self.assertEqual(ask(port, "DELETE", f"/queries/{name}")[0], 204)
            query.join(PATIENCE)
            self.assertEqual((seen[0][0], json.loads(seen[0][2])["kind"]), (503, "cancelled"))
            wait_for(lambda: server.running() == 0, "the slot is free")

    def test_a_form_logs_in(self):
        with tempfile.TemporaryDirectory() as folder:
            users, tokens = os.path.join(folder, "users"), os.path.join(folder, "tokens")
            for path, line in ((users, f"reader:{PASSWORD}"), (tokens, TOKEN)):
                with open(path, "w") as file:
                    file.write(line + "\n")
            with Server(self.store, "--users", users, "--tokens", tokens, protocols=("http",), token=TOKEN) as server:
                port = server.ports["http"]
                status, _, body = ask(port, "GET", f"/?trace={TRACE}")
                self.assertEqual((status, TRACE.encode() in body, b"<template" in body), (200, False, False), "no data before the login")
                status, headers, _ = ask(port, "GET", "/traces", headers=OWN)
                self.assertEqual((status, headers["www-authenticate"]), (401, "Bearer"))
                wrong = urllib.parse.urlencode({"name": "reader", "password": "wrong horse"})
                for _ in range(3):
                    status, headers, body = ask(port, "POST", "/login", wrong, FORM)
                    self.assertEqual((status, "set-cookie" in headers), (401, False))
                    self.assertIn(b"<form", body)
                right = urllib.parse.urlencode({"name": "reader", "password": PASSWORD, "next": "/#here"})
                status, headers, _ = ask(port, "POST", "/login", right, FORM)
                self.assertEqual((status, headers["location"]), (303, "/#here"))
                cookie = headers["set-cookie"]
                self.assertIn("HttpOnly; SameSite=Strict", cookie)
                logged_in = {"Cookie": cookie.split(";")[0], **OWN}
                self.assertEqual(ask(port, "POST", "/sql", "SELECT 1", logged_in)[0], 200)
                self.assertIn(b"<template", ask(port, "GET", f"/?trace={TRACE}", headers={"Cookie": logged_in["Cookie"]})[2])
                self.assertEqual(json.loads(ask(port, "GET", "/server", headers=logged_in)[2])["login"], {"required": True, "user": "reader"})
                self.assertEqual(ask(port, "POST", "/sql", "SELECT 1", {**logged_in, "Sec-Fetch-Site": "cross-site"})[0], 403)
                self.assertIn("Max-Age=0", ask(port, "POST", "/logout", "", logged_in)[1]["set-cookie"])
                # Guesses by the form and by headers queue up together.
                basic = {"Authorization": "Basic " + base64.b64encode(b"reader:wrong horse").decode()}
                guesses = [threading.Thread(target=ask, args=(port, "POST", "/sql", "SELECT 1", basic)) for _ in range(8)]
                [guess.start() for guess in guesses]
                [guess.join(PATIENCE) for guess in guesses]
                refused = lambda: [ask(port, "POST", "/login", wrong, FORM)[2].decode()]
                found = []
                crowd = [threading.Thread(target=lambda: found.extend(refused())) for _ in range(40)]
                [one.start() for one in crowd]
                [one.join(PATIENCE) for one in crowd]
                self.assertTrue(any("too many wrong logins" in text for text in found))
                self.assertNotIn(PASSWORD, "\n".join(server.said))

    def test_a_page_of_a_folder_is_for_this_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            serve = lambda *options: subprocess.run([OCELLUS, "serve", self.store, *options], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(serve("--http", "127.0.0.1:0", "--page", folder).returncode, 1, "there is no index.html")
            with open(os.path.join(folder, "index.html"), "w") as file:
                file.write("my page __NONCE__")
            refused = serve("--http", "0.0.0.0:0", "--insecure", "--page", folder)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            with Server(self.store, "--page", folder, protocols=("http",)) as server:
                self.assertRegex(ask(server.ports["http"], "GET", "/")[2].decode(), r"^my page [\w-]{20,}$")

    def test_dropped_traces_are_imported_where_allowed(self):
        with open(os.path.join(ROOT, "traces/nested.trace"), "rb") as file:
            trace = file.read()
        with Server(self.store, protocols=("http",)) as server:
            self.assertEqual(ask(server.ports["http"], "POST", "/import?name=dropped", trace)[0], 403)
        with Server(self.store, "--accept-uploads", "64KiB", protocols=("http",)) as server:
            port = server.ports["http"]
            self.assertEqual(ask(port, "POST", "/import?name=dropped", b"x" * (64 << 10) + b"x")[0], 413)
            status, _, body = ask(port, "POST", "/import?name=dropped", trace)
            self.assertEqual((status, json.loads(body)["trace"]), (201, "dropped"), body)
            same = "SELECT (SELECT count(*) FROM dropped.states) = (SELECT count(*) FROM nested.states) AS same"
            self.assertEqual(json.loads(ask(port, "POST", "/sql", same)[2]), [{"same": True}])
            self.assertEqual(ask(port, "POST", "/import?name=dropped", trace)[0], 409)
        ocellus("drop", self.store, "dropped")


class Open(WithStore):
    def run_open(self, *arguments, environment={}):
        """The address that `ocellus open` prints, and the process."""
        cache = os.path.join(self.folder.name, "cache")
        process = subprocess.Popen(
            [OCELLUS, "open", *arguments], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OCELLUS_CACHE": cache, **environment},
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", process.stdout.readline())
        self.assertTrue(found)
        return int(found[1]), process

    def traces(self, port):
        return [trace["name"] for trace in json.loads(ask(port, "GET", "/traces")[2])]

    def test_traces_and_stores_are_opened(self):
        trace = os.path.join(ROOT, "traces/quickstart.trace")
        twin = os.path.join(self.folder.name, "quickstart.trace")
        with open(trace) as source, open(twin, "w") as copy:
            copy.write(source.read())
        for sources, names in (
            ([trace], ["quickstart"]), ([trace, twin, os.path.join(ROOT, "traces/nested.trace")], ["nested", "quickstart", "quickstart_2"]),
        ):
            port, process = self.run_open(*sources, "--no-browser")
            self.assertEqual(self.traces(port), names)
            self.assertEqual(ask(port, "GET", "/")[0], 200)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0)
        port, _ = self.run_open(self.store, "--no-browser")
        self.assertIn("quickstart", self.traces(port))
        both = subprocess.run([OCELLUS, "open", self.store, trace, "--no-browser"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((both.returncode, "opened alone" in both.stderr), (2, True), both.stderr)

    def test_the_browser_gets_the_address(self):
        programs = os.path.join(self.folder.name, "programs")
        os.makedirs(programs)
        opened = os.path.join(programs, "opened")
        with open(os.path.join(programs, "xdg-open"), "w") as script:
            script.write(f'#!/bin/sh\nprintf %s "$1" > "{opened}.new" && mv "{opened}.new" "{opened}"\n')
        os.chmod(script.name, 0o755)
        screen = {"DISPLAY": ":99", "PATH": f"{programs}:{os.environ['PATH']}"}
        port, _ = self.run_open(self.store, environment=screen)
        wait_for(lambda: os.path.exists(opened), "the browser is started")
        with open(opened) as file:
            self.assertEqual(file.read(), f"http://127.0.0.1:{port}/")
