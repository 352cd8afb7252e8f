"""The cell magic of notebooks.

    %load_ext ocellus

    %%ocellus con profile
    SELECT * FROM flat_profile

The first word is the connection, the second a variable that takes the query; both may be left out.
"""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class

from ocellus._connection import Connection
from ocellus._errors import UsageError
from ocellus._query import Query


@magics_class
class OcellusMagics(Magics):
    """`%%ocellus`: the cell is SQL."""

    @line_cell_magic
    def ocellus(self, line: str, cell: str | None = None) -> Query:
        """`%%ocellus [CONNECTION] [NAME]` runs a cell of SQL, `%ocellus SQL` a line; NAME keeps the query."""
        if cell is None:
            return self._connection(None).sql(line)
        words = line.split()
        if len(words) > 2:
            raise UsageError(f"%%ocellus takes a connection and a name, got {line}")
        query = self._connection(words[0] if words else None).sql(cell)
        if len(words) == 2:
            self._variables()[words[1]] = query
        return query

    def _variables(self) -> dict[str, Any]:
        """The variables of the notebook."""
        return {} if self.shell is None else self.shell.user_ns

    def _connection(self, name: str | None) -> Connection:
        known = {key: value for key, value in self._variables().items() if isinstance(value, Connection) and not key.startswith("_")}
        if name is not None:
            if name not in known:
                raise UsageError(f"there is no connection {name}; con = ocellus.connect(…) makes one")
            return known[name]
        different = {id(value): value for value in known.values()}
        if len(different) != 1:
            raise UsageError(f"there are {len(different)} connections: name one, as %%ocellus con does")
        return next(iter(different.values()))
