"""Files of arrays: what is damaged, edited or made to do harm is refused before it is used."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from seabattle.compiled.sealed_arrays import array_of, read_sealed, write_sealed

ARRAYS = {
    "numbers": np.arange(6, dtype=np.int64).reshape(2, 3),
    "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "text": np.array("mini"),
    "none": np.zeros((0, 2), dtype=np.uint8),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arrays.npz"
    with path.open("w+b") as opened:
        write_sealed(opened, ARRAYS)
    return path


def entry(header: str, data: bytes) -> bytes:
    """An array in NumPy's format, whatever its header claims."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def archive(path: Path, content: bytes, kind: int = zipfile.ZIP_STORED) -> None:
    """An archive of one entry with the digest that it should have."""
    from seabattle.compiled import sealed_arrays

    with zipfile.ZipFile(path, "w", kind) as made:
        made.writestr("a.npy", content)
    with zipfile.ZipFile(path, "a") as made:
        made.comment = sealed_arrays.SEAL + sealed_arrays._digest(made).encode()


def test_arrays_come_back_as_they_were_written(file):
    found = read_sealed(file)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
        assert found[name].flags.c_contiguous
        found[name][...] = found[name]  # may be written to
    assert np.load(file)["numbers"].sum() == 15  # an ordinary archive


def test_every_changed_byte_is_noticed(file):
    content = file.read_bytes()
    for at in range(0, len(content), 7):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        try:
            found = read_sealed(file)
        except ValueError:
            continue
        assert all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)


def test_an_archive_without_a_digest_is_refused(file):
    np.savez(file, **ARRAYS)
    with pytest.raises(ValueError, match="digest"):
        read_sealed(file)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}", "not as long as"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (-1, -1)}", "negative"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "objects"),
        ("{'descr': '<i8', 'fortran_order': False}", "keys"),
        ("__import__('os')", r"header|malformed"),
    ],
)
def test_headers_that_lie_are_refused(file, header, words):
    archive(file, entry(header, bytes(8)))
    with pytest.raises(ValueError, match=words):
        read_sealed(file)


BOMB = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from seabattle.compiled.sealed_arrays import read_sealed
try:
    read_sealed(Path(sys.argv[1]))
except ValueError as error:
    print(error)
"""


def test_a_compressed_archive_is_not_unpacked(file):
    """Two gigabytes of zeros in two megabytes, in a process that has one."""
    size = 2**31
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},)}}"
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made,
        made.open("a.npy", "w", force_zip64=True) as opened,
    ):
        opened.write(entry(header, b""))
        for _ in range(2**11):
            opened.write(bytes(2**20))
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(file)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "its entries are compressed\n", done.stderr


def test_an_entry_cannot_be_longer_than_the_file(file):
    content = bytearray(file.read_bytes())
    length = content.index(b"PK\x01\x02") + 24  # of the first entry, in the directory
    content[length : length + 4] = (2**31).to_bytes(4, "little")
    file.write_bytes(content)
    with pytest.raises(ValueError, match="longer than the file"):
        read_sealed(file)


def test_devices_and_pipes_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        with pytest.raises(OSError, match=r"not a regular file|directory"):
            read_sealed(path)


def test_shapes_and_types_are_checked():
    assert array_of(ARRAYS, "numbers", np.int64, (None, 3)) is ARRAYS["numbers"]
    for name, dtype, shape in (
        ("numbers", np.int64, (None, 2)),
        ("numbers", np.int64, (6,)),
        ("numbers", np.uint64, (2, 3)),
        ("missing", np.int64, (2, 3)),
    ):
        with pytest.raises(ValueError, match=name):
            array_of(ARRAYS, name, dtype, shape)


def test_an_archive_in_memory_can_be_written():
    held = io.BytesIO()
    write_sealed(held, ARRAYS)
    assert zipfile.ZipFile(held).comment.startswith(b"seabattle sha256 ")
