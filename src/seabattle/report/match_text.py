"""The result of a match: a table of shots by games played, and the plot of it."""

from __future__ import annotations

from pathlib import Path

from ..experiment.match import Match
from ..experiment.statistics import Interval
from .formatting import number, rules_line


def match_text(match: Match) -> str:
    """The score, and how many shots both needed at first and later on."""
    score, games = match.score, len(match.shots[0])
    one, other = match.names
    shown = f"{score.wins} to {score.losses}" + (f", {score.draws} drawn" if score.draws else "")
    lines = [
        rules_line(match.tournament.rules),
        f"{games:,} game{'s' * (games > 1)}, seed {match.tournament.seed}"
        + ("" if match.reveal == "layouts" else "; layouts are not revealed"),
        "",
        f"{one} against {other}: {shown}",
        "",
        "Shots for the whole fleet (mean, 95% interval):",
    ]
    rows = [("games", one, other)]
    for span, of_one, of_other in match.portions:
        rows.append((f"{span.start + 1} to {span.stop}", _told(of_one), _told(of_other)))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    for row in rows:
        first = f"{row[0]:>{widths[0]}}"
        cells = [f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(["", first, *cells]).rstrip())
    for name, faults in zip(match.names, match.faults, strict=True):
        if faults:
            lines += ["", f"{name}: {faults.to_text()}. The first: {faults.example}"]
    return "\n".join(lines)


def _told(interval: Interval) -> str:
    low, high = interval
    if low != low:
        return "one game"
    return f"{number((low + high) / 2)} ±{number((high - low) / 2)}"


def write_match_plot(match: Match, path: Path) -> None:
    """Shots against games played so far, with 95% intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for side, name in enumerate(match.names):
        spans = [(games, (a, b)[side]) for games, a, b in match.portions]
        spans = [(games, (low, high)) for games, (low, high) in spans if low == low]
        places = [(games.start + games.stop + 1) / 2 for games, _ in spans]
        means = [(low + high) / 2 for _, (low, high) in spans]
        halves = [(high - low) / 2 for _, (low, high) in spans]
        axes.errorbar(places, means, yerr=halves, marker="o", capsize=3, label=name)
    axes.set_xscale("log")
    axes.set_xlabel("games played")
    axes.set_ylabel("shots for the whole fleet")
    axes.legend()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
