"""The tools for assistants, by the official client of the protocol: both transports, both generations; and those who mean ill."""
import asyncio
import base64
import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
import urllib.error
import urllib.request

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from place import OCELLUS, PATIENCE, ROOT, TRACE, Server, WithStore, embedded, ocellus, wait_for
from test_security import REFUSED

# What a client asks for, and what is agreed on. The first is an older client, the last one finds out by itself.
GENERATIONS = {
    "2025-06-18": ("legacy", "2025-06-18"),
    "2025-11-25": ("legacy", "2025-11-25"),
    "2026-07-28": ("2026-07-28", "2026-07-28"),
    "auto": ("auto", "2026-07-28"),
}
TRANSPORTS = ("stdio", "http")
LONGEST_ANSWER, LONGEST_ERROR, MOST_CALLS, MOST_SESSIONS = 64 << 10, 4 << 10, 16, 128
# Runs until it is stopped.
ENDLESS = "SELECT sum(a.value * b.value) FROM generate_series(1, 1000000) AS a CROSS JOIN generate_series(1, 1000000) AS b"


def text(result):
    """The last text of a result."""
    return result.content[-1].text


def rows(result):
    """The rows of a result, which must be one: the same as a text and as a value."""
    assert not result.is_error, text(result)
    found = json.loads(text(result))
    assert result.structured_content == found, (result.structured_content, found)
    return found


def png_size(image):
    """Width and height of a PNG."""
    assert image[:8] == b"\x89PNG\r\n\x1a\n", image[:8]
    return struct.unpack(">II", image[16:24])


class WithClients(WithStore):
    """Clients of every kind over one store."""

    @contextlib.asynccontextmanager
    async def client(self, transport, generation, *options, server=None, headers=None, timeout=PATIENCE):
        mode, _ = GENERATIONS[generation]
        asked = generation if mode == "legacy" else "2025-11-25"
        async with contextlib.AsyncExitStack() as stack:
            # The client asks for the newest version that it knows; an older one knows less.
            stack.enter_context(unittest.mock.patch("mcp.client.session.LATEST_HANDSHAKE_VERSION", asked))
            if transport == "stdio":
                place = StdioServerParameters(command=OCELLUS, args=["mcp", self.store, *options])
            else:
                http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False))
                place = streamable_http_client(server.url("/mcp"), http_client=http)
            yield await stack.enter_async_context(Client(place, mode=mode, read_timeout_seconds=timeout, cache=None))

    def with_every_client(self, work, *options):
        """Runs some work with a client of each kind."""
        with Server(self.store, protocols=("http",)) as server:
            for transport in TRANSPORTS:
                for generation in GENERATIONS:
                    with self.subTest(transport=transport, generation=generation):
                        async def run():
                            async with self.client(transport, generation, *options, server=server) as client:
                                self.assertEqual(client.protocol_version, GENERATIONS[generation][1])
                                await work(client)

                        asyncio.run(asyncio.wait_for(run(), PATIENCE))


class Tools(WithClients):
    """What clients are answered."""

    def test_every_tool(self):
        exact = embedded(self.store, [
            "SELECT container, value, start_tick, duration FROM states ORDER BY start_tick, container, value, end_tick",
            "SELECT value, sum(exclusive_seconds) AS s FROM flat_profile GROUP BY type, value ORDER BY s DESC, type, value",
            "SELECT sum(seconds) AS s FROM critical_path()",
        ])

        async def work(client):
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertEqual(set(tools), {
                "list_traces", "describe", "query", "profile", "critical_path", "compare_runs", "draw", "diagnostics"})
            for tool in tools.values():
                self.assertTrue(tool.annotations.read_only_hint and not tool.annotations.destructive_hint, tool.name)
                self.assertEqual(tool.input_schema["additionalProperties"], False, tool.name)
                # A page and a picture are no values.
                self.assertEqual(tool.output_schema is None, tool.name in ("describe", "draw"), tool.name)
            listed = rows(await client.call_tool("list_traces", {}))
            self.assertFalse(listed["truncated"])
            self.assertEqual({trace["name"] for trace in listed["traces"]} & {TRACE, "big", "unicode"}, {TRACE, "big", "unicode"})
            await self.check_describe(client)
            sql = "SELECT container, value, start_tick, duration FROM states ORDER BY start_tick, container, value, end_tick"
            asked = rows(await client.call_tool("query", {"sql": sql, "trace": TRACE, "max_rows": 1000}))
            self.assertEqual(asked["rows"], [list(row.values()) for row in exact[0].to_pylist()])
            self.assertEqual(asked["columns"], exact[0].column_names)
            profile = rows(await client.call_tool("profile", {"trace": TRACE}))
            column = profile["columns"].index("exclusive_seconds")
            self.assertEqual([[row[1], row[column]] for row in profile["rows"]], [list(row.values()) for row in exact[1].to_pylist()])
            for by in ("container", "activity", "efficiency"):
                self.assertGreater(rows(await client.call_tool("profile", {"trace": TRACE, "by": by}))["row_count"], 0, by)
            path = rows(await client.call_tool("critical_path", {"trace": TRACE}))
            total = sum(row[path["columns"].index("seconds")] for row in path["rows"])
            self.assertAlmostEqual(total, exact[2]["s"][0].as_py(), places=6)
            window = rows(await client.call_tool("critical_path", {"trace": TRACE, "start": 1, "stop": 2.5}))
            self.assertAlmostEqual(sum(row[window["columns"].index("seconds")] for row in window["rows"]), 1.5, places=6)
            await self.check_comparison(client)
            drawn = await client.call_tool("draw", {"view": "timeline", "trace": TRACE, "width": 640, "height": 400})
            self.assertFalse(drawn.is_error, text(drawn))
            self.assertEqual((drawn.content[0].type, drawn.content[0].mime_type), ("image", "image/png"))
            # Images have twice as many pixels on each side, as those of `ocellus draw`.
            self.assertEqual(png_size(base64.b64decode(drawn.content[0].data)), (1280, 800))
            found = rows(await client.call_tool("diagnostics", {"trace": "unicode"}))
            self.assertEqual(found["columns"][:2], ["severity", "code"])

        self.with_every_client(work)

    async def check_describe(self, client):
        for name, words in {"states": "start_time", f"{TRACE}.links": "volume", "flat_profile": "exclusive_seconds",
                            "critical_path": "## Arguments"}.items():
            page = await client.call_tool("describe", {"name": name})
            self.assertFalse(page.is_error, text(page))
            self.assertIn(words, text(page), name)
        everything = text(await client.call_tool("describe", {}))
        for name in ("- states:", "- critical_path (table function):", "- flat_profile (view):"):
            self.assertIn(name, everything)

    async def check_comparison(self, client):
        """nested takes 11 seconds, 2 of them before the first state; nested_again takes 10, all of them in states."""
        answer = rows(await client.call_tool("compare_runs", {"baseline": "nested", "run": "nested_again"}))
        self.assertEqual(answer["runs"]["rows"], [["nested", "baseline", 11.0], ["nested_again", "run", 10.0]])
        columns = answer["differences"]["columns"]
        shown = ("value", "baseline_seconds", "run_seconds", "matched")
        found = [[row[columns.index(name)] for name in shown] for row in answer["differences"]["rows"]]
        self.assertEqual(found, [["middle", 8.0, 10.0, 2], ["inner", 4.0, 5.0, 2], ["outer", 4.0, 5.0, 2]])
        # Process 1 is in middle for 3 of 11 seconds and never in the other run, process 2 for 5 and always.
        difference = answer["differences"]["rows"][0][columns.index("difference")]
        self.assertAlmostEqual(difference, ((0 - 3 / 11) + (1 - 5 / 11)) / 2, places=9)
        same = rows(await client.call_tool("compare_runs", {"baseline": "nested", "run": "nested"}))
        self.assertEqual({row[same["differences"]["columns"].index("difference")] for row in same["differences"]["rows"]}, {0.0})

    def test_resources_and_prompts(self):
        async def work(client):
            self.assertIn("never instructions", client.instructions or "never instructions")
            resources = {str(resource.uri) for resource in (await client.list_resources()).resources}
            for address in ("ocellus://schemas/states", "ocellus://functions/critical_path", "ocellus://cookbook/load_imbalance"):
                self.assertIn(address, resources)
            self.assertEqual(len((await client.list_resource_templates()).resource_templates), 3)
            page = (await client.read_resource("ocellus://functions/critical_path")).contents[0]
            with open(os.path.join(ROOT, "sql/functions/critical_path.md"), encoding="utf-8") as file:
                self.assertEqual(page.text, file.read())
            recipe = (await client.read_resource("ocellus://cookbook/load_imbalance")).contents[0].text
            self.assertGreater(rows(await client.call_tool("query", {"sql": recipe, "trace": TRACE}))["row_count"], 0)
            with open(os.path.join(ROOT, "schemas/README.md"), encoding="utf-8") as file:
                self.assertEqual((await client.read_resource("ocellus://schemas")).contents[0].text, file.read())
            prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
            self.assertEqual(prompts, {"why_is_it_slow", "compare_two_runs"})
            slow = await client.get_prompt("why_is_it_slow", {"trace": "lu"})
            self.assertIn("`lu`", slow.messages[0].content.text)
            with self.assertRaises(MCPError):
                await client.get_prompt("compare_two_runs", {"baseline": "before"})
            for address in ("file:///etc/passwd", "ocellus://cookbook/../../README", "ocellus://none"):
                with self.assertRaises(MCPError):
                    await client.read_resource(address)
            with self.assertRaises(MCPError):
                await client.call_tool("shell", {"command": "id"})

        self.with_every_client(work)

    def test_every_view_is_drawn(self):
        async def run():
            async with self.client("stdio", "2026-07-28") as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                views = tools["draw"].input_schema["properties"]["view"]["enum"]
                self.assertEqual(len(views), 11)
                for view in views:
                    drawn = await client.call_tool("draw", {"view": view, "trace": TRACE if view != "phase" else "variables"})
                    self.assertFalse(drawn.is_error, f"{view}: {text(drawn)}")
                    self.assertGreater(png_size(base64.b64decode(drawn.content[0].data))[0], 100, view)

        asyncio.run(asyncio.wait_for(run(), PATIENCE))

    def test_a_chosen_trace_and_later_ones(self):
        """Names without a schema mean the chosen trace; a trace that is imported later is there with the next call."""
        store = os.path.join(self.folder.name, "growing")
        ocellus("import", os.path.join(ROOT, "traces/quickstart.trace"), "--store", store)

        async def run():
            place = StdioServerParameters(command=OCELLUS, args=["mcp", store, "--trace", TRACE])
            async with Client(place, read_timeout_seconds=PATIENCE, cache=None) as client:
                ocellus("import", os.path.join(ROOT, "traces/waiting.trace"), "--store", store)
                listed = rows(await client.call_tool("list_traces", {}))
                self.assertEqual([trace["name"] for trace in listed["traces"]], [TRACE, "waiting"])
                chosen = rows(await client.call_tool("query", {"sql": "SELECT name FROM trace_info"}))
                self.assertEqual(chosen["rows"], [[TRACE]])
                other = rows(await client.call_tool("query", {"sql": "SELECT name FROM trace_info", "trace": "waiting"}))
                self.assertEqual(other["rows"], [["waiting"]])

        asyncio.run(asyncio.wait_for(run(), PATIENCE))
        wrong = subprocess.run([OCELLUS, "mcp", store, "--trace", "quickstrat"], capture_output=True, stdin=subprocess.DEVNULL, text=True)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("did you mean quickstart", wrong.stderr)


class Limits(WithClients):
    """What is refused, cut or stopped."""

    def test_nothing_else_is_read_or_written(self):
        out = os.path.join(self.folder.name, "out")
        os.makedirs(out, exist_ok=True)
        secret = os.path.join(self.folder.name, "secret.csv")
        with open(secret, "w") as file:
            file.write("word\nxyzzy\n")
        manifest = os.path.join(self.store, "ocellus.json")
        with open(manifest) as file:
            before = file.read()

        async def work(client):
            for template in REFUSED:
                sql = template.format(folder=out, secret=secret)
                for tool, arguments in {"query": {"sql": sql, "trace": TRACE}, "describe": {"name": sql}}.items():
                    answer = await client.call_tool(tool, arguments)
                    self.assertTrue(answer.is_error, f"{tool}: {sql}: {text(answer)}")
                    self.assertNotIn("xyzzy", text(answer))
                    self.assertNotIn("internal", text(answer).lower(), sql)
            for tool, arguments in (
                ("query", {"sql": "SELECT 1", "trace": "../secret"}),
                ("query", {"sql": "SELECT 1; SELECT 2"}),
                ("query", {"sql": ""}),
                ("profile", {"trace": "'; DROP TABLE states; --"}),
                ("compare_runs", {"baseline": "x'); DROP TABLE states; --", "run": TRACE}),
                ("compare_runs", {"baseline": secret, "run": secret}),
                ("draw", {"view": "timeline", "trace": TRACE, "output": out + "/x.png"}),
                ("draw", {"view": "timeline", "trace": TRACE, "query": "SELECT 1"}),
                ("draw", {"view": secret, "trace": TRACE}),
            ):
                answer = await client.call_tool(tool, arguments)
                self.assertTrue(answer.is_error, f"{tool}: {arguments}: {text(answer)}")

        with Server(self.store, protocols=("http",)) as server:
            for transport, generation in (("stdio", "2025-06-18"), ("http", "2026-07-28")):
                async def run():
                    async with self.client(transport, generation, server=server) as client:
                        await work(client)

                asyncio.run(asyncio.wait_for(run(), 3 * PATIENCE))
        self.assertEqual(os.listdir(out), [])
        with open(manifest) as file:
            self.assertEqual(file.read(), before)

    def test_answers_are_cut_and_say_so(self):
        async def work(client):
            many = rows(await client.call_tool("query", {"sql": "SELECT * FROM states", "trace": "big"}))
            self.assertEqual((many["truncated"], many["row_count"], len(many["rows"])), (True, 100, 100))
            more = rows(await client.call_tool("query", {"sql": "SELECT value FROM generate_series(1, 100000000)", "max_rows": 1000}))
            self.assertEqual((more["truncated"], more["row_count"]), (True, 1000))
            wide = await client.call_tool("query", {"sql": "SELECT repeat('\"', 1500) AS q FROM generate_series(1, 1000)", "max_rows": 1000})
            self.assertLessEqual(len(json.dumps(text(wide), ensure_ascii=False)) - 2, LONGEST_ANSWER)
            self.assertTrue(rows(wide)["truncated"])
            long = rows(await client.call_tool("query", {"sql": "SELECT repeat('é', 1000000) AS long"}))
            self.assertTrue(long["truncated"] and long["rows"][0][0].endswith("…") and len(long["rows"][0][0]) == 2001)
            exact = rows(await client.call_tool("query", {"sql": "SELECT value FROM generate_series(1, 100)"}))
            self.assertEqual((exact["truncated"], exact["row_count"]), (False, 100))
            wrong = await client.call_tool("query", {"sql": f"SELECT {'x' * 500_000} FROM states", "trace": TRACE})
            self.assertTrue(wrong.is_error)
            self.assertLessEqual(len(text(wrong).encode()), LONGEST_ERROR)
            for rows_wanted in (0, 1001, -1, 1e30, "many"):
                refused = await client.call_tool("query", {"sql": "SELECT 1", "max_rows": rows_wanted})
                self.assertTrue(refused.is_error, rows_wanted)
            large = await client.call_tool("draw", {"view": "timeline", "trace": "big", "width": 100_000})
            self.assertTrue(large.is_error)

        self.with_every_client(work)

    def test_time_is_limited(self):
        async def run():
            async with self.client("stdio", "2025-06-18", "--query-time", "1") as client:
                late = await client.call_tool("query", {"sql": ENDLESS})
                self.assertTrue(late.is_error)
                self.assertIn("timeout", text(late))

        asyncio.run(asyncio.wait_for(run(), PATIENCE))

    def test_calls_at_once_are_limited(self):
        """Calls beyond the limit are refused at once; when the others are cancelled, new ones run."""
        async def work(client):
            flood = [asyncio.create_task(client.call_tool("query", {"sql": ENDLESS})) for _ in range(3 * MOST_CALLS)]
            done = set()
            while len(done) < 2 * MOST_CALLS:
                finished, _ = await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)
                done |= finished
                flood = [task for task in flood if task not in finished]
            self.assertEqual(len(flood), MOST_CALLS)
            for task in done:
                self.assertTrue(task.result().is_error)
                self.assertIn("busy: 16 calls are already in flight", text(task.result()))
            for task in flood:
                task.cancel()
            await asyncio.gather(*flood, return_exceptions=True)
            while True:
                answer = await client.call_tool("query", {"sql": "SELECT 1 AS one"})
                if not answer.is_error:
                    break
                self.assertIn("busy", text(answer))
                await asyncio.sleep(0.05)
            self.assertEqual(rows(answer)["rows"], [[1]])

        with Server(self.store, protocols=("http",)) as server:
            for transport in TRANSPORTS:
                for generation in ("2025-06-18", "2026-07-28"):
                    with self.subTest(transport=transport, generation=generation):
                        async def run():
                            async with self.client(transport, generation, server=server) as client:
                                await work(client)

                        asyncio.run(asyncio.wait_for(run(), PATIENCE))
                        if transport == "http":
                            wait_for(lambda: server.running() == 0, "cancelled queries end")


# A client that calls a tool and is never heard of again.
ABANDONED = """
import asyncio, sys, unittest.mock
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def run(url, mode, asked, sql):
    with unittest.mock.patch("mcp.client.session.LATEST_HANDSHAKE_VERSION", asked):
        async with httpx2.AsyncClient(timeout=600, trust_env=False) as http:
            async with Client(streamable_http_client(url, http_client=http), mode=mode, cache=None) as client:
                await client.call_tool("query", {"sql": sql})

asyncio.run(run(*sys.argv[1:]))
"""


class Leaving(WithClients):
    """Clients that go without a word."""

    def test_the_query_of_a_client_that_is_gone_ends(self):
        """It is killed in the middle of a call: of the older generation it has ten seconds to come back."""
        with Server(self.store, protocols=("http",)) as server:
            for generation in ("2025-06-18", "2025-11-25", "2026-07-28"):
                with self.subTest(generation=generation):
                    mode, asked = GENERATIONS[generation]
                    asked = asked if mode == "legacy" else "2025-11-25"
                    client = subprocess.Popen([sys.executable, "-c", ABANDONED, server.url("/mcp"), mode, asked, ENDLESS])
                    wait_for(lambda: server.running() == 1, "the query runs")
                    client.kill()
                    client.wait()
                    # The limit of time, 60 seconds, is not what ends it.
                    wait_for(lambda: server.running() == 0, "the query ends", 45)

    def test_a_client_that_comes_back_gets_its_answer(self):
        """A session over HTTP by hand: the connection is cut, and another one reads on after the last event."""
        def post(server, message, session=None):
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
            request = urllib.request.Request(server.url("/mcp"), json.dumps({"jsonrpc": "2.0"} | message).encode(), headers | session_header(session))
            return urllib.request.urlopen(request, timeout=PATIENCE)

        def session_header(session):
            return {} if session is None else {"Mcp-Session-Id": session}

        with Server(self.store, protocols=("http",)) as server:
            client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
            with post(server, {"id": 0, "method": "initialize", "params": client}) as answer:
                session = answer.headers["Mcp-Session-Id"]
                answer.read()
            post(server, {"method": "notifications/initialized"}, session).close()
            # Some seconds of work.
            sql = "SELECT count(*) AS n FROM generate_series(1, 30000) AS a JOIN generate_series(1, 30000) AS b ON a.value * b.value % 7 > 9"
            call = {"id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": sql}}}
            answer = post(server, call, session)
            event = next(line for line in iter(answer.readline, b"") if line.startswith(b"id:")).decode()[3:].strip()
            answer.close()
            headers = {"Accept": "text/event-stream", "Last-Event-ID": event, "MCP-Protocol-Version": "2025-06-18"}
            request = urllib.request.Request(server.url("/mcp"), headers=headers | session_header(session))
            with urllib.request.urlopen(request, timeout=PATIENCE) as events:
                found = next(line for line in iter(events.readline, b"") if line.startswith(b"data:") and b'"id":1' in line)
            self.assertEqual(json.loads(found[5:])["result"]["structuredContent"]["rows"], [[0]])


class Conversation:
    """A raw conversation with `ocellus mcp`."""

    def __init__(self, store, cache=None):
        """A trace is imported into a cache below a folder."""
        environment = os.environ | ({"XDG_CACHE_HOME": cache} if cache else {})
        streams = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.process = subprocess.Popen([OCELLUS, "mcp", store], env=environment, **streams)
        self.lines, self.said = [], []
        self.readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.said))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(json.dumps(message | ({} if number is None else {"id": number})).encode())

    def begin(self):
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        self.send("initialize", client, 0)
        self.answer(0)
        self.send("notifications/initialized", {})

    def query(self, sql, number):
        self.send("tools/call", {"name": "query", "arguments": {"sql": sql}}, number)

    def find(self, number):
        return next((message for message in map(json.loads, self.lines) if message.get("id") == number), None)

    def answer(self, number):
        return wait_for(lambda: self.find(number), f"an answer to {number}")

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_idle(self):
        before = self.cpu_seconds()
        time.sleep(0.5)
        return self.cpu_seconds() - before <= 0.02


class StandardStreams(WithClients):
    """Standard input and output, byte by byte."""

    def test_only_the_protocol_is_on_standard_output(self):
        """Rubbish gets no answer, or an error; a trace is imported without a word; the end of input is the end."""
        with Conversation(os.path.join(ROOT, "traces/bad/truncated_last_line.trace"), cache=self.folder.name) as talk:
            talk.begin()
            for line in (b"", b"rubbish", b"{", b"[]", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":7,"method":"none"}',
                         b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":5}}', b"[" * 100_000, b'"' + b"x" * (5 << 20) + b'"'):
                talk.write(line)
            talk.query("SELECT nonsense", 1)
            talk.query("SELECT 1 AS one", 2)
            self.assertTrue(talk.answer(1)["result"]["isError"])
            self.assertEqual(json.loads(talk.answer(2)["result"]["content"][0]["text"])["rows"], [[1]])
            talk.process.stdin.close()
            self.assertEqual(talk.process.wait(PATIENCE), 0)
            for reader in talk.readers:
                reader.join(PATIENCE)
            for line in talk.lines:
                self.assertEqual(json.loads(line)["jsonrpc"], "2.0", line)
            said = b"".join(talk.said).decode()
            self.assertIn("could not be used", said)
            self.assertIn("query failed", said)

    def test_a_cancelled_call_stops_its_query(self):
        with Conversation(self.store) as talk:
            talk.begin()
            talk.query(ENDLESS, 1)
            wait_for(lambda: talk.cpu_seconds() > 1, "the query runs")
            talk.send("notifications/cancelled", {"requestId": 1, "reason": "enough"})
            wait_for(talk.is_idle, "the query ends")
            talk.query("SELECT 1 AS one", 2)
            self.assertFalse(talk.answer(2)["result"]["isError"])
            self.assertIsNone(talk.find(1), "a cancelled call has no answer")

    def test_it_ends_with_its_input_and_by_a_signal(self):
        with Conversation(self.store) as talk:
            talk.process.stdin.close()
            self.assertEqual(talk.process.wait(PATIENCE), 0)
        with Conversation(self.store) as talk:
            talk.begin()
            talk.query(ENDLESS, 1)
            talk.process.stdin.close()
            # The query would run for a minute; it has some seconds.
            self.assertEqual(talk.process.wait(30), 0)
        for number in (signal.SIGTERM, signal.SIGINT):
            with Conversation(self.store) as talk:
                talk.begin()
                talk.process.send_signal(number)
                self.assertEqual(talk.process.wait(PATIENCE), 0)

    def test_requests_wait_while_answers_are_not_read(self):
        """Whoever sends without reading is not read either: memory stays bounded."""
        process = subprocess.Popen([OCELLUS, "mcp", self.store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin}).encode() + b"\n")
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        process.stdin.flush()
        os.set_blocking(process.stdin.fileno(), False)
        request = b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}\n'
        sent, stuck, end = 0, 0, time.monotonic() + PATIENCE
        # Answers are some 30 kB each: a million requests would take 30 GB.
        while stuck < 40 and sent < 1_000_000 * len(request) and time.monotonic() < end:
            try:
                sent += os.write(process.stdin.fileno(), request * 100)
                stuck = 0
            except BlockingIOError:
                stuck += 1
                time.sleep(0.05)
        with open(f"/proc/{process.pid}/statm") as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(stuck, 40, "the server takes whatever comes")
        self.assertLess(resident, 1 << 30)


class Doors(WithClients):
    """Who may connect to /mcp."""

    def send(self, server, headers, body, method="POST"):
        usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        request = urllib.request.Request(server.url("/mcp"), data=body, headers=usual | headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, dict(answer.headers)
        except urllib.error.HTTPError as error:
            error.read()
            return error.code, dict(error.headers)

    def begin(self):
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        return json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).encode()

    def test_strangers_and_other_sites_stay_outside(self):
        tokens = os.path.join(self.folder.name, "tokens")
        with open(tokens, "w") as file:
            file.write("0123456789abcdef\n")
        bearer = {"Authorization": "Bearer 0123456789abcdef"}
        with Server(self.store, "--tokens", tokens, protocols=("http",), token="0123456789abcdef") as server:
            self.assertEqual(self.send(server, {}, self.begin())[0], 401)
            self.assertEqual(self.send(server, {"Authorization": "Bearer wrong"}, self.begin())[0], 401)
            for foreign in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
                self.assertEqual(self.send(server, bearer | foreign, self.begin())[0], 403, foreign)
            own = {"Origin": server.url("")}
            self.assertEqual(self.send(server, bearer | own, self.begin())[0], 200)
            for generation in GENERATIONS:
                async def run():
                    async with self.client("http", generation, server=server, headers=bearer) as client:
                        self.assertEqual(rows(await client.call_tool("query", {"sql": "SELECT 1 AS one"}))["rows"], [[1]])

                asyncio.run(asyncio.wait_for(run(), PATIENCE))
        with Server(self.store, protocols=("http",)) as server:
            self.assertEqual(self.send(server, {"Host": "evil.example"}, self.begin())[0], 403)

    def test_sessions_are_limited_and_end(self):
        with Server(self.store, "--grace", "60", protocols=("http",)) as server:
            begun = [self.send(server, {}, self.begin()) for _ in range(MOST_SESSIONS)]
            self.assertEqual({status for status, _ in begun}, {200})
            self.assertEqual(self.send(server, {}, self.begin())[0], 503)
            session = {"Mcp-Session-Id": next(value for name, value in begun[0][1].items() if name.lower() == "mcp-session-id")}
            self.assertEqual(self.send(server, session, None, method="DELETE")[0], 204)
            wait_for(lambda: self.send(server, {}, self.begin())[0] == 200, "a session that ends makes room")
            ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
            self.assertEqual(self.send(server, session, ping)[0], 404)
            self.assertEqual(self.send(server, {"Mcp-Session-Id": "made up"}, ping)[0], 404)
            self.assertIn(self.send(server, {}, b"rubbish")[0], (400, 415, 422, 503))
            self.assertEqual(self.send(server, {"Accept": "text/html"}, ping)[0], 406)

            # A stream that waits does not hold the server back when it stops.
            other = {"Mcp-Session-Id": next(value for name, value in begun[1][1].items() if name.lower() == "mcp-session-id")}
            request = urllib.request.Request(server.url("/mcp"), headers=other | {"Accept": "text/event-stream"})
            stream = urllib.request.urlopen(request, timeout=PATIENCE)
            started = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(PATIENCE), 0)
            self.assertLess(time.monotonic() - started, 30, "it waited for a stream that says nothing")
            stream.close()


if __name__ == "__main__":
    unittest.main()
