#!/usr/bin/env python3
"""Writes the traces traces/ctf (CTF 1.8, big-endian) and traces/ctf2 (CTF 2): python3 tests/oracles/ctf.py

An encoder of its own. What the traces must become is worked out by hand in tests/sql/formats/ctf.slt and ctf2.slt.
"""
import json
import os
import struct

ROOT = os.path.join(os.path.dirname(__file__), "../../traces")
TSDL = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; byte_order = le; } := little_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int;
typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
typealias integer { size = 27; align = 1; map = clock.mono.value; } := uint27_clock_t;
typealias integer { size = 64; align = 8; map = clock.mono.value; } := uint64_clock_t;
trace {
	major = 1; minor = 8; byte_order = be;
	packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
env { hostname = "node7"; domain = "kernel"; };
clock { name = mono; freq = 1000000000; /* Hz */ offset_s = 1700000000; offset = 250; };
struct packet_context {
	uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;
	unsigned long content_size; unsigned long packet_size; unsigned long packet_seq_num;
	uint32_t events_discarded; uint32_t cpu_id;
};
struct event_header {
	enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
	variant <id> {
		struct { uint27_clock_t timestamp; } compact;
		struct { uint32_t id; uint64_clock_t timestamp; } extended;
	} v;
} align(8);
stream { id = 0; event.header := struct event_header; packet.context := struct packet_context; };
event { name = "sched_switch"; id = 0; stream_id = 0; fields := struct {
	integer { size = 8; align = 8; encoding = UTF8; } _prev_comm[8]; int _prev_tid; int _prev_state;
	integer { size = 8; align = 8; encoding = UTF8; } _next_comm[8]; int _next_tid; }; };
event { name = "syscall_entry_write"; id = 1; stream_id = 0; fields := struct { uint32_t _fd; unsigned long _count; }; };
event { name = "syscall_exit_write"; id = 2; stream_id = 0; fields := struct { int _ret; }; };
event { name = "irq_handler_entry"; id = 3; stream_id = 0; fields := struct { int _irq; string _name; }; };
event { name = "irq_handler_exit"; id = 4; stream_id = 0; fields := struct { int _irq; }; };
event { name = "fields"; id = 40; stream_id = 0; fields := struct {
	integer { size = 3; align = 1; } _low; integer { size = 5; align = 1; signed = true; } _middle;
	integer { size = 12; align = 1; base = 16; } _across;
	little_t _little;
	floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _single;
	floating_point { exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; } _exact;
	string _text; uint8_t _len; little_t _list[_len];
	integer { size = 8; align = 8; encoding = UTF8; } _letters[_len];
	enum : uint8_t { none, some = 5, "a lot" = 6 ... 9 } _amount;
	struct { uint8_t x; uint8_t y; } _points[2];
	variant <_amount> { uint8_t none; string some; } _choice; }; };
"""


class Bits:
    """Big-endian bits, from the top of each byte."""

    def __init__(self):
        self.bits = ""

    def align(self, bits):
        self.bits += "0" * (-len(self.bits) % bits)

    def number(self, number, bits):
        self.bits += format(number & (1 << bits) - 1, f"0{bits}b")

    def bytes(self, raw):
        self.align(8)
        self.bits += "".join(format(byte, "08b") for byte in raw)

    def pack(self, layout, *values):
        self.bytes(struct.pack(layout, *values))

    def header(self, id, count):
        self.align(8)
        if id < 31:
            self.number(id, 5)
            self.number(count, 27)
        else:
            self.number(31, 5)
            self.pack(">IQ", id, count)

    def content(self):
        self.align(8)
        return int("1" + self.bits, 2).to_bytes(len(self.bits) // 8 + 1, "big")[1:]


def switch(bits, count, prev, state, next):
    bits.header(0, count)
    bits.pack(">8sii", prev[0], prev[1], state)
    bits.pack(">8si", next[0], next[1])


def packet(begin, end, sequence, discarded, events):
    content = events.content()
    head = 8 + 8 * 5 + 4 + 4
    bits = (head + len(content)) * 8
    padding = b"\xee" * 16
    return (struct.pack(">II", 0xC1FC1FC1, 0) + struct.pack(">QQQQQII", begin, end, bits, bits + 128, sequence, discarded, 0)
            + content + padding)


def classic():
    # 2^27 is 134217728: the short timestamp of the last event of the first packet starts anew.
    first = Bits()
    switch(first, 134217488, (b"swapper", 0), 0, (b"app", 100))
    first.header(1, 134217500)
    first.pack(">IQ", 1, 5)
    first.header(2, 134217700)
    first.pack(">i", 5)
    switch(first, 134217800, (b"app", 100), 1, (b"swapper", 0))
    second = Bits()
    second.header(2, 134217950)
    second.pack(">i", -1)
    second.header(40, 134218000)
    second.number(5, 3)
    second.number(-3, 5)
    second.number(0xABC, 12)
    second.align(8)
    second.bytes(struct.pack("<H", 0x1234))
    second.pack(">f", 1.5)
    second.bytes(struct.pack("<d", -0.25))
    second.bytes(b"h\xc3\xa9!\0")
    second.bytes(bytes([2]) + struct.pack("<HH", 7, 8) + b"ok")
    second.bytes(bytes([5, 1, 2, 3, 4]) + b"chosen\0")
    second.header(3, 134218100)
    second.pack(">i", 9)
    second.bytes(b"eth0\0")
    second.header(4, 134218150)
    second.pack(">i", 9)
    folder = os.path.join(ROOT, "ctf")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "channel0_0"), "wb") as file:
        file.write(packet(134217472, 134217800, 0, 0, first) + packet(134217900, 134218150, 2, 3, second))
    # The metadata in two packets of their own.
    with open(os.path.join(folder, "metadata"), "wb") as file:
        half = len(TSDL) // 2
        for text in (TSDL[:half].encode(), TSDL[half:].encode()):
            size = 37 + len(text)
            file.write(struct.pack(">I16sIII5B", 0x75D11D57, b"u" * 16, 0, size * 8, (size + 3) * 8, 0, 0, 0, 1, 8))
            file.write(text + b"\0\0\0")


def leb(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def unsigned(bits, **more):
    return {"type": "fixed-length-unsigned-integer", "length": bits, "alignment": 8, "byte-order": "little-endian", **more}


def struct_of(*members):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": value} for name, value in members]}


def modern():
    variable = {"type": "variable-length-unsigned-integer"}
    here = {"origin": "event-record-payload"}
    fragments = [
        {"type": "preamble", "version": 2},
        {"type": "field-class-alias", "name": "byte", "field-class": unsigned(8)},
        {"type": "trace-class", "environment": {"hostname": "node8"},
         "packet-header-field-class": struct_of(("magic", unsigned(32, roles=["packet-magic-number"])))},
        {"type": "clock-class", "id": "ms", "frequency": 1000, "offset-from-origin": {"seconds": 2, "cycles": 500}},
        {"type": "data-stream-class", "id": 0, "default-clock-class-id": "ms",
         "packet-context-field-class": struct_of(
             ("begin", unsigned(64, roles=["default-clock-timestamp"])),
             ("size", unsigned(32, roles=["packet-total-length"])),
             ("content", unsigned(32, roles=["packet-content-length"]))),
         "event-record-header-field-class": struct_of(
             ("id", {**variable, "roles": ["event-record-class-id"]}),
             ("time", {**variable, "roles": ["default-clock-timestamp"]})),
         "event-record-common-context-field-class": struct_of(("vpid", "byte"), ("vtid", "byte"))},
        {"type": "event-record-class", "id": 0, "name": "work_begin",
         "payload-field-class": struct_of(("unit", {"type": "null-terminated-string"}))},
        {"type": "event-record-class", "id": 300, "name": "work_end"},
        {"type": "event-record-class", "id": 2, "name": "values", "payload-field-class": struct_of(
            ("kind", "byte"), ("len", "byte"),
            ("blob", {"type": "dynamic-length-blob", "length-field-location": {**here, "path": ["len"]}}),
            ("text", {"type": "dynamic-length-string", "length-field-location": {**here, "path": ["len"]}}),
            ("flag", {"type": "fixed-length-boolean", "length": 8, "alignment": 8, "byte-order": "little-endian"}),
            ("maybe", {"type": "optional", "selector-field-location": {**here, "path": ["flag"]},
                       "field-class": {"type": "variable-length-signed-integer"}}),
            ("either", {"type": "variant", "selector-field-location": {**here, "path": ["kind"]}, "options": [
                {"selector-field-ranges": [[0, 3]], "field-class": "byte"},
                {"selector-field-ranges": [[4, 4], [7, 9]],
                 "field-class": {"type": "static-length-array", "length": 2, "element-field-class": "byte"}}]}),
            ("named", {**unsigned(8), "mappings": {"small": [[0, 9]], "large": [[10, 255]]}}),
            ("mirrored", {**unsigned(8), "bit-order": "last-to-first"}))},
    ]
    folder = os.path.join(ROOT, "ctf2")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w") as file:
        file.write("".join("\x1e" + json.dumps(fragment) + "\n" for fragment in fragments))
    who = bytes([40, 41])
    # Times have the lowest 7 or 14 bits: 1000, then 1100 (by 7 bits: 76), then 1200 (176, in 14 bits: 1200).
    events = leb(0) + leb(1000) + who + b"a\0"
    events += leb(2) + leb(1100 & 127) + who + bytes([8, 3]) + b"\x01\x02\xff" + b"abc" + b"\x01" + b"\x7e" + b"\x05\x06" + b"\x0a" + b"\x01"
    events += leb(300) + leb(1200) + who
    events += leb(2) + leb(1300) + who + bytes([1, 0]) + b"\x00" + b"\x2a" + b"\x07" + b"\x80"
    head = 4 + 8 + 4 + 4
    size = (head + len(events)) * 8
    with open(os.path.join(folder, "stream"), "wb") as file:
        file.write(struct.pack("<IQII", 0xC1FC1FC1, 990, size, size) + events)


classic()
modern()
