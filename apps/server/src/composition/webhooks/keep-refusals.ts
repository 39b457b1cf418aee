import type { VerificationStep } from '@switchyard/signing';
import type { RefusedSignatures } from '@switchyard/store';
import type { MetricsRegistry } from '@switchyard/telemetry';
import type { Clock, Instant } from '@switchyard/values';

/** What a verifier knows of a message that it refuses. */
export interface Refusal {
  /** Of whom the message names; undefined: nobody could be told from it. */
  readonly organizationId?: string;
  /** True when nothing in it that could be checked told whose it was. */
  readonly isStranger: boolean;
  readonly code: string;
  readonly keyid?: string;
  readonly agentUrl?: string;
  readonly principalName?: string;
  readonly method: string;
  /** As received. */
  readonly url: string;
  readonly steps: readonly VerificationStep[];
}

export interface RefusalLog {
  /** Never rejects and is waited for by nobody. */
  note(refusal: Refusal): void;
  /** Resolves once everything that was under way is written. */
  settled(): Promise<void>;
}

export interface RefusalLogDeps {
  readonly refusals: Pick<RefusedSignatures, 'keep'>;
  /** Whose strangers are: undefined where nobody answers them. */
  readonly strangersOf: () => string | undefined;
  readonly metrics: Pick<MetricsRegistry, 'refusedSignatures'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Kept of the strangers of one organization in a minute at most. More are counted alone. */
const perMinute = 60;
const minute = 60_000;
const organizationsRemembered = 10_000;
const longest = 512;

/**
 * Keeps why signed messages were refused: of everybody who is known, every time, within the budgets that the doors
 * give them. Strangers are bounded in rate here and in number where they are stored, because whoever sends rubbish
 * must not fill a table.
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
        .keep(
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

/** Without scheme, host and query: a query is where people put secrets. */
function pathOf(url: string): string {
  return cut(/^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '');
}

/** A counterparty's text: printable ASCII, and of a length that a table can hold. */
function cut(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, longest);
}
