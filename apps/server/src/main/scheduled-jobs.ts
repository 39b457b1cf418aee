import {
  endlessAfterByTaskMs,
  endlessAfterMs,
  expireRequests,
  marketReads,
  readRetentionMs,
  type InternalApprovals,
} from '@switchyard/buys';
import type {
  AdminAnswers,
  CallbackSecretsPurge,
  ChangeLog,
  DueKind,
  OldReads,
  InboxPurge,
  OutboxPurge,
  DueWork,
  EndlessLegs,
  LimitChecks,
} from '@switchyard/store';
import type { TenantScope, AlarmRepository } from '@switchyard/tenancy';
import { type Instant, type Clock, isoOf } from '@switchyard/values';
import { actOnCases, type CaseWork } from '../sellers/governance/act-on-cases.js';
import type { RightsWatchDeps } from '../sellers/governance/watch-rights.js';
import type { ThingWatchDeps } from '../sellers/governance/watch-things.js';
import { retrySlowSellers, type RetryDeps } from '../sellers/gate/retry-slow.js';
import { removeDrained, type RemovalDeps } from '../sellers/remove-seller.js';
import type { RenewDeps } from '../sellers/oauth/renew-token.js';
import type { LookDeps } from '../sellers/look-at-sellers.js';
import { mutationTimeoutMs } from '../platform/tasks/call/timeout.js';
import { checkLimits } from '../business/check-limits.js';
import { every, type Rounds } from '../platform/lanes/every.js';
import type { Lane } from '../platform/lanes/lanes.js';
import { countUnanswered, type UnansweredDeps } from '../buys/legs/count-unanswered.js';
import type { LagMetrics, WorkerDeps } from '../platform/lanes/worker-deps.js';

/** The interval of jobs that are not urgent, in milliseconds. */
const everyMs = 60_000;
/** How long a callback's secrets stay after its subject ended, in milliseconds: as long as webhooks may be sent. */
const secretsRetentionMs = readRetentionMs;
const refusalsRetentionMs = 7 * 24 * 3_600_000;
/** How often alarms for endless legs are raised, and unused secrets are deleted, in milliseconds. */
const seldomEveryMs = 60 * 60_000;
/** How often metrics of the work are measured, in milliseconds: as often as a scrape needs. */
const lagEveryMs = 5_000;
/** How often sellers that wait for their last buy are checked, in milliseconds. */
const drainEveryMs = 5_000;
/** How often due cases of governance are looked for, in milliseconds: revoked rights stop within a minute. */
const casesEveryMs = 2_000;
/** At this age, in milliseconds, an operation was answered or the process that should have answered is dead. */
const answeredByMs = mutationTimeoutMs + 15_000;
/** The shortest time after which a leg may raise an alarm, in milliseconds. */
const endlessFromMs = Math.min(endlessAfterMs, ...Object.values(endlessAfterByTaskMs));

interface EndlessDeps {
  readonly endless: EndlessLegs;
  readonly alarms: Pick<AlarmRepository, 'raise'>;
}

/** Alarms per round; the rest is raised in the next one. */
const atOnce = 100;

/**
 * Raises an alarm for every leg that has had no outcome for too long: a seller that answers `submitted` for ever ends
 * no operation, and only a person can contact it in another way. The leg is still followed. Returns their number.
 */
export async function notifyEndlessLegs(
  { endless, alarms }: EndlessDeps,
  scope: TenantScope,
  now: Instant,
): Promise<number> {
  const byTask = Object.entries(endlessAfterByTaskMs).map(
    ([task, afterMs]) => [task, now - afterMs] as const,
  );
  const found = await endless.before(scope, now - endlessAfterMs, Object.fromEntries(byTask), atOnce);
  for (const { legId, operationId, seller, task, status, since } of found) {
    await alarms.raise(scope, {
      kind: 'leg_without_outcome',
      subject: legId,
      detail: { seller, task, status, operation_id: operationId, since: isoOf(since) },
    });
  }
  return found.length;
}

export interface ScheduledJobsDeps extends PurgeDeps, EndlessDeps, Pick<UnansweredDeps, 'abandoned'> {
  /** Nonces that verifiers stored; expired ones are deleted. */
  readonly nonces: { purge(): Promise<number> };
  readonly changeLog: Pick<ChangeLog, 'forget'>;
  /** Answers of acts under the keys of their callers. */
  readonly adminAnswers: Pick<AdminAnswers, 'forget'>;
  /** Makes the ledger's next partitions. */
  readonly ledgerMonths: { make(): Promise<unknown> };
  /** Sums spend of days that are over, for reports; absent in suites without it. */
  readonly sumSpend?: () => Promise<number>;
  /** How long changes can be read again, in milliseconds. */
  readonly changesRetentionMs: number;
  /** Our own keys: activates published ones, ends retiring ones. */
  readonly ownKeys: { advance(scope: TenantScope): Promise<number> };
  /** Signed heads of ledgers, one a day; absent in suites without them. */
  readonly anchors?: { makeDue(): Promise<number> };
  /** Reads of the market whose answers are too old. */
  readonly reads: OldReads;
  /** Compares spending limits with what is booked; absent in suites without it. */
  readonly limitChecks?: LimitChecks;
  /** Writes notices of limits, credentials and months, whose time has come; absent in suites without them. */
  readonly tellOfTime?: () => Promise<void>;
  /** Removes organizations whose waiting time is over; absent in suites without it. */
  readonly removeOrganizations?: () => Promise<void>;
  /** Secrets of callbacks that get no more webhooks. */
  readonly callbackSecrets: CallbackSecretsPurge;
  /** The audit log of acts and uses of credentials. */
  readonly audit: { forget(before: Instant): Promise<number> };
  /** How long the audit log is kept, in milliseconds; undefined: for ever. */
  readonly auditRetentionMs: number | undefined;
  /** Requests that wait for an internal approval, until they expire. */
  readonly internal: InternalApprovals;
  /** Removes sellers whose last buy is over. */
  readonly removal: RemovalDeps;
  /** Renews tokens of sellers; absent in suites without it. */
  readonly signIns?: RenewDeps;
  /** What acts on cases of governance; absent in suites without them. */
  readonly caseWork?: CaseWork;
  /** What looks at sellers each hour; absent in suites without it. */
  readonly looks?: LookDeps;
  /** What watches the ends of rights; absent in suites without it. */
  readonly rights?: RightsWatchDeps;
  /** Lists and standards that packages name; absent in suites without them. */
  readonly things?: ThingWatchDeps;
  /** What tries sellers again that were too slow; absent in suites without it. */
  readonly slowSellers?: RetryDeps;
  /** Verdicts on refused signatures, which are kept for a week. */
  readonly refusals: { purge(scope: TenantScope, before: Instant): Promise<number> };
}

/** Runs the jobs that belong to no tenant. A failed job is repeated in the next round. */
export function startScheduledJobs(deps: ScheduledJobsDeps): Rounds {
  const { clock } = deps.ports;
  const rounds = [
    every(
      clock,
      everyMs,
      () => deps.nonces.purge().then(() => undefined),
      (error) => deps.onUnexpected(error, 'deleting expired nonces'),
    ),
    every(
      clock,
      everyMs,
      // Keys of events without money; those with money are kept.
      () => deps.purge.keys(clock.now()).then(() => undefined),
      (error) => deps.onUnexpected(error, 'deleting expired webhook keys'),
    ),
    every(
      clock,
      seldomEveryMs,
      async () => {
        const { audit, auditRetentionMs } = deps;
        if (auditRetentionMs !== undefined) await audit.forget(clock.now() - auditRetentionMs);
      },
      (error) => deps.onUnexpected(error, 'deleting old audit entries'),
    ),
    every(
      clock,
      everyMs,
      () => deps.adminAnswers.forget(clock.now()).then(() => undefined),
      (error) => deps.onUnexpected(error, 'deleting old answers of acts'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => deps.changeLog.forget(clock.now() - deps.changesRetentionMs).then(() => undefined),
      (error) => deps.onUnexpected(error, 'deleting old changes'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => deps.ledgerMonths.make().then(() => undefined),
      (error) => deps.onUnexpected(error, 'creating the next ledger partitions'),
    ),
    every(
      clock,
      seldomEveryMs,
      async () => {
        await deps.sumSpend?.();
      },
      (error) => deps.onUnexpected(error, 'summing spend by the day of booking'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => (deps.anchors?.makeDue() ?? Promise.resolve(0)).then(() => undefined),
      (error) => deps.onUnexpected(error, 'signing ledger heads'),
    ),
    every(
      clock,
      seldomEveryMs,
      async () => {
        const { limitChecks, alarms } = deps;
        if (limitChecks !== undefined) await checkLimits({ limitChecks, alarms });
      },
      (error) => deps.onUnexpected(error, 'comparing limits with what is booked'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => deps.tellOfTime?.() ?? Promise.resolve(),
      (error) => deps.onUnexpected(error, 'telling of what is due'),
    ),
    every(
      clock,
      drainEveryMs,
      () => deps.removeOrganizations?.() ?? Promise.resolve(),
      (error) => deps.onUnexpected(error, 'removing organizations'),
    ),
    every(
      clock,
      drainEveryMs,
      () => removeDrained(deps.removal).then(() => undefined),
      (error) => deps.onUnexpected(error, 'removing sellers without live buys'),
    ),
    every(
      clock,
      casesEveryMs,
      async () => {
        if (deps.caseWork !== undefined) await actOnCases(deps.caseWork);
      },
      (error) => deps.onUnexpected(error, 'acting on cases of governance'),
    ),
    every(
      clock,
      drainEveryMs,
      async () => {
        if (deps.slowSellers !== undefined) await retrySlowSellers(deps.slowSellers);
      },
      (error) => deps.onUnexpected(error, 'trying slow sellers again'),
    ),
    every(
      clock,
      lagEveryMs,
      () => measureLag(deps, clock),
      (error) => deps.onUnexpected(error, 'measuring the lag'),
    ),
    every(
      clock,
      everyMs,
      () => measureOpenWork(deps, clock),
      (error) => deps.onUnexpected(error, 'counting open work'),
    ),
  ];
  return {
    stop: async () => {
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
}

/** Jobs per tenant: each in its own lane, so that a failure delays no other. */
export function tenantJobLanes(deps: ScheduledJobsDeps): readonly Lane[] {
  const { clock } = deps.ports;
  const { bytesRetentionMs, activityRetentionMs } = deps;
  /** A lane for everything of a kind that is older than that. */
  const lane = (
    name: string,
    kinds: Readonly<Partial<Record<DueKind, number | undefined>>>,
    visit: (scope: TenantScope, now: Instant) => Promise<unknown>,
    pauseMs = everyMs,
  ): Lane => ({
    name,
    everyMs: pauseMs,
    due: () => {
      const now = clock.now();
      const ages = Object.entries(kinds).filter((entry): entry is [string, number] => entry[1] !== undefined);
      return Object.fromEntries(ages.map(([kind, ageMs]) => [kind, now - ageMs]));
    },
    visit: async (scope) => {
      await visit(scope, clock.now());
    },
  });
  return [
    lane('rotating keys', { key_rotation: 0 }, (scope) => deps.ownKeys.advance(scope)),
    lane('deleting refused signatures', { refused_signatures: refusalsRetentionMs }, (scope, now) =>
      deps.refusals.purge(scope, now - refusalsRetentionMs),
    ),
    lane('expiring approval requests', { internal_approvals: 0 }, (scope, now) =>
      expireRequests(deps, scope, now),
    ),
    lane('marking unanswered operations', { unanswered: answeredByMs }, (scope, now) =>
      countUnanswered(deps, scope, now - answeredByMs, now),
    ),
    lane('deleting old reads', { old_reads: readRetentionMs }, (scope, now) =>
      deps.reads.forget(scope, marketReads, now - readRetentionMs),
    ),
    lane(
      'deleting old webhooks',
      { old_bytes: bytesRetentionMs, old_activity: activityRetentionMs },
      (scope) => purgeEvents(deps, scope),
    ),
    lane(
      'deleting callback secrets',
      { callback_secrets: secretsRetentionMs },
      (scope, now) => deps.callbackSecrets.forget(scope, now - secretsRetentionMs),
      seldomEveryMs,
    ),
    lane(
      'telling of legs without an outcome',
      { endless_legs: endlessFromMs },
      (scope, now) => notifyEndlessLegs(deps, scope, now),
      seldomEveryMs,
    ),
  ];
}

interface PurgeDeps extends WorkerDeps {
  readonly purge: InboxPurge;
  /** How long raw bytes are kept, in milliseconds; undefined: for ever. */
  readonly bytesRetentionMs: number | undefined;
  readonly outboxPurge: OutboxPurge;
  /** How long ended webhooks to buyers and their webhook_activity are kept, in milliseconds; undefined: for ever. */
  readonly activityRetentionMs: number | undefined;
}

/** Deletes events beyond the configured retention, in both directions. */
export async function purgeEvents(deps: PurgeDeps, scope: TenantScope): Promise<void> {
  const now = deps.ports.clock.now();
  const { bytesRetentionMs, activityRetentionMs } = deps;
  if (bytesRetentionMs !== undefined) await deps.purge.bodies(scope, now - bytesRetentionMs, now);
  if (activityRetentionMs !== undefined) await deps.outboxPurge.events(scope, now - activityRetentionMs);
}

interface LagDeps {
  readonly due: DueWork;
  readonly metrics?: LagMetrics;
}

/**
 * Publishes the lag of the workers: the worst of all tenants, because an average would hide one that waits. A webhook
 * that is being sent does not count.
 */
export async function measureLag({ due, metrics }: LagDeps, clock: Clock): Promise<void> {
  const now = clock.now();
  const found = await due.find({ inbox: now, outbox: now });
  const secondsOf = (wanted: DueKind): number =>
    Math.max(0, ...found.filter(({ kind }) => kind === wanted).map(({ since }) => now - since)) / 1_000;
  metrics?.inboxLagSeconds.set(secondsOf('inbox'));
  metrics?.outboxLagSeconds.set(secondsOf('outbox'));
}

/** Publishes what waits for people, and how many jobs are open. */
export async function measureOpenWork({ due, metrics }: LagDeps, clock: Clock): Promise<void> {
  const now = clock.now();
  const { jobs, breaks, approvalSince = now } = await due.open();
  metrics?.jobs.reset();
  for (const { kind, state, amount } of jobs) metrics?.jobs.set({ kind, state }, amount);
  metrics?.breaksOpen.set(breaks);
  metrics?.approvalsWaitingSeconds.set((now - approvalSince) / 1_000);
}
