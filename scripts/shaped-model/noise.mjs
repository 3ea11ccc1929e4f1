// Bell-shaped random numbers, the same in every run and never 0. Each tensor has a source of its own, by its name, so
// that none depends on what was made before it.
const MEAN_OF_FOUR_BYTES = 510;
const DEVIATION_OF_FOUR_BYTES = Math.sqrt((4 * (256 ** 2 - 1)) / 12);
const OFF_ZERO = 0.5;

/** The sum of a random word's four bytes is near enough to a normal distribution. */
export class Noise {
  #state = 0x811c9dc5;

  constructor(name) {
    for (const character of name) this.#state = Math.imul(this.#state ^ character.codePointAt(0), 0x01000193);
    this.#state |= 1;
    for (let i = 0; i < 16; i++) this.#word();
  }

  fill(values, deviation) {
    const unit = deviation / DEVIATION_OF_FOUR_BYTES;
    for (let i = 0; i < values.length; i++) {
      const word = this.#word();
      const sum = (word & 255) + ((word >>> 8) & 255) + ((word >>> 16) & 255) + (word >>> 24);
      values[i] = (sum - MEAN_OF_FOUR_BYTES + OFF_ZERO) * unit;
    }
    return values;
  }

  vector(length, deviation) {
    return this.fill(new Float32Array(length), deviation);
  }

  /** In [0, 1). */
  uniform() {
    return (this.#word() >>> 0) / 2 ** 32;
  }

  /** The integers below `count` in random order. */
  permutation(count) {
    const order = Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i--) {
      const j = Math.floor(this.uniform() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }

  #word() {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state;
  }
}
