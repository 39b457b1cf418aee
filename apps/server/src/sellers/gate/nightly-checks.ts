import {
  isNightlyDue,
  nightlyState,
  wrongOf,
  type Connection,
  type ConnectionDirectory,
  type NightlyRuns,
  type StoredCheck,
} from '@switchyard/sellers';
import type { Organizations } from '@switchyard/store';
import type { AlarmRepository, AlarmToRaise, TenantScope } from '@switchyard/tenancy';
import { defined } from '@switchyard/values';
import { minuteOfDay } from '../../platform/minute-of-day.js';
import { saveRead } from '../refresh-capabilities.js';
import { testGate, type TestDeps } from './run-gate.js';

export interface NightlyDeps {
  /** What the checks use. They run in nobody's name: they only read. */
  readonly gate: TestDeps;
  readonly nightlyRuns: NightlyRuns;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'saveCapabilities'>;
  readonly alarms: Pick<AlarmRepository, 'raise' | 'end'>;
}

/** How long the checks of one seller may take, in milliseconds: shorter than the lease of a look. */
const mostMs = 2 * 60_000;

/** Whether the nightly checks of a live seller are due. The practice market is not judged. */
export async function isDueAtNight(
  { gate, nightlyRuns, organizations }: NightlyDeps,
  scope: TenantScope,
  { id, isSandbox }: Connection,
): Promise<boolean> {
  if (isSandbox) return false;
  const organization = await organizations.byId(scope.organizationId);
  if (organization === undefined) return false;
  const now = gate.clock.now();
  const hour = Math.floor(minuteOfDay(now, organization.timeZone) / 60);
  // Most looks end here, without another question to the database.
  if (!isNightlyDue(id, { hour, now })) return false;
  return isNightlyDue(id, { hour, now, ...defined({ answeredAt: await nightlyRuns.answeredAt(scope, id) }) });
}

/**
 * Runs the checks of a live seller as a test does, stores their results beside those of its gate, and tells a person what is
 * wrong. A seller that is not reached raises nothing and ends nothing: its health says so.
 */
export async function checkAtNight(
  { gate, nightlyRuns, connections, alarms }: NightlyDeps,
  scope: TenantScope,
  connection: Connection,
  stopped: AbortSignal,
): Promise<void> {
  const { id, agentUrl } = connection;
  const late = new AbortController();
  const ended = gate.clock.after(mostMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, stopped]);
  const tested = await testGate(gate, scope, connection, signal).finally(ended);
  const { found } = tested;
  // Where it was found is not asked again.
  const checks = tested.checks.filter(({ key }) => key !== 'source');
  const after = await connections.byId(scope, id);
  // What was asked of a seller that has changed meanwhile says nothing about it.
  if (stopped.aborted || after?.state !== 'live' || after.agentUrl !== agentUrl) return;
  const at = gate.clock.now();
  if (found !== undefined) await saveRead({ connections, alarms }, scope, after, found, at);
  const state = nightlyState(checks);
  if (state === 'failed') await alarms.raise(scope, checksAlarm(connection, wrongOf(checks)));
  if (state === 'passed') await alarms.end(scope, checksAlarm(connection, []), checksPass);
  await nightlyRuns.save(scope, { connectionId: id, state, checks, at });
}

export const checksPass = 'Its checks pass again.';

/** Checks in one alarm. */
const namedAtMost = 3;

/** The alarm of checks of a live seller that have not passed. */
export function checksAlarm(
  { id, slug }: Pick<Connection, 'id' | 'slug'>,
  wrong: readonly StoredCheck[],
): AlarmToRaise {
  const named = wrong.slice(0, namedAtMost);
  const checks = named.map(({ key, words }) => `${key}: ${words}`).join(' ');
  const next = [...new Set(named.flatMap((check) => check.next ?? []))].join(' ');
  return {
    kind: 'seller_check_failed',
    subject: `seller ${slug}`,
    detail: { connection_id: id, checks, ...(next !== '' && { next }) },
  };
}
