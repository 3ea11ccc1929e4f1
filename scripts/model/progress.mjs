// How far a download is: one line that changes on a terminal, a line for every tenth elsewhere.

const MEGABYTE = 1e6;

export class Progress {
  #shown = -1;
  #began = performance.now();
  #first = null;

  /** `size`: null where the server does not say it. */
  show(have, size) {
    this.#first ??= have;
    const terminal = process.stdout.isTTY;
    const now = performance.now();
    const step = terminal ? Math.floor(now / 200) : Math.floor((10 * have) / (size ?? 100 * MEGABYTE));
    if (step === this.#shown && have !== size) return;
    this.#shown = step;
    const megabytes = (bytes) => (bytes / MEGABYTE).toFixed(1);
    const seconds = Math.max(0.001, (now - this.#began) / 1000);
    const of = size === null ? '' : ` of ${megabytes(size)}`;
    const text = `  ${megabytes(have)}${of} MB, ${megabytes((have - this.#first) / seconds)} MB/s`;
    process.stdout.write(terminal ? `\r${text}   ` : `${text}\n`);
  }

  end() {
    if (process.stdout.isTTY && this.#shown !== -1) process.stdout.write('\n');
  }
}
