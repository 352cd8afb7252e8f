"""Large traces of many formats for `formats.py`, each with what an import of it must hold.

A writer takes a path and a number of records, and returns an `Input`. Everything is counted while it is written, so that
the results do not come from the program that is measured. Times are whole nanoseconds.
"""
import os
import random
import sqlite3
import struct
import subprocess

THREADS = 64


class Input:
    """A trace: where it is, its records, and the rows and nanoseconds of states that must come out."""

    def __init__(self, path, records, **expected):
        self.path, self.records, self.expected = path, records, expected

    def size(self):
        if os.path.isfile(self.path) and not self.path.endswith(".otf2"):
            return os.path.getsize(self.path)
        folder = self.path if os.path.isdir(self.path) else os.path.dirname(self.path)
        return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def spans(records, seed=1):
    """Calls of threads, one after the other: thread, name, start and length."""
    dice = random.Random(seed)
    clocks = [0] * THREADS
    for number in range(records):
        thread = dice.randrange(THREADS)
        start = clocks[thread] + dice.randrange(50, 2000)
        length = dice.randrange(100, 90_000)
        clocks[thread] = start + length
        yield thread, number % 50, start, length


def micros(nanoseconds):
    return "%d.%03d" % divmod(nanoseconds, 1000)


def chrome(path, records):
    """Complete events with a category and two arguments, about 110 bytes each."""
    ticks = 0
    with open(path, "w") as file:
        file.write('{"traceEvents":[\n')
        for number, (thread, name, start, length) in enumerate(spans(records)):
            comma = "" if number == 0 else ",\n"
            file.write('%s{"ph":"X","cat":"cpu_op","name":"aten::call_%d","pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{"id":%d,"dims":[1,%d]}}'
                       % (comma, name, 100 + thread // 8, thread, micros(start), micros(length), number, name))
            ticks += length
        file.write("\n]}\n")
    return Input(path, records, states=records, state_ticks=ticks)


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    """A field of a protocol buffer: a whole number, or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def perfetto(path, records):
    """Slices of threads with interned names and one annotation, packets in the order of time."""
    edges, ticks = [], 0
    for number, (thread, name, start, length) in enumerate(spans(records)):
        edges.append((start, number, thread, name))
        edges.append((start + length, -1, thread, name))
        ticks += length
    # The end of a call comes before the start of the next.
    edges.sort()
    with open(path, "wb") as file:
        def packet(content):
            file.write(field(1, content + field(10, 1)))

        packet(field(13, 1))
        for process in range(THREADS // 8):
            packet(field(60, field(1, 1000 + process) + field(3, field(1, 100 + process) + field(6, b"process %d" % process))))
        for thread in range(THREADS):
            ids = field(1, 100 + thread // 8) + field(2, 1000 + thread) + field(5, b"thread %d" % thread)
            packet(field(60, field(1, 1 + thread) + field(5, 1000 + thread // 8) + field(4, ids)))
        names = b"".join(field(2, field(1, 1 + name) + field(2, b"call_%d" % name)) for name in range(50))
        packet(field(12, names + field(3, field(1, 1) + field(2, b"id"))))
        ends = [field(11, field(9, 2) + field(11, 1 + thread)) + field(13, 2) for thread in range(THREADS)]
        for time, number, thread, name in edges:
            if number < 0:
                packet(field(8, time) + ends[thread])
            else:
                event = field(9, 1) + field(11, 1 + thread) + field(10, 1 + name) + field(4, field(1, 1) + field(4, number))
                packet(field(8, time) + field(11, event) + field(13, 2))
    return Input(path, records, states=records, state_ticks=ticks)


def paraver(path, records):
    """States, events and messages of tasks with one thread each."""
    states, events, links, ticks = [], 0, 0, 0
    last = 0
    lines = []
    for number, (thread, name, start, length) in enumerate(spans(records)):
        task, kind = thread + 1, number % 4
        last = max(last, start + length)
        if kind < 2:
            lines.append((start, "1:%d:1:%d:1:%d:%d:%d" % (task, task, start, start + length, 1 + name % 12)))
            states.append(number)
            ticks += length
        elif kind == 2:
            lines.append((start, "2:%d:1:%d:1:%d:42000050:%d" % (task, task, start, length)))
            events += 1
        else:
            other = task % THREADS + 1
            lines.append((start, "3:%d:1:%d:1:%d:%d:%d:1:%d:1:%d:%d:%d:%d"
                          % (task, task, start, start, other, other, start + length, start + length, length, name)))
            links += 1
    lines.sort(key=lambda line: line[0])
    nodes = ",".join("1:1" for _ in range(THREADS))
    with open(path, "w") as file:
        file.write("#Paraver (17/11/2026 at 09:30):%d_ns:1(%d):1:%d(%s)\n" % (last, THREADS, THREADS, nodes))
        file.writelines(line + "\n" for _, line in lines)
    with open(path[:-4] + ".pcf", "w") as file:
        file.write("STATES\n0    Idle\n" + "".join("%d    State %d\n" % (n, n) for n in range(1, 13)))
        file.write("\nEVENT_TYPE\n9    42000050    PAPI_TOT_INS\n")
    return Input(path, records, states=len(states), state_ticks=ticks, links=links)


CTF_METADATA = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; map = clock.mono.value; } := clock_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { domain = "kernel"; };
clock { name = mono; freq = 1000000000; offset = 0; };
stream { id = 0;
  packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint64_t content_size; uint64_t packet_size;
                             uint32_t cpu_id; };
  event.header := struct { uint16_t id; clock_t timestamp; };
  event.context := struct { uint32_t _tid; }; };
event { name = "syscall_entry_read"; id = 0; stream_id = 0; fields := struct { uint32_t _fd; uint64_t _count; }; };
event { name = "syscall_exit_read"; id = 1; stream_id = 0; fields := struct { uint64_t _ret; }; };
"""


def ctf(path, records):
    """Entries and exits of system calls, a stream per CPU; each CPU runs one thread."""
    os.makedirs(path)
    with open(os.path.join(path, "metadata"), "w") as file:
        file.write(CTF_METADATA)
    streams = [[] for _ in range(THREADS)]
    ticks = 0
    for thread, name, start, length in spans(records // 2):
        streams[thread].append((start, length, name))
        ticks += length
    entry, leave = struct.Struct("<HQIIQ"), struct.Struct("<HQIQ")
    for thread, calls in enumerate(streams):
        with open(os.path.join(path, "channel0_%d" % thread), "wb") as file:
            for first in range(0, len(calls), 1000):
                part = calls[first:first + 1000]
                events = b"".join(entry.pack(0, start, 100 + thread, name, length) + leave.pack(1, start + length, 100 + thread, length)
                                  for start, length, name in part)
                size = (44 + len(events)) * 8
                file.write(struct.pack("<IIQQQQI", 0xC1FC1FC1, 0, part[0][0], part[-1][0] + part[-1][1], size, size, thread))
                file.write(events)
    return Input(path, records // 2 * 2, states=records // 2, state_ticks=ticks)


def ftrace(path, records):
    """Switches of eight CPUs between two threads each, and their idle thread."""
    dice = random.Random(3)
    time = 5_000_000
    runs = [0] * 8
    with open(path, "w") as file:
        file.write("# tracer: nop\n#\n")
        for number in range(records):
            time += dice.randrange(1, 40)
            cpu = number % 8
            now, runs[cpu] = runs[cpu], (runs[cpu] + 1) % 3
            names = [("swapper/%d" % cpu, 0), ("work", 100 + cpu), ("helper", 200 + cpu)]
            (prev, prev_id), (following, next_id) = names[now], names[runs[cpu]]
            shown = "<idle>" if prev_id == 0 else prev
            file.write("%16s-%-7d [%03d] d.... %5d.%06d: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120\n"
                       % (shown, prev_id, cpu, time // 1_000_000, time % 1_000_000, prev, prev_id, "RSD"[number % 3], following, next_id))
    return Input(path, records)


def perf(path, records):
    """Samples with call stacks of four functions."""
    with open(path, "w") as file:
        for number in range(records):
            file.write("prog %7d/%-7d %5d.%06d:        250 cycles:u: \n" % (7, 7 + number % THREADS, 2 + number // 1_000_000, number % 1_000_000))
            for level in range(4):
                function = (number * (level + 3)) % 97
                file.write("\t%16x function_%d+0x%x (/usr/bin/prog)\n" % (4096 + function * 64, function, level))
            file.write("\n")
    return Input(path, records, events=records)


def nsight(path, records):
    """Launches and the kernels that they start."""
    connection = sqlite3.connect(path)
    thread = 1 << 48 | 100 << 24
    connection.executescript("""
        CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.13.2');
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000');
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,
            nameId INTEGER, returnValue INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
            streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER);
    """)
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", [(2 + name, "kernel_%d" % name) for name in range(50)])
    launches, kernels, ticks = [], [], 0
    for number, (stream, name, start, length) in enumerate(spans(records // 2)):
        launches.append((number * 40, number * 40 + 30, thread | 101, number, 1, 0))
        begin = number * 40 + start
        kernels.append((start, start + length, stream // 8, 1, stream, number, thread, 2 + name, 2 + name, begin % 1024))
        ticks += length + 30
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,?)", launches)
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?,?)", kernels)
    connection.commit()
    connection.close()
    return Input(path, records // 2 * 2, states=records // 2 * 2, state_ticks=ticks)


DUMPI_HEAD = "version=13.0.0\nstarttime=Tue Nov 14 22:13:20 2023\nhostname=node%d\nusername=user\nmeshdim=0\nmeshsize=[]\nmeshcrd=[]\n"
DUMPI_STEP = "{name} {edge} at walltime {time}, cputime 0.000000000 seconds in thread 0.\n"


def dumpi(path, records):
    """What dumpi2ascii prints: sends to the right and receives from the left, in two ranks."""
    os.makedirs(path)
    ticks = 0
    rounds = records // 4
    for rank in range(2):
        with open(os.path.join(path, "run-%04d.txt" % rank), "w") as file:
            file.write(DUMPI_HEAD % rank)
            for number in range(rounds):
                for call, (name, end, start) in enumerate([("MPI_Send", "dest", 0), ("MPI_Recv", "source", 20)]):
                    at = 1_000_000_000_000 + number * 100_000 + start * 1000
                    for edge, time in (("entering", at), ("returning", at + 15_000)):
                        seconds = "%d.%09d" % divmod(time, 1_000_000_000)
                        if edge == "returning":
                            file.write("int count=25\nMPI_Datatype datatype=9 (MPI_INT)\nint %s=%d\nint tag=7\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n" % (end, 1 - rank))
                            if call == 1:
                                file.write("MPI_Status status=[{bytes=100, cancelled=0, source=%d, tag=7, error=0}]\n" % (1 - rank))
                        file.write(DUMPI_STEP.format(name=name, edge=edge, time=seconds))
                    ticks += 15_000
            file.write("Datatype 9 (MPI_INT) has size 4\n")
    return Input(path, rounds * 4, states=rounds * 4, state_ticks=ticks, links=rounds * 2)


def otf2(path, records):
    """Regions of locations, written by the OTF2 library; `None` where it is not installed."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otf2_writer.c")
    program = path + "-writer"
    try:
        built = subprocess.run(["cc", "-O2", "-o", program, source, "-lotf2"], capture_output=True)
    except FileNotFoundError:
        return None
    if built.returncode != 0:
        return None
    subprocess.run([program, path, str(records // 2), str(THREADS)], check=True, capture_output=True)
    calls = records // 2 // THREADS * THREADS
    return Input(os.path.join(path, "traces.otf2"), calls * 2, states=calls, state_ticks=calls * 700)
