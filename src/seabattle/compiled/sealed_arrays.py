"""Arrays in a file that is checked before any of them is used.

The file is an ordinary uncompressed `.npz` archive. Its comment is the SHA-256 digest of its
entries, so that damage and edits are noticed. A digest is no signature: whoever wants to can
write a file with another one. Reading one is safe all the same: nothing is unpickled, nothing
is decompressed, and no array takes more memory than the file has bytes. What the arrays mean
is for the reader to check, with `array_of`.
"""

from __future__ import annotations

import hashlib
import math
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..regular_files import open_regular

SEAL = b"seabattle sha256 "
SUFFIX = ".npy"
CHUNK = 2**20


def write_sealed(file: BinaryIO, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write an archive with a digest."""
    np.savez(file, allow_pickle=False, **arrays)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = SEAL + _digest(archive).encode()


def read_sealed(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read what `write_sealed` wrote; a `ValueError` says what is wrong with any other file."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            with zipfile.ZipFile(file) as archive:
                _check_entries(archive, size)
                if archive.comment != SEAL + _digest(archive).encode():
                    raise ValueError("its digest is not that of its contents")
                return {
                    entry.filename.removesuffix(SUFFIX): _array(archive, entry)
                    for entry in archive.infolist()
                }
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise ValueError(str(error)) from error


def read_array(file: IO[bytes], size: int) -> npt.NDArray[Any]:
    """One array in NumPy's format from a file of `size` bytes, which must be all there is."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"version {version} of NumPy's format is not supported")
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, fortran, dtype = read_header(file)
    if dtype.hasobject:
        raise ValueError("it contains objects")
    if any(length < 0 for length in shape):
        raise ValueError("an array has a negative length")
    wanted = math.prod(shape) * dtype.itemsize
    if wanted != size - file.tell():
        raise ValueError(f"an array of shape {shape} is not as long as its data")
    content = np.frombuffer(bytearray(file.read(wanted)), dtype=dtype)
    if content.nbytes != wanted:
        raise ValueError("an array is cut short")
    return np.asarray(content.reshape(shape, order="F" if fortran else "C"), order="C")


def array_of(
    arrays: Mapping[str, npt.NDArray[Any]],
    name: str,
    dtype: npt.DTypeLike,
    shape: tuple[int | None, ...],
) -> npt.NDArray[Any]:
    """An array with this type and shape, where None is any length; else a `ValueError`."""
    if name not in arrays:
        raise ValueError(f"it has no array {name!r}")
    array = arrays[name]
    fits = len(shape) == array.ndim and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(dtype) or not fits:
        raise ValueError(f"the array {name!r} has the wrong type or shape")
    return array


def _check_entries(archive: zipfile.ZipFile, size: int) -> None:
    """Only plain arrays, stored one after the other."""
    entries = archive.infolist()
    names = {entry.filename for entry in entries}
    if len(names) != len(entries) or not all(name.endswith(SUFFIX) for name in names):
        raise ValueError("it has entries that are not arrays")
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise ValueError("its entries are compressed")
    if sum(entry.file_size for entry in entries) > size:
        raise ValueError("its entries are longer than the file")


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> npt.NDArray[Any]:
    with archive.open(entry) as file:
        return read_array(file, entry.file_size)


def _digest(archive: zipfile.ZipFile) -> str:
    digest = hashlib.sha256()
    for entry in archive.infolist():
        digest.update(f"{entry.filename}\n{entry.file_size}\n".encode())
        with archive.open(entry) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    return digest.hexdigest()
