// Decides which bounded wasm call runs next, and lets the thread hear its messages between any two of them.

import { asEngineFailure } from './errors';

/** Calls of one session. `served` says when it last had its turn: sessions that wait longer go first. */
export interface Lane {
  served: number;
}

/** Who asks. Reads are what is on screen now, so they go before computing. */
export interface Ticket {
  readonly urgency: 'read' | 'compute';
  readonly lane: Lane;
  /** Within a lane, what was asked for first is finished first. */
  readonly order: number;
  /** Aborted: the call does not run, and rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Runs a function after the messages that are already waiting. */
export type Later = (run: () => void) => void;

interface Call {
  readonly ticket: Ticket;
  readonly run: () => void;
  readonly drop: (reason: unknown) => void;
}

export class Scheduler {
  readonly #later: Later;
  #waiting: Call[] = [];
  #pumping = false;
  #served = 0;

  constructor(later: Later) {
    this.#later = later;
  }

  /** Runs `work`, one bounded call, when its turn has come. Rejects with an EngineFailure if that throws. */
  call<T>(ticket: Ticket, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(asEngineFailure(error));
        }
      };
      this.#waiting.push({ ticket, run, drop: reject });
      this.#pumpLater();
    });
  }

  #pumpLater(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    this.#later(() => this.#pump());
  }

  #pump(): void {
    this.#pumping = false;
    const next = this.#takeNext();
    if (next === undefined) return;
    next.ticket.lane.served = ++this.#served;
    next.run();
    if (this.#waiting.length > 0) this.#pumpLater();
  }

  #takeNext(): Call | undefined {
    const waiting = this.#waiting;
    this.#waiting = [];
    let next: Call | undefined;
    for (const call of waiting) {
      if (call.ticket.signal.aborted) call.drop(call.ticket.signal.reason);
      else if (next === undefined) next = call;
      else if (goesBefore(call.ticket, next.ticket)) {
        this.#waiting.push(next);
        next = call;
      } else this.#waiting.push(call);
    }
    return next;
  }
}

function goesBefore(a: Ticket, b: Ticket): boolean {
  if (a.urgency !== b.urgency) return a.urgency === 'read';
  return a.lane.served !== b.lane.served ? a.lane.served < b.lane.served : a.order < b.order;
}

/** `Later` by a message to oneself: a timeout would be held back for milliseconds. */
export function laterByMessage(): { readonly later: Later; readonly close: () => void } {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return {
    later: (run) => {
      waiting.push(run);
      port2.postMessage(null);
    },
    close: () => port1.close(),
  };
}
