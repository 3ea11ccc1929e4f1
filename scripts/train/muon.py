"""Muon (Jordan et al., 2024): momentum whose update is made orthogonal, for the matrices inside the blocks.

Each update is replaced by the nearest semi-orthogonal matrix, found with a few Newton-Schulz
steps, so all its directions are learned at the same pace. Matrices of one size go through the
iteration together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor

STEPS = 5
QUINTIC = (3.4445, -4.7750, 2.0315)  # steep at 0; settles singular values into about [0.7, 1.2]


def orthogonalise(batch: Tensor) -> Tensor:
    """[n, rows, columns] with rows <= columns -> singular values all near 1."""
    a, b, c = QUINTIC
    x = batch / (batch.norm(dim=(1, 2), keepdim=True) + 1e-7)
    x = x.bfloat16()
    for _ in range(STEPS):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x.float()


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised; decoupled weight decay. A fused q/k/v matrix counts as three."""

    def __init__(
        self, parameters: Iterable[Tensor], lr: float, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            by_size: defaultdict[tuple[int, int], list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for parameter in group["params"]:
                state = self.state[parameter]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(parameter)
                state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
                update = parameter.grad.lerp(state["momentum"], group["momentum"])
                rows, columns = parameter.shape
                parts = 3 if rows == 3 * columns else 1
                for target, part in zip(parameter.chunk(parts), update.chunk(parts)):
                    by_size[min(target.shape), max(target.shape)].append((target, part))
            for members in by_size.values():
                wide = [part if part.shape[0] <= part.shape[1] else part.T for _, part in members]
                for (target, _), direction in zip(members, orthogonalise(torch.stack(wide))):
                    rows, columns = target.shape
                    scale = max(1.0, rows / columns) ** 0.5
                    target.mul_(1 - group["lr"] * group["weight_decay"])
                    target.add_(
                        direction if rows <= columns else direction.T, alpha=-group["lr"] * scale
                    )
