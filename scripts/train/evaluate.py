"""Measures a GGUF on the held-out files: `evaluate.py MODEL CORPUS`. Protocols: measure.py, heads.py."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from convert import load_gguf
from data import read_documents
from heads import induction_scores, text_scores
from measure import bits_per_byte


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="a GGUF")
    parser.add_argument("corpus", type=Path, help="folder with the held-out files")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    model, tokenizer = load_gguf(options.model)
    everything = []
    for name in ("stories-heldout", "books-heldout"):
        documents = read_documents(options.corpus, name)
        everything += documents
        size = sum(len(document.encode("utf-8")) for document in documents)
        print(f"{name}: {bits_per_byte(model, tokenizer, documents):.4f} bits per byte ({len(documents)} documents, {size} bytes)")

    previous, first = text_scores(model, tokenizer, everything)
    induction = induction_scores(model, tokenizer)
    print("\n| head | previous token | first token | induction |\n|---|---|---|---|")
    for block in range(model.shape.blocks):
        for head in range(model.shape.heads):
            values = (scores[block, head] for scores in (previous, first, induction))
            print(f"| {block}.{head} | " + " | ".join(f"{value:.2f}" for value in values) + " |")


if __name__ == "__main__":
    main()
