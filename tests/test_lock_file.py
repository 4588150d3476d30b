"""requirements.lock has every package of a release at the pinned version, with digests."""

from __future__ import annotations

import re

from tests.lock_file import HEADER, LEFT_OUT, LOCK, locked, needed, pinned


def test_the_lock_file_is_current() -> None:
    """If it is not, 'make lock' writes it anew."""
    versions, found = pinned(), locked()
    assert {name: version for name, (version, _) in found.items()} == {
        name: versions[name] for name in needed()
    }
    assert LOCK.read_text().startswith(HEADER)


def test_every_package_has_digests() -> None:
    for name, (_, digests) in locked().items():
        assert digests, name
        assert len(set(digests)) == len(digests), name
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in digests), name


def test_nothing_in_it_needs_a_build_of_torch() -> None:
    assert not set(LEFT_OUT) & set(locked())
    assert {"numpy", "numba", "onnxruntime", "typer", "rich", "fastapi", "matplotlib"} <= set(
        locked()
    )
