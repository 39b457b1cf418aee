import { randomUUID } from 'node:crypto';
import type { HeadAnchor } from '@switchyard/journal';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import type { journal_anchorModel } from '../generated/models.js';
import { hashedStream, headColumns, headOf, headValues, ledgerStream, readHead } from './stream-head.js';

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
  /** The newest, as many as the limit. */
  newest(scope: TenantScope, limit: number): Promise<readonly SignedAnchor[]>;
  /** The head, if it has no anchor and no anchor was made since `before`; undefined if none is due. */
  due(scope: TenantScope, before: Instant): Promise<HeadAnchor['head'] | undefined>;
}

export function anchorStore(store: Store): AnchorStore {
  return {
    add: (scope, { head, madeAt, jws, key }) =>
      store.inTenant(scope, async (client) => {
        const id = randomUUID();
        await client.query(
          `insert into journal_anchor (id, organization_id, stream, ${headColumns}, made_at, jws, key)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [
            id,
            client.organizationId,
            ledgerStream,
            ...headValues(head),
            isoOf(madeAt),
            jws,
            JSON.stringify(key),
          ],
        );
        return { id, head, madeAt, jws, key };
      }),
    newest: (scope, limit) =>
      store.inTenantModels(scope, async ({ journal_anchor }) => {
        const rows = await journal_anchor.findMany({
          where: { organization_id: scope.organizationId },
          orderBy: newestFirst,
          take: limit,
        });
        return rows.map((row) => anchorOf(scope.organizationId, row));
      }),
    due: (scope, before) =>
      store.inTenant(scope, async (client) => {
        const head = await readHead(client);
        if (head.number === 0n) return undefined;
        const last = await client.models.journal_anchor.findFirst({
          where: { organization_id: client.organizationId },
          orderBy: newestFirst,
        });
        const isDue = last === null || (last.number < head.number && last.made_at.getTime() < before);
        return isDue ? head : undefined;
      }),
  };
}

const newestFirst = [{ made_at: 'desc' as const }, { id: 'desc' as const }];

const readAnchor = rowReader<Omit<SignedAnchor, 'head'>>()('id, made_at, jws, key');

function anchorOf(organizationId: string, row: journal_anchorModel): SignedAnchor {
  return { ...readAnchor(row), head: headOf(hashedStream(organizationId), row) };
}
