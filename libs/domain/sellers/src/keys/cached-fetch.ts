import { err, type Clock, type Instant, type Result } from '@switchyard/values';

export interface CacheTimes<Value> {
  /** Milliseconds that a good answer is used; a document may have a say in it. */
  readonly good: number | ((value: Value) => number);
  /** Milliseconds that a failure is remembered. */
  readonly bad: number;
  /** Milliseconds until whoever asks after a first failure makes us try once more; absent: no sooner than others. */
  readonly firstRetry?: (failedAt: Instant) => number;
  /** Milliseconds between two refetches that were asked for before the time was up. */
  readonly cooldown: number;
}

interface Entry<Value, Failure> {
  readonly outcome: Result<Value, Failure>;
  readonly at: Instant;
  /** How often in a row it has failed. */
  readonly failures: number;
  readonly refetch: { readonly at: Instant; readonly failed?: Failure } | undefined;
}

const mostEntries = 5_000;

/**
 * Documents by address: kept for a while, fetched once however many ask at the same time.
 *
 * `refetch` is for a reader who misses something in a fresh copy. The cooldown stands between two refetches and never
 * before the first: a rotated key must be found at once.
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

  /** `isFresh`: fetched by this very call, so that asking again would bring the same. */
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

  /** What is remembered and may still be used; undefined where it would have to be fetched. Fetches nothing. */
  known(url: string): Result<Value, Failure> | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined || this.#clock.now() - entry.at >= this.#keptFor(entry)) return undefined;
    return entry.outcome;
  }

  /** A new copy, or undefined when the last refetch was too short a time ago. If that one failed, its failure. */
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

  /** Addresses come from counterparties: what they can make us remember has an end. */
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
        // A failed refetch does not take away the copy that is still good.
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
