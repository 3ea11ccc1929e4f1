"""The model and its tokenizer to a GGUF, and back."""

from __future__ import annotations

from pathlib import Path

import torch

import gguf
from bpe import Tokenizer
from model import NORM_EPSILON, GPT2, Shape

NAME = "Headflow small"
LICENCE = "MIT"
ALL_Q8_0 = 7  # general.file_type
NORMAL, CONTROL = 1, 3  # tokenizer.ggml.token_type
MATRICES = ("token_embd", "attn_qkv", "attn_output", "ffn_up", "ffn_down")


def save_gguf(path: Path, model: GPT2, tokenizer: Tokenizer) -> None:
    """Matrices as Q8_0, norms, biases and position_embd as F32, in reading order."""
    shape = model.shape
    metadata = {
        "general.architecture": "gpt2",
        "general.name": NAME,
        "general.license": LICENCE,
        "general.file_type": ALL_Q8_0,
        "general.quantization_version": 2,
        "gpt2.context_length": shape.context,
        "gpt2.embedding_length": shape.width,
        "gpt2.feed_forward_length": shape.feed_forward,
        "gpt2.block_count": shape.blocks,
        "gpt2.attention.head_count": shape.heads,
        "gpt2.attention.layer_norm_epsilon": NORM_EPSILON,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokenizer.tokens,
        "tokenizer.ggml.token_type": [NORMAL] * tokenizer.end_of_text + [CONTROL],
        "tokenizer.ggml.merges": [f"{a} {b}" for a, b in tokenizer.merges],
        "tokenizer.ggml.bos_token_id": tokenizer.end_of_text,
        "tokenizer.ggml.eos_token_id": tokenizer.end_of_text,
    }
    tensors = {}
    for name, parameter in model.named_parameters():
        values = parameter.detach().numpy()
        matrix = name.endswith(".weight") and name.split(".")[-2] in MATRICES
        tensors[name] = gguf.Tensor.q8_0(values) if matrix else gguf.Tensor.f32(values)
    path.parent.mkdir(parents=True, exist_ok=True)
    gguf.write(path, gguf.File(metadata, tensors))


def load_gguf(path: Path) -> tuple[GPT2, Tokenizer]:
    """The model with its dequantised weights, and its tokenizer."""
    file = gguf.read(path)
    metadata = file.metadata
    shape = Shape(
        vocabulary=len(metadata["tokenizer.ggml.tokens"]),
        context=metadata["gpt2.context_length"],
        blocks=metadata["gpt2.block_count"],
        heads=metadata["gpt2.attention.head_count"],
        width=metadata["gpt2.embedding_length"],
    )
    merges = [(a, b) for a, b in (merge.split(" ") for merge in metadata["tokenizer.ggml.merges"])]
    model = GPT2(shape)
    weights = {name: torch.from_numpy(tensor.values()) for name, tensor in file.tensors.items()}
    model.load_state_dict(weights)
    return model, Tokenizer(merges)
