"""Memories of people, one file per name, for opponents who learn."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import OutputError, RecordError, reason
from ..experiment.data_folder import write_whole
from ..learners.person_memory import PersonMemory, RememberedGame
from ..regular_files import read_text

LARGEST_FILE = 5_000_000
"""in bytes"""


class MemoryFiles:
    """A folder with a file for each person who is remembered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """The file of a person; a name may have characters that a file name may not."""
        plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in name)
        return self.folder / f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"

    def load(self, name: str) -> PersonMemory:
        """What is remembered of a person; nothing if there is no file."""
        path = self.path(name)
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise RecordError("it is too large")
            return PersonMemory.from_text(read_text(path))
        except FileNotFoundError:
            return PersonMemory()
        except UnicodeDecodeError:
            problem = "it is not text"
        except RecordError as error:
            problem = str(error).rstrip(".")
        except (OSError, ValueError) as error:
            problem = reason(error)
        raise RecordError(
            f"The memory of {name} in {path} cannot be read: {problem}. It is left as it is; "
            f"'seabattle play --forget {name!r}' deletes it."
        )

    def add(self, name: str, game: RememberedGame) -> None:
        """Remember one more game of a person."""
        memory = self.load(name).and_game(game)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.path(name), memory.to_text().encode())
        except OSError as error:
            raise OutputError(f"Cannot remember the game: {reason(error)}.") from None

    def wipe(self, name: str) -> bool:
        """Delete what is remembered of a person; whether there was anything."""
        try:
            self.path(name).unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise OutputError(f"Cannot delete {self.path(name)}: {reason(error)}.") from None
        return True
