/**
 * Caps how many calls one tenant has out at one seller, so that a hung seller holds at most that many sockets.
 *
 * A call over the cap is turned away at once rather than queued: behind a hung seller a queue only moves the wait.
 */
export class Bulkhead {
  readonly #limit: number;
  readonly #inFlight = new Map<string, number>();

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('A bulkhead admits at least one call.');
    this.#limit = limit;
  }

  /** Takes a place, or says no. A place taken must be given back with `leave`, once. */
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
