import { randomUUID } from 'node:crypto';
import type { HeadAnchor } from '@switchyard/journal';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant, type JsonObject, type PageRead } from '@switchyard/values';
import { byTime, listStatement } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import type { journal_anchorModel } from '../generated/models.js';
import { hashedStream, headOf, ledgerStream, readHead } from './stream-head.js';

/** A signed head, which may be published. */
export interface SignedAnchor extends HeadAnchor {
  readonly id: string;
  /** Compact JWS (RFC 7515) over `anchorDocument`. */
  readonly jws: string;
  /** Public key that verifies it. */
  readonly key: JsonObject;
}

/** Signed heads of an organization's ledger. A trigger refuses changes and deletions. */
export interface AnchorStore {
  add(scope: TenantScope, anchor: Omit<SignedAnchor, 'id'>): Promise<SignedAnchor>;
  /** Newest first. */
  list(scope: TenantScope, page: PageRead): Promise<readonly SignedAnchor[]>;
  /** The head, if it has no anchor and no anchor was made since `before`; undefined if none is due. */
  due(scope: TenantScope, before: Instant): Promise<HeadAnchor['head'] | undefined>;
}

type Row = Omit<journal_anchorModel, 'number' | 'entry_total'> & {
  readonly number: string;
  readonly entry_total: string;
};

export function anchorStore(store: Store): AnchorStore {
  return {
    add: (scope, { head, madeAt, jws, key }) =>
      store.inTenant(scope, async (client) => {
        const id = randomUUID();
        await client.query(
          `insert into journal_anchor (id, organization_id, stream, number, hash, entry_total, sealed_at, made_at, jws, key)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [
            id,
            client.organizationId,
            ledgerStream,
            head.number.toString(),
            head.hash,
            head.entryTotal.toString(),
            isoOf(head.sealedAt),
            isoOf(madeAt),
            jws,
            JSON.stringify(key),
          ],
        );
        return { id, head, madeAt, jws, key };
      }),
    list: (scope, page) =>
      store.inTenant(scope, async (client) => {
        const anchors = {
          columns: '*',
          from: 'journal_anchor',
          where: [['organization_id = ?', client.organizationId] as const],
          order: byTime('made_at', { column: 'id', isDescending: true }),
        };
        const { rows } = await client.query<Row>(listStatement(anchors, page));
        return rows.map((row) => anchorOf(client.organizationId, row));
      }),
    due: (scope, before) =>
      store.inTenant(scope, async (client) => {
        const head = await readHead(client);
        if (head.number === 0n) return undefined;
        const { rows } = await client.query<{ number: string; made_at: Date }>(
          `select number, made_at from journal_anchor where organization_id = $1 order by made_at desc, id desc limit 1`,
          [client.organizationId],
        );
        const [last] = rows;
        const isDue =
          last === undefined || (BigInt(last.number) < head.number && last.made_at.getTime() < before);
        return isDue ? head : undefined;
      }),
  };
}

function anchorOf(organizationId: string, row: Row): SignedAnchor {
  return {
    id: row.id,
    head: headOf(hashedStream(organizationId), row),
    madeAt: row.made_at.getTime(),
    jws: row.jws,
    key: row.key as JsonObject,
  };
}
