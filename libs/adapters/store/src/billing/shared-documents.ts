import { randomUUID } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant, type JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';

/** A document that whoever has its link may read, until it expires or is revoked. */
export interface SharedDocument {
  readonly title: string;
  /** The text that was signed, and the model of its page. */
  readonly document: JsonObject;
  readonly page: object;
  /** SHA-256 of the canonical text of the document, hexadecimal. */
  readonly digest: string;
  /** Compact JWS (RFC 7515) whose payload is that text, and the public key that it verifies with. */
  readonly jws: string;
  readonly key: JsonObject;
}

interface Sharing extends SharedDocument {
  /** SHA-256 of the token in the link, hexadecimal: the token itself is kept nowhere. */
  readonly tokenHash: string;
  readonly expiresAt: Instant;
  /** UUID of the principal. */
  readonly by: string;
}

/** A link that was made. */
export interface SharedLink {
  readonly id: string;
  readonly title: string;
  readonly digest: string;
  readonly madeBy?: string;
  readonly madeAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt?: Instant;
  readonly opens: number;
  readonly openedAt?: Instant;
}

/** Documents behind links. */
export function sharedDocuments(store: Store) {
  return {
    share: (scope: TenantScope, sharing: Sharing, at: Instant): Promise<string> =>
      store.inTenant(scope, async (client) => {
        const id = randomUUID();
        await client.query(
          `insert into shared_document (organization_id, id, token_hash, title, document, page, digest, jws, key, made_by,
             made_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
          [
            client.organizationId,
            id,
            sharing.tokenHash,
            storableText(sharing.title),
            storableJson(sharing.document),
            storableJson(sharing.page),
            sharing.digest,
            sharing.jws,
            storableJson(sharing.key),
            sharing.by,
            new Date(at),
            new Date(sharing.expiresAt),
          ],
        );
        return id;
      }),
    /** The newest 500. */
    list: (scope: TenantScope): Promise<readonly SharedLink[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{
          id: string;
          title: string;
          digest: string;
          made_by: string | null;
          made_at: Date;
          expires_at: Date;
          revoked_at: Date | null;
          opens: number;
          opened_at: Date | null;
        }>(
          `select s.id, s.title, s.digest, p.name as made_by, s.made_at, s.expires_at, s.revoked_at, s.opens, s.opened_at
           from shared_document s left join principal p on p.id = s.made_by
           where s.organization_id = $1 order by s.made_at desc, s.id desc limit 500`,
          [client.organizationId],
        );
        return rows.map(({ made_by: madeBy, made_at: madeAt, expires_at: expiresAt, ...row }) => ({
          ...{ id: row.id, title: row.title, digest: row.digest, opens: row.opens },
          ...{ madeAt: madeAt.getTime(), expiresAt: expiresAt.getTime() },
          ...(madeBy !== null && { madeBy }),
          ...(row.revoked_at !== null && { revokedAt: row.revoked_at.getTime() }),
          ...(row.opened_at !== null && { openedAt: row.opened_at.getTime() }),
        }));
      }),
    /** False if there is no such link, or it was revoked. */
    revoke: (scope: TenantScope, id: string, at: Instant): Promise<boolean> =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(id)) return false;
        const { rowCount } = await client.query(
          `update shared_document set revoked_at = $3 where organization_id = $1 and id = $2 and revoked_at is null`,
          [client.organizationId, id, new Date(at)],
        );
        return rowCount > 0;
      }),
    /** The document behind a token, and counts that it was opened; undefined once it has expired or is revoked. */
    open: (scope: TenantScope, tokenHash: string, at: Instant): Promise<SharedDocument | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<SharedDocument>(
          `update shared_document set opens = opens + 1, opened_at = $3
           where organization_id = $1 and token_hash = $2 and revoked_at is null and expires_at > $3
           returning title, document, page, digest, jws, key`,
          [client.organizationId, tokenHash, new Date(at)],
        );
        return rows[0];
      }),
  };
}

export type SharedDocuments = ReturnType<typeof sharedDocuments>;
