"""Golden games: what each deterministic-by-seed player shot, kept so that a change of
strategy, of randomness or of dealing cannot pass unnoticed.

`make golden` writes them anew; commit the difference only if you meant it.
"""

from __future__ import annotations

from pathlib import Path

from seabattle import Rules, make_player
from seabattle.match import play_batch

FILE = Path(__file__).parent / "golden" / "games.txt"
PLAYERS = (
    "in-order", "random", "n-parity", "n-parity-hunt", "game-tree", "human-like", "even",
    "hlp", "ohlp", "phlp", "ophlp", "greedy", "density", "density:ties=first",
)  # fmt: skip
RULES = ("mini", "trio", "classic", "thesis", "named", "russian", "7x11 fleet=4,3,1 answers=sunk")
SEED = 2026


def game(name: str, rules: Rules) -> str:
    """The cells of game 0 in order."""
    batch = play_batch(make_player(name), rules, SEED, range(1))
    return " ".join(rules.cell_name(int(cell)) for cell in batch.fired[0, : batch.shots[0]])


def lines() -> list[str]:
    return [
        f"{name} | {text} | {game(name, Rules.from_text(text))}"
        for name in PLAYERS
        for text in RULES
    ]


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    print(f"wrote {FILE}")
