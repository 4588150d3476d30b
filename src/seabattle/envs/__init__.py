"""Environments for learning: Gymnasium's, a native vector one, and PettingZoo's."""

from __future__ import annotations

from .vector import BattleshipVectorEnv

__all__ = ["BattleshipVectorEnv"]
