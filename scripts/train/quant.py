"""Q8_0: blocks of 32 values, each an fp16 scale and 32 signed bytes, as ggml's reference quantiser makes them."""

from __future__ import annotations

import numpy as np

BLOCK = 32
RECORD = np.dtype([("scale", "<f2"), ("codes", "i1", BLOCK)])  # 34 bytes


def quantise(values: np.ndarray) -> np.ndarray:
    """[rows, columns] float32, columns a multiple of 32 -> RECORDs [rows, columns / 32].

    The codes are made with the float32 scale, before it is rounded to fp16; halves round away from zero.
    """
    blocks = np.ascontiguousarray(values, np.float32).reshape(len(values), -1, BLOCK)
    scale = np.abs(blocks).max(axis=2) / np.float32(127)
    inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale > 0)
    scaled = blocks * inverse[:, :, None]
    records = np.empty(scale.shape, RECORD)
    records["scale"] = scale
    records["codes"] = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    return records


def dequantise(records: np.ndarray) -> np.ndarray:
    """RECORDs [rows, blocks] -> [rows, 32 * blocks] float32."""
    values = records["codes"].astype(np.float32) * records["scale"].astype(np.float32)[:, :, None]
    return values.reshape(len(records), -1)
