import type { Clock } from '@switchyard/values';

/** One call that needs a place. */
export interface PlaceRequest {
  readonly organizationId: string;
  readonly connectionId: string;
  /** Who calls: callers of one organization get the free places in turn. */
  readonly caller: string;
  /** The longest wait for a place, in milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  /** Ends the wait when the caller has left. */
  readonly signal: AbortSignal;
}

interface Seats {
  taken: number;
  /** The waiting calls of each caller. The caller at the front is served next and then goes to the end. */
  readonly lines: Map<string, ((isFree: boolean) => void)[]>;
}

/**
 * Limits the concurrent calls of one organization to one seller, so that a seller that hangs holds at most that many
 * sockets. A call over the limit waits for a place, and is refused when its wait ends.
 */
export class Bulkhead {
  readonly #limit: number;
  readonly #seats = new Map<string, Seats>();

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('A bulkhead admits at least one call.');
    this.#limit = limit;
  }

  /**
   * Takes a place.
   *
   * @returns the function that gives the place back, to be called once; `undefined` if no place was free in time.
   */
  async enter(request: PlaceRequest): Promise<(() => void) | undefined> {
    const key = `${request.organizationId}/${request.connectionId}`;
    const seats = this.#seats.get(key) ?? { taken: 0, lines: new Map() };
    this.#seats.set(key, seats);
    if (seats.taken < this.#limit) seats.taken += 1;
    else if (!(await this.#wait(seats, request))) return undefined;
    let isTaken = true;
    return () => {
      if (!isTaken) throw new Error('A place was given back twice.');
      isTaken = false;
      const [next] = seats.lines;
      if (next !== undefined) serve(seats, next);
      else if (seats.taken > 1) seats.taken -= 1;
      else this.#seats.delete(key);
    };
  }

  /** Resolves with true when a place was passed on to this call, with false when its wait ended before. */
  #wait({ lines }: Seats, { caller, maxWaitMs, clock, signal }: PlaceRequest): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isFree: boolean): void => {
        stop();
        signal.removeEventListener('abort', giveUp);
        resolve(isFree);
      };
      const giveUp = (): void => {
        const others = (lines.get(caller) ?? []).filter((waiting) => waiting !== settle);
        if (others.length === 0) lines.delete(caller);
        else lines.set(caller, others);
        settle(false);
      };
      const stop = clock.after(maxWaitMs, giveUp);
      lines.set(caller, [...(lines.get(caller) ?? []), settle]);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}

/** Passes a place on to the first call of the caller whose turn it is. */
function serve(seats: Seats, [caller, [first, ...others]]: [string, ((isFree: boolean) => void)[]]): void {
  seats.lines.delete(caller);
  if (others.length > 0) seats.lines.set(caller, others);
  first?.(true);
}
