import type { Instant } from '@switchyard/values';

interface EndpointPolicy {
  /** Consecutive failures that open it. */
  readonly failures: number;
  /** How long it stays open, in milliseconds. */
  readonly openMs: number;
  /** Consecutive successes that close it. */
  readonly successes: number;
}

const defaultEndpointPolicy: EndpointPolicy = { failures: 5, openMs: 60_000, successes: 2 };

interface EndpointHealth {
  readonly failures: number;
  readonly successes: number;
  readonly openUntil?: Instant;
  /** Set while the one attempt of a half-open endpoint is running. */
  readonly probing?: boolean;
}

const healthy: EndpointHealth = { failures: 0, successes: 0 };

/**
 * Stops sending to receivers that are down. Events of an open endpoint are parked: they wait, count no
 * attempt, and are never dropped because of it. The state is kept per process and lost at a restart.
 */
export class EndpointBreaker {
  readonly #endpoints = new Map<string, EndpointHealth>();

  constructor(private readonly policy: EndpointPolicy = defaultEndpointPolicy) {}

  /** Undefined when an attempt may be sent; else when to try again. A half-open endpoint gets one attempt at a time. */
  parkedUntil(endpoint: string, now: Instant): Instant | undefined {
    const health = this.#endpoints.get(endpoint);
    if (health?.openUntil === undefined) return undefined;
    if (health.openUntil > now) return health.openUntil;
    if (health.probing === true) return now + 1_000;
    this.#endpoints.set(endpoint, { ...health, probing: true });
    return undefined;
  }

  /** Must be called for every sent attempt. A refusal counts as success, because the receiver answered. */
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
    // Only unhealthy endpoints are kept, so that the map does not grow with every address.
    if (closes) this.#endpoints.delete(endpoint);
    else this.#endpoints.set(endpoint, { failures: 0, successes, openUntil: now });
  }

  /** Releases the turn of an attempt that was never sent. */
  release(endpoint: string): void {
    const health = this.#endpoints.get(endpoint);
    if (health === undefined) return;
    const { probing: _over, ...rest } = health;
    this.#endpoints.set(endpoint, rest);
  }
}

/** Address without query and fragment; failures are counted by it. */
export function endpointOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');
}
