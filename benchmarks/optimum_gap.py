"""How far `admiral` is from proven optimal play, over all layouts of every board with a proof.

The optima are those that `python -m benchmarks.solve long` proves, which takes an hour.
"""

from __future__ import annotations

from seabattle import Rules, make_player
from seabattle.solver import make_problem
from seabattle.solver.value import player_value

PLAYERS = ("exact", "exact:ties=isolated", "admiral:effort=normal")

OPTIMA = {
    "4x4 fleet=3,2 contact=any answers=hit-miss": 9.348485,
    "4x4 fleet=3,2 contact=any answers=sunk": 8.833333,
    "4x4 fleet=3,2 contact=any answers=sunk-named": 8.753788,
    "4x4 fleet=3,2 contact=any answers=named": 8.674242,
    "4x4 fleet=3,2 contact=corners answers=hit-miss": 8.583333,
    "4x4 fleet=3,2 contact=corners answers=sunk": 8.275,
    "4x4 fleet=3,2 contact=corners answers=sunk-named": 8.275,
    "4x4 fleet=3,2 contact=corners answers=named": 8.05,
    "4x4 fleet=3,2 contact=none answers=hit-miss": 8.442308,
    "4x4 fleet=3,2 contact=none answers=sunk": 8.153846,
    "4x4 fleet=3,2 contact=none answers=sunk-named": 8.153846,
    "4x4 fleet=3,2 contact=none answers=named": 7.971154,
    "5x5 fleet=3,2 contact=none answers=hit-miss": 11.001908,
    "5x5 fleet=3,2 contact=none answers=sunk": 10.637405,
    "5x5 fleet=3,2 contact=none answers=sunk-named": 10.637405,
    "5x5 fleet=3,2 contact=none answers=named": 10.467557,
    "5x5 fleet=3,2 contact=corners answers=hit-miss": 11.274834,
    "5x5 fleet=3,2 contact=corners answers=sunk": 10.925497,
    "5x5 fleet=3,2 contact=corners answers=sunk-named": 10.925497,
    "5x5 fleet=3,2 contact=corners answers=named": 10.748344,
    "5x5 fleet=3,2 contact=any answers=hit-miss": 11.942469,
    "5x5 fleet=3,2 contact=any answers=sunk": 11.324268,
    "5x5 fleet=3,2 contact=any answers=sunk-named": 11.254184,
    "5x5 fleet=3,2 contact=any answers=named": 11.165272,
    "5x5 fleet=3,2,2 contact=none answers=hit-miss": 12.942229,
}


def main() -> None:
    print(f"| rules | optimal | {' | '.join(f'`{name}`' for name in PLAYERS)} |")
    print("| --- | ---: |" + " ---: |" * len(PLAYERS))
    for text, optimum in OPTIMA.items():
        problem = make_problem(Rules.from_text(text))
        gaps = [player_value(name, make_player(name), problem).mean - optimum for name in PLAYERS]
        shown = " | ".join(f"+{abs(gap):.4f}" if gap > -1e-6 else f"{gap:.4f}" for gap in gaps)
        print(f"| {text} | {optimum:.6f} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
