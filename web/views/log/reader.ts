// Reads values for the log, one entry after another, in a session of its own: the figure's keeps its block traced.
import type { LogEntry, LogValues, Stage } from '../../engine/api';
import type { InsideView } from '../inside/panel';
import { messageOf, OwnSession } from '../inside/session';

/** What is known of an entry's values. */
export type Known =
  | { readonly state: 'waiting' }
  | { readonly state: 'read'; readonly values: LogValues }
  | { readonly state: 'failed'; readonly message: string };

const same = (a: Stage, b: Stage): boolean => a.kind === b.kind && a.block === b.block;

export class LogReader {
  readonly #changed: (name: string, known: Known) => void;
  readonly #known = new Map<string, Known>();
  readonly #own = new OwnSession();
  #wishes: LogEntry[] = [];
  #working = false;
  /** What the session has run last, so that its block is traced. */
  #ran: Stage | null = null;

  constructor(changed: (name: string, known: Known) => void) {
    this.#changed = changed;
  }

  /** Another model or other tokens: what was read for those before is dropped. */
  show(view: InsideView): void {
    if (!this.#own.follow(view)) return;
    this.#known.clear();
    this.#wishes = [];
    this.#ran = null;
  }

  /** Lets go of the session. */
  close(): void {
    this.#own.close();
  }

  known(name: string): Known | undefined {
    return this.#known.get(name);
  }

  /** Bytes that have to be loaded before `goal` can run. */
  async lacking(goal: Stage): Promise<number> {
    return (await this.#own.open()).lacking(goal);
  }

  /** Asks for an entry's values, which runs its stage and loads what that lacks. */
  want(entry: LogEntry): void {
    if (this.#known.has(entry.name)) return;
    this.#tell(entry.name, { state: 'waiting' });
    this.#wishes.push(entry);
    if (!this.#working) void this.#work();
  }

  #tell(name: string, known: Known): void {
    this.#known.set(name, known);
    this.#changed(name, known);
  }

  /** What the traced block can answer goes first. */
  #next(): LogEntry | undefined {
    const ran = this.#ran;
    const at = ran ? this.#wishes.findIndex(({ stage }) => same(stage, ran)) : 0;
    return this.#wishes.splice(Math.max(0, at), 1)[0];
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let wish = this.#next(); wish; wish = this.#next()) await this.#read(wish);
    this.#working = false;
  }

  async #read(entry: LogEntry): Promise<void> {
    const goal = entry.stage;
    const current = this.#own.watch();
    try {
      const session = await this.#own.open();
      if (!this.#ran || !same(this.#ran, goal))
        await session.run(goal, goal.kind === 'attention' || goal.kind === 'mlp');
      if (!current()) return;
      this.#ran = goal;
      const values = await session.logValues(entry.name);
      if (current()) this.#tell(entry.name, { state: 'read', values });
    } catch (error) {
      if (!current()) return;
      this.#ran = null;
      this.#tell(entry.name, { state: 'failed', message: messageOf(error) });
    }
  }
}
