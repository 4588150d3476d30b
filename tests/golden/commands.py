"""Recorded output of commands: JSON where they have it, text, and refusals."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from seabattle import play, play_duel
from tests.golden.entry_points import run_command
from tests.golden.recording import Recording

CLASSIC_SHOTS = "E5 miss, E6 hit, F6 hit, G6 sunk cruiser, B2 miss, C8 hit, H3 miss, C9 miss"
NAMED_SHOTS = "E5 hit battleship, E6 hit battleship, A1 miss, H8 hit destroyer, H9 sunk destroyer"
SMALL_RUSSIAN = (
    "--rules russian --size 8 --fleet 4,3,2,2,1,1 "
    "--shots 'A1 sunk, E5 hit, E6 hit, E7 miss, H1 miss, H8 sunk'"
)
SMALL = "'4x4 fleet=3,2"

CASES = (
    "rules --json",
    "rules mini --json",
    "rules russian --size 8x12 --fleet 4,3,2 --json",
    "rules",
    "rules named",
    "players --json",
    "players mcts --json",
    # analyze
    "analyze --rules mini --json",
    "analyze --rules mini --shots 'C3 hit, C4 miss' --per-ship --json",
    "analyze --rules trio --shots 'C3 hit, C4 hit, B3 miss, D3 miss' --per-ship --json",
    f"analyze --shots '{CLASSIC_SHOTS}' --per-ship --json",
    "analyze --rules thesis --shots 'E5 hit, E6 miss, F5 hit, B2 miss, H8 miss' --json",
    "analyze --rules blind --shots 'E5 hit, E6 miss, F5 hit, B2 hit, H8 miss, J10 miss' --json",
    f"analyze --rules named --shots '{NAMED_SHOTS}' --per-ship --json",
    "analyze --rules patrol --shots 'E5 hit, E6 miss, J9 hit' --json",
    f"analyze {SMALL_RUSSIAN} --json",
    "analyze --size 7x11 --fleet 4,3,1 --contact corners --answers sunk --shots 'D4 hit' --json",
    "analyze --rules mini --shots 'A1 hit, A2 hit, A3 hit, C1 hit, D1 hit' --json",
    "analyze --size 6 --fleet 3,3,2 --shots 'C3 hit' --engine enumeration --json",
    "analyze --size 6 --fleet 3,3,2 --shots 'C3 hit' --engine frontier --json",
    "analyze --size 6 --fleet 3,3,2 --shots 'C3 hit' --engine samples --seed 7 --json",
    f"analyze --shots '{CLASSIC_SHOTS}' --engine samples --seed 1 --json",
    f"analyze {SMALL_RUSSIAN} --engine samples --seed 2 --json",
    "analyze --size 12 --fleet 5,4,4,3,3,3,2,2,2 --shots 'F6 hit' --seconds 0.001 --json",
    "analyze --rules mini --shots 'C3 hit' --svg heat.svg --json && show heat.svg",
    # what players see in a position
    "analyze --rules mini --shots 'C3 hit' --player mcts:iterations=200 --seed 3 --json",
    "analyze --rules trio --shots 'C3 hit' --player mcts:iterations=50,reward=full-ships,"
    "select=hits --player ismcts:iterations=500 --player pomcp:iterations=200 --json",
    f"analyze --shots '{CLASSIC_SHOTS}' --player ismcts:iterations=500,determinizations=50 "
    "--player pomcp:iterations=100,rollout=density --player density --player random --json",
    "analyze --rules patrol --shots 'E5 hit' --player branch-mcts:nodes=5000 --json",
    "analyze --rules blind --shots 'E5 hit, E6 miss' --player cnn --player cnn-deep "
    "--player policy-gradient --player policy-gradient-deep --player heat-map --json",
    "analyze --rules mini --shots 'C3 hit' --player neat --player optimal --json",
    # count
    "count --rules mini --json",
    "count --rules classic --json",
    "count --rules trio --shots 'A1 hit, B2 miss' --json",
    f"count --shots '{CLASSIC_SHOTS}' --json",
    f"count {SMALL_RUSSIAN} --json",
    f"count --rules named --shots '{NAMED_SHOTS}'",
    # solve and bounds
    "solve --rules mini --json",
    f"solve --rules {SMALL} answers=hit-miss' --worst-case --json",
    f"solve --rules {SMALL} answers=sunk' --player even --player density:ties=first --json",
    f"solve --rules {SMALL} contact=none answers=sunk-named' --player exact --json",
    "solve --rules '3x4 fleet=2,2 answers=named contact=corners' --worst-case --json",
    "bounds --rules mini --json",
    f"bounds --rules {SMALL} answers=sunk' --json",
    "bounds --rules trio",
    # many games
    "compare random even density exact --rules mini --games 50 --seed 4 --json",
    "compare hlp ohlp phlp ophlp greedy --games 30 --json",
    "compare human-like heat-map --rules thesis --games 4 --seed 9 --json",
    "compare mcts:iterations=5 ismcts:iterations=50 pomcp:iterations=50,particles=50 optimal "
    "--rules mini --games 10 --json",
    "compare even --rules mini --precision 0.5 --seed 2 --json",
    "compare cnn policy-gradient --rules blind --games 10 --json",
    "compare even random --rules mini --games 5 --csv games.csv --json && show games.csv",
    "compare even --rules mini --games 4 --store s.db --json && runs replay 1 3 --store s.db",
    "tournament random even density --rules mini --games 20 --seed 5 --json",
    "tournament even@edges density@spread greedy@clustered --games 10 --json",
    "tournament hlp random --placer uniform --placer edges --rules russian --games 6 --json",
    "evaluate cnn --games 3 --positions 10 --json",
    "evaluate neat --games 20 --positions 50 --seed 1 --json",
    "evaluate even --rules thesis --games 3 --positions 10 --json",
    "reproduce --json",
    # saved games
    "replay game.txt --json",
    "replay duel.txt --json",
    "replay duel.txt --move 7 --json",
    "replay duel.txt --move 12 --all",
    # refusals
    "rules chess",
    "rules --size 2 --fleet 3",
    "players nobody",
    "analyze --rules mini --shots 'A1 hit, A3 hit, A5 hit, C3 hit'",
    "analyze --rules mini --shots 'A1 sank'",
    "analyze --rules mini --engine guess",
    "count --rules mini --shots 'A1 miss, A1 hit'",
    "solve --rules classic --seconds 0",
    "compare nobody",
    "compare mcts:iterations=0 --rules mini --games 2",
    "compare cnn --rules mini --games 2",
    "tournament even",
    "tournament even random --games 3",
    "replay missing.txt",
)


def output(case: str) -> Any:
    """What the last of some commands prints, run in a folder with two saved games."""
    with TemporaryDirectory() as folder, chdir(folder), patch.dict(os.environ, COLUMNS="80"):
        game = play("even", "mini", seed=1)
        Path("game.txt").write_text(game.to_text(), encoding="utf-8")
        duel = play_duel("even", "density", "trio", seed=1)
        Path("duel.txt").write_text(duel.to_text(), encoding="utf-8")
        for command in case.split(" && "):
            found = _run(shlex.split(command))
    return found


def _run(arguments: list[str]) -> Any:
    if arguments[0] == "show":
        return Path(arguments[1]).read_text(encoding="utf-8").splitlines()
    printed, complaint = StringIO(), StringIO()
    with redirect_stdout(printed), redirect_stderr(complaint):
        try:
            run_command(arguments)
        except SystemExit as end:
            code = end.code
    if code:
        return {"exit": code, "error": complaint.getvalue().strip()}
    text = printed.getvalue()
    return json.loads(text) if "--json" in arguments else text.splitlines()


RECORDING = Recording("commands", CASES, output)
