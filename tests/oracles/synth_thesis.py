#!/usr/bin/env python3
"""A second program for `ocellus generate hierarchy` and `communication`, written for clarity.

usage: synth_thesis.py WHAT SHAPE DURATION COSINE_END ROUNDS NOISE SEED [FILE]

WHAT is hierarchy, ring, full, star, hierarchical-star:CHILDREN, swap or pipeline; SHAPE is like 3x4x5; the duration is in
nanoseconds, the end of the cosine in millionths. Prints the FNV-1a checksum (64 bits) of the trace, and
writes the trace into FILE if one is given. The cosine has 50 decimal digits; all lines of a round are
collected and sorted.
"""
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

from synth_mpi import MASK, Random, header, seconds

getcontext().prec = 50
NAMES = ["Site", "Cluster", "Machine", "Processor"]


def cosine(x):
    total = term = Decimal(1)
    step = 0
    while abs(term) > Decimal(10) ** -45:
        step += 2
        term = -term * x * x / (step * (step - 1))
        total += term
    return total


def pattern(what, count):
    """The slots of a round, each a list of pairs, or of a pair and a size."""
    if count == 1 or what == "hierarchy":
        return []
    if what == "swap":
        return swap(count)
    if what == "pipeline":
        half = (count + 1) // 2
        ring = [i for pair in zip(range(half), range(half, 2 * half)) for i in pair if i < count]
        steps = (-1, 1) if count > 2 else (1,)
        return [[(ring[p], ring[(p + d) % count], 65536) for p in range(count) for d in steps]] * 8 + [swap(count)]
    if what == "ring":
        return [[(i, (i + 1) % count)] for i in range(count)]
    if what == "full":
        return [[(i, (i + step) % count) for i in range(count)] for step in range(1, count)]
    if what == "star":
        return [[(0, i) for i in range(1, count)], [(i, 0) for i in range(1, count)]]
    children = int(what.split(":")[1])
    level = [0]
    for i in range(1, count):
        level.append(level[(i - 1) // children] + 1)
    down = [[((i - 1) // children, i) for i in range(count) if level[i] == depth] for depth in range(1, level[-1] + 1)]
    return down + [[(b, a) for a, b in slot] for slot in reversed(down)]


def swap(count):
    """The stages of a 2-3 swap: groups and the part of a 16 MiB image that each process holds, as fractions."""
    stages = []

    def merge(processes, height):
        """Gives the processes in the order of their parts, after `height` stages."""
        if len(processes) == 1:
            return processes
        half = (len(processes) + 1) // 2
        groups = [merge(processes[:half], height - 1), merge(processes[half:], height - 1)]
        held = {p: (Fraction(i, len(g)), Fraction(i + 1, len(g))) for g in groups for i, p in enumerate(g)}
        order = sorted(processes, key=lambda p: (sum(held[p]), p in groups[1]))
        byte = lambda fraction: int(fraction * (1 << 24))
        for sender, receiver in (groups, reversed(groups)):
            for target in receiver:
                place = order.index(target)
                for source in sender:
                    low = max(byte(held[source][0]), byte(Fraction(place, len(order))))
                    high = min(byte(held[source][1]), byte(Fraction(place + 1, len(order))))
                    if low < high:
                        stages[height - 1].append((source, target, high - low))
        return order

    height = (count - 1).bit_length()
    stages += [[] for _ in range(height)]
    merge(list(range(count)), height)
    return [sorted(stage) for stage in stages]


def trace(what, shape, duration, end, rounds, noise, seed):
    random = Random(seed)
    names = (["Level%d" % i for i in range(len(shape) - 4)] + NAMES[-len(shape):])[-len(shape):]
    counts = [1]
    for n in shape:
        counts.append(counts[-1] * n)
    counts = counts[1:]
    leaves = counts[-1]
    letters = "abcdefghijklmnop"
    leaf = lambda i: letters[len(shape) - 1] + str(i)
    kind = "hierarchy" if what == "hierarchy" else "communication"
    out = ["# ocellus generate %s: %d leaves, seed %d" % (kind, leaves, seed)] + header().rstrip("\n").split("\n")
    out += ["0 %s %s %s" % (name, above, name) for name, above in zip(["Grid"] + names, ["0", "Grid"] + names)]
    out += ["2 S %s State" % names[-1], '5 0 S State-0 "0.2 0.6 0.8"', '5 1 S State-1 "0.9 0.6 0.2"']
    if kind == "communication":
        out += ["4 L Grid %s %s Message" % (names[-1], names[-1]), '5 m L message "0.4 0.4 0.4"']
    out.append("6 %s grid Grid 0 grid" % seconds(0))
    for level, name in enumerate(names):
        for i in range(counts[level]):
            above = letters[level - 1] + str(i // shape[level]) if level else "grid"
            out.append("6 %s %s%d %s %s %s-%d" % (seconds(0), letters[level], i, name, above, name.lower(), i))
    sent = 0
    for r in range(rounds):
        start, stop = duration * r // rounds, duration * (r + 1) // rounds
        length = stop - start
        changes, links = [], []
        for i in range(leaves):
            share = (1 + cosine(Decimal(end) * i / leaves / 1000000)) / 2
            first = int(share * length + Decimal("0.5"))
            if noise:
                off = length * noise * (random.below(2001) - 1000)
                first = min(max(first + (abs(off) // 100000 if off >= 0 else -(abs(off) // 100000)), 0), length)
            out.append("12 %s S %s %d" % (seconds(start), leaf(i), 1 if first == 0 else 0))
            if 0 < first < length:
                at = seconds(start + first)
                changes.append((start + first, 0, i, ["13 %s S %s" % (at, leaf(i)), "12 %s S %s 1" % (at, leaf(i))]))
        slots = pattern(what, leaves)
        for number, slot in enumerate(slots):
            a, b = start + length * number // len(slots), start + length * (number + 1) // len(slots)
            # The stages of a swap within a slot share its first half.
            stages = slot if isinstance(slot[0], list) else [slot]
            places = 2 * len(stages) if stages is slot else 1
            for place, message in ((place, message) for place, stage in enumerate(stages) for message in stage):
                source, target = message[:2]
                length_of_part = (b - a) // places
                begin = a + (b - a) * place // places + random.below(length_of_part // 4)
                finish = begin + 1 + random.below(length_of_part // 2)
                size = message[2] if len(message) > 2 else 1024 * (1 + random.below(1024))
                links.append((begin, 1, sent, ["15 %s L grid m %s %d %d" % (seconds(begin), leaf(source), sent, size)]))
                links.append((finish, 1, sent, ["16 %s L grid m %s %d" % (seconds(finish), leaf(target), sent)]))
                sent += 1
        for _, _, _, lines in sorted(changes + links):
            out += lines
        out += ["13 %s S %s" % (seconds(stop), leaf(i)) for i in range(leaves)]
    for level in reversed(range(len(shape))):
        out += ["7 %s %s %s%d" % (seconds(duration), names[level], letters[level], i) for i in range(counts[level])]
    out.append("7 %s Grid grid" % seconds(duration))
    return "\n".join(out) + "\n"


def main():
    what, shape = sys.argv[1], [int(n) for n in sys.argv[2].split("x")]
    text = trace(what, shape, *(int(argument) for argument in sys.argv[3:8])).encode()
    if len(sys.argv) > 8:
        with open(sys.argv[8], "wb") as file:
            file.write(text)
    checksum = 0xCBF29CE484222325
    for byte in text:
        checksum = ((checksum ^ byte) * 0x100000001B3) & MASK
    print("%016x" % checksum)


if __name__ == "__main__":
    main()
