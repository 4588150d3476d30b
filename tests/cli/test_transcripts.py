"""The transcripts in the docs are real.

A `text` block after `<!-- transcript: COMMAND -->` is what the command prints when the
lines that the block shows as typed are its input. All of a page run in one directory.
To regenerate them: `python -m tests.cli.test_transcripts`.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from pathlib import Path

import pytest

from tests.forking import seabattle

DOCS = Path(__file__).parents[2] / "docs"
TRANSCRIPT = re.compile(r"(<!-- transcript: (.*?) -->\n```text\n)(.*?)(?=^```)", re.DOTALL | re.M)
PROMPT = re.compile(r"^(?:\w+, fire at|Place|Replay \(.*?\)|Play again\? \[Y/n\]):? ?(.*)$", re.M)
PAGES = [page for page in sorted(DOCS.glob("*.md")) if TRANSCRIPT.search(page.read_text())]


def rerun(page: str, directory: Path) -> str:
    """A page with its transcripts regenerated."""

    def run(block: re.Match[str]) -> str:
        program, *arguments = shlex.split(block[2])
        assert program == "seabattle"
        done = seabattle(
            *arguments,
            input="".join(f"{typed}\n" for typed in PROMPT.findall(block[3])),
            cwd=directory,
            env={**os.environ, "SEABATTLE_QUIET": "1", "XDG_DATA_HOME": str(directory / "data")},
            check=True,
        )
        lines = done.stdout.splitlines()
        return block[1] + "".join(f"{line.rstrip()}\n" for line in lines)

    return TRANSCRIPT.sub(run, page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_transcript_is_what_happens(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert rerun(text, tmp_path) == text


if __name__ == "__main__":
    for each in PAGES:
        with tempfile.TemporaryDirectory() as scratch:
            each.write_text(rerun(each.read_text(encoding="utf-8"), Path(scratch)), "utf-8")
