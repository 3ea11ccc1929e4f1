"""What each head attends to: the previous token, the first token, the token after an earlier copy.

Means of attention weight:
- previous: from position i to i - 1, first: from i to 0; over i >= 1 of the first window of each held-out document
  (end-of-text token, then the document's tokens, up to the context length), every position counted once;
- induction: end-of-text, then SPAN random tokens, then the same SPAN again; from each position i of the
  second copy to i - SPAN + 1, the token that followed the first copy of the token at i; SEQUENCES such sequences.
"""

from __future__ import annotations

import torch
from torch import Tensor

from bpe import Tokenizer
from model import GPT2

SPAN = 64
SEQUENCES = 32


def random_ids(count: int, below: int) -> list[int]:
    """From the linear congruential generator x -> 1664525 x + 1013904223 mod 2^32, started at 1: (x >> 16) mod below."""
    state, ids = 1, []
    for _ in range(count):
        state = (1664525 * state + 1013904223) % 2**32
        ids.append((state >> 16) % below)
    return ids


@torch.no_grad()
def attention(model: GPT2, ids: list[int]) -> Tensor:
    """[block, head, query, key]"""
    weights: list[Tensor] = []
    model(torch.tensor([ids]), weights)
    return torch.cat(weights)


def text_scores(model: GPT2, tokenizer: Tokenizer, documents: list[str]) -> tuple[Tensor, Tensor]:
    """Previous-token and first-token scores, [block, head] each."""
    previous = torch.zeros(model.shape.blocks, model.shape.heads)
    first = torch.zeros_like(previous)
    positions = 0
    for document in documents:
        ids = [tokenizer.end_of_text, *tokenizer.encode(document)][: model.shape.context]
        weight = attention(model, ids)
        previous += weight.diagonal(-1, 2, 3).sum(2)
        first += weight[:, :, 1:, 0].sum(2)
        positions += len(ids) - 1
    return previous / positions, first / positions


def induction_scores(model: GPT2, tokenizer: Tokenizer) -> Tensor:
    """[block, head]"""
    ids = random_ids(SPAN * SEQUENCES, tokenizer.end_of_text)
    total = torch.zeros(model.shape.blocks, model.shape.heads)
    for start in range(0, len(ids), SPAN):
        span = ids[start : start + SPAN]
        weight = attention(model, [tokenizer.end_of_text, *span, *span])
        # Row i, column i - SPAN + 1; the second copy begins at i = SPAN + 1.
        total += weight.diagonal(1 - SPAN, 2, 3)[:, :, 2:].mean(2)
    return total / SEQUENCES
