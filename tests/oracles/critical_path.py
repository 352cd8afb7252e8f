#!/usr/bin/env python3
"""A second program for critical_path and wait_states, written from their pages and not for speed.

usage: critical_path.py STATES.csv LINKS.csv START STOP [PATH.csv [WAITS.csv]]

Times are ticks. What it reads, as `ocellus export` writes it:
  STATES  SELECT container_id, value, activity, start_tick, end_tick FROM state_segments NATURAL JOIN state_activities
  LINKS   SELECT source_id, target_id, value, start_tick, end_tick, volume FROM links
  PATH    SELECT kind, container_id, target_id, start_tick, end_tick FROM critical_path() ORDER BY step
  WAITS   SELECT kind, container_id, partner_id, ticks FROM wait_states()

The path is the longest one from START to STOP through a graph of instants: an edge along a container weighs its length,
and nothing where something ends a wait at its end; an edge along a message weighs the time that it is in flight. The
longest path is computed forwards in time. Prints its length and the sums by kind, for waits likewise; with PATH and
WAITS it compares them, and exits with 1 if they differ.
"""
import bisect
import csv
import re
import sys
from collections import Counter, defaultdict

COLLECTIVES = re.compile(r"(?i)barrier|bcast|broadcast|reduce|gather|scatter|alltoall|scan|finalize|mpi_init(_thread)?_{0,2}\b")


class State:
    def __init__(self, row):
        self.container, self.value, self.activity = int(row[0]), row[1], row[2]
        self.start, self.end = int(row[3]), int(row[4])
        self.joins = bool(COLLECTIVES.search(self.value))
        self.waits = self.activity == "waiting"
        self.blocked = self.joins or self.activity in ("waiting", "communication")
        self.members = []


class Message:
    def __init__(self, row):
        self.source, self.target, self.collective = int(row[0]), int(row[1]), row[2] == "collective"
        self.end = int(row[4])
        self.start = min(int(row[3]), self.end)
        self.bits = max(1, int(float(row[5])).bit_length()) if row[5] else 0


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


class Trace:
    def __init__(self, states, links):
        self.messages = [Message(row) for row in rows(links)]
        self.states = defaultdict(list)
        for state in map(State, rows(states)):
            if state.start < state.end:
                self.states[state.container].append(state)
        for own in self.states.values():
            own.sort(key=lambda state: state.start)
        self.starts = {container: [state.start for state in own] for container, own in self.states.items()}
        self.arriving, self.sent, self.linked, self.reached = defaultdict(list), defaultdict(list), set(), set()
        for message in self.messages:
            self.sent[message.source].append(message)
            state = self.at(message.target, message.end)
            if state is None or not state.blocked:
                continue
            if message.collective and state.joins:
                self.linked.add((state.value, state.activity))
            self.reached.add(state)
            spent = message.end - max(message.start, state.start)
            if spent >= (message.end - message.start) // 100:
                self.arriving[state].append(message)
        self.match()
        self.buffered = self.largest_buffered()

    def at(self, container, instant):
        place = bisect.bisect_left(self.starts.get(container, []), instant) - 1
        state = self.states[container][place] if place >= 0 else None
        return state if state and state.end >= instant else None

    def match(self):
        calls = defaultdict(lambda: defaultdict(list))
        for own in self.states.values():
            for state in own:
                if state.joins and (state.value, state.activity) not in self.linked:
                    calls[state.value, state.activity][state.container].append(state)
        for of_containers in calls.values():
            counts = {len(own) for own in of_containers.values()}
            if len(counts) == 1:
                groups = [list(group) for group in zip(*of_containers.values())]
            else:
                groups = []
                every = [state for own in of_containers.values() for state in own]
                for state in sorted(every, key=lambda state: (state.start, state.container, state.end)):
                    fits = groups and all(
                        state.start < other.end and state.container != other.container for other in groups[-1]
                    )
                    groups[-1].append(state) if fits else groups.append([state])
            for group in groups:
                for state in group:
                    state.members = group if len(group) > 1 else []

    def receivers(self, state):
        """Messages of the state that are still to be received, and when that begins."""
        for message in self.sent[state.container]:
            pending = message.start < state.end and message.end > state.start
            own = state.waits or message.start >= state.start
            if not pending or not own or message.collective or message.target == message.source or state.joins:
                continue
            receive = self.at(message.target, message.end)
            if receive is not None and receive.blocked:
                yield message, receive.start

    def largest_buffered(self):
        bits = 0
        for own in self.states.values():
            for state in own:
                if state.waits and state not in self.reached:
                    found = list(self.receivers(state))
                    if found and all(began > state.end for _, began in found):
                        bits = max(bits, max(message.bits for message, _ in found))
        return bits

    def receipt(self, state):
        if state in self.reached:
            return None
        found = []
        for message, began in self.receivers(state):
            if 0 < message.bits <= self.buffered:
                continue
            if began > state.end:
                return None
            since = max(began, message.start, state.start)
            found.append((since, message.end, message.start, -message.target, began, message))
        return max(found, key=lambda row: row[:4])[4:] if found else None

    def kind(self, state):
        if state is None:
            return "computation"
        if state.joins and (state.members or (state.value, state.activity) in self.linked):
            return "transfer"
        kinds = {"computation": "computation", "communication": "transfer", "waiting": "wait"}
        return kinds.get(state.activity, "other")


def waits(trace, start, stop):
    sums = Counter()
    for own in trace.states.values():
        for state in own:
            if state.waits:
                now = state.start
                for until, kind, partner in explain(trace, state):
                    until = min(max(until, now), state.end)
                    sums[kind, state.container, partner] += max(0, min(until, stop) - max(now, start))
                    now = until
    return Counter({key: ticks for key, ticks in sums.items() if ticks})


def explain(trace, state):
    arriving = [message for message in trace.arriving[state] if message.collective or not state.joins]
    if arriving:
        last = max(arriving, key=lambda message: (message.end, message.start, -message.source))
        if last.collective:
            return [(last.start, "collective", last.source), (state.end, "collective", None)]
        return [
            (last.start, "late sender", last.source),
            (last.end, "transfer", last.source),
            (state.end, "unexplained", None),
        ]
    if state.joins:
        later = [member for member in state.members if state.start < member.start < state.end]
        last = max(later, key=lambda member: (member.start, -member.container), default=state)
        return [(last.start, "collective", last.container), (state.end, "collective", None)]
    found = trace.receipt(state)
    if found:
        began, message = found
        return [
            (message.start, "unexplained", None),
            (began, "late receiver", message.target),
            (message.end, "transfer", message.target),
            (state.end, "unexplained", None),
        ]
    return [(state.end, "unexplained", None)]


def ways(trace, container, instant):
    """Where the path can come from: container, instant, and the steps on the way, best last."""
    state = trace.at(container, instant)
    if state is None or not state.blocked:
        return []
    arriving = trace.arriving[state]
    now = [message for message in arriving if message.end == instant]
    now.sort(key=lambda message: (message.start, -message.source))
    found = [(m.source, m.start, [("transfer", m.source, m.target, m.start, instant)]) for m in now]
    if any(message.end <= instant for message in arriving):
        return found
    later = [member for member in state.members if state.start < member.start < state.end]
    for member in sorted(later, key=lambda member: -member.container):
        if member.start == instant:
            found.append((member.container, instant, []))
    if instant == state.end and not later:
        receipt = trace.receipt(state)
        if receipt:
            began, message = receipt
            sent = max(message.start, state.start)
            since, over = max(began, sent), min(message.end, instant)
            steps = [("transfer", container, message.target, since, over)]
            steps += [(trace.kind(state), container, None, over, instant)]
            found.append((message.target if began > sent else container, since, steps))
    return found


def longest_path(trace, start, stop):
    instants = defaultdict(set)
    for container, own in trace.states.items():
        instants[container].update(time for state in own for time in (state.start, state.end))
        for state in own:
            instants[container].update(member.start for member in state.members)
    for message in trace.messages:
        instants[message.source].add(message.start)
        instants[message.target].add(message.end)
    ends = []
    for container, own in trace.states.items():
        inside = [state for state in own if state.start < stop and state.end > start]
        if inside:
            known = any(state.activity not in ("unknown", "") for state in inside)
            ends.append((known, max(min(state.end, stop) for state in inside), -container))
    if not ends:
        return 0, []
    nodes = []
    before = {}
    for container in instants:
        times = sorted({start, stop} | {time for time in instants[container] if start < time < stop})
        nodes += [(time, container) for time in times]
        before.update({(container, time): earlier for earlier, time in zip(times, times[1:])})
    nodes.sort()
    length, came = {}, {}
    place = 0
    while place < len(nodes):
        time = nodes[place][0]
        same = []
        while place < len(nodes) and nodes[place][0] == time:
            same.append(nodes[place][1])
            place += 1
        found = {container: ways(trace, container, time) if time > start else [] for container in same}
        changed = True
        while changed:
            changed = False
            for container in same:
                if time == start:
                    best, way = 0, None
                else:
                    earlier = before[container, time]
                    weight = 0 if found[container] else time - earlier
                    best, way = length[container, earlier] + weight, None
                    for number, (source, since, _) in enumerate(found[container]):
                        since = max(since, start)
                        if (source, since) in length and length[source, since] + time - since >= best:
                            best, way = length[source, since] + time - since, number
                if length.get((container, time), -1) < best:
                    length[container, time], came[container, time] = best, way
                    changed = True
    container, time = -max(ends)[2], stop
    total, steps = length[container, stop], []
    while time > start:
        way = came[container, time]
        if way is None:
            earlier = before[container, time]
            steps.append((trace.kind(trace.at(container, time)), container, None, earlier, time))
            time = earlier
        else:
            container, time, taken = ways(trace, container, time)[way]
            steps += [step for step in reversed(taken)]
            time = max(time, start)
    steps = [(kind, one, other, max(start, since), until) for kind, one, other, since, until in steps]
    return total, [step for step in reversed(steps) if step[3] < step[4]]


def joined(steps):
    """Steps of one kind and container that follow each other as one."""
    whole = []
    for step in steps:
        if whole and whole[-1][:3] == step[:3]:
            whole[-1] = whole[-1][:4] + (step[4],)
        else:
            whole.append(step)
    return whole


def number(text):
    return int(text) if text else None


def main():
    start, stop = int(sys.argv[3]), int(sys.argv[4])
    trace = Trace(sys.argv[1], sys.argv[2])
    total, steps = longest_path(trace, start, stop)
    by_kind = Counter()
    for kind, _, _, since, until in steps:
        by_kind[kind] += until - since
    print("longest path", total, "of", stop - start, dict(sorted(by_kind.items())))
    expected = waits(trace, start, stop)
    by_kind = Counter()
    for (kind, _, _), ticks in expected.items():
        by_kind[kind] += ticks
    print("waits", sum(by_kind.values()), dict(sorted(by_kind.items())))
    failed = total != stop - start
    if len(sys.argv) > 5:
        theirs = [(row[0], int(row[1]), number(row[2]), int(row[3]), int(row[4])) for row in rows(sys.argv[5])]
        ours = joined(steps)
        for one, other in zip(ours, joined(theirs)):
            if one != other:
                print("path differs: here", one, "there", other)
                break
        failed |= ours != joined(theirs)
        print("path", "differs" if ours != joined(theirs) else "equal", len(ours), "steps")
    if len(sys.argv) > 6:
        theirs = Counter()
        for kind, container, partner, ticks in rows(sys.argv[6]):
            theirs[kind, int(container), number(partner)] += int(ticks)
        failed |= theirs != expected
        print("waits", "differ" if theirs != expected else "equal", len(expected), "sums")
    sys.exit(failed)


if __name__ == "__main__":
    main()
