/**
 * Limits the concurrent calls of one tenant to one seller, so that a seller that hangs holds at most that many sockets.
 * A call over the limit is refused at once and not queued, because a queue would only move the wait.
 */
export class Bulkhead {
  readonly #limit: number;
  readonly #inFlight = new Map<string, number>();

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('A bulkhead admits at least one call.');
    this.#limit = limit;
  }

  /** Takes a place, or returns false if none is free. Each place must be released once with `leave`. */
  enter(organizationId: string, connectionId: string): boolean {
    const key = `${organizationId}/${connectionId}`;
    const count = this.#inFlight.get(key) ?? 0;
    if (count >= this.#limit) return false;
    this.#inFlight.set(key, count + 1);
    return true;
  }

  leave(organizationId: string, connectionId: string): void {
    const key = `${organizationId}/${connectionId}`;
    const count = this.#inFlight.get(key);
    if (count === undefined) throw new Error('A place was given back that nobody had taken.');
    if (count === 1) this.#inFlight.delete(key);
    else this.#inFlight.set(key, count - 1);
  }
}
