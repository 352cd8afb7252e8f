"""Random Pajé traces of odd shapes: a seed gives the same text everywhere.

Trees of containers of uneven depth, some that are destroyed early; states that nest, last no time, or never end; states
that are set on top of others; several types; links that cross, overtake, or start in their own container; variables that
are set, added to, subtracted from, twice at one instant; names that need quotes, of other scripts, and equal ones.
"""

HEAD = """\
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEventType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 4
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
%EventDef PajeDestroyContainer 8
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 10
% Time date
% Type string
% Container string
% Value string
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
%EventDef PajeNewEvent 14
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeSetVariable 15
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeAddVariable 16
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeSubVariable 17
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeStartLink 18
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
% Size int
%EndEventDef
%EventDef PajeEndLink 19
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
"""

NAMES = ["run", "wait", "MPI_Send", "", "a b", "été", "数据", "🚀", "it's", "50 %", "_", "Run", "NULL", "x" * 60, "a/b", "-0", "1e5", "Ω\u0301"]
NUMBERS = ["0", "1", "7", "-1", "0.1", "1e-9", "3.5", "-2.25", "1e6", "-123456.125", "0.30000000000000004"]
ODD_NUMBERS = ["nan", "inf", "-inf", "NaN", "1e999", "", "-0", "1e300", "-1e300", "5e-324"]


def quoted(name):
    return '"' + name.replace('"', "") + '"'


def containers(chance):
    """A tree as rows: alias, depth, parent. Aliases are in the order of creation."""
    rows = [("c0", 0, None)]
    for number in range(1, chance.choice((1, 2, 4, 8, 15))):
        parent = chance.choice([row for row in rows if row[1] < 3] + [None] * (chance.random() < 0.1))
        rows.append((f"c{number}", parent[1] + 1 if parent else 0, parent[0] if parent else None))
    return rows


def definitions(depths):
    """Types: a chain of container types, and for each depth two types of states, one of the others."""
    lines = []
    for depth in range(depths + 1):
        lines.append(f"1 D{depth} {f'D{depth - 1}' if depth else 0} {quoted(f'Level {depth}')}")
        lines += [f"2 S{depth} D{depth} State", f"2 T{depth} D{depth} {quoted('Ťask')}", f"3 E{depth} D{depth} Event"]
        lines += [f"4 V{depth} D{depth} memory", f"4 W{depth} D{depth} {quoted('power %')}"]
    for left in range(depths + 1):
        for right in range(depths + 1):
            lines.append(f"5 L{left}_{right} 0 D{left} D{right} {quoted('Link')}")
    return lines


def make(chance, has_odd_numbers=False):
    """The text of a trace."""
    tree = containers(chance)
    depth_of = {alias: depth for alias, depth, _ in tree}
    # Coarse times make ties; each is a whole number of the grain.
    grain = chance.choice((1, 0.5, 0.125, 0.001))
    length = chance.choice((4, 20, 100))
    numbers = NUMBERS[: chance.choice((4, 8, len(NUMBERS)))] + (ODD_NUMBERS if has_odd_numbers else [])
    names = chance.sample(NAMES, chance.choice((2, 4, len(NAMES))))
    events = []
    origin = chance.choice((0, 0, 0, 1.5, 1000))

    def time(step):
        return f"{origin + step * grain:.3f}".rstrip("0").rstrip(".")

    alive_until = {alias: length + 1 for alias, _, _ in tree}
    for alias, _, parent in tree:
        if parent:
            alive_until[alias] = alive_until[parent]
        if chance.random() < 0.2:
            alive_until[alias] = min(alive_until[alias], chance.randrange(1, length + 1))
    keys = iter(range(10**6))
    for _ in range(chance.choice((0, 8, 40, 120, 250))):
        alias, _, _ = chance.choice(tree)
        depth, step = depth_of[alias], chance.randrange(alive_until[alias])
        kind = chance.choice("SS+++---eevvvll")
        state = chance.choice("SST") + str(depth)
        name = quoted(chance.choice(names))
        if kind == "S":
            events.append((step, f"10 {time(step)} {state} {alias} {name}"))
        elif kind == "+":
            events.append((step, f"11 {time(step)} {state} {alias} {name}"))
        elif kind == "-":
            events.append((step, f"12 {time(step)} {state} {alias}"))
        elif kind == "e":
            events.append((step, f"14 {time(step)} E{depth} {alias} {name}"))
        elif kind == "v":
            verb = chance.choice((15, 15, 16, 17))
            number = chance.choice(numbers) or '""'
            events.append((step, f"{verb} {time(step)} {chance.choice('VW')}{depth} {alias} {number}"))
        else:
            other = chance.choice(tree)[0]
            end = chance.randrange(step, max(step + 1, min(length, alive_until[other])))
            key, link = next(keys), f"L{depth}_{depth_of[other]}"
            size = chance.choice((0, 1, 8, 4096, 10**9))
            events.append((step, f"18 {time(step)} {link} 0 {alias} {name} k{key} {size}"))
            if chance.random() < 0.9 and step < alive_until[other]:
                events.append((end, f"19 {time(end)} {link} 0 {other} {name} k{key}"))
    events.sort(key=lambda event: event[0])
    lines = definitions(max(depth_of.values()))
    for alias, depth, parent in tree:
        lines.append(f"7 {time(0)} {alias} D{depth} {parent or 0} {quoted(chance.choice(names) if chance.random() < 0.2 else 'container ' + alias)}")
    ends = sorted((step, alias) for alias, step in alive_until.items() if step <= length)
    # What is below goes first.
    ends.sort(key=lambda end: (end[0], -depth_of[end[1]]))
    at = 0
    for step, line in events:
        while at < len(ends) and ends[at][0] <= step:
            lines.append(f"8 {time(ends[at][0])} D{depth_of[ends[at][1]]} {ends[at][1]}")
            at += 1
        lines.append(line)
    lines += [f"8 {time(step)} D{depth_of[alias]} {alias}" for step, alias in ends[at:]]
    return HEAD + "\n".join(lines) + "\n"
