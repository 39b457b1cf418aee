import type { OperationDraft } from '@switchyard/buys';
import type { PathRows, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { besideNew, newRows } from '../buys/begin-operation.js';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { batchQueries } from '../core/batch-queries.js';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { claimCreatives } from '../creatives/lock-creatives.js';
import { storeCreatives } from '../creatives/store-creatives.js';
import type { TenantClient } from '../core/tenant-client.js';
import { approvalMsByDefault, commitSpend, NotWithinLimits } from '../spending/commit-spend.js';
import { admitStatement, admitStatements, type AdmissionRequest, type Verdict } from './admit-statement.js';

/**
 * Admits requests with one statement each or, if several arrive at once, with one for all: it sets its tenant itself
 * and is its own transaction. Requests that change something have more rows, and a transaction around them.
 */
export function admitKnown(store: Store): RelayLog['admitKnown'] {
  const together = batchQueries(
    async (requested: readonly AdmissionRequest[]) => {
      const { rows } = await run<Verdict>(store.pool, admitStatements(requested));
      return verdictsOf(requested, rows);
    },
    { most: 32, lanes: 2, groupOf: ({ scope }) => scope.organizationId },
  );
  return async (scope, admission) => {
    const { draft } = admission;
    if (draft === undefined) return together({ scope, admission });
    try {
      await retryDeadlock(() =>
        store.inTenant(scope, (client) => admitChange(client, { scope, admission }, draft), 'by_keys'),
      );
      return true;
    } catch (error) {
      if (error instanceof NotAsKnown || error instanceof NotWithinLimits) return false;
      throw error;
    }
  };
}

/** Rolls everything back: the request is checked again by the slower path, which can state the reason. */
class NotAsKnown extends Error {}

/** Sent together, and the verdict is read at the end: after a refusal, everything is rolled back. */
async function admitChange(
  client: TenantClient,
  requested: AdmissionRequest,
  draft: OperationDraft,
): Promise<void> {
  const [claimed, begun] = await Promise.allSettled([
    // Locked first, as everywhere, to prevent deadlocks.
    claimCreatives(client, draft.creatives?.placements ?? []),
    client.query<Verdict & { readonly stored: boolean }>(
      newRows(draft, undefined, { ...admitStatement(requested), may: `verdict = 'admitted'` }),
    ),
  ]);
  const [row] = done(begun).rows;
  if (row?.verdict !== 'admitted') throw new NotAsKnown('not admitted');
  if (done(claimed) !== undefined) throw new NotAsKnown('another tenant has the id of a creative');
  // It repeats an earlier request, which already has these rows.
  if (!row.stored) throw new NotAsKnown('begun before');
  await besideNew(client, draft);
  if (draft.creatives !== undefined) {
    const others = await storeCreatives(client, draft.operation, draft.creatives);
    if (others.length > 0) throw new NotAsKnown('somebody else brought a creative');
  }
  await commitSpend(client, draft, approvalMsByDefault);
}

function done<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function verdictsOf(requested: readonly AdmissionRequest[], rows: readonly Verdict[]): readonly boolean[] {
  const admitted = new Set(
    rows.filter(({ verdict }) => verdict === 'admitted').map(({ request }) => request),
  );
  return requested.map(({ admission }) => admitted.has(admission.record.id));
}

/** Read before the rows that it describes, so that a change in between makes it outdated. */
export async function pathMark(store: Store, scope: TenantScope, rows: PathRows): Promise<string> {
  const found = await store.onceInTenant<{ mark: string }>(scope, {
    name: 'relay_mark',
    text: 'select relay_mark(scope.organization_id, $1, $2, $3, $4) as mark',
    values: [rows.tokenId, rows.principalId, rows.connectionId, rows.seller],
  });
  const [row] = found.rows;
  if (row === undefined) throw new Error('A function that answers one text answered none.');
  return row.mark;
}
