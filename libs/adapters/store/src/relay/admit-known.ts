import type { OperationDraft } from '@switchyard/buys';
import type { KnownAdmission, PathRows } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import { beginOperation } from '../buys/begin-operation.js';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';
import type { Statement, TenantClient } from '../core/tenant-client.js';

/**
 * Admits a request by one statement, which names its tenant itself and is a transaction of its own. What changes
 * something has rows besides, and one transaction around them.
 */
export async function admitKnown(
  store: Store,
  scope: TenantScope,
  admission: KnownAdmission,
): Promise<boolean> {
  const statement = statementOf(scope.organizationId, admission);
  const { draft } = admission;
  if (draft === undefined) return isAdmitted(await run<Verdict>(store.pool, statement));
  try {
    return await store.inTenant(scope, async (client) => {
      if (!isAdmitted(await client.query<Verdict>(statement))) return false;
      await begin(client, draft);
      return true;
    });
  } catch (error) {
    if (error instanceof BegunBefore) return false;
    throw error;
  }
}

/** Rolls the admission back: the request repeats an earlier one, which is looked up where there is time to. */
class BegunBefore extends Error {}

async function begin(client: TenantClient, draft: OperationDraft): Promise<void> {
  const begun = await beginOperation(client, draft);
  if (begun.kind !== 'stored') throw new BegunBefore(begun.kind);
}

interface Verdict {
  readonly verdict: 'admitted' | 'changed' | 'exceeded' | 'replayed';
}

function isAdmitted({ rows }: { readonly rows: readonly Verdict[] }): boolean {
  return rows[0]?.verdict === 'admitted';
}

function statementOf(
  organizationId: string,
  { rows, mark, signerId, record, claim, use, hold, durable, draft }: KnownAdmission,
): Statement {
  return {
    name: 'relay_admit',
    text: `select relay_admit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
                              $21, $22, $23, $24) as verdict`,
    values: [
      organizationId,
      mark,
      rows.tokenId,
      rows.principalId,
      rows.connectionId,
      rows.seller,
      signerId,
      durable,
      claim.key,
      claim.nonce,
      isoOf(claim.expiresAt),
      use?.credentialId ?? null,
      use?.version ?? null,
      use?.actor ?? null,
      record.id,
      record.task ?? null,
      record.delegationId,
      draft?.operation.id ?? null,
      hold?.toString() ?? null,
      JSON.stringify(record),
      record.arrived.keyid ?? null,
      record.arrived.bodyHash,
      claim.nonce,
      isoOf(record.arrived.at),
    ],
  };
}

/** Read before the rows that it stands for, so that a change in between makes it an old one. */
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
