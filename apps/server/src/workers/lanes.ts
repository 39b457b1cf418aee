import type { DueKind, DueWork } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Instant } from '@switchyard/values';
import { every } from './schedules/every.js';
import { createVisits, type Visits } from './visits.js';

/** One sort of work that is done tenant by tenant. Lanes do not wait for each other. */
export interface Lane {
  readonly name: string;
  /** How often due work of it is looked for, in milliseconds; at least a second. */
  readonly everyMs: number;
  /** Which tenants are visited: those with work of a kind that became due at that instant or before it. */
  readonly due: () => Readonly<Partial<Record<DueKind, Instant>>>;
  /** `sellers`: most of a visit is waiting for their answers, and holds no connection to the database meanwhile. */
  readonly waitsFor?: 'sellers';
  /** Does a bounded part of a tenant's work: what is left is due still, and the tenant's next turn comes after others. */
  readonly visit: (scope: TenantScope, stopped: AbortSignal) => Promise<void>;
}

export interface LanesDeps {
  readonly due: DueWork;
  readonly clock: Clock;
  /** Tenants that one lane visits at once. */
  readonly workers: number;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

export interface RunningLanes {
  /** Visits a tenant now, or when its turn comes. Rejects as the visit does. */
  request(lane: string, organizationId: string): Promise<void>;
  /** No tenant is visited any more; resolves when those that are being visited are done. */
  stop(): Promise<void>;
  /** What is under way, for whoever does not wait for it any longer. */
  running(): readonly string[];
}

/** How often it is seen which lanes have their turn. */
const tickMs = 1_000;
/** Visits that wait for sellers cost little, and some sellers hang: so many run for each one that works in the database. */
const sellersPerWorker = 8;

/**
 * Looks for due work over all tenants, one statement for all lanes that have their turn, and visits the tenants that
 * have some: a tenant without work costs nothing.
 */
export function startLanes(deps: LanesDeps, lanes: readonly Lane[]): RunningLanes {
  const { clock, workers, onUnexpected } = deps;
  const stopped = new AbortController();
  const visits = new Map<string, Visits>();
  for (const { name, waitsFor } of lanes)
    visits.set(name, createVisits(waitsFor === 'sellers' ? workers * sellersPerWorker : workers));
  const request = async ({ name, visit }: Lane, organizationId: string): Promise<void> =>
    visits.get(name)?.request(organizationId, () => visit({ organizationId }, stopped.signal));
  const turns = new Map(lanes.map((lane) => [lane, clock.now() + lane.everyMs]));
  const look = async (): Promise<void> => {
    const now = clock.now();
    const having = lanes.filter((lane) => (turns.get(lane) ?? now) <= now);
    for (const lane of having) turns.set(lane, now + lane.everyMs);
    const requested = having.map((lane) => ({ lane, before: lane.due() }));
    const found = await deps.due.find(mergedOf(requested.map(({ before }) => before)));
    if (stopped.signal.aborted) return;
    for (const { lane, before } of requested) {
      const tenants = found.filter(({ kind }) => before[kind] !== undefined);
      for (const organizationId of new Set(tenants.map((one) => one.organizationId)))
        request(lane, organizationId).catch((error: unknown) => onUnexpected(error, lane.name));
    }
  };
  const looks = every(clock, tickMs, look, (error) => onUnexpected(error, 'the look for due work'));
  return {
    request: async (name, organizationId) => {
      const lane = lanes.find((one) => one.name === name);
      if (lane !== undefined) await request(lane, organizationId);
    },
    stop: async () => {
      // What is asked of sellers for our own sake is asked again by whoever comes next.
      stopped.abort();
      await Promise.all([looks.stop(), ...[...visits.values()].map((one) => one.stop())]);
    },
    running: () =>
      [...visits].flatMap(([name, one]) =>
        one.running().map((organizationId) => `${name} ${organizationId}`),
      ),
  };
}

/** No two lanes are of one kind. */
function mergedOf(all: readonly ReturnType<Lane['due']>[]): ReturnType<Lane['due']> {
  return Object.assign({}, ...all) as ReturnType<Lane['due']>;
}
