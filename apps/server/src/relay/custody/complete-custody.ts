import type { OperationStore } from '@switchyard/buys';
import { resignedRecords, type CustodyRecord, type RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Lane } from '../../platform/lanes/lanes.js';

export interface CustodyDeps {
  readonly log: RelayLog;
  readonly store: Pick<OperationStore, 'state' | 'releaseLeg'>;
  readonly clock: Clock;
  /** The current signing key of a principal; absent if it has none. */
  readonly keyidOf: (scope: TenantScope, principalId: string) => Promise<string | undefined>;
  /** Only older records count as dead, in milliseconds: longer than any relayed call may take. */
  readonly openForMs: number;
  /** True if no other process can use the database: then records that are open at the start are dead. */
  readonly isAlone: boolean;
}

const everyMs = 1_000;
const atOnce = 100;

/**
 * Completes the chains of custody: legs that we signed get their record once they are answered, and relayed requests
 * whose process died are sealed as unknown. Both are made from rows, so a crash at any point loses nothing and repeats
 * nothing.
 */
export function custodyLane(deps: CustodyDeps): Lane {
  const { clock } = deps;
  // What was open when the only process started was left by the previous one.
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
 * Also seals refusals whose process died between storing and sealing them: those have their outcome. What a dead
 * process had forwarded is polled at its seller at once, because its answer will not arrive any more.
 */
async function sealLeftOpen(
  { log, store, clock }: Pick<CustodyDeps, 'log' | 'store' | 'clock'>,
  scope: TenantScope,
  before: number,
): Promise<number> {
  const open = await log.leftOpen(scope, before, atOnce);
  for (const [principalId, records] of byPrincipal(open)) {
    const ended = records.map((record) => ({
      record,
      at: clock.now(),
      // The budget of an unknown outcome stays held.
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

async function recordResigned(
  { log, clock, keyidOf }: Pick<CustodyDeps, 'log' | 'clock' | 'keyidOf'>,
  scope: TenantScope,
): Promise<number> {
  const legs = await log.unrecorded(scope, atOnce);
  const at = clock.now();
  const records: CustodyRecord[] = [];
  for (const leg of legs)
    records.push(...resignedRecords(leg, await keyidOf(scope, leg.operation.principalId), at));
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
