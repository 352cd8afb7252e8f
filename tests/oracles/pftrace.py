#!/usr/bin/env python3
"""Writes traces/tracks.pftrace: python3 tests/oracles/pftrace.py > traces/tracks.pftrace

An encoder of protocol buffers of its own. What the trace must become is worked out by hand in
tests/sql/formats/perfetto.slt; all times there are those of the boot time clock.
"""
import struct
import sys
import zlib


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A field: int, float, text, bytes, a message as a list of pairs, or ("fixed", int)."""
    if isinstance(value, tuple):
        return varint(number << 3 | 1) + struct.pack("<Q", value[1])
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, list):
        value = message(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(fields):
    return b"".join(field(number, value) for number, value in fields)


def packed(numbers):
    return b"".join(varint(number) for number in numbers)


def packet(fields):
    return field(1, fields)


def track(uuid, *fields, sequence=1):
    return packet([(10, sequence), (60, [(1, uuid), *fields])])


def event(delta, *fields, sequence=1, packet_fields=()):
    """An event of sequence 1, whose clock counts differences."""
    return packet([(8, delta), (10, sequence), (13, 2), *packet_fields, (11, list(fields))])


BEGIN, END, INSTANT, COUNTER, STATE = ((9, kind) for kind in range(1, 6))
out = b""
# Boot time 5,000,000 is 1000 of the sequence's own clock 64, which counts differences, and half a second past a date.
out += packet([(10, 1), (6, [
    (1, [(1, 64), (2, 1000), (3, 1)]), (1, [(1, 6), (2, 5_000_000)]),
    (1, [(1, 1), (2, 1_700_000_000_500_000_000)]), (2, 6)])])
# Interned strings and defaults: clock 64, track 1, and an extra counter.
out += packet([(10, 1), (13, 1), (42, 1),
               (59, [(58, 64), (11, [(11, 1), (31, 7)])]),
               (12, [(1, [(1, 1), (2, "app")]), (2, [(1, 1), (2, "step")]), (3, [(1, 1), (2, "size")]),
                     (29, [(1, 9), (2, "interned text")])])])
out += track(2, (3, [(1, 10), (6, "app")]))
out += track(1, (4, [(1, 10), (2, 11), (5, "main")]))
out += track(7, (5, 1), (2, "bytes allocated"), (8, [(3, 3), (4, 1024), (5, 1)]))
# 5,000,100: a slice with annotations, an extra counter of 2 KiB, and a flow that leaves it.
out += event(100, BEGIN, (10, 1), (3, 1), (12, packed([2])),
             (4, [(1, 1), (4, 42)]), (4, [(10, "label"), (17, 9)]), (4, [(10, "list"), (12, [(4, 1)]), (12, [(2, 1)])]),
             (47, ("fixed", 77)))
# 5,000,200 to 5,000,350: a slice inside it; the counter grows by 3 KiB.
out += event(100, BEGIN, (23, "inner"), (22, "app"), (22, "net"), (12, packed([3])))
out += event(150, END)
out += event(50, INSTANT, (23, "mark"), (11, 2), (4, [(10, "ratio"), (5, 0.5)]))
# 5,000,500: the slice ends, with an annotation.
out += event(100, END, (4, [(10, "result"), (4, -3)]))
# Before all of it in time, and behind it in the file: a thread that is described later still, where the flow ends.
plain = [(58, 6)]
out += packet([(8, 5_000_300), (10, 1), (58, 6), (11, [BEGIN, (11, 3), (23, "receive"), (48, ("fixed", 77))])])
out += packet([(8, 5_000_400), (10, 1), (58, 6), (11, [END, (11, 3)])])
out += track(3, (4, [(1, 10), (2, 12), (5, "worker")]))
# A track of states, and one below a track.
out += track(20, (5, 2), (2, "phase"), (18, b""))
out += track(21, (5, 20), (2, "detail"))
for time, name in ((5_000_000, "setup"), (5_000_250, "run"), (5_000_600, None)):
    out += packet([(8, time), (10, 1), (58, 6), (11, [STATE, (11, 20)] + ([(23, name)] if name else []))])
out += packet([(8, 5_000_260), (10, 1), (58, 6), (11, [INSTANT, (11, 21), (23, "deep")])])
# A counter with doubles on the process.
out += track(22, (5, 2), (2, "load"), (8, b""))
for time, value in ((5_000_000, 0.25), (5_000_300, 0.75)):
    out += packet([(8, time), (10, 1), (58, 6), (11, [COUNTER, (11, 22), (44, value)])])
# A sequence that lost a packet: what refers to names is dropped until they are given again.
out += packet([(8, 5_000_310), (10, 2), (42, 1), (13, 2), (58, 6), (11, [INSTANT, (11, 3), (10, 1)])])
out += packet([(8, 5_000_320), (10, 2), (13, 3), (58, 6), (12, [(2, [(1, 1), (2, "again")])]),
               (11, [INSTANT, (11, 3), (10, 1)])])
# An old event with its length, and an asynchronous one, in compressed packets.
old = packet([(8, 5_000_360), (10, 3), (11, [(11, 3), (23, "old"), (6, [(2, ord("X")), (3, 0)])])])
old += packet([(8, 5_000_100), (10, 3), (11, [(11, 3), (23, "request"), (6, [(2, ord("b")), (10, 5)])])])
old += packet([(8, 5_000_450), (10, 3), (11, [(11, 3), (23, "request"), (6, [(2, ord("e")), (10, 5)])])])
out += packet([(50, zlib.compress(old))])
# The kernel: CPU 0 runs 100 (kworker), then main, then nobody; main is woken before; a soft interrupt; marks of worker.
out += packet([(2, [(1, [(1, 10), (3, "/bin/app")]), (2, [(1, 100), (2, "kworker"), (3, 100)])])])
switches = [(5_000_000, 0, 100), (50, 1, 11), (400, 1, 0), (100, 0, 100)]
out += packet([(10, 4), (1, [
    (1, 0),
    (4, [(1, packed(time for time, _, _ in switches)), (2, packed(state for _, state, _ in switches)),
         (3, packed(tid for _, _, tid in switches)), (4, packed(120 for _ in switches)),
         (5, "kworker"), (5, "main"), (5, "swapper"), (6, packed([0, 1, 2, 0])),
         (7, packed([5_000_020])), (8, packed([11])), (9, packed([0])), (10, packed([120])), (11, packed([1]))]),
    (2, [(1, 5_000_030), (2, 100), (24, [(1, 3)])]),
    (2, [(1, 5_000_040), (2, 100), (25, [(1, 3)])]),
    (2, [(1, 5_000_110), (2, 12), (3, [(2, "B|10|draw\n")])]),
    (2, [(1, 5_000_120), (2, 12), (3, [(2, "E|10\n")])]),
    (2, [(1, 5_000_130), (2, 12), (3, [(2, "C|10|frames|8\n")])]),
    (2, [(1, 5_000_140), (2, 12), (3, [(2, "free text\n")])]),
    (2, [(1, 5_000_150), (2, 12), (999, [(1, 3)])]),
])])
# A packet of a kind that is not read.
out += packet([(8, 5_000_500), (10, 4), (75, b"")])
sys.stdout.buffer.write(out)
