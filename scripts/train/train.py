"""Trains Headflow's embedded model from a corpus folder: `train.py CORPUS`. See README.md.

Run again, it resumes from its last checkpoint. The best one so far, by the validation documents, lies
in best.pt at any time; export.py makes a GGUF of it. Interrupted, it saves and ends.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

# Before torch is loaded: its AVX-512 loops are off by default, and idle threads shouldn't spin.
if Path("/proc/cpuinfo").exists() and "avx512bw" in Path("/proc/cpuinfo").read_text():
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx512")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

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
REPORT_EVERY = 50  # steps


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("corpus", type=Path, help="folder with the training text")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build/train", help="folder for checkpoints and log")
    parser.add_argument("--start", type=Path, help="a GGUF to start from; brings its vocabulary and sizes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes, one core each")
    parser.add_argument("--measure-every", type=int, default=250, help="steps between measures and checkpoints")

    size = parser.add_argument_group("size")
    size.add_argument("--vocabulary", type=int, default=4096)
    size.add_argument("--context", type=int, default=256)
    size.add_argument("--blocks", type=int, default=4)
    size.add_argument("--heads", type=int, default=8)
    size.add_argument("--width", type=int, default=256)

    course = parser.add_argument_group("course")
    course.add_argument("--tokens", type=float, default=60e6, help="training tokens in all")
    course.add_argument("--stop-at", type=int, help="step to end at, to go on with other options")
    course.add_argument("--batch", type=int, default=32, help="windows a step")
    course.add_argument("--micro", type=int, default=4, help="windows a forward pass")
    course.add_argument("--matrix-rate", type=float, default=0.02, help="Muon's learning rate")
    course.add_argument("--other-rate", type=float, default=0.003, help="AdamW's learning rate")
    course.add_argument("--weight-decay", type=float, default=0.05, help="Muon's")
    course.add_argument("--warm-up", type=int, default=100, help="steps")
    course.add_argument("--decay", type=float, default=0.4, help="last share, the learning rates falling to 0")

    mixture = parser.add_argument_group("mixture", "shares of the windows; the books get the rest")
    mixture.add_argument("--stories", type=float, default=0.3)
    mixture.add_argument("--random-repeats", type=float, default=0.06)
    mixture.add_argument("--small-alphabets", type=float, default=0.5, help="share of the random repeats")
    mixture.add_argument("--text-repeats", type=float, default=0.03)
    return parser.parse_args()


def split_validation(documents: list[str]) -> tuple[list[str], list[str]]:
    """Training documents, validation documents."""
    training = [document for i, document in enumerate(documents) if i % VALIDATION_EVERY]
    return training, documents[::VALIDATION_EVERY]


def fresh_model(options: argparse.Namespace, stories: list[str], books: list[str]) -> tuple[GPT2, Tokenizer]:
    """From the GGUF given, or new. The merges lie beside the checkpoints, so they are learned once."""
    path = options.out / "merges.json"
    if options.start:
        model, tokenizer = load_gguf(options.start)
        path.write_text(json.dumps(tokenizer.merges), "utf-8")
        return model, tokenizer
    if not path.exists():
        texts = [("\n".join(stories), STORIES_WEIGHT), ("\n".join(books), 1)]
        path.write_text(json.dumps(learn_merges(texts, options.vocabulary - 257)), "utf-8")
    tokenizer = Tokenizer([(a, b) for a, b in json.loads(path.read_text("utf-8"))])
    return GPT2(Shape(len(tokenizer.tokens), options.context, options.blocks, options.heads, options.width)), tokenizer


def make_optimizers(model: GPT2, options: argparse.Namespace) -> dict[str, torch.optim.Optimizer]:
    """Muon for the matrices inside the blocks, AdamW for embeddings, norms and biases."""
    matrices, others = [], []
    for name, parameter in model.named_parameters():
        (matrices if name.startswith("blk.") and parameter.dim() == 2 else others).append(parameter)
    muon = Muon(matrices, options.matrix_rate, weight_decay=options.weight_decay)
    adam = torch.optim.AdamW(others, options.other_rate, betas=(0.9, 0.95), weight_decay=0.0)
    for optimizer in (muon, adam):
        optimizer.param_groups[0]["full_rate"] = optimizer.param_groups[0]["lr"]
    return {"muon": muon, "adam": adam}


def rate_factor(step: int, steps: int, options: argparse.Namespace) -> float:
    """Of the learning rates: rises, stays at 1, falls to zero."""
    return min(1.0, (step + 1) / options.warm_up, (steps - step) / (options.decay * steps))


def save(path: Path, state: dict[str, Any]) -> None:
    """Whole or not at all."""
    draft = path.with_suffix(".tmp")
    torch.save(state, draft)
    draft.replace(path)


def main() -> None:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)

    texts, held_back = {}, {}
    for name in ("stories", "books"):
        documents = without_blocked_words(read_documents(options.corpus, f"{name}-train"))
        texts[name], held_back[name] = split_validation(documents)
    model, tokenizer = fresh_model(options, texts["stories"], texts["books"])
    streams = {name: Stream.of(documents, tokenizer) for name, documents in texts.items()}
    for name, documents in texts.items():
        print(f"{name}: {len(documents)} documents, {len(streams[name].ids)} tokens")
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)

    optimizers = make_optimizers(model, options)
    step, best = 0, float("inf")
    last = options.out / "last.pt"
    if last.exists():
        state = torch.load(last)
        model.load_state_dict(state["model"])
        for name, optimizer in optimizers.items():
            rates = optimizer.param_groups[0]["full_rate"]
            optimizer.load_state_dict(state[name])
            optimizer.param_groups[0]["full_rate"] = rates
        step, best = state["step"], state["best"]

    mixture = Mixture(options.stories, options.random_repeats, options.small_alphabets, options.text_repeats)
    windows = Windows(streams["stories"], streams["books"], mixture,
                      model.shape.vocabulary, model.shape.context, options.seed)
    gang = Gang(model, windows, options.workers, options.batch, options.micro)
    step_tokens = options.batch * model.shape.context
    steps = int(options.tokens) // step_tokens

    stop = min(steps, options.stop_at or steps)
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)

    losses: list[float] = []
    began = time.monotonic()
    while step < stop and not interrupted:
        losses.append(gang.gradients(step))
        factor = rate_factor(step, steps, options)
        for optimizer in optimizers.values():
            optimizer.param_groups[0]["lr"] = factor * optimizer.param_groups[0]["full_rate"]
            optimizer.step()
        step += 1

        if step % REPORT_EVERY == 0:
            pace = len(losses) * step_tokens / (time.monotonic() - began)
            loss = sum(losses) / len(losses)
            print(f"step {step}/{steps}: loss {loss:.4f}, rate {factor:.3f}, {pace:.0f} tokens/s", flush=True)
            losses.clear()
            began = time.monotonic()

        if step % options.measure_every == 0 or step == stop or interrupted:
            bits = {name: bits_per_byte(model, tokenizer, documents, bf16=True) for name, documents in held_back.items()}
            with (options.out / "log.tsv").open("a") as log:
                print(time.strftime("%H:%M:%S"), step, step * step_tokens,
                      *(f"{value:.4f}" for value in bits.values()), sep="\t", file=log)
            score = sum(bits.values())
            checkpoint = {"shape": model.shape, "step": step, "model": model.state_dict()}
            states = {name: optimizer.state_dict() for name, optimizer in optimizers.items()}
            save(last, {**checkpoint, **states, "best": min(best, score)})
            if score < best:
                best = score
                save(options.out / "best.pt", checkpoint)
    gang.dismiss()


if __name__ == "__main__":
    main()
