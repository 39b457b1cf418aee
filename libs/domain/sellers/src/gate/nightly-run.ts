import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { CheckResult, StoredCheck } from './check.js';

/** The newest checks of a live seller that ran by themselves. What an approval rests on stays in its onboarding run. */
export interface NightlyRun {
  readonly connectionId: string;
  readonly state: ReturnType<typeof nightlyState>;
  readonly checks: readonly StoredCheck[];
  readonly at: Instant;
}

/** The port that `adapters/store` implements. */
export interface NightlyRuns {
  find(scope: TenantScope, connectionId: string): Promise<NightlyRun | undefined>;
  /** Replaces the run before it. */
  save(scope: TenantScope, run: NightlyRun): Promise<void>;
  /** When the seller was checked last with an answer, at night or when it was added; undefined if never. */
  answeredAt(scope: TenantScope, connectionId: string): Promise<Instant | undefined>;
}

const hourMs = 3_600_000;
/** Hours of the night, from midnight of the organization. */
const nightHours = 6;
/** A seller that was checked so recently is left out, in milliseconds: a night is shorter. */
const freshMs = 12 * hourMs;

/**
 * Whether a seller's nightly checks are due. Each seller has an hour of its own, so that many are spread over the night; from
 * then until the night ends it is due until it has answered.
 * @param hour Of the day, from 0, where the organization is.
 */
export function isNightlyDue(
  sellerId: string,
  { hour, answeredAt, now }: { readonly hour: number; readonly answeredAt?: Instant; readonly now: Instant },
): boolean {
  // The last hour is nobody's own: each seller is looked at once more after its first try.
  const own = Number.parseInt(sellerId.slice(0, 8), 16) % (nightHours - 1);
  const isFresh = answeredAt !== undefined && now - answeredAt < freshMs;
  return hour >= own && hour < nightHours && !isFresh;
}

/** Codes of checks that say that nothing was answered, and nothing about an answer. */
const outages: ReadonlySet<string> = new Set([
  'slow',
  'timeout',
  'aborted',
  'unreachable',
  'unresolved',
  'stopped',
  'busy',
  'credential_unopened',
]);

/** HTTP statuses of a server that may answer the next time. */
const isPassing = (status: unknown): boolean =>
  typeof status !== 'number' || status >= 500 || status === 429 || status === 408;

function isOutage({ code, evidence }: CheckResult): boolean {
  return outages.has(code) || (code === 'http_error' && isPassing(evidence?.['status']));
}

/** The checks that have found something wrong, without those whose seller was not reached. */
export const wrongOf = (checks: readonly StoredCheck[]): readonly StoredCheck[] =>
  checks.filter((check) => (check.state === 'failed' || check.state === 'needs_person') && !isOutage(check));

/** `unanswered`: it was not reached, which its health says, and nothing is known about its answers. */
export function nightlyState(checks: readonly StoredCheck[]): 'passed' | 'failed' | 'unanswered' {
  if (wrongOf(checks).length > 0) return 'failed';
  return checks.every(({ state }) => state === 'passed' || state === 'skipped') ? 'passed' : 'unanswered';
}
