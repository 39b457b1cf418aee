import { nextLookAt, type Connection, type ConnectionDirectory } from '@switchyard/sellers';
import type { CapabilityVersions, SellerLife } from '@switchyard/store';
import type { AlarmRepository, TenantScope } from '@switchyard/tenancy';
import type { Lane } from '../platform/lanes/lanes.js';
import { readSellerAccounts, type ReadAccountsDeps } from './accounts/read-seller-accounts.js';
import { checkAtNight, isDueAtNight, type NightlyDeps } from './gate/nightly-checks.js';
import { askAboutPublishers } from './governance/ask-about-publishers.js';
import type { PublisherCaseDeps } from './governance/withdrawn-packages.js';
import { figuresOf } from './seller-figures.js';
import { scorecardOf } from './seller-scorecard.js';

export interface LookDeps extends ReadAccountsDeps, PublisherCaseDeps, NightlyDeps {
  readonly connections: NightlyDeps['connections'] & Pick<ConnectionDirectory, 'takeForLook' | 'lookedAt'>;
  readonly life: Pick<SellerLife, 'figures' | 'thresholds'>;
  readonly capabilityVersions: Pick<CapabilityVersions, 'of'>;
  readonly alarms: Pick<AlarmRepository, 'raise' | 'end'>;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** How often due sellers are searched, in milliseconds. */
const everyMs = 10_000;
/** Sellers of a tenant per visit. */
const atOnce = 32;
/** Of those, the most whose checks run, at night: the others are due at their next look. */
const checkedAtOnce = 4;
/** How long a seller is leased, in milliseconds: longer than its pages of accounts and its checks take. */
const leaseMs = 5 * 60_000;

/**
 * Each hour, and after an event that says so: accounts are read again, the scorecard and publishers' leave are judged. Once a
 * night the checks of the gate run, too.
 */
export function looksLane(deps: LookDeps): Lane {
  return {
    name: 'looks at sellers',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ seller_looks: deps.clock.now() }),
    visit: async (scope, stopped) => {
      await lookAtSellers(deps, scope, stopped);
    },
  };
}

/** Looks at the sellers of a tenant that are due, the longest due first. Answers how many there were. */
export async function lookAtSellers(
  deps: LookDeps,
  scope: TenantScope,
  stopped: AbortSignal,
): Promise<number> {
  const now = deps.clock.now();
  const due = await deps.connections.takeForLook(scope, now, now + leaseMs, atOnce);
  let checked = 0;
  await Promise.all(
    due.map(async ({ connection, leaseUntil }) => {
      try {
        await lookAt(deps, scope, connection);
        const isDue = await isDueAtNight(deps, scope, connection);
        if (isDue && checked < checkedAtOnce) {
          checked += 1;
          await checkAtNight(deps, scope, connection, stopped);
        }
      } catch (error) {
        deps.onUnexpected(error, `looking at the seller ${connection.slug}`);
      }
      const next = nextLookAt(connection.id, deps.clock.now());
      await deps.connections.lookedAt(scope, connection.id, leaseUntil, next);
    }),
  );
  return due.length;
}

async function lookAt(deps: LookDeps, scope: TenantScope, connection: Connection): Promise<void> {
  // A seller that lists no accounts, or does not answer, keeps what is stored.
  await readSellerAccounts(deps, scope, connection);
  await tellOfHeldAccounts(deps, scope, connection);
  await judgeScorecard(deps, scope, connection);
  await askAboutPublishers(deps, scope, connection);
}

/** Names in one alarm. */
const namedAtMost = 10;

async function tellOfHeldAccounts(
  { sellerAccounts, alarms }: LookDeps,
  scope: TenantScope,
  { id, slug }: Connection,
): Promise<void> {
  const held = await sellerAccounts.held(scope, id);
  const accounts = held.slice(0, namedAtMost).map(({ accountId, status }) => `${accountId}: ${status}`);
  await stands(
    alarms,
    scope,
    {
      kind: 'account_held',
      subject: `seller ${slug}`,
      detail: { connection_id: id, accounts: accounts.join(', ') },
    },
    accounts.length > 0 ? undefined : 'Every account in which a client buys is active.',
  );
}

async function judgeScorecard(deps: LookDeps, scope: TenantScope, { id, slug }: Connection): Promise<void> {
  const read = (await figuresOf(deps, scope, [id])).get(id);
  if (read === undefined) return;
  const versions = await deps.capabilityVersions.of(scope, id);
  const { measures } = scorecardOf(slug, read, versions, await deps.life.thresholds(scope, id));
  // Without their values, so that an alarm that somebody has acknowledged stays quiet while they move.
  const beyond = measures.filter(({ state }) => state === 'beyond');
  const text = beyond.map(({ measure, threshold }) => `${measure} is above ${String(threshold)}`).join(', ');
  await stands(
    deps.alarms,
    scope,
    { kind: 'scorecard_breach', subject: `seller ${slug}`, detail: { connection_id: id, measures: text } },
    beyond.length > 0 ? undefined : 'Every measure is within its threshold again.',
  );
}

/** Raises an alarm, or ends it where its cause is over. */
function stands(
  alarms: LookDeps['alarms'],
  scope: TenantScope,
  alarm: Parameters<LookDeps['alarms']['raise']>[1],
  isWell: string | undefined,
): Promise<unknown> {
  return isWell === undefined ? alarms.raise(scope, alarm) : alarms.end(scope, alarm, isWell);
}
