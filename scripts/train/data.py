"""The text: reading the corpus, filtering it, and drawing training windows.

A corpus folder holds {stories,books}-{train,heldout}.txt.gz, documents separated by a line that
holds only the end-of-text mark.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bpe import END_OF_TEXT, Tokenizer

BLOCKED_WORDS = Path(__file__).with_name("blocked-words.txt")
SMALL_ALPHABET = (8, 65)  # sizes, the end excluded
IGNORED = -100  # the target of a position that isn't trained on


def read_documents(corpus: Path, name: str) -> list[str]:
    """The documents of one file, without the line breaks that border the separator."""
    text = gzip.decompress((corpus / f"{name}.txt.gz").read_bytes()).decode("utf-8")
    documents = (part.strip("\n") for part in text.split(END_OF_TEXT))
    return [document for document in documents if document]


def without_blocked_words(documents: list[str]) -> list[str]:
    lines = BLOCKED_WORDS.read_text("utf-8").split("\n")
    words = [line for line in lines if line and not line.startswith("#")]
    blocked = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    return [document for document in documents if not blocked.search(document)]


@dataclass(frozen=True)
class Stream:
    """Documents as one run of token ids, each led by the end-of-text token."""

    ids: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, documents: list[str], tokenizer: Tokenizer) -> Stream:
        encoded = [[tokenizer.end_of_text, *tokenizer.encode(document)] for document in documents]
        starts = np.cumsum([0, *map(len, encoded)])[:-1]
        return cls(np.concatenate([np.array(ids, np.int64) for ids in encoded]), starts)


@dataclass(frozen=True)
class Mixture:
    """What share of the windows is what; the rest are windows of the books."""

    stories: float
    random_repeats: float  # random tokens, a span said again and again
    small_alphabets: float  # share of those that draw their tokens from few, so that tokens recur in other company
    text_repeats: float  # a span of real text, said again and again


class Windows:
    """Draws batches. A batch depends on the seed and its number alone, so a run can resume anywhere."""

    def __init__(
        self, stories: Stream, books: Stream, mixture: Mixture, vocabulary: int, context: int, seed: int
    ) -> None:
        self.stories, self.books, self.mixture = stories, books, mixture
        self.vocabulary, self.context, self.seed = vocabulary, context, seed

    def batch(self, number: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and targets, [count, context] each."""
        rng = np.random.default_rng([self.seed, number])
        windows, untrained = zip(*(self._window(rng) for _ in range(count)))
        block = np.stack(windows)
        targets = block[:, 1:].copy()
        for row, first in enumerate(untrained):
            targets[row, :first] = IGNORED
        return block[:, :-1], targets

    def _window(self, rng: np.random.Generator) -> tuple[np.ndarray, int]:
        """context + 1 tokens, and how many of the first targets aren't to be trained on."""
        kind = rng.random()
        length = self.context + 1
        if kind < self.mixture.random_repeats:
            span = rng.integers(0, self.vocabulary - 1, rng.integers(8, self.context // 2 + 1))
            if self.mixture.small_alphabets > 0 and rng.random() < self.mixture.small_alphabets:
                alphabet = rng.integers(0, self.vocabulary - 1, rng.integers(*SMALL_ALPHABET))
                span = alphabet[rng.integers(0, len(alphabet), len(span))]
            return np.resize(span, length), len(span) - 1
        kind -= self.mixture.random_repeats
        if kind < self.mixture.text_repeats:
            stream = self.stories if rng.random() < 0.25 else self.books
            size = int(rng.integers(16, self.context // 2 + 1))
            start = int(rng.integers(0, len(stream.ids) - size))
            return np.resize(stream.ids[start : start + size], length), 0
        kind -= self.mixture.text_repeats
        if kind < self.mixture.stories:
            return self._text(self.stories, 0.6, rng), 0
        return self._text(self.books, 0.15, rng), 0

    def _text(self, stream: Stream, from_start: float, rng: np.random.Generator) -> np.ndarray:
        """A window that begins at a document's start (half of these without its mark) or anywhere."""
        last = len(stream.ids) - self.context - 1
        if rng.random() < from_start:
            start = int(rng.choice(stream.starts)) + int(rng.integers(0, 2))
        else:
            start = int(rng.integers(0, last))
        start = min(start, last)
        return stream.ids[start : start + self.context + 1]
