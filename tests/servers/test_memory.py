"""Statements that take as much memory as they get, many at once: they share one limit, and others are served throughout."""
import pathlib
import re
import threading
import time
import unittest

import abusive
import askers
from place import Server, WithStore, wait_for

MIB = 1 << 20
LIMIT = 256 * MIB
SECONDS = 5
# What the guard leaves to queries beyond their limit, and as much again for what was freed and is not yet handed back,
# and for what is taken between two looks.
MARGIN = 512 * MIB
TRACE = "big"
# Those whose memory pools know too little of it, or whose steps are long.
WORST = (
    "endless: slices of variables",
    "endless: slices of variables, filled",
    "endless: slices of links",
    "endless: slice_integral",
    "endless: comm_in_flight",
    "endless: scene",
    "endless: active_intervals",
    "endless: many aggregates",
    "giant: array_agg of text",
    "giant: string_agg of giants",
)
LISTS = "SELECT slice_integral(start_time, end_time, duration, 0, 1, 10000000) FROM states GROUP BY container_id"


class SharedLimit(WithStore):
    def test_the_process_stays_near_its_limit_whatever_runs(self):
        limits = ("--memory", str(LIMIT), "--query-memory", str(LIMIT), "--query-time", str(SECONDS))
        with Server(self.store, *limits) as server:
            other = askers.Pg(server.ports["pg"], TRACE, 60)
            self.assertEqual(other.ask("SELECT count(*) FROM states"), "rows")
            counted, before = other.rows, server.memory()
            outcomes, due = [], [*(sql for name, sql in abusive.statements() if name in WORST), LISTS]
            self.assertEqual(len(due), len(WORST) + 1)
            threads = [threading.Thread(target=self.work, args=(server, number, due, outcomes)) for number in range(6)]
            for thread in threads:
                thread.start()
            answers = 0
            while any(thread.is_alive() for thread in threads):
                answers += self.is_answered(other, counted)
                time.sleep(0.2)
            other.close()
            self.assertGreater(answers, 0)
            self.assertEqual(len(outcomes), len(WORST) + 1)
            for outcome in outcomes:
                self.assertNotRegex(outcome, "(?i)closed|internal|panicked|XX000|NO ANSWER|ConnectionRefused")
            self.assertTrue(server.is_running())
            self.assertLess(peak_memory(server), before + LIMIT + MARGIN)
            wait_for(lambda: server.running() == 0, "what was asked has ended")
            wait_for(lambda: server.memory() < before + LIMIT, "memory is given back")
            self.assertLess(server.metrics()["ocellus_memory_bytes"], LIMIT)

    def is_answered(self, other, counted):
        """Whether the rows came; on a busy machine the time of the query may have been up."""
        outcome = other.ask("SELECT count(*) FROM states")
        if "57014" in outcome:
            return False
        self.assertEqual((outcome, other.rows), ("rows", counted))
        return True

    def work(self, server, number, due, outcomes):
        while due:
            try:
                sql = due.pop()
            except IndexError:
                return
            outcomes.append(askers.ask(server, ("pg", "http", "flight")[number % 3], TRACE, sql, 60))


def peak_memory(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024


if __name__ == "__main__":
    unittest.main()
