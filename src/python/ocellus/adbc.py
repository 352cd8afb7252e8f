"""ADBC: the driver in this package's shared object, for all that speak Arrow Database Connectivity, in this process.

    import ocellus.adbc
    con = ocellus.adbc.connect("run.otf2")
    pandas.read_sql("SELECT * FROM states", con)
    polars.read_database("SELECT * FROM states", con)

It takes the package `adbc_driver_manager`, which brings the interface of PEP 249 and its own exceptions; results are Arrow tables
without a detour through Python's objects. `ocellus.dbapi` is the same interface without any other package.
"""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING, Any

from ocellus import _ocellus
from ocellus._connection import origin_milliseconds

if TYPE_CHECKING:
    import adbc_driver_manager.dbapi

__all__ = ["connect", "driver_path"]

# The function of the shared object that a driver manager calls first.
ENTRY_POINT = "AdbcDriverInit"


def driver_path() -> str:
    """The path of the driver: `adbc_driver_manager.dbapi.connect(driver=driver_path(), db_kwargs={"uri": "run.otf2"})`."""
    path = _ocellus.__file__
    assert path is not None, "an extension module is a file"
    return path


def connect(
    source: str | os.PathLike[str],
    *,
    trace: str | None = None,
    memory_limit: int | str | None = None,
    threads: int | None = None,
    format: str | None = None,  # noqa: A002
    time_unit: str | None = None,
    resolution: str | None = None,
    collectives: str | None = None,
    origin: datetime.datetime | None = None,
) -> adbc_driver_manager.dbapi.Connection:
    """Opens a trace, a store, or a store in object storage, with the options of `ocellus.connect`."""
    import adbc_driver_manager.dbapi

    given: dict[str, Any] = {
        "uri": os.fspath(source),
        "trace": trace,
        "memory_limit": memory_limit,
        "threads": threads,
        "format": format,
        "time_unit": time_unit,
        "resolution": resolution,
        "collectives": collectives,
        "origin_ms": origin_milliseconds(origin),
    }
    options = {key: str(value) for key, value in given.items() if value is not None}
    return adbc_driver_manager.dbapi.connect(driver=driver_path(), entrypoint=ENTRY_POINT, db_kwargs=options)
