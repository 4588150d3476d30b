"""The verdict of a sequential test in words."""

from __future__ import annotations

import textwrap

from ..experiment.sequential import EloTest
from ..experiment.sequential_test import SequentialVerdict
from .formatting import layouts_line, placed_by, rules_line, signed

SCORES = ("0-2", "½-1½", "1-1", "1½-½", "2-0")


def verdict_text(verdict: SequentialVerdict) -> str:
    """What `seabattle test` prints."""
    test, errors = verdict.test, verdict.test.errors
    h0, h1 = test.hypotheses
    low, high = errors.bounds
    by_elo = isinstance(test, EloTest)
    unit = "two games on the same layouts, sides swapped" if by_elo else "one layout, both players"
    facts = [
        ("hypotheses", f"H0: {verdict.a} is better by {h0}; H1: by {h1}"),
        (
            "error rates",
            f"alpha {errors.alpha:g} (H1 under H0), beta {errors.beta:g} (H0 under H1)",
        ),
        ("pairs", f"{verdict.pairs:,} ({unit})"),
    ]
    if verdict.pentanomial is not None:
        counts = zip(SCORES, verdict.pentanomial, strict=True)
        facts.append(("scores", ", ".join(f"{score}: {count:,}" for score, count in counts)))
    facts.append(("LLR", f"{verdict.llr:.2f}, between the bounds {low:.2f} and {high:.2f}"))
    if verdict.accepted is not None:
        facts[-1] = ("LLR", f"{verdict.llr:.2f}, beyond the bound {_bound(verdict):.2f}")
    facts.append(("estimate", _estimate(verdict)))
    fixed = verdict.to_json()["fixed_size_pairs"]
    if fixed is not None:
        facts.append(("fixed size", f"a test of fixed size would need about {fixed:,} pairs"))
    lines = [
        f"{verdict.a} against {verdict.b}",
        f"{rules_line(verdict.rules)}{placed_by(verdict.placer)}, "
        f"{layouts_line(verdict.layout_set, verdict.seed)}",
        "",
        *(
            textwrap.fill(f"{name:<12} {said}", 80, subsequent_indent=" " * 13)
            for name, said in facts
        ),
        "",
        textwrap.fill(f"Verdict: {_in_words(verdict)}", 80),
    ]
    return "\n".join(lines)


def _bound(verdict: SequentialVerdict) -> float:
    low, high = verdict.test.errors.bounds
    return high if verdict.accepted == "H1" else low


def _estimate(verdict: SequentialVerdict) -> str:
    shown = verdict.to_json()
    unit = "Elo" if isinstance(verdict.test, EloTest) else "shots"
    if shown["estimate"] is None:
        return "one side won every game"
    ends = shown["ci95"]
    interval = "" if None in ends else f", 95% interval {signed(ends[0])} to {signed(ends[1])}"
    return f"{signed(shown['estimate'])} {unit}{interval}; after an early stop it exaggerates"


def _in_words(verdict: SequentialVerdict) -> str:
    (h0, h1), errors = verdict.test.hypotheses, verdict.test.errors
    match verdict.accepted:
        case "H1":
            rate, truth = errors.alpha, f"by no more than {h0}"
        case "H0":
            rate, truth = errors.beta, f"by {h1} or more"
        case _:
            return (
                f"none. The limit of {verdict.most:,} games was reached first; a larger --games "
                "goes on."
            )
    return (
        f"{verdict.accepted} accepted. If {verdict.a} were better {truth}, the probability of "
        f"this would be {rate:g} at most."
    )
