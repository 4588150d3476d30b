"""How Sphinx builds the site: `make docs`.

The pages are the Markdown files that are read on GitHub too, and the reference comes
from the docstrings. Nothing is fetched from the network, neither to build the site nor
to read it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Generic, TypeVar

import numpy.typing

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import seabattle


class NDArray(Generic[TypeVar("T")]):
    """Stands for the alias of the same name, which autodoc would write out in full."""


NDArray.__module__ = "numpy.typing"
numpy.typing.NDArray = NDArray

project = "seabattle"
author = "seabattle contributors"
release = version = seabattle.__version__
project_copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc", "plain_docstrings", "repository_pages"]
nitpicky = True
nitpick_ignore_regex = [
    # Other packages: their pages are on the network.
    (r"py:.*", r"(collections|concurrent|contextlib|functools|pathlib|sqlite3|types|typing)\..*"),
    (r"py:.*", r"(numpy|np|npt|gymnasium|pettingzoo)\..*"),
    # What a package does not export: named in a signature, with no entry of its own.
    (r"py:class", r"seabattle(\.\w+){3,}"),
]

highlight_language = "text"
myst_heading_anchors = 4  # links to headings, as GitHub names them
myst_enable_extensions = ["colon_fence"]

autodoc_default_options = {
    "members": True,
    "undoc-members": True,  # a field whose name says it all has no docstring
    "member-order": "bysource",
}
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_favicon = "../src/seabattle/web/static/icon.svg"
html_title = f"seabattle {release}"
html_copy_source = False
html_show_sphinx = False
