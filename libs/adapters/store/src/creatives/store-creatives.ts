import { randomUUID } from 'node:crypto';
import type { CreativeDraft, Operation } from '@switchyard/buys';
import { bareFormatKey, formatKey } from '@switchyard/protocol';
import { nextRightsEnd } from '@switchyard/sellers';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { ownReach } from '@switchyard/tenancy';
import { creativeAccess } from './library-query.js';
import { rollUpStatus } from './store-effects.js';
import { lockCreatives } from './lock-creatives.js';

/**
 * Stores a request's creatives in the library, and their placements in progress, together with the operation. Returns
 * the ids of creatives with another owner: they are not changed.
 */
export async function storeCreatives(
  client: TenantClient,
  operation: Operation,
  draft: CreativeDraft,
): Promise<readonly string[]> {
  const access = creativeAccess(draft.reach ?? ownReach(operation.principalId), 16);
  const statement = `${upsert}
    where (select ${access.write} from (select kept.first_operation_id, kept.operation_id) c)`;
  const others: string[] = [];
  const at = new Date(operation.createdAt);
  const placed = draft.placements.map(({ creativeId }) => creativeId);
  const touched = [
    ...draft.creatives.map(({ creative }) => creative.creativeId),
    ...draft.archived,
    ...placed,
  ];
  await lockCreatives(client, touched);
  // New ones are sorted too, so that two requests cannot deadlock.
  const creatives = [...draft.creatives].sort((a, b) =>
    a.creative.creativeId < b.creative.creativeId ? -1 : 1,
  );
  for (const { creative, bodyHash } of creatives) {
    const format = creative.format ?? {};
    const ends = nextRightsEnd(creative.original.value);
    const { rowCount } = await client.query(statement, [
      randomUUID(),
      client.organizationId,
      storableText(creative.creativeId),
      operation.principalId,
      operation.id,
      storableText(creative.name ?? creative.creativeId),
      storableText(formatKey(format)),
      storableText(bareFormatKey(format)),
      storableText(typeof format['id'] === 'string' ? format['id'] : (creative.formatKind ?? '')),
      creative.original.form,
      storableJson(creative.original.value),
      bodyHash,
      creative.tags.map(storableText),
      at,
      ends === undefined ? null : new Date(ends),
      ...access.values,
    ]);
    if (rowCount === 0) others.push(creative.creativeId);
  }
  for (const { creativeId, connectionId, seller, legId, sellerCreativeId } of draft.placements)
    await client.query(place, [
      randomUUID(),
      client.organizationId,
      storableText(creativeId),
      connectionId,
      seller,
      legId,
      operation.id,
      at,
      sellerCreativeId === undefined ? null : storableText(sellerCreativeId),
    ]);
  if (draft.archived.length > 0)
    await client.query(
      `update creative set archived_at = $2, updated_at = $2 where creative_id = any($1) and archived_at is null`,
      [draft.archived.map(storableText), at],
    );
  await rollUpStatus(client, touched, operation.createdAt);
  return others;
}

/**
 * The same creative again is no change, unless it was archived: a sync restores it (docs/protocol/creatives.md#sync).
 */
const upsert = `
  insert into creative as kept
    (id, organization_id, creative_id, principal_id, operation_id, first_operation_id, name, format_key,
     format_bare_key, format_name, form, body, body_hash, tags, status, created_at, updated_at,
     rights_end_at)
  values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'processing', $14, $14, $15)
  on conflict (organization_id, creative_id) do update
  set principal_id = excluded.principal_id, operation_id = excluded.operation_id,
      first_operation_id = coalesce(kept.first_operation_id, kept.operation_id), name = excluded.name,
      format_key = excluded.format_key, format_bare_key = excluded.format_bare_key,
      format_name = excluded.format_name, form = excluded.form, body = excluded.body,
      body_hash = excluded.body_hash, rights_end_at = excluded.rights_end_at, tags = excluded.tags, archived_at = null,
      updated_at = case when kept.body_hash = excluded.body_hash and kept.archived_at is null
                        then kept.updated_at else excluded.updated_at end`;

/**
 * What a seller already holds keeps its state until the seller has answered again. A refused or archived creative is
 * pending again: until that is answered, no other tenant of the account may take its id. If its id at the seller was
 * taken meanwhile, it gets another one from then on.
 */
const place = `
  insert into creative_placement as kept
    (id, organization_id, creative_id, connection_id, seller, leg_id, operation_id, status, created_at, updated_at,
     seller_creative_id)
  values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8, $9)
  on conflict (organization_id, creative_id, connection_id) do update
  set leg_id = excluded.leg_id, operation_id = excluded.operation_id, updated_at = excluded.updated_at,
      seller_creative_id = case when kept.status in ('failed', 'archived') then excluded.seller_creative_id
                                else kept.seller_creative_id end,
      status = case when kept.synced_at is null or kept.status = 'archived' then 'pending' else kept.status end,
      synced_at = case when kept.status = 'archived' then null else kept.synced_at end`;
