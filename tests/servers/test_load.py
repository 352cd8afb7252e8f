"""Sixteen clients at once, and a hundred that leave without a word. benches/servers.py does it with more."""
import unittest

import load
from place import Server, WithStore, wait_for


class Crowd(WithStore):
    def test_many_clients_at_once(self):
        with Server(self.store) as server:
            crowd = load.Load(server, self.store, "big")
            crowd.check()
            times = crowd.run(clients=16, seconds=4)
            self.assertEqual(crowd.errors, [])
            self.assertEqual(len(times), len(load.PROTOCOLS) * len(load.KINDS))
            load.wait_until_quiet(server)
            counted = server.metrics()
            self.assertEqual(counted["ocellus_queries_failed_total"], 0)
            self.assertGreaterEqual(counted["ocellus_queries_succeeded_total"], sum(map(len, times.values())))

    def test_clients_that_leave_stop_their_queries(self):
        with Server(self.store) as server:
            self.assertEqual(load.disconnect(server, 16), [])
            load.wait_until_quiet(server)
            threads, files = server.threads(), server.files()
            self.assertEqual(load.disconnect(server, 100), [])
            load.wait_until_quiet(server)
            # Threads that wait for files go when they had nothing to do for a while.
            wait_for(lambda: server.files() <= files + 8, "the files of those who left are closed")
            wait_for(lambda: server.threads() <= threads + 8, "the threads for those who left are gone")
            load.Load(server, self.store, "big").check()


if __name__ == "__main__":
    unittest.main()
