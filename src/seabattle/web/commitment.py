"""Commitments: proof that a layout was fixed before the first shot.

When a layout is placed, the SHA-256 of it and a secret nonce is published. At the end the
layout and the nonce are revealed, so that anyone can check it:

    commitment = sha256(layout text + newline + nonce), in hexadecimal

The nonce has 256 random bits, so that nobody can find the layout by trying them all.
"""

from __future__ import annotations

import hashlib
import secrets


def new_nonce() -> str:
    return secrets.token_hex(32)


def commitment(layout: str, nonce: str) -> str:
    """The hash that is published before the first shot."""
    return hashlib.sha256(f"{layout}\n{nonce}".encode()).hexdigest()
