"""A picture of a trace."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

from ocellus._errors import UsageError

if TYPE_CHECKING:
    from ocellus._ocellus import Session

# The view that is a model in three dimensions.
SCENE = "scene"


class Picture:
    """A picture of a trace: SVG in a notebook; `save` writes it as svg, png or pdf, or a scene as glb."""

    def __init__(self, session: Session, view: str, options: dict[str, Any]) -> None:
        self._session = session
        self._options = options
        self.view = view
        content, self.remark = session.draw(view, "glb" if view == SCENE else "svg", options)
        self._content = content

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        if self.view == SCENE:
            raise UsageError("a scene is no flat picture; save it as a file such as scene.glb")
        return self._content.decode()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> pathlib.Path:
        """Writes the picture to a file, whose name says the format: svg, png, pdf, or glb for a scene."""
        target = pathlib.Path(path)
        if not overwrite and target.exists():
            raise UsageError(f"{target} already exists; overwrite=True replaces it")
        extension = target.suffix.lstrip(".").lower()
        content, _ = self._session.draw(self.view, extension, self._options)
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            partial.write_bytes(content)
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
        return target

    def _repr_svg_(self) -> str | None:
        return None if self.view == SCENE else self.svg

    def __repr__(self) -> str:
        remark = f": {self.remark}" if self.remark else ""
        return f"<picture {self.view}, {len(self._content)} bytes{remark}>"
