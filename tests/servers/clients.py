"""The clients: each is a context that runs a query and gives its rows, as values or as text."""
import asyncio
import csv
import http.client
import io
import json
import re
import subprocess
import urllib.error
import urllib.request

import adbc_driver_flightsql.dbapi
import adbc_driver_postgresql.dbapi
import asyncpg
import psycopg
import psycopg2
import pyarrow as pa
import sqlalchemy

from place import PATIENCE, TRACE
from rows import plain

# What stands for NULL where text would not tell.
NOTHING = "⟨NULL⟩"


def psql(server, script, *options):
    """Runs a script by psql; gives what it printed. Errors end it."""
    command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-P", f"null={NOTHING}", *options, server.pg()]
    done = subprocess.run(command, input=script, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"psql: {done.stderr.strip()}")
    return done.stdout


def read_csv(text):
    """Rows below the header, with NULL where psql was told to print it."""
    rows = list(csv.reader(io.StringIO(text)))[1:]
    return [[None if value == NOTHING else value for value in row] for row in rows]


class Client:
    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.close()

    def open(self):
        pass

    def close(self):
        pass


class Psql(Client):
    """psql, with the simple protocol."""

    def rows(self, sql):
        return read_csv(psql(self.server, sql + "\n;", "--csv"))


class PsqlText(Client):
    """psql, fields between separators that no text contains."""

    def rows(self, sql):
        text = psql(self.server, sql + "\n;", "-At", "-F", "\x1f", "-R", "\x1e")
        rows = [row.split("\x1f") for row in text.rstrip("\n").split("\x1e")] if text.strip("\n") else []
        return [[None if value == NOTHING else value for value in row] for row in rows]


class PsqlCopy(Client):
    """COPY to csv by psql, which prints what comes."""

    def rows(self, sql):
        return read_csv(psql(self.server, f"COPY ({sql}\n) TO STDOUT WITH (FORMAT csv, HEADER, NULL '{NOTHING}');"))


class Psycopg2(Client):
    def open(self):
        self.connection = psycopg2.connect(self.server.pg())

    def close(self):
        self.connection.close()

    def rows(self, sql):
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()


class Psycopg2Named(Psycopg2):
    """A cursor of the server: DECLARE, then FETCH of 700 rows."""

    def rows(self, sql):
        with self.connection.cursor(name="of the server") as cursor:
            cursor.itersize = 700
            cursor.execute(sql)
            rows = list(cursor)
        self.connection.rollback()
        return rows


class Psycopg3(Client):
    """Text, prepared by the server."""

    BINARY = False

    def open(self):
        self.connection = psycopg.connect(self.server.pg(), autocommit=True)

    def close(self):
        self.connection.close()

    def rows(self, sql):
        with self.connection.cursor(binary=self.BINARY) as cursor:
            return cursor.execute(sql, prepare=True).fetchall()


class Psycopg3Binary(Psycopg3):
    BINARY = True


class Psycopg3Named(Psycopg3):
    """A cursor of the server, in binary."""

    def rows(self, sql):
        with self.connection.transaction(), self.connection.cursor(name="named", binary=True) as cursor:
            cursor.itersize = 700
            return list(cursor.execute(sql))


class Psycopg3Copy(Psycopg3):
    """COPY as text."""

    FORMAT = "text"

    def rows(self, sql):
        with self.connection.cursor() as cursor:
            types = [column.type_code for column in cursor.execute(f"SELECT * FROM ({sql}\n) AS q LIMIT 0").description]
            with cursor.copy(f"COPY ({sql}\n) TO STDOUT (FORMAT {self.FORMAT})") as copy:
                copy.set_types(types)
                return list(copy.rows())


class Psycopg3CopyBinary(Psycopg3Copy):
    FORMAT = "binary"


class SqlAlchemy(Client):
    DRIVER = "psycopg2"

    def open(self):
        url = self.server.pg_url().replace("postgresql:", f"postgresql+{self.DRIVER}:")
        self.engine = sqlalchemy.create_engine(url, pool_pre_ping=True)

    def close(self):
        self.engine.dispose()

    def rows(self, sql):
        with self.engine.connect() as connection:
            # Its drivers look for parameters.
            return [tuple(row) for row in connection.exec_driver_sql(sql.replace("%", "%%"), ())]


class SqlAlchemy3(SqlAlchemy):
    DRIVER = "psycopg"


class Asyncpg(Client):
    """Always prepared, always binary; asks the catalog for types that it does not know."""

    def open(self):
        self.loop = asyncio.new_event_loop()
        self.connection = self.loop.run_until_complete(
            asyncpg.connect(
                host="127.0.0.1",
                port=self.server.ports["pg"],
                user="reader",
                password=self.server.secret,
                database="ocellus",
                ssl=False,
                server_settings={"search_path": TRACE},
            )
        )

    def close(self):
        self.loop.run_until_complete(self.connection.close())
        self.loop.close()

    def rows(self, sql):
        return [tuple(row) for row in self.loop.run_until_complete(self.connection.fetch(sql))]


class AdbcPostgresql(Client):
    """COPY in binary."""

    def open(self):
        self.connection = adbc_driver_postgresql.dbapi.connect(self.server.pg_url(), autocommit=True)

    def close(self):
        self.connection.close()

    def table(self, sql, parameters=None):
        with self.connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetch_arrow_table()

    def rows(self, sql):
        return list(zip(*map(plain, self.table(sql).columns)))


class AdbcFlight(AdbcPostgresql):
    """Arrow Flight SQL."""

    def open(self):
        options = {"adbc.flight.sql.rpc.call_header.x-ocellus-trace": TRACE}
        uri = f"grpc://127.0.0.1:{self.server.ports['flight']}"
        self.connection = adbc_driver_flightsql.dbapi.connect(uri, db_kwargs=options, autocommit=True)


def curl(server, sql, accept, path=f"/sql?trace={TRACE}"):
    command = ["curl", "-sS", "--fail-with-body", "--data-binary", "@-", "-H", f"Accept: {accept}"]
    command += ["-H", "Content-Type: application/sql", server.url(path)]
    done = subprocess.run(command, input=sql.encode(), capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"curl: {done.stderr.decode().strip()} {done.stdout.decode(errors='replace')}")
    return done.stdout


class CurlJson(Client):
    """Numbers are kept as they were written."""

    def rows(self, sql):
        text = curl(self.server, sql, "application/json").decode()
        return [tuple(row.values()) for row in json.loads(text, parse_float=str, parse_int=str)]


class CurlCsv(Client):
    def rows(self, sql):
        rows = list(csv.reader(io.StringIO(curl(self.server, sql, "text/csv").decode(), newline="")))[1:]
        return [[value or None for value in row] for row in rows]


class CurlArrow(Client):
    def rows(self, sql):
        stream = curl(self.server, sql, "application/vnd.apache.arrow.stream")
        table = pa.ipc.open_stream(stream).read_all()
        return list(zip(*map(plain, table.columns)))


def post(server, sql, headers=None, path=f"/sql?trace={TRACE}", context=None):
    """Status and body of a query by HTTP. A body that ends too early has the status None."""
    scheme = "https" if context else "http"
    url = f"{scheme}://127.0.0.1:{server.ports['http']}{path}"
    request = urllib.request.Request(url, sql.encode(), {"Content-Type": "application/sql"} | (headers or {}))
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except (http.client.IncompleteRead, ConnectionError) as error:
        return None, str(error)


def flight(server, sql, scheme="grpc", username=None, password=None, **options):
    """The rows of a query by Flight SQL, as dictionaries. Options are those of its driver."""
    options = {"rpc.call_header.x-ocellus-trace": TRACE} | options
    options = {f"adbc.flight.sql.{name}": value for name, value in options.items()}
    if username:
        options |= {"username": username, "password": password}
    uri = f"{scheme}://127.0.0.1:{server.ports['flight']}"
    with adbc_driver_flightsql.dbapi.connect(uri, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table().to_pylist()


def first_words(error):
    """The beginning of an error, in one line."""
    return re.sub(r"\s+", " ", str(error))[:300]
