"""The network: GPT-2 (learned positions, pre-norm, tanh GELU, biases, tied output) in PyTorch.

Parameter names follow the GGUF tensor names, with the dot-separated path as module path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

NORM_EPSILON = 1e-5


@dataclass(frozen=True)
class Shape:
    """What the model is: its sizes."""

    vocabulary: int
    context: int = 256
    blocks: int = 4
    heads: int = 6
    width: int = 192

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def feed_forward(self) -> int:
        return 4 * self.width


class Block(nn.Module):
    """x + attention(norm(x)), then x + mlp(norm(x))."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attn_norm = nn.LayerNorm(shape.width, eps=NORM_EPSILON)
        self.attn_qkv = nn.Linear(shape.width, 3 * shape.width)
        self.attn_output = nn.Linear(shape.width, shape.width)
        self.ffn_norm = nn.LayerNorm(shape.width, eps=NORM_EPSILON)
        self.ffn_up = nn.Linear(shape.width, shape.feed_forward)
        self.ffn_down = nn.Linear(shape.feed_forward, shape.width)

    def forward(self, x: Tensor, mask: Tensor, weights: list[Tensor] | None) -> Tensor:
        x = x + self.attention(self.attn_norm(x), mask, weights)
        up = self.ffn_up(self.ffn_norm(x))
        hidden = F.gelu(up.float(), approximate="tanh")  # float: faster than bf16, and exact
        return x + self.ffn_down(hidden)

    def attention(self, x: Tensor, mask: Tensor, weights: list[Tensor] | None) -> Tensor:
        batch, time, width = x.shape
        head_width = width // self.heads
        q, k, v = (
            part.view(batch, time, self.heads, head_width).transpose(1, 2)
            for part in self.attn_qkv(x).split(width, dim=2)
        )
        score = (q * (1.0 / math.sqrt(head_width))) @ k.transpose(2, 3)
        weight = torch.softmax(score + mask[:time, :time].to(score.dtype), dim=3)
        if weights is not None:
            weights.append(weight)
        return self.attn_output((weight @ v).transpose(1, 2).reshape(batch, time, width))


class GPT2(nn.Module):
    """Token ids [batch, time] -> logits [batch, time, vocabulary]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.position_embd = nn.Embedding(shape.context, shape.width)
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.blocks))
        self.output_norm = nn.LayerNorm(shape.width, eps=NORM_EPSILON)
        future = torch.full((shape.context, shape.context), float("-inf")).triu(1)
        self.register_buffer("mask", future, persistent=False)
        self.initialise()

    def initialise(self) -> None:
        """GPT-2's: normal with deviation 0.02, what writes into the residual stream scaled down by depth."""
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif parameter.dim() == 2:
                writes_residual = "attn_output" in name or "ffn_down" in name
                depth = 2 * self.shape.blocks if writes_residual else 1
                nn.init.normal_(parameter, std=0.02 / math.sqrt(depth))

    def forward(self, ids: Tensor, weights: list[Tensor] | None = None) -> Tensor:
        """With `weights`, each block's attention [batch, head, query, key] is appended to it."""
        x = self.token_embd(ids) + self.position_embd.weight[: ids.shape[1]]
        for block in self.blk:
            x = block(x, self.mask, weights)
        return F.linear(self.output_norm(x), self.token_embd.weight)


class SummedCrossEntropy(torch.autograd.Function):
    """Loss summed over the targets >= 0, its gradient made in the same pass (half the cost of the stock one)."""

    @staticmethod
    def forward(ctx, logits: Tensor, targets: Tensor) -> Tensor:  # type: ignore[no-untyped-def,override]
        trained = (targets >= 0).float().unsqueeze(1)
        chosen = targets.clamp(min=0).unsqueeze(1)
        gradient = logits.float()
        gradient -= gradient.amax(dim=1, keepdim=True)
        picked = gradient.gather(1, chosen)
        gradient.exp_()
        total = gradient.sum(dim=1, keepdim=True)
        gradient *= trained / total
        gradient.scatter_add_(1, chosen, -trained)
        ctx.save_for_backward(gradient.to(logits.dtype))
        return ((total.log() - picked) * trained).sum()

    @staticmethod
    def backward(ctx, upstream: Tensor) -> tuple[Tensor, None]:  # type: ignore[no-untyped-def,override]
        (gradient,) = ctx.saved_tensors
        return gradient * upstream.to(gradient.dtype), None
