#!/usr/bin/env python3
"""replay() against a second, independent program: a simulator of small message-passing programs.

    tests/oracles/replay.py target/release/ocellus [--seeds 200] [--first 0]

A random program (computation, sends that are buffered or wait for their receiver, receives, barriers, all-to-alls) is run
here twice: with a network, which gives a trace, and with one that takes no time. Of the trace replay() must say:

- without changes everything is as it was, to the tick, also with nested states and a second type of states;
- with an ideal network the run ends when the second simulation says, between the largest sum of computation and the
  measured end;
- a computation in half the time, which does not change the end of the simulated program, does not change it either.

Nothing of the program under test is used but its answers.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

HEAD = """%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 5
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 11
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 12
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeStartLink 20
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
% Size int
%EndEventDef
%EventDef PajeEndLink 21
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
1 J 0 Job
1 R J Rank
3 S R State
3 F R Function
5 L J R R Message
7 0 j J 0 job
"""


def program(rng):
    """What each rank does, one operation after the other."""
    ranks, rounds = rng.randint(2, 6), rng.randint(1, 8)
    # A trace does not say which messages are buffered: either all of a program are, or none.
    kinds = rng.choice([["ring", "returning", "pair", "funnel"], ["waiting pair"]]) + ["MPI_Barrier", "MPI_Alltoall"]
    does = [[] for _ in range(ranks)]
    for number in range(rounds):
        for rank in range(ranks):
            for _ in range(rng.randint(1, 2)):
                does[rank].append(("compute", rng.randint(1, 1000)))
        kind = rng.choice(kinds)
        if kind in ("ring", "returning"):
            shift = rng.randint(1, ranks - 1)
            for rank in range(ranks):
                call = "MPI_Send" if kind == "ring" else "MPI_Isend"
                does[rank].append((call, (rank + shift) % ranks, (number, rank)))
            for rank in range(ranks):
                if rng.random() < 0.5:
                    does[rank].append(("compute", rng.randint(1, 500)))
                source = (rank - shift) % ranks
                does[rank].append(("MPI_Recv", source, (number, source)))
        elif kind in ("pair", "waiting pair"):
            source, target = rng.sample(range(ranks), 2)
            does[source].append(("MPI_Wait" if kind == "waiting pair" else "MPI_Send", target, (number, source)))
            does[target].append(("MPI_Recv", source, (number, source)))
        elif kind == "funnel":
            for rank in range(1, ranks):
                does[rank].append(("MPI_Send", 0, (number, rank)))
                does[0].append(("MPI_Recv", rank, (number, rank)))
        else:
            for rank in range(ranks):
                does[rank].append((kind,))
    for rank in range(ranks):
        does[rank].append(("compute", rng.randint(1, 300)))
    return does


class Network:
    def __init__(self, latency, per_byte, call, collective, pick_up):
        self.latency, self.per_byte, self.call, self.collective = latency, per_byte, call, collective
        self.pick_up = pick_up

    def flight(self, size):
        return self.latency + self.per_byte * size


IDEAL = Network(0, 0, 0, 0, 0)


def size_of(message):
    return random.Random(repr(message)).randint(1, 200)


class Run:
    """Runs a program; states are (name, start, end, operation), links (source, target, start, end, size, message)."""

    def __init__(self, does, network, halved=None):
        self.does, self.network, self.halved = does, network, halved
        ranks = range(len(does))
        self.now, self.next, self.met = [0 for _ in ranks], [0 for _ in ranks], [0 for _ in ranks]
        self.states, self.links = [[] for _ in ranks], []
        self.sent, self.waits, self.posted, self.come = {}, {}, {}, {}
        # Whether a message is received in no time after another call: the trace seems to say that it is received in that one.
        self.hides = False
        while any(self.step(rank) for rank in ranks):
            pass
        assert all(self.next[rank] == len(does[rank]) for rank in ranks), "deadlock"
        self.end = max(self.now)

    def step(self, rank):
        """As many operations as the rank can do; whether anything happened."""
        before = (self.next[rank], len(self.sent), len(self.posted), sum(map(len, self.come.values())))
        while self.next[rank] < len(self.does[rank]) and self.do(rank, self.does[rank][self.next[rank]]):
            self.next[rank] += 1
        return before != (self.next[rank], len(self.sent), len(self.posted), sum(map(len, self.come.values())))

    def spend(self, rank, name, end):
        if end > self.now[rank]:
            self.states[rank].append((name, self.now[rank], end, self.next[rank]))
        self.now[rank] = end

    def do(self, rank, operation):
        name, now = operation[0], self.now[rank]
        if name == "compute":
            half = (rank, self.next[rank]) == self.halved
            self.spend(rank, "Compute", now + (operation[1] + 1) // 2 if half else now + operation[1])
        elif name in ("MPI_Send", "MPI_Isend"):
            self.sent.setdefault(operation[2], now)
            self.spend(rank, name, now + (self.network.call if name == "MPI_Send" else 0))
        elif name == "MPI_Wait":
            # It was sent by a call that returns at once, and is waited for.
            self.sent.setdefault(operation[2], now)
            self.waits[operation[2]] = True
            if operation[2] not in self.posted:
                return False
            self.spend(rank, name, max(now, self.posted[operation[2]]) + self.network.flight(size_of(operation[2])))
        elif name == "MPI_Recv":
            return self.receive(rank, operation[1], operation[2])
        else:
            come = self.come.setdefault(self.met[rank], {})
            come[rank] = now
            if len(come) < len(self.does):
                return False
            self.met[rank] += 1
            self.spend(rank, name, max(come.values()) + self.network.collective)
        return True

    def receive(self, rank, source, message):
        now = self.now[rank]
        self.posted.setdefault(message, now)
        if message not in self.sent:
            return False
        flight = self.network.flight(size_of(message))
        if message in self.waits:
            end = max(self.sent[message], self.posted[message]) + flight
        else:
            end = max(self.sent[message] + flight, now) + self.network.pick_up
        self.links.append((source, rank, self.sent[message], end, size_of(message), message))
        self.hides |= end == now and bool(self.states[rank]) and self.states[rank][-1][0] != "Compute"
        self.spend(rank, "MPI_Recv", end)
        return True


def write(run, path, rng):
    """The trace of a run, in nanoseconds, with functions around some states."""
    lines, number = [], 0
    for rank, states in enumerate(run.states):
        for name, start, end, _ in states:
            lines += [(start, 3, number, f"11 {{}} S p{rank} {name}"), (end, 0, -number, f"12 {{}} S p{rank}")]
            number += 1
        for _ in range(rng.randint(0, 3)):
            start, end = sorted(rng.randint(0, run.end) for _ in range(2))
            if start < end and not any(line[3].startswith("11 {} F p%d " % rank) for line in lines):
                lines += [(start, 2, number, f"11 {{}} F p{rank} f"), (end, 1, -number, f"12 {{}} F p{rank}")]
                number += 1
    for source, target, start, end, size, message in run.links:
        key = "_".join(map(str, message))
        lines += [(start, 4, number, f"20 {{}} L j p{source} m {key} {size}"), (end, 5, number, f"21 {{}} L j p{target} m {key}")]
        number += 1
    with open(path, "w") as file:
        file.write(HEAD)
        for rank in range(len(run.states)):
            file.write(f"7 0 p{rank} R j p{rank}\n")
        for tick, _, _, line in sorted(lines):
            file.write(line.format(f"{tick / 1e9:.9f}") + "\n")


def ask(program, path, query):
    found = subprocess.run([program, "sql", path, "--format", "csv", query], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{path}: {query}\n{found.stderr}")
    return [line.split(",") for line in found.stdout.splitlines()[1:]]


MOVED = "coalesce(sum(abs(start_tick - old_start_tick) + abs(end_tick - old_end_tick)), 0)"


def check(program_path, folder, seed):
    """What is wrong with the answers for a seed."""
    rng = random.Random(seed)
    does = program(rng)
    network = Network(rng.randint(5, 300), rng.randint(0, 5), rng.randint(1, 20), rng.randint(1, 50), rng.randint(0, 1))
    run, ideal = Run(does, network), Run(does, IDEAL)
    path = os.path.join(folder, f"{seed}.trace")
    write(run, path, rng)
    candidates = [(rank, state) for rank, states in enumerate(run.states) for state in states if state[0] == "Compute"]
    idle = [(rank, state) for rank, state in candidates if Run(does, network, (rank, state[3])).end == run.end]
    rank, (_, start, end, _) = rng.choice(idle or candidates)
    half = f"factor => 0.5, value => 'Compute', container => 'p{rank}', start => {start / 1e9:.9f}, stop => {end / 1e9:.9f}"
    query = f"""SELECT
        (SELECT {MOVED} FROM replay()), (SELECT {MOVED} FROM replay(states)),
        (SELECT count(*) FROM replay(states) WHERE kind = 'state') - (SELECT count(*) FROM states),
        (SELECT max(end_tick) FROM replay(network => 'ideal') WHERE type <> 'Function'),
        (SELECT max(old_end_tick) FROM replay({half}) WHERE type <> 'Function'),
        (SELECT max(end_tick) FROM replay({half}) WHERE type <> 'Function')"""
    moved, nested, missing, least, measured, halved = map(int, ask(program_path, path, query)[0])
    computed = max(sum(end - start for name, start, end, _ in states if name == "Compute") for states in run.states)
    wrong = []
    if (moved, nested, missing) != (0, 0, 0):
        wrong.append(f"moved {moved}, of nested states {nested}, missing {missing}")
    if least != ideal.end or not computed <= least <= measured:
        wrong.append(f"ideal end {least} instead of {ideal.end}, computation {computed}, measured {measured}")
    # Whether a message that comes later must still be picked up is not known; and its flight counts from when it was sent,
    # though it began later if the sender waited for its receiver.
    is_known = idle and not network.pick_up and not run.waits
    is_wrong = halved > measured if run.hides else halved != measured
    if measured != run.end or is_known and is_wrong:
        wrong.append(f"end {measured} became {halved} though p{rank} has time from {start} to {end}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            wrong = check(arguments.program, folder, seed)
            failed += bool(wrong)
            for text in wrong:
                print(f"seed {seed}: {text}")
            os.remove(os.path.join(folder, f"{seed}.trace"))
    print(f"{arguments.seeds - failed} of {arguments.seeds} programs are replayed as they were simulated")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
