"""Report pages made by other commands, listed and served without trust.

Only files in the report folders are served, with a policy that runs no scripts and gives the
page an origin of its own: whatever it contains cannot reach the games.
"""

from __future__ import annotations

import html
import mimetypes
import re
from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse

from .refusals import Refused

KINDS = {".html", ".css", ".csv", ".json", ".png", ".svg", ".txt"}

POLICY = (
    "sandbox allow-downloads; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
MOST_PAGES = 500
"""Pages listed per folder."""


class NoSuchReport(Refused):
    status = 404


def list_reports(folders: tuple[Path, ...]) -> list[dict[str, Any]]:
    """Every report page with its title, address and date; latest first."""
    found = []
    for number, folder in enumerate(folders):
        root = folder.resolve()
        for page in sorted(root.rglob("*.html"))[:MOST_PAGES] if root.is_dir() else []:
            if _inside(root, page):
                name = page.relative_to(root).as_posix()
                found.append(
                    {
                        "title": _title(page),
                        "address": f"/reports/{number}/{name}",
                        "file": name,
                        "made": page.stat().st_mtime,
                    }
                )
    return sorted(found, key=lambda report: -report["made"])


def serve_report(folders: tuple[Path, ...], number: int, name: str) -> FileResponse:
    """One file of a report folder."""
    if not 0 <= number < len(folders) or "\0" in name:
        raise NoSuchReport("There is no such report.")
    root = folders[number].resolve()
    page = root / name
    if page.suffix.lower() not in KINDS or not _inside(root, page):
        raise NoSuchReport("There is no such report.")
    kind = mimetypes.guess_type(page.name)[0] or "text/plain"
    return FileResponse(page, media_type=kind, headers={"Content-Security-Policy": POLICY})


def _inside(root: Path, page: Path) -> bool:
    """Whether it is a file of this folder, even after following links."""
    try:
        return page.is_file() and page.resolve().is_relative_to(root)
    except OSError:
        return False


def _title(page: Path) -> str:
    with page.open(encoding="utf-8", errors="replace") as file:
        match = re.search(r"<title>(.*?)</title>", file.read(4000), re.DOTALL | re.IGNORECASE)
    return html.unescape(match[1]).strip() if match and match[1].strip() else page.stem
