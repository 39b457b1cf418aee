import { err, type Clock, type Instant, type Result } from '@switchyard/values';

export interface CacheTimes<Value> {
  /** Milliseconds for which a good answer is used; may depend on the document. */
  readonly good: number | ((value: Value) => number);
  /** Milliseconds for which a failure is cached. */
  readonly bad: number;
  /** Milliseconds after a first failure until a request fetches again. Absent: `bad` applies to it too. */
  readonly firstRetry?: (failedAt: Instant) => number;
  /** Minimum milliseconds between two calls of `refetch` that fetch. */
  readonly cooldown: number;
}

interface Entry<Value, Failure> {
  readonly outcome: Result<Value, Failure>;
  readonly at: Instant;
  /** Consecutive failures. */
  readonly failures: number;
  readonly refetch: { readonly at: Instant; readonly failed?: Failure } | undefined;
}

const mostEntries = 5_000;

/**
 * Caches documents by URL. Concurrent requests for one URL share one fetch.
 *
 * `refetch` is for a caller that misses an entry in a fresh copy. The cooldown applies between two refetches and never
 * before the first one, so that a rotated key is found at once.
 */
export class CachedFetch<Value, Failure> {
  readonly #fetch: (url: string, before: Value | undefined) => Promise<Result<Value, Failure>>;
  readonly #times: CacheTimes<Value>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<Value, Failure>>();
  readonly #flights = new Map<string, Promise<Result<Value, Failure>>>();

  constructor(
    fetch: (url: string, before: Value | undefined) => Promise<Result<Value, Failure>>,
    times: CacheTimes<Value>,
    clock: Clock,
  ) {
    this.#fetch = fetch;
    this.#times = times;
    this.#clock = clock;
  }

  /** `isFresh`: this call fetched the document, so a refetch would return the same. */
  async get(url: string): Promise<{ readonly outcome: Result<Value, Failure>; readonly isFresh: boolean }> {
    const entry = this.#entries.get(url);
    if (entry !== undefined) {
      const age = this.#clock.now() - entry.at;
      if (age < this.#keptFor(entry)) {
        return { outcome: entry.outcome, isFresh: false };
      }
    }
    return { outcome: await this.#fly(url), isFresh: true };
  }

  /** Returns the cached outcome if it may still be used, otherwise undefined. Fetches nothing. */
  known(url: string): Result<Value, Failure> | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined || this.#clock.now() - entry.at >= this.#keptFor(entry)) return undefined;
    return entry.outcome;
  }

  /** Returns a new copy. During the cooldown: the last refetch's failure, or undefined if that one succeeded. */
  async refetch(url: string): Promise<Result<Value, Failure> | undefined> {
    const flight = this.#flights.get(url);
    if (flight !== undefined) return flight;
    const now = this.#clock.now();
    const before = this.#entries.get(url)?.refetch;
    if (before !== undefined && now - before.at < this.#times.cooldown) {
      return before.failed === undefined ? undefined : err(before.failed);
    }
    return this.#fly(url, now);
  }

  #keptFor({ outcome, failures, at }: Entry<Value, Failure>): number {
    const { good, bad, firstRetry } = this.#times;
    if (!outcome.ok) return failures > 1 || firstRetry === undefined ? bad : firstRetry(at);
    return typeof good === 'number' ? good : good(outcome.value);
  }

  /** Bounds the cache: counterparties supply the URLs and could otherwise fill the memory. */
  #forgetOldest(): void {
    const oldest = this.#entries.size >= mostEntries ? this.#entries.keys().next() : undefined;
    if (oldest?.done === false) this.#entries.delete(oldest.value);
  }

  #fly(url: string, refetchedAt?: Instant): Promise<Result<Value, Failure>> {
    const flight = this.#flights.get(url);
    if (flight !== undefined) return flight;
    const before = this.#entries.get(url);
    const known = before?.outcome.ok === true ? before.outcome.value : undefined;
    const started = this.#fetch(url, known)
      .then((outcome) => {
        // A failed refetch keeps the copy that is still good.
        const stored =
          !outcome.ok && refetchedAt !== undefined && before?.outcome.ok === true ? before : undefined;
        this.#forgetOldest();
        this.#entries.set(url, {
          outcome: stored?.outcome ?? outcome,
          at: stored?.at ?? this.#clock.now(),
          failures: stored !== undefined || outcome.ok ? 0 : (before?.failures ?? 0) + 1,
          refetch:
            refetchedAt === undefined
              ? before?.refetch
              : { at: refetchedAt, ...(outcome.ok ? {} : { failed: outcome.error }) },
        });
        return outcome;
      })
      .finally(() => this.#flights.delete(url));
    this.#flights.set(url, started);
    return started;
  }
}
