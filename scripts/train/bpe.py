"""Byte-level byte-pair encoding: learning the merges, encoding, decoding.

Token ids are 0..255 for the byte symbols in GPT-2's byte-to-unicode order, then one id per merge in
the order learned, and last the end-of-text token, which encode() never makes from text.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable

import regex

END_OF_TEXT = "<|endoftext|>"

# GPT-2's split: contractions, then words, numbers and marks with one leading space, then white space.
PIECE = regex.compile(r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")

Pair = tuple[str, str]


def byte_symbols() -> dict[int, str]:
    """Byte -> printable symbol, in vocabulary order: printable bytes stand for themselves and come
    first, the other 68 follow as U+0100 onwards."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {byte: chr(byte) for byte in printable}
    table.update({byte: chr(0x100 + i) for i, byte in enumerate(others)})
    return table


SYMBOL_OF_BYTE = byte_symbols()
BYTE_OF_SYMBOL = {symbol: byte for byte, symbol in SYMBOL_OF_BYTE.items()}


def symbols_of(text: str) -> str:
    """The text's UTF-8 bytes, each as its printable symbol."""
    return "".join(SYMBOL_OF_BYTE[byte] for byte in text.encode("utf-8"))


def learn_merges(texts: Iterable[tuple[str, int]], count: int) -> list[Pair]:
    """The `count` most frequent merges over (text, weight) pairs. Ties go to the pair that sorts first."""
    weights: Counter[str] = Counter()
    for text, weight in texts:
        for piece, times in Counter(PIECE.findall(text)).items():
            weights[symbols_of(piece)] += weight * times

    words = [list(word) for word in weights]
    word_weight = list(weights.values())
    pair_weight: Counter[Pair] = Counter()
    words_with: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_weight[pair] += word_weight[index]
            words_with[pair].add(index)

    # The heap may hold outdated weights; an entry counts only if it still agrees with pair_weight.
    heap = [(-weight, pair) for pair, weight in pair_weight.items()]
    heapq.heapify(heap)
    merges: list[Pair] = []
    while heap and len(merges) < count:
        weight, pair = heapq.heappop(heap)
        if pair_weight[pair] != -weight or weight == 0:
            continue
        merges.append(pair)
        changed: set[Pair] = set()
        for index in words_with.pop(pair):
            old = words[index]
            new = merge_pair(old, pair)
            for sign, word in ((-1, old), (1, new)):
                for neighbour in zip(word, word[1:]):
                    pair_weight[neighbour] += sign * word_weight[index]
                    changed.add(neighbour)
                    if sign > 0:
                        words_with[neighbour].add(index)
            words[index] = new
        for neighbour in changed:
            heapq.heappush(heap, (-pair_weight[neighbour], neighbour))
    return merges


def merge_pair(word: list[str], pair: Pair) -> list[str]:
    """The word with each occurrence of the pair, from the left, joined to one symbol."""
    merged: list[str] = []
    i = 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


class Tokenizer:
    """Encodes and decodes with a fixed list of merges."""

    def __init__(self, merges: list[Pair]) -> None:
        self.merges = merges
        self.rank = {pair: rank for rank, pair in enumerate(merges)}
        self.tokens = [*SYMBOL_OF_BYTE.values(), *(a + b for a, b in merges), END_OF_TEXT]
        self.id_of = {token: i for i, token in enumerate(self.tokens)}
        self.end_of_text = len(self.tokens) - 1
        self._cache: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for piece in PIECE.findall(text):
            if piece not in self._cache:
                self._cache[piece] = self._encode_piece(piece)
            ids += self._cache[piece]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        symbols = "".join(self.tokens[i] for i in ids if i != self.end_of_text)
        return bytes(BYTE_OF_SYMBOL[symbol] for symbol in symbols).decode("utf-8", errors="replace")

    def _encode_piece(self, piece: str) -> list[int]:
        word = list(symbols_of(piece))
        while len(word) > 1:
            best = min(zip(word, word[1:]), key=lambda pair: self.rank.get(pair, len(self.rank)))
            if best not in self.rank:
                break
            word = merge_pair(word, best)
        return [self.id_of[symbol] for symbol in word]
