#!/usr/bin/env python3
"""A second program for `ocellus generate throttled`, written from its description and not for speed.

usage: synth_throttled.py CABINETS SEED [FILE]

Prints the FNV-1a checksum (64 bits) of the trace, and writes the trace into FILE if one is given.
The unit test of src/trace/synth/throttled.rs holds the checksum that this program printed.
"""
import os
import re
import sys

MASK = (1 << 64) - 1
ROOT = os.path.join(os.path.dirname(__file__), "..", "..")

DEFINITIONS = '''0 C 0 Cluster
0 K C Cabinet
0 P K Rank
2 S P MPI_STATE
4 L C P P MPI_LINK
5 c S computing "0.3 0.7 0.3"
5 r S PMPI_Irecv "0.9 0.7 0.2"
5 s S PMPI_Send "0.2 0.5 0.8"
5 w S PMPI_Wait "0.8 0.2 0.2"
5 m L PTP "0.5 0.5 0.5"
'''


def header():
    with open(os.path.join(ROOT, "src", "trace", "synth", "header.rs")) as file:
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


def trace(cabinets, seed):
    random, ranks, now, events = Random(seed), 8 * cabinets, [0] * (8 * cabinets), []
    bits = [1 << bit for bit in range(32) if 1 << bit < ranks]
    for step in range(192):
        bit, messages = bits[step % len(bits)], []
        for rank in range(ranks):
            ready = now[rank] + 900 + random.below(200)
            length = 150 + random.below(100)
            if 8 <= rank < 16 and (rank ^ bit) // 8 != 1 and 100000 <= ready < 150000:
                length *= 20
            messages.append((ready, ready + length))
        for rank, (ready, _) in enumerate(messages):
            other = rank ^ bit
            done = max(ready + 1, messages[other][1])
            at = "%s S p%d" % (seconds(ready), rank)
            events.append((now[rank], "12 %s S p%d c" % (seconds(now[rank]), rank)))
            for line in ("13 " + at, "12 " + at + " r", "13 " + at, "12 " + at + " s"):
                events.append((ready, line))
            events.append((ready, "15 %s L cluster m p%d k%d 16384" % (seconds(ready), rank, step * ranks + rank)))
            events.append((ready, "13 " + at))
            events.append((ready, "12 " + at + " w"))
            events.append((done, "16 %s L cluster m p%d k%d" % (seconds(done), rank, step * ranks + other)))
            events.append((done, "13 %s S p%d" % (seconds(done), rank)))
            now[rank] = done
    events.sort(key=lambda event: event[0])
    text = "# ocellus generate throttled: %d cabinets, seed %d\n" % (cabinets, seed) + header() + DEFINITIONS
    lines = ["6 0.000000000 cluster C 0 cluster"]
    for rank in range(ranks):
        if rank % 8 == 0:
            lines.append("6 0.000000000 k%d K cluster cabinet-%d" % (rank // 8, rank // 8))
        lines.append("6 0.000000000 p%d P k%d rank-%d" % (rank, rank // 8, rank))
    lines += [line for _, line in events]
    end = seconds(max(now))
    lines += ["7 %s P p%d" % (end, rank) for rank in range(ranks)]
    lines += ["7 %s K k%d" % (end, cabinet) for cabinet in range(cabinets)]
    lines.append("7 %s C cluster" % end)
    return text + "\n".join(lines) + "\n"


def main():
    text = trace(*(int(argument) for argument in sys.argv[1:3])).encode()
    if len(sys.argv) > 3:
        with open(sys.argv[3], "wb") as file:
            file.write(text)
    checksum = 0xCBF29CE484222325
    for byte in text:
        checksum = ((checksum ^ byte) * 0x100000001B3) & MASK
    print("%016x" % checksum)


if __name__ == "__main__":
    main()
