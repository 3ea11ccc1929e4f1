"""Trains Headflow's embedded model from a corpus folder: `train.py CORPUS`. See README.md.

Running it again resumes from the last checkpoint. The best one so far, by the validation documents,
lies in best.pt at any time; export.py turns it into a GGUF.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx512" if "avx512bw" in Path("/proc/cpuinfo").read_text() else "avx2")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
import torch

from bpe import Tokenizer, learn_merges
from convert import load_gguf
from data import Mixture, Stream, Windows, read_documents, without_blocked_words
from measure import bits_per_byte
from model import GPT2, Shape
from muon import Muon
from workers import Gang

REPOSITORY = Path(__file__).resolve().parents[2]
VALIDATION_EVERY = 64  # one training document in so many is set aside to choose the checkpoint
STORIES_WEIGHT = 4  # how often the stories count when merges are learned: they are a tenth of the text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="folder with the training text")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build/train", help="checkpoints, log")
    parser.add_argument("--start", type=Path, help="a GGUF to start from, its vocabulary included")
    parser.add_argument("--tokens", type=float, default=40e6, help="training tokens in all")
    parser.add_argument("--decay", type=float, default=0.4, help="last share, learning rate falling to 0")
    parser.add_argument("--vocabulary", type=int, default=4096)
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--batch", type=int, default=32, help="windows a step")
    parser.add_argument("--micro", type=int, default=4, help="windows at a time")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--matrix-rate", type=float, default=0.02, help="Muon's learning rate")
    parser.add_argument("--other-rate", type=float, default=0.003, help="AdamW's learning rate")
    parser.add_argument("--weight-decay", type=float, default=0.05)
    parser.add_argument("--stories", type=float, default=0.3, help="share of windows")
    parser.add_argument("--random-repeats", type=float, default=0.06, help="share of windows")
    parser.add_argument("--text-repeats", type=float, default=0.03, help="share of windows")
    parser.add_argument("--warm-up", type=int, default=100, help="steps")
    parser.add_argument("--measure-every", type=int, default=250, help="steps")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def split_validation(documents: list[str]) -> tuple[list[str], list[str]]:
    """Training documents, validation documents."""
    training = [text for i, text in enumerate(documents) if i % VALIDATION_EVERY]
    return training, documents[::VALIDATION_EVERY]


def fresh_model(options: argparse.Namespace, stories: list[str], books: list[str]) -> tuple[GPT2, Tokenizer]:
    """From the GGUF given, or new. New merges are learned once, then kept beside the checkpoints."""
    path = options.out / "merges.json"
    if options.start:
        model, tokenizer = load_gguf(options.start)
        path.write_text(json.dumps(tokenizer.merges))
        return model, tokenizer
    if not path.exists():
        texts = [("\n".join(stories), STORIES_WEIGHT), ("\n".join(books), 1)]
        path.write_text(json.dumps(learn_merges(texts, options.vocabulary - 257)))
    tokenizer = Tokenizer([(a, b) for a, b in json.loads(path.read_text())])
    shape = Shape(len(tokenizer.tokens), options.context, options.blocks, options.heads, options.width)
    return GPT2(shape), tokenizer


def rate(step: int, steps: int, options: argparse.Namespace) -> float:
    """Factor on the learning rates: rises, stays, falls to zero."""
    return min(1.0, (step + 1) / options.warm_up, (steps - step) / (options.decay * steps))


def save(path: Path, state: dict[str, Any]) -> None:
    """Whole or not at all."""
    draft = path.with_suffix(".tmp")
    torch.save(state, draft)
    draft.replace(path)


def main() -> None:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    np.random.seed(options.seed)
    torch.manual_seed(options.seed)

    stories, stories_check = split_validation(without_blocked_words(read_documents(options.corpus, "stories-train")))
    books, books_check = split_validation(without_blocked_words(read_documents(options.corpus, "books-train")))
    model, tokenizer = fresh_model(options, stories, books)
    shape = model.shape
    mixture = Mixture(options.stories, options.random_repeats, options.text_repeats)
    streams = Stream.of(stories, tokenizer), Stream.of(books, tokenizer)
    windows = Windows(*streams, mixture, shape.vocabulary, shape.context, options.seed)
    print(f"{sum(p.numel() for p in model.parameters())} parameters;",
          f"{len(stories)} stories, {len(streams[0].ids)} tokens; {len(books)} book documents, {len(streams[1].ids)} tokens", flush=True)

    in_block = lambda name, p: name.startswith("blk.") and p.dim() == 2
    muon = Muon([p for n, p in model.named_parameters() if in_block(n, p)], options.matrix_rate, weight_decay=options.weight_decay)
    adam = torch.optim.AdamW([p for n, p in model.named_parameters() if not in_block(n, p)],
                             options.other_rate, betas=(0.9, 0.95), weight_decay=0.0)
    step, best = 0, float("inf")
    last = options.out / "last.pt"
    if last.exists():
        state = torch.load(last)
        model.load_state_dict(state["model"])
        muon.load_state_dict(state["muon"])
        adam.load_state_dict(state["adam"])
        step, best = state["step"], state["best"]

    gang = Gang(model, windows, options.workers, options.batch, options.micro)
    step_tokens = options.batch * shape.context
    steps = int(options.tokens) // step_tokens
    log = (options.out / "log.tsv").open("a")
    began, losses = time.monotonic(), []
    while step < steps:
        losses.append(gang.gradients(step))
        factor = rate(step, steps, options)
        for optimizer, full in ((muon, options.matrix_rate), (adam, options.other_rate)):
            optimizer.param_groups[0]["lr"] = full * factor
            optimizer.step()
        step += 1
        if step % 50 == 0:
            pace = len(losses) * step_tokens / (time.monotonic() - began)
            print(f"step {step}/{steps} loss {np.mean(losses):.4f} rate {factor:.3f} {pace:.0f} tokens/s", flush=True)
            began, losses = time.monotonic(), []
        if step % options.measure_every == 0 or step == steps:
            bits = [bits_per_byte(model, tokenizer, texts, bf16=True) for texts in (stories_check, books_check)]
            print(time.strftime("%H:%M:%S"), step, step * step_tokens, *(f"{value:.4f}" for value in bits), sep="\t", file=log, flush=True)
            improved = sum(bits) < best
            best = min(best, sum(bits))
            state = {"shape": shape, "step": step, "best": best, "model": model.state_dict(),
                     "muon": muon.state_dict(), "adam": adam.state_dict()}
            save(last, state)
            if improved:
                save(options.out / "best.pt", {"shape": shape, "step": step, "model": model.state_dict()})
            began = time.monotonic()
    gang.dismiss()


if __name__ == "__main__":
    main()
