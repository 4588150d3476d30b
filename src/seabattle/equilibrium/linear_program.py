"""Equilibria by linear programming: of a matrix game, and of a shooter's flow through positions.

In a matrix game the column player maximises v subject to: against every row, the mixture of
columns gets at least v. The multipliers of these constraints are the row player's mixture. For a
flow, the shooter minimises v subject to: every kind of layout costs at most v. The multipliers are
the hider's mixture.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.board_tables import Floats, Ints
from ..errors import MissingPart, SolveError

TOLERANCE = 1e-10
"""of HiGHS; the lowest that it accepts"""


class MatrixGame(NamedTuple):
    """Mixtures that neither side can improve on, up to rounding."""

    columns: Floats
    """the mixture of the player who maximises"""
    rows: Floats
    """the mixture of the player who minimises"""


def require_scipy() -> None:
    """Raise an error that names what to install if SciPy is missing."""
    try:
        import scipy.optimize  # noqa: F401
    except ImportError:
        raise MissingPart(
            "An equilibrium needs SciPy: pip install 'seabattle[equilibrium]'"
        ) from None


def solve_matrix_game(costs: Floats) -> MatrixGame:
    """The equilibrium of the game in which rows pay `costs` to columns."""
    rows, columns = costs.shape
    # Costs of about the same size everywhere: only the differences matter.
    shifted = costs - costs.mean()
    mixture, multipliers = _solved(
        -1.0,
        np.hstack([-shifted, np.ones((rows, 1))]),
        np.append(np.ones(columns), 0.0)[None],
        np.ones(1),
    )
    return MatrixGame(_normalised(mixture), multipliers)


def least_flow(
    missed: tuple[Floats, Ints, Ints],
    kinds: int,
    at: Ints,
    follow: tuple[Ints, Ints],
    positions: int,
    root: int,
) -> tuple[Floats, Floats]:
    """(shots,) the flow of 1 from `root` whose costliest kind of layout costs least, and (kinds,)
    the hider's mixture.

    `missed` are shares, the kinds that they are of and the shots that miss them; `at` (shots,) is
    where each shot is fired; `follow` are positions and the shots that lead there.
    """
    from scipy.sparse import csr_array

    shares, of_kind, of_shot = missed
    shots, (to, by) = len(at), follow
    costs = csr_array(
        (
            np.concatenate([shares, np.full(kinds, -1.0)]),
            (
                np.concatenate([of_kind, np.arange(kinds)]),
                np.concatenate([of_shot, np.full(kinds, shots)]),
            ),
        ),
        shape=(kinds, shots + 1),
    )
    conserved = csr_array(
        (
            np.concatenate([np.ones(shots), np.full(len(to), -1.0)]),
            (np.concatenate([at, to]), np.concatenate([np.arange(shots), by])),
        ),
        shape=(positions, shots + 1),
    )
    source = np.zeros(positions)
    source[root] = 1.0
    return _solved(1.0, costs, conserved, source)


def _solved(sign: float, at_most_0: Any, fixed: Any, to: Floats) -> tuple[Floats, Floats]:
    """Minimise `sign` × v, the last variable and the only one that may be negative, subject to
    `at_most_0` @ x ≤ 0 and `fixed` @ x = `to`: the other variables, and the multipliers of the
    inequalities as a mixture."""
    from scipy.optimize import linprog

    count, others = at_most_0.shape[0], at_most_0.shape[1] - 1
    result = linprog(
        np.append(np.zeros(others), sign),
        A_ub=at_most_0,
        b_ub=np.zeros(count),
        A_eq=fixed,
        b_eq=to,
        bounds=[(0, None)] * others + [(None, None)],
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if not result.success:
        raise SolveError(f"The linear program was not solved: {result.message}")
    return result.x[:others], _normalised(-result.ineqlin.marginals)


def _normalised(weights: Floats) -> Floats:
    positive = np.maximum(weights, 0.0)
    return np.asarray(positive / positive.sum())
