"""The example notebook runs, and shows what it shows when it was saved.

To save it anew: `jupyter execute --inplace examples/analyze.ipynb`.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Jupyter's own packages, while they load
    import nbformat
    from nbclient import NotebookClient

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def shown(cell: Any) -> list[str]:
    """What a cell printed or drew."""
    seen = []
    for output in cell.get("outputs", ()):
        if output["output_type"] == "stream" and output["name"] == "stdout":
            seen.append(output["text"])
        elif "data" in output:
            seen.append(output["data"].get("text/html", output["data"].get("text/plain")))
    return seen


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_a_notebook_shows_what_it_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEABATTLE_QUIET", "1")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    saved = [shown(cell) for cell in notebook.cells]
    assert sum("<svg" in text for texts in saved for text in texts) >= 3
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    assert [shown(cell) for cell in notebook.cells] == saved
