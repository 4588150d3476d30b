"""Commands that start the engines of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

FAULTY = f"{sys.executable} {Path(__file__).parent / 'faulty_engine.py'}"
"""takes the way in which it breaks the protocol as its first argument"""
