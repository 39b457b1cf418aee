import type { JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { tenantsOf } from '../core/tenants-of.js';

/** The head of one organization's ledger, and its newest signed head. */
export interface LedgerHead {
  readonly organization: string;
  readonly number: string;
  readonly hash: string;
  readonly entries: string;
  /** Compact JWS (RFC 7515) of the newest signed head, and the public key that verifies it. */
  readonly signed?: { readonly jws: string; readonly key: JsonObject };
}

/** Heads of all ledgers that have entries. */
export async function ledgerHeads(store: Store): Promise<readonly LedgerHead[]> {
  const heads: LedgerHead[] = [];
  for (const organizationId of await tenantsOf(store, 'organization_ids')) {
    const found = await store.onceInTenant<{
      number: string;
      hash: string;
      entries: string;
      jws: string | null;
      key: JsonObject | null;
    }>(
      { organizationId },
      {
        text: `select h.number, h.hash, h.entry_total as entries, a.jws, a.key
               from journal_head h left join lateral (
                 select jws, key from journal_anchor
                 where organization_id = h.organization_id and stream = h.stream order by made_at desc, id desc limit 1
               ) a on true
               where h.organization_id = scope.organization_id and h.stream = 'ledger' and h.number > 0`,
      },
    );
    const [head] = found.rows;
    if (head === undefined) continue;
    const { number, hash, entries, jws, key } = head;
    const signed = jws === null || key === null ? {} : { signed: { jws, key } };
    heads.push({ organization: organizationId, number, hash, entries, ...signed });
  }
  return heads;
}
