import type { SeededRandom, TestClock } from '@switchyard/testing';

/** A process of the simulated product. Once it has died, none of its calls comes back. */
export interface Process {
  isAlive: boolean;
}

interface Turn {
  readonly of: Process | undefined;
  readonly go: () => void;
}

/**
 * Decides, from a seed, in which order everything that crosses a port goes on: each call waits for its turn before the
 * port is reached, and its result waits for another. Between the two lies what a crash can separate.
 */
export class Scheduler {
  readonly #chance: SeededRandom;
  readonly #clock: TestClock;
  readonly #waiting: Turn[] = [];
  turns = 0;

  constructor(chance: SeededRandom, clock: TestClock) {
    this.#chance = chance;
    this.#clock = clock;
  }

  /** The port as a process reaches it. Every method must return a promise. */
  port<Port extends object>(process: Process, port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) =>
          this.call(process, () => Reflect.apply(method, target, args) as unknown);
      },
    });
  }

  async call<T>(process: Process, work: () => T): Promise<Awaited<T>> {
    await this.turn(process);
    const result = await work();
    await this.turn(process);
    return result;
  }

  /** Resolves when it is the caller's turn; never where its process has died meanwhile. */
  turn(of?: Process): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ of, go: resolve }));
  }

  /**
   * Lets everything go on until a time, or until nothing is left to do. `between` is called after each step: there the
   * caller looks whether all is well, and lets processes die.
   */
  async runUntil(end: number, between: () => boolean): Promise<void> {
    for (;;) {
      // What follows from the last step has come to its next port once the event loop turns.
      await new Promise((resolve) => setImmediate(resolve));
      if (!between()) return;
      if (this.#waiting.length > 0) {
        const [next] = this.#waiting.splice(this.#chance.between(0, this.#waiting.length - 1), 1);
        this.turns += 1;
        if (next?.of?.isAlive !== false) next?.go();
        continue;
      }
      const at = this.#clock.nextAt();
      if (at === undefined || at > end) return;
      this.#clock.advance(at - this.#clock.now());
    }
  }
}
