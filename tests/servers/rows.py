"""Equality of rows, with their types: what a client gives, against a table of the embedded engine.

A client gives Python values, or text that is read by the type that the engine gave the column:

    Arrow                PostgreSQL              Python
    bool                 bool                    bool; t, f, true, false
    int8 … uint32        int2 … int8             int
    uint64, decimal      numeric                 Decimal
    float, double        float4, float8          float; NaN equals itself, and 0 is not -0
    string               text                    str
    binary               bytea                   bytes; \\x and hexadecimal digits
    date, time           date, time              date, time
    timestamp            timestamp, timestamptz  datetime, exact to a microsecond
    list                 array                   list; {…}
    struct               text, record            dict, tuple; (…)
"""
import datetime
import functools
import json
import math
import struct
from decimal import Decimal

import pyarrow as pa

UTC = datetime.timezone.utc


def check(query, rows, fault, lossy=lambda value: value):
    """Compares the rows of a client with those that are expected; calls `fault` with what differs.

    `lossy` is what a format makes of a value that it cannot tell from another one.
    """
    readers = [reader(kind) for kind in query.expected.schema.types]
    expected = [tuple(map(lossy, row)) for row in expected_rows(query)]
    try:
        given = [tuple(lossy(read(value)) for read, value in zip(readers, row, strict=True)) for row in rows]
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:
        return fault(f"{query.name}: {type(error).__name__}: {error}")
    if not query.is_ordered:
        expected, given = sorted(expected, key=place), sorted(given, key=place)
    if len(given) != len(expected):
        return fault(f"{query.name}: {len(given)} rows, expected {len(expected)}")
    for number, (left, right) in enumerate(zip(given, expected)):
        if not all(is_same(*pair, query.is_exact) for pair in zip(left, right)):
            return fault(f"{query.name}, row {number}: {left}, expected {right}")
    return None


def is_same(left, right, is_exact):
    """Equality; sums of numbers depend on the order of addition, and so differ in their last bits."""
    if isinstance(left, float) and isinstance(right, float):
        is_equal = left.hex() == right.hex()
        return is_equal or not is_exact and math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return all(is_same(*pair, is_exact) for pair in zip(left, right))
    return left == right


def place(row):
    """Where a row stands among others: the same for numbers that differ in their last bits."""
    return repr([f"{round(value, 6):.6g}" if isinstance(value, float) else value for value in row])


def expected_rows(query):
    """The rows of the engine in the form that is compared; made once."""
    if query.rows is None:
        columns = [map(reader(column.type), plain(column)) for column in query.expected.columns]
        query.rows = list(zip(*columns))
    return query.rows


def plain(column):
    """The values of a column as Python has them; nanoseconds are cut."""
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        column = column.cast(pa.timestamp("us", kind.tz), safe=False)
    return column.to_pylist()


@functools.cache
def reader(kind):
    """Brings values of a type into the one form that is compared."""
    for is_kind, make in READERS:
        if is_kind(kind):
            read = make(kind)
            return lambda value: None if value is None else read(value)
    raise ValueError(f"no rule for {kind}")


def of_type(value, *kinds):
    if type(value) not in kinds:
        raise TypeError(f"{value!r} is {type(value).__name__}, expected {kinds[0].__name__}")
    return value


def boolean(value):
    return {"t": True, "f": False, "true": True, "false": False}[value] if isinstance(value, str) else of_type(value, bool)


def integer(value):
    return int(value) if isinstance(value, str) else of_type(value, int)


def exact(value):
    return Decimal(value) if isinstance(value, str) else Decimal(of_type(value, Decimal, int))


def double(value):
    return float(value) if isinstance(value, str) else float(of_type(value, float, int))


def single(value):
    return struct.unpack("f", struct.pack("f", double(value)))[0]


def text(value):
    return of_type(value, str)


def binary(value):
    return bytes.fromhex(value.removeprefix("\\x")) if isinstance(value, str) else bytes(value)


def day(value):
    return datetime.date.fromisoformat(value) if isinstance(value, str) else of_type(value, datetime.date)


def clock(value):
    return datetime.time.fromisoformat(value) if isinstance(value, str) else of_type(value, datetime.time)


def moment(kind):
    def read(value):
        value = datetime.datetime.fromisoformat(value) if isinstance(value, str) else value
        if not isinstance(value, datetime.datetime):
            raise TypeError(f"{value!r} is no time")
        if (value.tzinfo is None) != (kind.tz is None):
            raise TypeError(f"{value!r} has a time zone, or has none, unlike {kind}")
        return value.astimezone(UTC) if kind.tz else value

    return read


def items(kind):
    item = reader(kind.value_type)

    def read(value):
        if isinstance(value, str):
            value = json.loads(value) if value.startswith("[") else array_items(value)
        return [item(one) for one in of_type(value, list)]

    return read


def fields(kind):
    readers = {field.name: reader(field.type) for field in kind}

    def read(value):
        if isinstance(value, str):
            value = json.loads(value) if value.startswith('{"') else record_fields(value)
        if isinstance(value, dict):
            value = [value[name] for name in readers]
        return [one(part) for one, part in zip(readers.values(), value, strict=True)]

    return read


def nothing(value):
    raise TypeError(f"{value!r} where there is nothing")


def always(read):
    return lambda kind: read


READERS = [
    (pa.types.is_null, always(nothing)),
    (pa.types.is_boolean, always(boolean)),
    (pa.types.is_uint64, always(lambda value: int(exact(value)))),
    (pa.types.is_integer, always(integer)),
    (pa.types.is_decimal, always(exact)),
    (pa.types.is_float32, always(single)),
    (pa.types.is_float64, always(double)),
    (lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind), always(text)),
    (pa.types.is_binary, always(binary)),
    (pa.types.is_date, always(day)),
    (pa.types.is_time, always(clock)),
    (pa.types.is_timestamp, moment),
    (pa.types.is_list, items),
    (pa.types.is_struct, fields),
]


def array_items(value):
    """`{1,NULL,"a, b"}`, as PostgreSQL writes arrays."""
    return split_quoted(value, "{", "}", is_null=lambda item: item == "NULL")


def record_fields(value):
    """`(1,"a, b",)`, as PostgreSQL writes records."""
    return split_quoted(value, "(", ")", is_null=lambda item: item == "")


def split_quoted(value, opening, closing, is_null):
    if not (value.startswith(opening) and value.endswith(closing)):
        raise ValueError(f"{value!r} is not {opening}…{closing}")
    body, items, place = value[1:-1], [], 0
    if not body:
        return []
    while place <= len(body):
        item, is_quoted = "", False
        while place < len(body) and body[place] != ",":
            if body[place] == '"':
                part, place = quoted(body, place + 1)
                item, is_quoted = item + part, True
            else:
                step = 2 if body[place] == "\\" else 1
                item += body[place + step - 1]
                place += step
        items.append(None if is_null(item) and not is_quoted else item)
        place += 1
    return items


def quoted(body, place):
    """What is between double quotes, and the place after them. A backslash or a second quote escapes."""
    item = ""
    while True:
        if body[place] == "\\" or body[place : place + 2] == '""':
            place += 1
        elif body[place] == '"':
            return item, place + 1
        item += body[place]
        place += 1
