"""Commitments: proof that a layout was fixed before the first shot.

When a layout is placed, its SHA-256 together with a secret nonce is published; at
the end both are, and anyone can compare:

    commitment = sha256(layout text + newline + nonce), in hexadecimal

The nonce has 256 random bits, so that the few billion layouts cannot be tried out
against the commitment.
"""

from __future__ import annotations

import hashlib
import secrets


def new_nonce() -> str:
    return secrets.token_hex(32)


def commitment(layout: str, nonce: str) -> str:
    """What is published about a layout before the first shot."""
    return hashlib.sha256(f"{layout}\n{nonce}".encode()).hexdigest()
