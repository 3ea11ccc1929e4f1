"""Writes the best checkpoint as a Q8_0 GGUF: `export.py [--checkpoint FILE] [--to FILE]`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from bpe import Tokenizer
from convert import save_gguf
from model import GPT2

REPOSITORY = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, default=REPOSITORY / "build/train/best.pt")
    parser.add_argument("--to", type=Path, default=REPOSITORY / "models/headflow-small.Q8_0.gguf")
    options = parser.parse_args()

    state = torch.load(options.checkpoint)
    model = GPT2(state["shape"])
    model.load_state_dict(state["model"])
    merges = json.loads(options.checkpoint.with_name("merges.json").read_text("utf-8"))
    save_gguf(options.to, model, Tokenizer([(a, b) for a, b in merges]))
    print(f"step {state['step']}: {options.to.name}, {options.to.stat().st_size} bytes")


if __name__ == "__main__":
    main()
