"""The exceptions of the package, in the hierarchy of PEP 249."""

from __future__ import annotations


class Warning(Exception):  # noqa: A001 - the name is that of PEP 249
    """Something that matters; PEP 249 asks for the class, and nothing raises it."""


class Note(UserWarning):
    """What there is to say besides a result, such as that lines of a trace were lost; a warning of Python."""


class Error(Exception):
    """Everything that goes wrong.

    `kind` is one word for programs, such as "unknown_column"; `line` and `column` are the place in `sql`, counted from 1;
    `hint` says what may have been meant. Each is None when there is none.
    """

    kind: str | None = None

    def __init__(
        self,
        message: str,
        *,
        kind: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        sql: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind or type(self).kind
        self.line = line
        self.column = column
        self.hint = hint
        self.sql = sql

    @property
    def place(self) -> tuple[int, int] | None:
        """Line and column in the SQL, counted from 1."""
        return None if self.line is None or self.column is None else (self.line, self.column)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InterfaceError(Error):
    """The package was used in a wrong way."""


class DatabaseError(Error):
    """The database could not do what it was asked for."""


class DataError(DatabaseError):
    """The data is wrong."""


class OperationalError(DatabaseError):
    """The store or the machine is in the way."""


class IntegrityError(DatabaseError):
    """PEP 249 asks for the class; nothing raises it."""


class InternalError(DatabaseError):
    """A fault of Ocellus itself."""

    kind = "internal"


class ProgrammingError(DatabaseError):
    """The statement is wrong."""


class NotSupportedError(DatabaseError):
    """Something that PEP 249 has and Ocellus has not."""

    kind = "unsupported"


class QueryError(ProgrammingError):
    """A query is wrong, or failed while it ran: see `kind`, `place` and `hint`."""


class TraceError(DataError):
    """A trace cannot be read at all, or strict=True stopped at its first fault."""

    kind = "trace"


class StoreError(OperationalError):
    """A store is missing, damaged, locked, or of another version."""

    kind = "store"


class FileError(OperationalError, OSError):
    """The operating system refused something; `errno` is its number."""

    kind = "file"

    def __init__(self, message: str, *, errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno


class CancelledError(OperationalError):
    """The work was stopped."""

    kind = "cancelled"


class UsageError(InterfaceError, ValueError):
    """An argument is wrong."""

    kind = "usage"


class ForkError(InterfaceError, RuntimeError):
    """A connection was used in the child of a fork."""

    kind = "fork"
