"""GGUF version 3: writing and reading what a GPT-2 file needs. Little-endian.

magic, version, tensor count, pair count | key-value pairs | tensor infos | padding | tensor data,
each tensor beginning at a multiple of 32 bytes. Dimensions are stored fastest first, so a
row-major [out, in] matrix is written as (in, out).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from quant import BLOCK, RECORD, dequantise, quantise

MAGIC = b"GGUF"
VERSION = 3
ALIGNMENT = 32

# Tensor types
F32 = 0
Q8_0 = 8

# Value types
STRING = 8
ARRAY = 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
UINT32, INT32, FLOAT32 = 4, 5, 6


@dataclass(frozen=True)
class Tensor:
    """A tensor as stored: float32 values, or Q8_0 records [rows, columns / 32]."""

    kind: int
    stored: np.ndarray

    @classmethod
    def f32(cls, values: np.ndarray) -> Tensor:
        return cls(F32, np.ascontiguousarray(values, "<f4"))

    @classmethod
    def q8_0(cls, values: np.ndarray) -> Tensor:
        return cls(Q8_0, quantise(values))

    @property
    def shape(self) -> tuple[int, ...]:
        """Row-major."""
        if self.kind == F32:
            return self.stored.shape
        rows, blocks = self.stored.shape
        return rows, blocks * BLOCK

    def values(self) -> np.ndarray:
        return self.stored.astype(np.float32) if self.kind == F32 else dequantise(self.stored)


@dataclass(frozen=True)
class File:
    """A file's contents; both in file order. Metadata values: str, int, float or lists of str or int."""

    metadata: dict[str, Any]
    tensors: dict[str, Tensor]


def write(path: Path, file: File) -> None:
    header = bytearray(MAGIC + struct.pack("<IQQ", VERSION, len(file.tensors), len(file.metadata)))
    for key, value in file.metadata.items():
        header += pack_string(key) + pack_value(value)
    offset = 0
    for name, tensor in file.tensors.items():
        dimensions = tensor.shape[::-1]
        header += pack_string(name) + struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
        header += struct.pack("<IQ", tensor.kind, offset)
        offset += padded(tensor.stored.nbytes)
    with path.open("wb") as out:
        out.write(header.ljust(padded(len(header)), b"\0"))
        for tensor in file.tensors.values():
            out.write(tensor.stored.tobytes().ljust(padded(tensor.stored.nbytes), b"\0"))


def padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def pack_string(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def pack_value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", STRING) + pack_string(value)
    if isinstance(value, int):
        return struct.pack("<II", UINT32, value)
    if isinstance(value, float):
        return struct.pack("<If", FLOAT32, value)
    if all(isinstance(item, str) for item in value):
        return struct.pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(map(pack_string, value))
    return struct.pack(f"<IIQ{len(value)}i", ARRAY, INT32, len(value), *value)


def read(path: Path) -> File:
    """Raises ValueError where the file isn't one of these."""
    with path.open("rb") as source:
        magic, version, tensor_count, pair_count = struct.unpack("<4sIQQ", source.read(24))
        if magic != MAGIC or version != VERSION:
            raise ValueError(f"{path.name}: expected GGUF version {VERSION}, got {magic!r} version {version}")
        metadata = {}
        for _ in range(pair_count):
            key = read_string(source)
            metadata[key] = read_value(source, take(source, "I"))
        infos = []
        for _ in range(tensor_count):
            name = read_string(source)
            shape = tuple(take(source, "Q") for _ in range(take(source, "I")))[::-1]
            infos.append((name, shape, take(source, "I"), take(source, "Q")))
        start = padded(source.tell())
        tensors = {}
        for name, shape, kind, offset in infos:
            if kind not in (F32, Q8_0):
                raise ValueError(f"{path.name}: {name} has type {kind}, expected F32 or Q8_0")
            source.seek(start + offset)
            count = int(np.prod(shape))
            if kind == F32:
                stored = np.frombuffer(source.read(4 * count), "<f4").reshape(shape)
            else:
                size = count // BLOCK * RECORD.itemsize
                stored = np.frombuffer(source.read(size), RECORD).reshape(shape[0], -1)
            tensors[name] = Tensor(kind, stored)
    return File(metadata, tensors)


def take(source: BinaryIO, code: str) -> Any:
    return struct.unpack(f"<{code}", source.read(struct.calcsize(f"<{code}")))[0]


def read_string(source: BinaryIO) -> str:
    return source.read(take(source, "Q")).decode("utf-8")


def read_value(source: BinaryIO, kind: int) -> Any:
    if kind == STRING:
        return read_string(source)
    if kind == ARRAY:
        item, count = take(source, "I"), take(source, "Q")
        return [read_value(source, item) for _ in range(count)]
    return take(source, SCALARS[kind])
