"""The studio's files, as they were shipped: a closed list, so that no path leads anywhere else."""

from __future__ import annotations

import hashlib
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class StudioFiles:
    """Answers GET for each file of the studio; read once, at start."""

    def __init__(self) -> None:
        folder = resources.files("codequarry.shells.studio") / "assets"
        self._files = {
            f"/{item.name}": item.read_bytes()
            for item in folder.iterdir()
            if _suffix(item.name) in _TYPES
        }
        self._files["/"] = self._files["/index.html"]
        self._tags = {
            path: f'"{hashlib.sha256(data).hexdigest()[:20]}"' for path, data in self._files.items()
        }

    @property
    def paths(self) -> frozenset[str]:
        """The routes of the files."""
        return frozenset(self._files)

    async def answer(self, request: Request) -> Response:
        """One file, or that it has not changed."""
        path = request.url.path
        headers = {"ETag": self._tags[path], "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == self._tags[path]:
            return Response(status_code=304, headers=headers)
        kind = _TYPES[_suffix(path)] if path != "/" else _TYPES[".html"]
        return Response(self._files[path], media_type=kind, headers=headers)


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]
