import { createHash } from 'node:crypto';
import {
  changeOf,
  hasRightsUntil,
  thingOfList,
  usesRights,
  type Connection,
  type ConnectionDirectory,
  type OwnedThing,
  type TouchedPackage,
} from '@switchyard/sellers';
import { nothingRuns, type CaseAction, type GovernanceCase, type GovernedThings } from '@switchyard/store';
import type { AlarmKind, AlarmRepository, PrincipalDirectory, TenantScope } from '@switchyard/tenancy';
import { defined, isoOf, type Clock, type JsonObject, type JsonValue } from '@switchyard/values';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import type { InspectDeps } from '../onboarding/inspect-seller.js';
import { checkContent, type ContentDeps } from './judge-content.js';
import { judgeList } from './judge-list.js';
import { packagesWithoutCreative } from './stopped-creatives.js';
import { withdrawnPackages, type PublisherCaseDeps } from './withdrawn-packages.js';
import type { TaskService } from '../../platform/tasks/call/task-call.js';

export interface CaseWork extends PublisherCaseDeps {
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly principals: Pick<PrincipalDirectory, 'record'>;
  readonly alarms: Pick<AlarmRepository, 'raise'>;
  /** What was read of lists, and how they are read again. */
  readonly things: GovernedThings;
  readonly inbox: ContentDeps['inbox'];
  readonly ports: InspectDeps;
  /** Changes buys as their callers do. */
  readonly tasks: TaskService;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Nobody else takes a case in that time, in milliseconds: longer than a change at the slowest seller. */
const leaseMs = 120_000;
/** A buy whose change is under way is asked again after that time, in milliseconds. */
const patienceMs = 60_000;
/** When a case is looked at again while sellers answer, and once a person was asked, in milliseconds. */
const soonMs = 10_000;
const laterMs = 5 * 60_000;
/** After that time without every confirmation a person is asked, in milliseconds. */
const confirmedWithinMs = 5 * 60_000;
/** What was stopped is looked for again for so long, and so often, in milliseconds: somebody may run it anew. */
const watchedMs = 30 * 24 * 60 * 60_000;
const watchMs = 15 * 60_000;
/** Cases of one tenant in one round, and for how long an agent is asked in it, in milliseconds. */
const atOnce = 10;
const readsMs = 20_000;
/** Tenants of one round; the others are in the next. */
const tenantsAtOnce = 50;

/** Acts on the cases that are due, of all tenants: a slow seller of one holds up no other. Returns how many it has looked at. */
export async function actOnCases(work: CaseWork): Promise<number> {
  const tenants = (await work.cases.tenants(work.clock.now())).slice(0, tenantsAtOnce);
  const counts = await Promise.all(tenants.map((organizationId) => actForTenant(work, { organizationId })));
  return counts.reduce((all, count) => all + count, 0);
}

/** What is asked at agents waits beside the others: a slow agent must not hold up a right that was taken back. */
async function actForTenant(work: CaseWork, scope: TenantScope): Promise<number> {
  const [read, acted] = await Promise.all([actOnDue(work, scope, 'reads'), actOnDue(work, scope, 'acts')]);
  return read + acted + (read === 0 ? 0 : await actOnDue(work, scope, 'acts'));
}

async function actOnDue(work: CaseWork, scope: TenantScope, due: 'reads' | 'acts'): Promise<number> {
  const begun = work.clock.now();
  for (let count = 0; count < atOnce; count += 1) {
    if (due === 'reads' && work.clock.now() - begun >= readsMs) return count;
    const found = await work.cases.take(scope, due, work.clock.now(), leaseMs);
    if (found === undefined) return count;
    await actOn(work, scope, found).catch((error: unknown) =>
      work.onUnexpected(error, `acting on the case ${found.id}`),
    );
  }
  return atOnce;
}

/**
 * Takes the creatives with revoked rights out of every package that still runs with one, and pauses a package that has no
 * other creative (docs/protocol/governance.md#revoked-rights). It looks at what still runs, so it may be repeated at any
 * time; the case is done once nothing does, and goes on if something runs with the rights anew.
 */
async function actOn(work: CaseWork, scope: TenantScope, found: GovernanceCase): Promise<void> {
  const { cases, clock } = work;
  if (!isAboutRights(found)) return actOnPackages(work, scope, found);
  const naming = await cases.creativesNaming(scope, found.rightsId);
  const agentUrl = (await connectionOf(work, scope, found))?.agentUrl ?? '';
  const uses = ({ body }: { readonly body: JsonObject }): boolean =>
    found.kind === 'rights_ended'
      ? hasRightsUntil(body, found.rightsId, found.effectiveAt)
      : usesRights(body, found, agentUrl);
  const revoked = new Set(naming.filter(uses).map(({ id }) => id));
  const running = revoked.size === 0 ? [] : await cases.runningWith(scope, [...revoked]);
  const isFirst = found.actions.every(({ act }) => act !== 'withdraw');
  const now = clock.now();
  const begunAt = found.begunAt ?? now;
  const isOver = found.state === 'done';
  if (running.length === 0) {
    const act = isFirst ? nothingRuns : 'confirmed by every seller';
    const actions = isOver ? [] : [{ at: isoOf(now), act }];
    const nextAt = now - begunAt < watchedMs ? now + watchMs : undefined;
    return cases.save(
      scope,
      found.id,
      { state: 'done', from: found.state, actions, ...defined({ nextAt }) },
      now,
    );
  }
  const again = found.actions.findLast(({ act }) => act === runsAgain || act === openedAgain);
  const isLate = !isOver && now - (again === undefined ? begunAt : Date.parse(again.at)) >= confirmedWithinMs;
  if (isFirst || isLate || isOver) await alarm(work, scope, found, running);
  const changed = await Promise.all(
    byBuy(running).map((packages) =>
      changeBuy(work, scope, found, {
        act: 'withdraw',
        packages,
        changes: packages.map((item) => changeOf(item, revoked)),
      }),
    ),
  );
  const actions = [isOver ? [{ at: isoOf(now), act: runsAgain }] : [], ...changed];
  const state = isLate ? 'asked' : 'acting';
  await cases.save(
    scope,
    found.id,
    {
      state,
      from: found.state,
      // Once a person was asked, a further try that ended like the one before it says nothing new.
      actions: actions.flat().filter((action) => !isLate || !isRepeated(found.actions, action)),
      nextAt: clock.now() + (isLate ? laterMs : soonMs),
      // What it touched at first stays on record.
      ...(isFirst && { buys: running }),
    },
    clock.now(),
  );
}

/** What runs with the rights anew, or a person looks for, is waited for like the first time. */
const runsAgain = 'runs again';
export const openedAgain = 'opened again';

/** Cases of rights take creatives out; the others pause packages. */
export const isAboutRights = ({ kind }: Pick<GovernanceCase, 'kind'>): boolean =>
  kind === 'rights_revoked' || kind === 'rights_ended';

const connectionOf = async (work: CaseWork, scope: TenantScope, { connectionId }: GovernanceCase) =>
  connectionId === undefined ? undefined : work.connections.byId(scope, connectionId);

/** The act after which the packages of a case are paused: of a person, or because nobody answered. */
export const askedToPause = 'asked to pause';
const unanswered = 'nobody answered: what runs is paused';

/**
 * Asks a person about what runs with a list that has changed, or at a seller that a publisher does not list any more, and
 * pauses it once somebody says so. Without an answer until the deadline what runs with a list goes on, and the other is
 * paused (docs/protocol/governance.md).
 */
async function actOnPackages(work: CaseWork, scope: TenantScope, found: GovernanceCase): Promise<void> {
  const { cases, clock } = work;
  const now = clock.now();
  const connection = await connectionOf(work, scope, found);
  if (found.state === 'open')
    return found.kind === 'content_checked'
      ? checkContent(work, scope, found, connection)
      : judgeList(work, scope, found, connection);
  const running = await packagesOf(work, scope, found, connection);
  const isPausing =
    found.state === 'acting' && found.actions.some(({ act }) => act === askedToPause || act === unanswered);
  const ended = (act: string): Promise<void> =>
    cases.save(
      scope,
      found.id,
      { state: 'done', from: found.state, actions: [{ at: isoOf(now), act }] },
      now,
    );
  if (running.length === 0) return ended(isPausing ? 'confirmed by every seller' : nothingRuns);
  if (!isPausing && now >= found.effectiveAt) {
    if (!isPausedUnanswered(found)) return ended('nobody answered: what runs goes on');
    const actions = [{ at: isoOf(now), act: unanswered }];
    return cases.save(scope, found.id, { state: 'acting', from: found.state, actions, nextAt: now }, now);
  }
  if (!isPausing) {
    await alarm(work, scope, found, running);
    const change = { state: 'asked', actions: [], buys: running, nextAt: found.effectiveAt } as const;
    return cases.save(scope, found.id, { ...change, from: found.state }, now);
  }
  const actions = await Promise.all(
    byBuy(running).map((packages) => {
      const changes = packages.map(({ packageId }) => ({ package_id: packageId, paused: true }));
      return changeBuy(work, scope, found, { act: 'pause', packages, changes });
    }),
  );
  const added = actions.flat().filter((action) => !isRepeated(found.actions, action));
  const change = { state: 'acting', from: found.state, actions: added, nextAt: now + soonMs } as const;
  return cases.save(scope, found.id, change, now);
}

async function packagesOf(
  work: CaseWork,
  scope: TenantScope,
  found: GovernanceCase,
  connection: Connection | undefined,
): Promise<readonly TouchedPackage[]> {
  if (connection === undefined) return [];
  if (found.kind === 'publisher_withdrew')
    return (await withdrawnPackages(work, scope, connection)).get(found.rightsId) ?? [];
  if (found.kind === 'creative_stopped')
    return packagesWithoutCreative(work.cases, scope, connection, found.rightsId);
  const running = await work.cases.runningOn(scope, thingOfCase(found, connection));
  if (found.kind !== 'content_checked') return running;
  return running.filter(({ packageId }) => found.packageIds.includes(packageId));
}

/** The list, or the standards, that a case is about, at the agent that owns it. */
function thingOfCase({ kind, rightsId: subject }: GovernanceCase, { agentUrl }: Connection): OwnedThing {
  const isList = kind === 'property_list_changed' || kind === 'collection_list_changed';
  return { kind: isList ? thingOfList(kind) : 'content_standards', subject, agentUrl };
}

/** The safer act: nobody pays for places that may not be sold, or runs against a policy that binds. */
const isPausedUnanswered = ({ kind, uses, changes }: GovernanceCase): boolean =>
  kind === 'publisher_withdrew' ||
  (kind === 'content_standards_changed' && uses.includes('must')) ||
  (kind === 'content_checked' && (changes?.checked?.binding ?? 0) > 0);

function isRepeated(
  before: readonly CaseAction[],
  { media_buy_id: buy, outcome, detail }: CaseAction,
): boolean {
  const last = before.findLast((action) => action.media_buy_id === buy);
  return last !== undefined && last.outcome === outcome && last.detail === detail;
}

const alarmOf = {
  rights_revoked: 'rights_revoked',
  rights_ended: 'rights_ending',
  property_list_changed: 'list_changed',
  collection_list_changed: 'list_changed',
  content_checked: 'content_failed',
  content_standards_changed: 'content_standards_changed',
  creative_stopped: 'creative_stopped',
  publisher_withdrew: 'publisher_withdrew',
} as const satisfies Readonly<Record<GovernanceCase['kind'], AlarmKind>>;

async function alarm(
  { alarms }: CaseWork,
  scope: TenantScope,
  { id, kind, rightsId, owner, reason, effectiveAt }: GovernanceCase,
  running: readonly TouchedPackage[],
): Promise<void> {
  await alarms.raise(scope, {
    kind: alarmOf[kind],
    subject: rightsId,
    detail: { case_id: id, owner, reason, effective_at: isoOf(effectiveAt), packages: running.length },
  });
}

function byBuy(packages: readonly TouchedPackage[]): readonly (readonly TouchedPackage[])[] {
  const buys = new Map<string, TouchedPackage[]>();
  for (const item of packages) buys.set(item.mediaBuyId, [...(buys.get(item.mediaBuyId) ?? []), item]);
  return [...buys.values()];
}

/** Changes one buy, in the name of whoever bought it. */
async function changeBuy(
  work: CaseWork,
  scope: TenantScope,
  found: GovernanceCase,
  {
    act,
    packages,
    changes,
  }: {
    readonly act: 'withdraw' | 'pause';
    readonly packages: readonly TouchedPackage[];
    readonly changes: readonly JsonObject[];
  },
): Promise<readonly CaseAction[]> {
  const [first] = packages;
  if (first === undefined) return [];
  const { mediaBuyId, principalId } = first;
  const now = work.clock.now();
  const last = found.actions.findLast((action) => action.media_buy_id === mediaBuyId);
  if (last?.outcome === 'submitted' && now - Date.parse(last.at) < patienceMs) return [];
  const action = { at: isoOf(now), act, media_buy_id: mediaBuyId };
  const holder = await work.principals.record(scope, { id: principalId });
  if (holder === undefined) return [{ ...action, outcome: 'failed', detail: 'Its principal is unknown.' }];
  const { grants: _grants, ...caller } = principalCaller(holder.principal);
  const stop = new AbortController();
  const reply = await work.tasks.call({
    endpoint: 'rest',
    task: 'update_media_buy',
    args: {
      adcp_version: '3.1',
      media_buy_id: mediaBuyId,
      idempotency_key: keyOf(found.id, mediaBuyId, [Math.floor(now / patienceMs), [...changes]]),
      packages: [...changes],
    },
    exact: new Map(),
    caller: {
      ...caller,
      permissions: { media_buys: ['read', 'write'], creatives: ['read', 'write'] },
      transitional: true,
    },
    signal: stop.signal,
  });
  const [error] = reply.errors;
  const outcome = error === undefined ? reply.status : 'failed';
  return [
    {
      ...action,
      outcome,
      ...(error !== undefined && { detail: `${error.code}: ${error.message}`.slice(0, 300) }),
    },
  ];
}

/** The same change has the same key for a minute, so that a repetition after a crash changes nothing twice. */
function keyOf(caseId: string, mediaBuyId: string, change: JsonValue): string {
  return createHash('sha256')
    .update(`${caseId} ${mediaBuyId} ${JSON.stringify(change)}`)
    .digest('hex')
    .slice(0, 48);
}
