"""The page and what makes it an app: its languages, a manifest, and a service worker that keeps
the shell for offline use.

The service worker asks the network first, so a new version appears at once; only when the
server cannot be reached does it show the page from its cache, which says so.
"""

from __future__ import annotations

import json
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response

from .. import __version__

STATIC = Path(__file__).parent / "static"
NOT_SHELL = {"service_worker.js", "index.html"}


def shell_files() -> list[str]:
    """The addresses of everything that the page loads from this server, apart from calls."""
    files = (path for path in STATIC.rglob("*") if path.is_file() and path.name not in NOT_SHELL)
    return ["/", *sorted(f"/static/{path.relative_to(STATIC).as_posix()}" for path in files)]


def page_text() -> str:
    """The page, with the languages that its texts exist in."""
    languages = " ".join(sorted(path.stem for path in (STATIC / "texts").glob("*.json")))
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    return page.replace('data-languages="en"', f'data-languages="{languages}"')


def installable_routes() -> APIRouter:
    pages = APIRouter(include_in_schema=False)

    @pages.get("/")
    def page() -> Response:
        return Response(page_text(), media_type="text/html")

    @pages.get("/service-worker.js")
    def service_worker() -> Response:
        script = (STATIC / "service_worker.js").read_text(encoding="utf-8")
        script = script.replace("SHELL_FILES", json.dumps(shell_files()))
        script = script.replace("SHELL_VERSION", json.dumps(__version__))
        return Response(script, media_type="text/javascript")

    @pages.get("/manifest.webmanifest")
    def manifest() -> Response:
        text = (STATIC / "manifest.json").read_text(encoding="utf-8")
        return Response(text, media_type="application/manifest+json")

    return pages
