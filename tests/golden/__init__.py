"""Golden recordings: what players shot, commands printed and the web API answered.

They catch any unintended change of strategy, randomness, dealing or output. Each
`.json` file here holds one line per case. `make golden` records them all again; commit
the difference only if you meant it.
"""

from __future__ import annotations

from tests.golden.commands import RECORDING as COMMANDS
from tests.golden.games import RECORDINGS as GAMES
from tests.golden.recording import Recording
from tests.golden.web import RECORDING as WEB

RECORDINGS: dict[str, Recording] = {each.name: each for each in (*GAMES, COMMANDS, WEB)}
