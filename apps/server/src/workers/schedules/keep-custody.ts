import type { OperationStore } from '@switchyard/buys';
import { resignedRecords, type CustodyRecord, type RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Lane } from '../lanes.js';

export interface CustodyDeps {
  readonly log: RelayLog;
  readonly store: Pick<OperationStore, 'state' | 'releaseLeg'>;
  readonly clock: Clock;
  /** The key that signs for a principal now; absent where it has none. */
  readonly keyidOf: (scope: TenantScope, principalId: string) => Promise<string | undefined>;
  /** Nothing younger is taken for dead, in milliseconds: longer than any relayed call may take. */
  readonly openForMs: number;
  /** True when no other process can be at work on the database: then what is open at the start is dead. */
  readonly isAlone: boolean;
}

const everyMs = 1_000;
const atOnce = 100;

/**
 * Keeps the chains of custody complete: legs that we signed ourselves get their record once they are answered, and
 * relayed requests whose process died are sealed as unknown. What both are made from stands in rows, so a crash at any
 * point leaves something to do and nothing done twice.
 */
export function custodyLane(deps: CustodyDeps): Lane {
  const { clock } = deps;
  // Whatever was open when the only process starts was left by the one before it.
  const deadBefore = deps.isAlone ? clock.now() : 0;
  const openBefore = (): number => Math.max(deadBefore, clock.now() - deps.openForMs);
  return {
    name: 'custody',
    everyMs,
    due: () => ({ open_relays: openBefore(), custody: clock.now() }),
    visit: async (scope) => {
      await sealLeftOpen(deps, scope, openBefore());
      await recordResigned(deps, scope);
    },
  };
}

/**
 * Also refusals whose process died between storing and sealing them: those say how they ended. What a dead process had
 * passed on is looked for at its seller at once, because no answer is coming any more.
 */
export async function sealLeftOpen(
  { log, store, clock }: Pick<CustodyDeps, 'log' | 'store' | 'clock'>,
  scope: TenantScope,
  before: number,
): Promise<number> {
  const open = await log.leftOpen(scope, before, atOnce);
  for (const [principalId, records] of byPrincipal(open)) {
    const ended = records.map((record) => ({
      record,
      at: clock.now(),
      // Of what nobody knows the budget stays held.
      releases: record.outcome === 'refused' || record.outcome === 'unreachable',
    }));
    await log.seal(scope, principalId, ended);
  }
  for (const { outcome, operationId } of open) {
    if (outcome !== 'unknown' || operationId === undefined) continue;
    const state = await store.state(scope, operationId);
    for (const leg of state?.legs ?? [])
      if (leg.sealed === true && leg.status === 'sent') await store.releaseLeg(scope, leg, clock.now());
  }
  return open.length;
}

export async function recordResigned(
  { log, clock, keyidOf }: Pick<CustodyDeps, 'log' | 'clock' | 'keyidOf'>,
  scope: TenantScope,
): Promise<number> {
  const legs = await log.unrecorded(scope, atOnce);
  const at = clock.now();
  const records: CustodyRecord[] = [];
  for (const one of legs)
    records.push(...resignedRecords(one, await keyidOf(scope, one.operation.principalId), at));
  for (const [principalId, own] of byPrincipal(records)) {
    await log.refuse(scope, own);
    await log.seal(
      scope,
      principalId,
      own.map((record) => ({ record, at, releases: true })),
    );
    await log.recorded(
      scope,
      own.map(({ id }) => id),
      at,
    );
  }
  return legs.length;
}

function byPrincipal(records: readonly CustodyRecord[]): ReadonlyMap<string, readonly CustodyRecord[]> {
  const grouped = new Map<string, CustodyRecord[]>();
  for (const record of records)
    grouped.set(record.principalId, [...(grouped.get(record.principalId) ?? []), record]);
  return grouped;
}
