"""QR codes, so that a phone can open an invitation."""

from __future__ import annotations

import io

import segno


def qr_svg(text: str) -> str:
    """A QR code as SVG, dark on white in every theme: that is what cameras expect."""
    file = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(file, kind="svg", scale=4, border=4, light="white", xmldecl=False, svgns=True)
    return file.getvalue().decode()
