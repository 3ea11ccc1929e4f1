"""Self-check of the small parts: `check.py`. Takes a few seconds, needs no corpus."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch

import gguf
from bpe import PIECE, SYMBOL_OF_BYTE, Tokenizer, learn_merges
from convert import load_gguf, save_gguf
from data import Mixture, Stream, Windows
from measure import bits_per_byte
from model import GPT2, Shape, SummedCrossEntropy
from muon import orthogonalise
from quant import dequantise, quantise

TEXTS = ["the cat sat on the mat", "The cat's hat isn't  there.\n\n\"Where?\"", "café \u00a0x 🤗 12345", "\r\n \t", ""]


def small_tokenizer() -> Tokenizer:
    return Tokenizer(learn_merges([(text, 1) for text in TEXTS], 15))


def small_model(tokenizer: Tokenizer) -> GPT2:
    torch.manual_seed(1)
    return GPT2(Shape(len(tokenizer.tokens), context=16, blocks=2, heads=2, width=32))


class BytePairs(unittest.TestCase):
    def test_symbols_are_gpt2s(self) -> None:
        self.assertEqual(SYMBOL_OF_BYTE[ord(" ")], "Ġ")
        self.assertEqual(SYMBOL_OF_BYTE[ord("\n")], "Ċ")
        self.assertEqual(len(set(SYMBOL_OF_BYTE.values())), 256)

    def test_split(self) -> None:
        pieces = PIECE.findall("I'll go  home, 12 o'clock \n")
        self.assertEqual(pieces, ["I", "'ll", " go", " ", " home", ",", " 12", " o", "'", "clock", " \n"])

    def test_most_frequent_pair_comes_first_and_ties_are_sorted(self) -> None:
        self.assertEqual(learn_merges([("ab ab xy", 1), ("xy", 3)], 2), [("x", "y"), ("a", "b")])

    def test_round_trip(self) -> None:
        tokenizer = small_tokenizer()
        for text in TEXTS:
            self.assertEqual(tokenizer.decode(tokenizer.encode(text)), text)

    def test_mark_in_text_is_text(self) -> None:
        tokenizer = small_tokenizer()
        self.assertNotIn(tokenizer.end_of_text, tokenizer.encode("<|endoftext|>"))


class Quantiser(unittest.TestCase):
    def test_error_is_at_most_half_a_step(self) -> None:
        values = np.random.default_rng(1).normal(size=(8, 96)).astype(np.float32)
        error = np.abs(dequantise(quantise(values)) - values).reshape(8, 3, 32).max(axis=2)
        step = np.abs(values).reshape(8, 3, 32).max(axis=2) / 127
        # The scale's rounding to fp16 moves a code of 127 by up to 127 * 2^-11 steps more.
        self.assertTrue((error <= step * (0.5 + 127 * 2**-11 + 1e-3)).all())

    def test_halves_round_away_from_zero(self) -> None:
        values = np.zeros((1, 32), np.float32)
        values[0, :5] = [127, 0.5, -0.5, 2.5, -2.5]
        self.assertEqual(quantise(values)["codes"][0, 0, :5].tolist(), [127, 1, -1, 3, -3])

    def test_zero_block(self) -> None:
        self.assertFalse(dequantise(quantise(np.zeros((1, 32), np.float32))).any())


class Network(unittest.TestCase):
    def test_loss_and_gradient_agree_with_pytorchs(self) -> None:
        torch.manual_seed(1)
        logits = torch.randn(6, 10, dtype=torch.float32, requires_grad=True)
        targets = torch.tensor([1, -100, 3, 9, 0, -100])
        stock = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
        (expected,) = torch.autograd.grad(stock, logits)
        loss = SummedCrossEntropy.apply(logits, targets)
        (gradient,) = torch.autograd.grad(loss, logits)
        torch.testing.assert_close(loss, stock)
        torch.testing.assert_close(gradient, expected)

    def test_orthogonalised_update_has_singular_values_near_one(self) -> None:
        torch.manual_seed(1)
        values = torch.linalg.svdvals(orthogonalise(torch.randn(2, 32, 64)))
        self.assertTrue(((values > 0.6) & (values < 1.3)).all())

    def test_windowed_bits_agree_with_one_pass_where_the_document_fits(self) -> None:
        tokenizer = small_tokenizer()
        model = small_model(tokenizer)
        text = "the cat"
        ids = torch.tensor([[tokenizer.end_of_text, *tokenizer.encode(text)]])
        nats = torch.nn.functional.cross_entropy(model(ids[:, :-1])[0], ids[0, 1:], reduction="sum")
        self.assertAlmostEqual(bits_per_byte(model, tokenizer, [text]), float(nats) / np.log(2) / len(text), places=5)


class Batches(unittest.TestCase):
    def test_depend_on_seed_and_number_alone(self) -> None:
        tokenizer = small_tokenizer()
        stream = Stream.of(TEXTS[:3] * 8, tokenizer)
        draw = lambda: Windows(stream, stream, Mixture(0.3, 0.2, 0.5, 0.2), len(tokenizer.tokens), 32, seed=1)
        one, other = draw(), draw()
        other.batch(0, 4)
        for ours, theirs in zip(one.batch(5, 4), other.batch(5, 4)):
            np.testing.assert_array_equal(ours, theirs)


class Export(unittest.TestCase):
    def test_round_trip_and_order(self) -> None:
        tokenizer = small_tokenizer()
        with tempfile.TemporaryDirectory() as folder:
            first, second = Path(folder, "a.gguf"), Path(folder, "b.gguf")
            save_gguf(first, small_model(tokenizer), tokenizer)
            model, loaded = load_gguf(first)
            save_gguf(second, model, loaded)
            names = list(gguf.read(first).tensors)
            self.assertEqual(loaded.tokens, tokenizer.tokens)
            self.assertEqual(gguf.read(first).metadata, gguf.read(second).metadata)
        self.assertEqual(names[:3], ["token_embd.weight", "position_embd.weight", "blk.0.attn_norm.weight"])
        self.assertEqual(names[-1], "output_norm.bias")


if __name__ == "__main__":
    unittest.main()
