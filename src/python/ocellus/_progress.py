"""The progress of an import: a bar in a notebook or on a terminal, for what takes more than a second."""

from __future__ import annotations

import importlib
import sys
import time
import uuid
from typing import Any

# Seconds; shorter work shows nothing.
PATIENCE = 1.0
# Characters of a bar on a terminal.
WIDTH = 40


class ProgressBar:
    """Shows how far an import is, until it is closed."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._handle: Any = None
        self._is_on_terminal = False

    def __call__(self, done: int, total: int | None) -> None:
        if time.monotonic() - self._started < PATIENCE:
            return
        if in_notebook():
            self._show_in_notebook(done, total)
        elif sys.stderr is not None and sys.stderr.isatty():
            self._is_on_terminal = True
            sys.stderr.write("\r" + text_of(done, total))
            sys.stderr.flush()

    def _show_in_notebook(self, done: int, total: int | None) -> None:
        display = importlib.import_module("IPython.display")

        bar = f'<progress max="{total}" value="{done}"></progress>' if total else "<progress></progress>"
        shown = display.HTML(f"<div>{bar} {megabytes(done, total)}</div>")
        if self._handle is None:
            self._handle = display.display(shown, display_id=f"ocellus-{uuid.uuid4().hex}")
        else:
            self._handle.update(shown)

    def close(self) -> None:
        """Takes the bar away."""
        if self._handle is not None:
            self._handle.update(importlib.import_module("IPython.display").HTML(""))
        if self._is_on_terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_notebook() -> bool:
    """Whether the code runs in a kernel of Jupyter."""
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    return current is not None and getattr(current, "kernel", None) is not None


def megabytes(done: int, total: int | None) -> str:
    """How many megabytes of how many were read."""
    return f"{done / 1e6:.0f} MB" if not total else f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"


def text_of(done: int, total: int | None) -> str:
    """A bar of characters."""
    if not total:
        return megabytes(done, total)
    filled = min(WIDTH, WIDTH * done // total)
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {megabytes(done, total)}"
