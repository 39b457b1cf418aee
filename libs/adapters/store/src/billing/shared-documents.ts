import { randomUUID } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant, type JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue, storableText } from '../core/storable.js';

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
      store.inTenantModels(scope, async ({ shared_document }) => {
        const id = randomUUID();
        await shared_document.create({
          data: {
            organization_id: scope.organizationId,
            id,
            token_hash: sharing.tokenHash,
            title: storableText(sharing.title),
            document: storableValue(sharing.document),
            page: storableValue(sharing.page),
            digest: sharing.digest,
            jws: sharing.jws,
            key: storableValue(sharing.key),
            made_by: sharing.by,
            made_at: new Date(at),
            expires_at: new Date(sharing.expiresAt),
          },
        });
        return id;
      }),
    /** The newest 500. */
    list: (scope: TenantScope): Promise<readonly SharedLink[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query(
          `select s.id, s.title, s.digest, p.name as made_by, s.made_at, s.expires_at, s.revoked_at, s.opens, s.opened_at
           from shared_document s left join principal p on p.id = s.made_by
           where s.organization_id = $1 order by s.made_at desc, s.id desc limit 500`,
          [client.organizationId],
        );
        return rows.map(linkOf);
      }),
    /** False if there is no such link, or it was revoked. */
    revoke: (scope: TenantScope, id: string, at: Instant): Promise<boolean> =>
      store.inTenantModels(scope, async ({ shared_document }) => {
        if (!isUuid(id)) return false;
        const where = { organization_id: scope.organizationId, id, revoked_at: null };
        return (await shared_document.updateMany({ where, data: { revoked_at: new Date(at) } })).count > 0;
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

const linkOf = rowReader<SharedLink>()(
  'id, title, digest, made_by, made_at, expires_at, revoked_at, opens, opened_at',
);

export type SharedDocuments = ReturnType<typeof sharedDocuments>;
