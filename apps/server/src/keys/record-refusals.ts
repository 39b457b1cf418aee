import type { VerificationStep } from '@switchyard/signing';
import type { RefusedSignatures } from '@switchyard/store';
import type { MetricsRegistry } from '@switchyard/telemetry';
import type { Clock, Instant } from '@switchyard/values';

/** What a verifier knows of a message that it refuses. */
export interface Refusal {
  /** The organization that the message names; undefined if it names none. */
  readonly organizationId?: string;
  /** True if nothing verifiable in the message names the organization. */
  readonly isStranger: boolean;
  readonly code: string;
  readonly keyid?: string;
  readonly agentUrl?: string;
  readonly principalName?: string;
  readonly method: string;
  /** The URL as received. */
  readonly url: string;
  readonly steps: readonly VerificationStep[];
}

export interface RefusalLog {
  /** Never rejects; callers do not await it. */
  note(refusal: Refusal): void;
  /** Resolves once everything in progress is written. */
  settled(): Promise<void>;
}

interface RefusalLogDeps {
  readonly refusals: Pick<RefusedSignatures, 'store'>;
  /** The organization that answers strangers; undefined if there is none. */
  readonly strangersOf: () => string | undefined;
  readonly metrics: Pick<MetricsRegistry, 'refusedSignatures'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** The most refusals of strangers stored per organization and minute. More are only counted. */
const perMinute = 60;
const minute = 60_000;
const organizationsRemembered = 10_000;
const longest = 512;

/**
 * Stores why signed messages were refused: for known senders every time, within the request budgets. For strangers the
 * rate is limited here and the number where they are stored, so that invalid messages cannot fill a table.
 */
export function createRefusalLog(deps: RefusalLogDeps): RefusalLog {
  const taken = new Map<string, { readonly since: Instant; readonly count: number }>();
  const underWay = new Set<Promise<void>>();

  const mayKeep = (whose: string): boolean => {
    const now = deps.clock.now();
    const before = taken.get(whose);
    const isOver = before === undefined || now - before.since >= minute;
    if (taken.size >= organizationsRemembered) taken.clear();
    taken.set(whose, isOver ? { since: now, count: 1 } : { since: before.since, count: before.count + 1 });
    return isOver || before.count < perMinute;
  };

  return {
    note: (refusal) => {
      const { isStranger, organizationId = deps.strangersOf() } = refusal;
      if (organizationId === undefined || (isStranger && !mayKeep(organizationId))) {
        deps.metrics.refusedSignatures.inc({ outcome: 'counted' });
        return;
      }
      deps.metrics.refusedSignatures.inc({ outcome: 'kept' });
      const { keyid, agentUrl, principalName, code, method, steps } = refusal;
      const stored = deps.refusals
        .store(
          { organizationId },
          {
            isStranger,
            code,
            method: cut(method),
            path: pathOf(refusal.url),
            steps,
            refusedAt: deps.clock.now(),
            ...(keyid === undefined ? {} : { keyid: cut(keyid) }),
            ...(agentUrl === undefined ? {} : { agentUrl }),
            ...(principalName === undefined ? {} : { principalName }),
          },
        )
        .catch((error: unknown) => deps.onUnexpected(error, 'a refused signature'))
        .finally(() => underWay.delete(stored));
      underWay.add(stored);
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Without scheme, host and query: a query may contain secrets. */
function pathOf(url: string): string {
  return cut(/^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '');
}

/** A counterparty's text, cut to printable ASCII and the length of the column. */
function cut(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, longest);
}
