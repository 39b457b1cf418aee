import type { Instant } from '@switchyard/values';

export interface EndpointPolicy {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open, in milliseconds. */
  readonly openMs: number;
  /** Successes in a row that close it again. */
  readonly successes: number;
}

export const defaultEndpointPolicy: EndpointPolicy = { failures: 5, openMs: 60_000, successes: 2 };

interface EndpointHealth {
  readonly failures: number;
  readonly successes: number;
  readonly openUntil?: Instant;
  /** Set while the one attempt of a half-open endpoint is out. */
  readonly probing?: boolean;
}

const healthy: EndpointHealth = { failures: 0, successes: 0 };

/**
 * Spares receivers that are down, and us. An open endpoint parks its events: they wait, count no attempt, and are
 * never dropped for it. It is the memory of one process; after a restart it is found out anew.
 */
export class EndpointBreaker {
  readonly #endpoints = new Map<string, EndpointHealth>();

  constructor(private readonly policy: EndpointPolicy = defaultEndpointPolicy) {}

  /** Nothing when an attempt may go out; else when to ask again. A half-open endpoint gets one attempt at a time. */
  parkedUntil(endpoint: string, now: Instant): Instant | undefined {
    const health = this.#endpoints.get(endpoint);
    if (health?.openUntil === undefined) return undefined;
    if (health.openUntil > now) return health.openUntil;
    if (health.probing === true) return now + 1_000;
    this.#endpoints.set(endpoint, { ...health, probing: true });
    return undefined;
  }

  /** Told of every attempt that was let out. A refusal counts as life: somebody answered. */
  record(endpoint: string, isAlive: boolean, now: Instant): void {
    const health = this.#endpoints.get(endpoint) ?? healthy;
    if (!isAlive) {
      const failures = health.failures + 1;
      const opens = health.openUntil !== undefined || failures >= this.policy.failures;
      const openUntil = now + this.policy.openMs;
      this.#endpoints.set(endpoint, { failures, successes: 0, ...(opens ? { openUntil } : {}) });
      return;
    }
    const successes = health.successes + 1;
    const closes = health.openUntil === undefined || successes >= this.policy.successes;
    // Only what is unwell is remembered, so the map does not grow with every address that was ever called.
    if (closes) this.#endpoints.delete(endpoint);
    else this.#endpoints.set(endpoint, { failures: 0, successes, openUntil: now });
  }

  /** Gives back the turn of an attempt that never went out. */
  release(endpoint: string): void {
    const health = this.#endpoints.get(endpoint);
    if (health === undefined) return;
    const { probing: _over, ...rest } = health;
    this.#endpoints.set(endpoint, rest);
  }
}

/** Address without query and fragment, as failures are counted by. */
export function endpointOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');
}
