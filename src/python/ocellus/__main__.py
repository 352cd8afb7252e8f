"""The command line, in the same shared object: `ocellus`, or `python -m ocellus`."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

from ocellus import _ocellus


def main() -> NoReturn:
    """Runs the command that the arguments name; its exit code."""
    # The program sets its own handlers where it needs them; elsewhere Ctrl-C simply ends it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    code = _ocellus.run_command_line(["ocellus", *sys.argv[1:]])
    # Threads of a query that was stopped are not waited for.
    os._exit(code)


if __name__ == "__main__":
    main()
