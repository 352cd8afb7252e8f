#!/usr/bin/env python3
"""A second program for `ocellus generate perturbation`, written from its description and not for speed.

usage: synth_perturbation.py PROCESSES DISTURBED SEED [FILE]

Prints the FNV-1a checksum (64 bits) of the trace, and writes the trace into FILE if one is given.
The unit test of src/trace/synth/perturbation.rs holds the checksum that this program printed.
"""
import os
import re
import sys

MASK = (1 << 64) - 1
ROOT = os.path.join(os.path.dirname(__file__), "..", "..")

DEFINITIONS = '''0 C 0 Cluster
0 M C Machine
0 P M Process
2 S P "MPI state"
5 i S MPI_Init "0.9 0.8 0.2"
5 c S compute "0.2 0.7 0.3"
5 s S MPI_Send "0.3 0.5 0.9"
5 w S MPI_Wait "0.8 0.2 0.2"
'''


def header():
    with open(os.path.join(ROOT, "src", "synth", "header.rs")) as file:
        return re.search(r'HEADER: &str = "\\\n(.*?)";', file.read(), re.DOTALL).group(1)


class Random:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        bits ^= bits >> 31
        return (bits * limit) >> 64


def seconds(microseconds):
    return "%d.%06d000" % divmod(microseconds, 10**6)


def states(process, is_disturbed, random):
    yield 0, 1500000, "i"
    if process % 8 == 0:
        usual, longer = (10, 5, 35), (3, 37, 10)
    else:
        usual, longer = (15, 30, 5), (3, 12, 35)
    phases = [
        (1800000, (25, 15, 10)),
        (2100000, (40, 5, 5)),
        (3000000, usual),
        (3300000, longer if is_disturbed else usual),
        (9000000, usual),
    ]
    now = 1500000
    for end, mix in phases:
        while now < end:
            for length, state in zip(mix, "csw"):
                until = min(end, now + length * 980 + random.below(length * 40))
                if until > now:
                    yield now, until, state
                now = until


def trace(processes, disturbed, seed):
    random = Random(seed)
    events = []
    for process in range(processes):
        is_disturbed = process * disturbed % processes < disturbed
        for start, end, state in states(process, is_disturbed, random):
            events.append((start, 1, process, "12 %s S p%d %s" % (seconds(start), process, state)))
            events.append((end, 0, process, "13 %s S p%d" % (seconds(end), process)))
    events.sort(key=lambda event: event[:3])
    text = "# ocellus generate perturbation: %d processes, %d disturbed, seed %d\n" % (processes, disturbed, seed)
    text += header() + DEFINITIONS
    lines = ["6 0.000000000 cluster C 0 cluster"]
    for process in range(processes):
        if process % 8 == 0:
            lines.append("6 0.000000000 m%d M cluster machine-%d" % (process // 8, process // 8))
        lines.append("6 0.000000000 p%d P m%d process-%d" % (process, process // 8, process))
    lines += [event[3] for event in events]
    lines += ["7 9.000000000 P p%d" % process for process in range(processes)]
    lines += ["7 9.000000000 M m%d" % machine for machine in range((processes + 7) // 8)]
    lines.append("7 9.000000000 C cluster")
    return text + "\n".join(lines) + "\n"


def main():
    text = trace(*(int(argument) for argument in sys.argv[1:4])).encode()
    if len(sys.argv) > 4:
        with open(sys.argv[4], "wb") as file:
            file.write(text)
    checksum = 0xCBF29CE484222325
    for byte in text:
        checksum = ((checksum ^ byte) * 0x100000001B3) & MASK
    print("%016x" % checksum)


if __name__ == "__main__":
    main()
