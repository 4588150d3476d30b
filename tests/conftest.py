"""What all tests share: the notice on compilation would mix with expected output."""

from __future__ import annotations

import os

os.environ.setdefault("SEABATTLE_QUIET", "1")
