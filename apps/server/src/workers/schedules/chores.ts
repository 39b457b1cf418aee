import {
  endlessAfterByTaskMs,
  endlessAfterMs,
  expireRequests,
  marketReads,
  readRetentionMs,
  type InternalApprovals,
} from '@switchyard/buys';
import type { CallbackSecretsPurge, ChangeLog, DueKind, OldReads } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { removeDrained, type RemovalDeps } from '../../composition/sellers/remove-seller.js';
import { mutationTimeoutMs } from '../../tasks/operation/patience.js';
import { every, type Rounds } from './every.js';
import { forgetEvents, type ForgetDeps } from './forget-events.js';
import type { Lane } from '../lanes.js';
import { measureLag } from './measure-lag.js';
import { notifyEndlessLegs, type EndlessDeps } from '../legs/notify-endless-legs.js';
import { countUnanswered, type UnansweredDeps } from '../legs/count-unanswered.js';

/** How often what is not urgent is looked after, in milliseconds. */
const everyMs = 60_000;
/** How long the secrets of a callback outlive what it was for, in milliseconds: as long as anything is told of it. */
const keepSecretsMs = readRetentionMs;
const keepRefusalsMs = 7 * 24 * 3_600_000;
/** How often people are told of what has come to no outcome, and secrets that are of no use are forgotten. */
const seldomEveryMs = 60 * 60_000;
/** How often what is shown of the work is measured: as fresh as a scrape wants it. */
const lagEveryMs = 5_000;
/** How often it is seen whether the last buy of a seller that is removed then is over, in milliseconds. */
const drainEveryMs = 5_000;
/** By this age, in milliseconds, whoever was to answer an operation has done so or is dead. */
const answeredByMs = mutationTimeoutMs + 15_000;
/** The shortest time after which a leg may be told of. */
const endlessFromMs = Math.min(endlessAfterMs, ...Object.values(endlessAfterByTaskMs));

export interface ScheduledJobsDeps extends ForgetDeps, EndlessDeps, Pick<UnansweredDeps, 'abandoned'> {
  /** What verifiers have seen, of which the expired is forgotten. */
  readonly nonces: { purge(): Promise<number> };
  readonly changeLog: Pick<ChangeLog, 'forget'>;
  /** Makes the partitions that the ledger writes into next. */
  readonly ledgerMonths: { make(): Promise<unknown> };
  /** How long changes can be read again, in milliseconds. */
  readonly keepChangesMs: number;
  /** Our own keys: published ones come into use, retiring ones end. */
  readonly ownKeys: { advance(scope: TenantScope): Promise<number> };
  /** Signed heads of ledgers, one a day; absent where a suite has none. */
  readonly anchors?: { makeDue(): Promise<number> };
  /** Questions to the market whose answers are too old to be read. */
  readonly reads: OldReads;
  /** Secrets of callbacks that nothing more is sent to. */
  readonly callbackSecrets: CallbackSecretsPurge;
  /** The record of acts and of uses of credentials. */
  readonly audit: { forget(before: Instant): Promise<number> };
  /** How long that record is kept, in milliseconds; undefined: for good. */
  readonly keepAuditMs: number | undefined;
  /** Requests that wait for an internal approval, until they expire. */
  readonly internal: InternalApprovals;
  /** What removes sellers whose last buy is over. */
  readonly removal: RemovalDeps;
  /** Verdicts on refused signatures, which are kept for a week. */
  readonly refusals: { purge(scope: TenantScope, before: Instant): Promise<number> };
}

/** Looks after what ages by itself and belongs to no tenant. A failure waits for the next round. */
export function startScheduledJobs(deps: ScheduledJobsDeps): Rounds {
  const { clock } = deps.ports;
  const rounds = [
    every(
      clock,
      everyMs,
      () => deps.nonces.purge().then(() => undefined),
      (error) => deps.onUnexpected(error, 'forgetting nonces'),
    ),
    every(
      clock,
      everyMs,
      // Keys of events without money; those behind which there is money stay.
      () => deps.purge.keys(clock.now()).then(() => undefined),
      (error) => deps.onUnexpected(error, 'forgetting keys of webhooks'),
    ),
    every(
      clock,
      seldomEveryMs,
      async () => {
        const { audit, keepAuditMs } = deps;
        if (keepAuditMs !== undefined) await audit.forget(clock.now() - keepAuditMs);
      },
      (error) => deps.onUnexpected(error, 'forgetting old acts'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => deps.changeLog.forget(clock.now() - deps.keepChangesMs).then(() => undefined),
      (error) => deps.onUnexpected(error, 'forgetting changes'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => deps.ledgerMonths.make().then(() => undefined),
      (error) => deps.onUnexpected(error, 'making the next partitions of the ledger'),
    ),
    every(
      clock,
      seldomEveryMs,
      () => (deps.anchors?.makeDue() ?? Promise.resolve(0)).then(() => undefined),
      (error) => deps.onUnexpected(error, 'signing the heads of ledgers'),
    ),
    every(
      clock,
      drainEveryMs,
      () => removeDrained(deps.removal).then(() => undefined),
      (error) => deps.onUnexpected(error, 'removing sellers'),
    ),
    every(
      clock,
      lagEveryMs,
      () => measureLag(deps, clock),
      (error) => deps.onUnexpected(error, 'measuring the lag'),
    ),
  ];
  return {
    stop: async () => {
      await Promise.all(rounds.map((one) => one.stop()));
    },
  };
}

/** Looks after what ages by itself in a tenant: each in a lane of its own, so that a failure costs nothing else its turn. */
export function choreLanes(deps: ScheduledJobsDeps): readonly Lane[] {
  const { clock } = deps.ports;
  const { keepBytesMs, keepActivityMs } = deps;
  /** Everything of a kind that is older than that. */
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
    lane('the rotation of our keys', { key_rotation: 0 }, (scope) => deps.ownKeys.advance(scope)),
    lane('forgetting refused signatures', { refused_signatures: keepRefusalsMs }, (scope, now) =>
      deps.refusals.purge(scope, now - keepRefusalsMs),
    ),
    lane('ending requests that nobody has approved', { internal_approvals: 0 }, (scope, now) =>
      expireRequests(deps, scope, now),
    ),
    lane('telling buyers that were not answered', { unanswered: answeredByMs }, (scope, now) =>
      countUnanswered(deps, scope, now - answeredByMs, now),
    ),
    lane('forgetting old questions', { old_reads: readRetentionMs }, (scope, now) =>
      deps.reads.forget(scope, marketReads, now - readRetentionMs),
    ),
    lane('forgetting webhooks', { old_bytes: keepBytesMs, old_activity: keepActivityMs }, (scope) =>
      forgetEvents(deps, scope),
    ),
    lane(
      'forgetting secrets of callbacks',
      { callback_secrets: keepSecretsMs },
      (scope, now) => deps.callbackSecrets.forget(scope, now - keepSecretsMs),
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
