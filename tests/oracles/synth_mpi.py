#!/usr/bin/env python3
"""A second program for `ocellus generate mpi`, written from its description and not for speed.

usage: synth_mpi.py EVENTS RANKS SEED [FILE]

Prints the FNV-1a checksum (64 bits) of the trace, and writes the trace into FILE if one is given.
The unit tests of src/trace/synth/mpi hold the checksum that this program printed.
"""
import os
import re
import sys

MASK = (1 << 64) - 1
ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PER_MACHINE, PER_CLUSTER = 8, 4

DEFINITIONS = '''0 Site 0 Site
0 Cluster Site Cluster
0 Machine Cluster Machine
0 Rank Machine Rank
2 S Rank "MPI state"
3 I Rank Iteration
1 M Rank memory "0.3 0.5 0.8"
1 P Machine power "0.9 0.3 0.2"
4 L Site Rank Rank Message
5 1 S compute "0.2 0.7 0.3"
5 2 S kernel "0.1 0.5 0.6"
5 3 S MPI_Send "0.9 0.5 0.1"
5 4 S MPI_Isend "0.9 0.7 0.3"
5 5 S MPI_Recv "0.8 0.2 0.2"
5 6 S MPI_Wait "0.6 0.2 0.6"
5 7 S MPI_Allreduce "0.4 0.2 0.7"
5 p2p L p2p "0.5 0.5 0.5"
5 go I start "0.0 0.0 0.0"'''.split("\n")


class Random:
    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) * limit) >> 64


def seconds(nanoseconds):
    return "%d.%09d" % divmod(nanoseconds, 1_000_000_000)


def header():
    with open(os.path.join(ROOT, "src", "synth", "header.rs")) as source:
        return re.search(r'HEADER: &str = "\\\n(.*?)";', source.read(), re.S).group(1)


class Program:
    """Every rank is a Python generator that yields its next instant, or None when it blocks."""

    def __init__(self, events, ranks, seed):
        self.random = Random(seed)
        self.count = ranks
        self.machines = -(-ranks // PER_MACHINE)
        self.clusters = -(-self.machines // PER_CLUSTER)
        self.slow = self.random.below(self.machines)
        fixed = len(DEFINITIONS) + 2 * (1 + self.clusters + self.machines + ranks) + self.machines + ranks
        self.budget = events - fixed
        self.out = ["# ocellus generate mpi: %d events, %d ranks, seed %d" % (events, ranks, seed)]
        self.out += header().rstrip("\n").split("\n") + DEFINITIONS
        self.now = 0
        self.open = [0] * ranks
        self.boxes = {(rank, way): [] for rank in range(ranks) for way in (0, 1)}
        self.waiting = {}
        self.reducing = []
        self.instants = {}

    def line(self, event, *fields):
        self.out.append(" ".join([str(event), seconds(self.now)] + [str(field) for field in fields]))

    def push(self, rank, value):
        self.budget -= 2
        self.open[rank] += 1
        self.line(12, "S", "rank%d" % rank, value)

    def pop(self, rank):
        self.open[rank] -= 1
        self.line(13, "S", "rank%d" % rank)

    def end_link(self, rank, message):
        self.line(16, "L", "site", "p2p", "rank%d" % rank, message[1])

    def life(self, rank):
        below = self.random.below
        iteration = memory = sequence = 0
        while True:
            self.budget -= 1
            self.line(17, "I", "rank%d" % rank, "go")
            computes = 3 + below(5)
            iteration += 1
            yield self.now + 100
            if rank % PER_MACHINE == 0:
                self.budget -= 1
                self.line(8, "P", "m%d" % (rank // PER_MACHINE), 150 + below(200))
                yield self.now + 100
            for _ in range(computes):
                self.push(rank, 1)
                if below(100) < 20:
                    yield self.now + 500 + below(5000)
                    self.push(rank, 2)
                    yield self.now + 20000 + below(60000)
                    self.pop(rank)
                    yield self.now + 200 + below(5000)
                else:
                    time = 20000 + below(80000)
                    yield self.now + time + (time // 2 if rank // PER_MACHINE == self.slow else 0)
                self.pop(rank)
                if below(100) < 75:
                    yield self.now + 100
                    self.budget -= 1
                    change = 1 + below(64)
                    if memory >= 512:
                        memory -= change
                        self.line(10, "M", "rank%d" % rank, change)
                    else:
                        memory += change
                        self.line(9, "M", "rank%d" % rank, change)
                yield self.now + 200
            for way in (0, 1):
                self.push(rank, (3, 4)[way])
                yield self.now + 100 + below(400)
                target = (rank + (1, -1)[way]) % self.count
                size = 8 << below(17)
                key = "%d_%d_%d" % (rank, target, sequence)
                sequence += 1
                self.budget -= 2
                self.line(15, "L", "site", "p2p", "rank%d" % rank, key, size)
                arrival = self.now + 1500 + size // 8
                self.boxes[target, way].append((arrival, key))
                if self.waiting.get(target) == way:
                    del self.waiting[target]
                    self.instants[target] = arrival
                yield self.now + 100 + size // 16
                self.pop(rank)
                yield self.now + 50 + below(1000)
                self.push(rank, (5, 6)[way])
                yield self.now + 100
                box = self.boxes[rank, way]
                if box:
                    yield max(self.now, box[0][0])
                else:
                    self.waiting[rank] = way
                    yield None
                self.end_link(rank, box.pop(0))
                yield self.now + 100 + below(300)
                self.pop(rank)
                yield self.now + 200
            if iteration % 10 == 0:
                self.push(rank, 7)
                self.reducing.append(rank)
                if len(self.reducing) == self.count:
                    for other in self.reducing:
                        self.instants[other] = self.now + 3000 + 10 * other
                    self.reducing = []
                    yield self.instants[rank]
                else:
                    yield None
                self.pop(rank)
                yield self.now + 100

    def create(self):
        self.line(6, "site", "Site", 0, "site")
        for cluster in range(self.clusters):
            self.line(6, "c%d" % cluster, "Cluster", "site", "cluster-%d" % cluster)
        for machine in range(self.machines):
            self.line(6, "m%d" % machine, "Machine", "c%d" % (machine // PER_CLUSTER), "machine-%d" % machine)
            self.line(8, "P", "m%d" % machine, 100)
        for rank in range(self.count):
            self.line(6, "rank%d" % rank, "Rank", "m%d" % (rank // PER_MACHINE), "rank-%d" % rank)
            self.line(8, "M", "rank%d" % rank, 0)

    def run(self):
        self.create()
        lives = [self.life(rank) for rank in range(self.count)]
        self.instants = {rank: 1000 * rank for rank in range(self.count)}
        while True:
            self.now, rank = min((instant, rank) for rank, instant in self.instants.items())
            if self.budget < 2:
                break
            del self.instants[rank]
            instant = next(lives[rank])
            if instant is not None:
                self.instants[rank] = instant
        if self.budget == 1:
            self.line(8, "P", "m0", 100)
        self.close()
        return "\n".join(self.out) + "\n"

    def close(self):
        now = self.now
        owed = []
        for (rank, _), box in self.boxes.items():
            for message in box:
                owed.append((max(message[0], now), 0, [int(part) for part in message[1].split("_")], rank, message))
        for rank in range(self.count):
            owed += [(self.instants.get(rank, now), 1, [rank], rank, None)] * self.open[rank]
        for instant, kind, _, rank, message in sorted(owed, key=lambda line: line[:3]):
            self.now = instant
            if kind == 0:
                self.end_link(rank, message)
            else:
                self.pop(rank)
        for kind, alias, count in (("Rank", "rank%d", self.count), ("Machine", "m%d", self.machines), ("Cluster", "c%d", self.clusters)):
            for number in range(count):
                self.line(7, kind, alias % number)
        self.line(7, "Site", "site")


def main():
    trace = Program(*(int(argument) for argument in sys.argv[1:4])).run().encode()
    if len(sys.argv) > 4:
        with open(sys.argv[4], "wb") as file:
            file.write(trace)
    checksum = 0xCBF29CE484222325
    for byte in trace:
        checksum = ((checksum ^ byte) * 0x100000001B3) & MASK
    print("%016x" % checksum)


if __name__ == "__main__":
    main()
