"""How a program gets the environments from Gymnasium: by import, or by the module in the id."""

from __future__ import annotations

import subprocess
import sys

import pytest

ID = "seabattle/Battleship-v0"


@pytest.mark.parametrize(
    "program",
    [
        f"import seabattle.envs; gymnasium.register_envs(seabattle.envs); made = '{ID}'",
        f"from seabattle.envs import BattleshipEnv; made = '{ID}'",
        f"made = 'seabattle.envs:{ID}'",
        f"gymnasium.make('seabattle.envs:{ID}', rules='mini'); made = 'seabattle.envs:{ID}'",
    ],
    ids=["imported", "a name imported", "module in the id", "twice"],
)
def test_a_fresh_process_makes_the_environment(program: str) -> None:
    code = f"import gymnasium; {program}; print(gymnasium.make(made, rules='mini').spec.id)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == f"{ID}\n", done.stderr
