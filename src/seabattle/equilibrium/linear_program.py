"""The equilibrium of a matrix game by linear programming.

The column player maximises v subject to: against every row, the mixture of columns gets at
least v. The multipliers of these constraints are the row player's mixture.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import MissingPart, SolveError

Floats = npt.NDArray[np.float64]

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
    from scipy.optimize import linprog

    rows, columns = costs.shape
    # Costs of about the same size everywhere: only the differences matter.
    shifted = costs - costs.mean()
    result = linprog(
        np.append(np.zeros(columns), -1.0),
        A_ub=np.hstack([-shifted, np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(columns), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0, None)] * columns + [(None, None)],
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if not result.success:
        raise SolveError(f"The linear program was not solved: {result.message}")
    return MatrixGame(_normalised(result.x[:columns]), _normalised(-result.ineqlin.marginals))


def _normalised(weights: Floats) -> Floats:
    positive = np.maximum(weights, 0.0)
    return np.asarray(positive / positive.sum())
