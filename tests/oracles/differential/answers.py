"""Answers of the two engines in one form, and their comparison.

Whole numbers, decimals and floats are numbers; floats are equal to nine digits, since sums depend on their order. Rows
without an order are compared as bags.
"""
import datetime
import decimal
import http.client
import json
import math
import urllib.parse

# Sums of values that cancel keep errors of their parts: those of these traces are below this.
SMALL = 1e-7


class Refused(Exception):
    """A statement that an engine does not answer."""


class Ocellus:
    """A client of `ocellus serve`: statements by HTTP, on one connection."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def rows(self, trace, sql):
        headers = {"Content-Type": "application/sql", "Accept": "application/json"}
        for attempt in range(2):
            try:
                self.connection.request("POST", "/sql?trace=" + urllib.parse.quote(trace), sql.encode(), headers)
                answer = self.connection.getresponse()
                body = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                # A connection that was idle for long may have been closed; a second try tells.
                if attempt:
                    raise Refused(f"the connection broke: {error!r}") from error
        if answer.status != 200:
            raise Refused(json.loads(body).get("message", str(body)))
        return [tuple(value(cell) for cell in row.values()) for row in json.loads(body)]


def value(cell):
    """A value in the form that is compared."""
    if isinstance(cell, bool) or cell is None or isinstance(cell, (int, float)):
        return cell
    if isinstance(cell, decimal.Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, (list, tuple)):
        return tuple(value(item) for item in cell)
    if isinstance(cell, dict):
        return tuple(value(item) for item in cell.values())
    if isinstance(cell, (datetime.datetime, datetime.date)):
        return cell.isoformat()
    return cell


def is_same(left, right):
    # JSON has no word for what is not finite: the program writes null.
    if left is None and isinstance(right, float):
        return not math.isfinite(right)
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        if isinstance(left, int) and isinstance(right, int):
            return left == right
        return left == right or math.isclose(left, right, rel_tol=1e-9, abs_tol=SMALL) or (left != left and right != right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(is_same, left, right))
    return left == right


def key(row):
    """Where a row stands among others: numbers last and roughly, so that equal rows meet."""
    exact = [(cell is not None, str(cell)) for cell in row if not isinstance(cell, float)]
    rough = [0.0 if abs(cell) < SMALL else float(f"{cell:.6g}") for cell in row if isinstance(cell, float) and cell == cell]
    return (exact, rough)


def shape(row):
    """Which cells are numbers of any kind: floats of one engine may be whole numbers of the other."""
    return tuple(float(cell) if isinstance(cell, (int, float)) and not isinstance(cell, bool) else cell for cell in row)


def difference(left, right, is_ordered):
    """What differs, or None."""
    if len(left) != len(right):
        return f"{len(left)} rows, expected {len(right)}"
    if not is_ordered:
        left, right = (sorted(rows, key=lambda row: key(shape(row))) for rows in (left, right))
    for number, (one, other) in enumerate(zip(left, right)):
        if len(one) != len(other) or not all(map(is_same, one, other)):
            if is_ordered or not is_bag(left, right):
                return f"row {number}: {one}, expected {other}"
            return None
    return None


def is_bag(left, right):
    """Whether each row has a partner of its own: slow, for rows that rounding put in another order."""
    rest = list(right)
    for row in left:
        for at, other in enumerate(rest):
            if len(row) == len(other) and all(map(is_same, row, other)):
                del rest[at]
                break
        else:
            return False
    return True
