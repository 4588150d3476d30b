"""The documentation as a site: it builds without a warning, and reads without a network."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from sphinx.util.inventory import InventoryFile

import seabattle

DOCS = Path(__file__).parent.parent / "docs"
MODULES = re.findall(
    r"automodule:: ([\w.]+)", "\n".join(page.read_text() for page in DOCS.glob("reference/*.rst"))
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"),
            *("--doctree-dir", folder / "doctrees", DOCS, folder / "html"),
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def entries(site: Path) -> set[str]:
    """The names that the reference has an entry for."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    return {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}


class Page(HTMLParser):
    """What a page refers to, and the places that can be referred to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.places: set[str] = {"", "top"}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.places |= {values.get("id") or ""}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"] or "")
        elif tag in {"link", "script", "img", "source", "iframe", "object"}:
            found = values.get("href") or values.get("src") or values.get("data")
            self.resources += [found] if found else []


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    pages = {file: Page(file) for file in site.rglob("*.html")}
    assert len(pages) > 25
    broken = []
    for file, page in pages.items():
        for link in page.links + page.resources:
            url = urlsplit(link)
            if url.scheme in {"http", "https", "mailto"}:
                continue
            target = (file.parent / unquote(url.path)).resolve() if url.path else file
            known = pages.get(target)
            if not target.exists() or (known and unquote(url.fragment) not in known.places):
                broken.append(f"{file.relative_to(site)}: {link}")
    assert not broken


def test_the_site_loads_nothing_from_the_network(site: Path) -> None:
    resources = {link for file in site.rglob("*.html") for link in Page(file).resources}
    assert not {link for link in resources if urlsplit(link).netloc}
    for style in site.rglob("*.css"):
        loaded = re.findall(r"url\(['\"]?([^)'\"]+)|@import ['\"]([^'\"]+)", style.read_text())
        assert not [link for found in loaded for link in found if urlsplit(link).netloc], style


@pytest.mark.parametrize("module", MODULES)
def test_everything_public_has_an_entry(module: str, entries: set[str]) -> None:
    names = getattr(importlib.import_module(module), "__all__", [])
    listed = {name for name in names if not name.startswith("__")}
    assert not {
        name
        for name in listed
        if f"{module}.{name}" not in entries and f"seabattle.{name}" not in entries
    }


def test_what_the_pages_import_has_an_entry(entries: set[str]) -> None:
    imports = re.compile(r"^(?:>>>|\.\.\.) +from (seabattle[\w.]*) import ([\w, ]+)", re.MULTILINE)
    missing = []
    for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]:
        for module, names in imports.findall(page.read_text(encoding="utf-8")):
            for name in re.split(r"[,\s]+", names.strip()):
                if f"{module}.{name}" not in entries and name not in seabattle.__all__:
                    missing.append(f"{page.name}: {module}.{name}")
    assert not missing


def test_what_the_pages_name_has_an_entry(entries: set[str]) -> None:
    named = re.compile(r"`(seabattle(?:\.\w+)+)[(`]")
    found = [
        (page.name, name)
        for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
        for name in named.findall(page.read_text(encoding="utf-8"))
    ]
    assert len(found) >= 10
    assert not [
        (page, name)
        for page, name in found
        if name not in entries and name.rpartition(".")[2] not in seabattle.__all__
    ]
