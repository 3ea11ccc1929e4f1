"""Held-out bits per byte.

Each document is read alone, led by the end-of-text token, which is context and not scored. Windows of
the model's context length C start at multiples of C/2; a token is scored in the first window that
predicts it, so all but a document's first C have at least C/2 tokens before them. The bits of all the
documents' tokens are divided by their UTF-8 bytes; separators count neither as bits nor as bytes.
"""

from __future__ import annotations

import math
from collections import defaultdict

import torch
from torch.nn import functional as F

from bpe import Tokenizer
from model import GPT2

ROWS = 16


@torch.no_grad()
def bits_per_byte(model: GPT2, tokenizer: Tokenizer, documents: list[str], bf16: bool = False) -> float:
    context = model.shape.context
    stride = context // 2
    by_length: defaultdict[int, list[tuple[list[int], int]]] = defaultdict(list)
    for document in documents:
        ids = [tokenizer.end_of_text, *tokenizer.encode(document)]
        scored = 0  # targets ids[1 .. scored] are done
        for start in range(0, len(ids), stride):
            end = min(start + context, len(ids) - 1)  # inputs ids[start:end]
            if scored >= end:
                break
            by_length[end - start].append((ids[start : end + 1], scored - start))
            scored = end

    nats = 0.0
    for windows in by_length.values():
        for first in range(0, len(windows), ROWS):
            group = windows[first : first + ROWS]
            ids = torch.tensor([window for window, _ in group])
            with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
                logits = model(ids[:, :-1])
            losses = F.cross_entropy(logits.float().transpose(1, 2), ids[:, 1:], reduction="none")
            nats += sum(float(row[skip:].double().sum()) for row, (_, skip) in zip(losses, group))
    return nats / math.log(2) / sum(len(document.encode("utf-8")) for document in documents)
