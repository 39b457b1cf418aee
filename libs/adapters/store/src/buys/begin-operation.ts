import type {
  Begun,
  BuyGuard,
  Crowded,
  InsertBudget,
  Operation,
  OperationDraft,
  Belonging,
} from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import { claimCreatives } from '../creatives/lock-creatives.js';
import { storeCreatives } from '../creatives/store-creatives.js';
import type { TenantClient } from '../core/tenant-client.js';
import { assignmentRows } from '../campaigns/assign-buy.js';
import { insertRegistrations } from '../outbox/registration-row.js';
import { approvalMsByDefault, commitSpend } from '../spending/commit-spend.js';
import { insertPackages, joinPackages } from './insert-packages.js';
import { columnValue, insertRows } from './insert-rows.js';
import {
  belongingOf,
  legColumns,
  mediaBuyColumns,
  operationColumns,
  operationOf,
  sellerBuyColumns,
} from './rows.js';
import { rowWriter, type Row } from '../core/row-mapper.js';

/**
 * Stores an operation with all its rows, or returns the one that holds its key. The insert of the operation decides: a
 * concurrent copy waits on the unique index until the first has committed, and then finds it.
 *
 * @throws NotWithinLimits if a spending limit refuses it; the transaction must be rolled back
 * @throws CreativeTaken if another principal of the organization stored one of its creatives first; likewise
 */
export async function beginOperation(
  client: TenantClient,
  draft: OperationDraft,
  approvalMs: number = approvalMsByDefault,
): Promise<Begun> {
  const { operation, guard, budget } = draft;
  const guarded = guard === undefined ? {} : await guardBuy(client, operation, guard);
  if ('kind' in guarded) return guarded;
  const crowded = budget === undefined ? undefined : await crowding(client, operation.createdAt, budget);
  if (crowded !== undefined) {
    // A copy of a stored request gets its result, however full the window is.
    const known = operation.idempotencyKey === undefined ? undefined : await holderOf(client, operation);
    return known === undefined ? crowded : { kind: 'exists', operation: known };
  }
  const taken = await claimCreatives(client, draft.creatives?.placements ?? []);
  if (taken !== undefined) {
    const known = operation.idempotencyKey === undefined ? undefined : await holderOf(client, operation);
    return known === undefined ? { kind: 'taken', ...taken } : { kind: 'exists', operation: known };
  }
  if (!(await insertOperation(client, { ...operation, ...guarded }, budget))) {
    const known = await holderOf(client, operation);
    if (known === undefined) throw new Error('An operation with this key exists, and cannot be read.');
    return { kind: 'exists', operation: known };
  }
  await insertDeps(client, draft);
  if (draft.creatives !== undefined) {
    const [other] = await storeCreatives(client, operation, draft.creatives);
    if (other !== undefined) throw new CreativeTaken({ kind: 'taken', creativeId: other });
  }
  await insertRegistrations(client, draft.callbacks ?? []);
  const approvalId = await commitSpend(client, draft, approvalMs);
  return { kind: 'stored', ...(approvalId === undefined ? {} : { approvalId }) };
}

/** Rolls everything back: the request is planned again, and then sees the owner of the creative. */
export class CreativeTaken extends Error {
  constructor(readonly reason: Extract<Begun, { readonly kind: 'taken' }>) {
    super('A creative is somebody else’s.');
  }
}

/** False if an earlier operation holds its key: then nothing was stored. */
export async function insertOperation(
  client: TenantClient,
  operation: Operation,
  budget?: InsertBudget,
): Promise<boolean> {
  const columns: Readonly<Record<string, unknown>> = {
    ...operationColumns(operation),
    insert_scope: budget?.scope,
  };
  const names = Object.keys(columns);
  const values = names.map((name) => columnValue(columns[name]));
  const places = names.map((_, index) => `$${index + 1}`).join(', ');
  const inserted = await client.query(
    `INSERT INTO operation (${names.join(', ')}) VALUES (${places})
     ON CONFLICT (organization_id, principal_id, idempotency_key) DO NOTHING RETURNING id`,
    values,
  );
  return inserted.rowCount > 0;
}

/** Legs, buys, packages and addresses. Sent together, in this order: each references only rows before it. */
export async function insertDeps(client: TenantClient, draft: OperationDraft): Promise<void> {
  const { operation, buy } = draft;
  const at = operation.createdAt;
  const { organizationId } = operation;
  await Promise.all([
    insertRows(
      client,
      'leg',
      draft.legs.map((leg) => legColumns(leg)),
    ),
    insertRows(client, 'media_buy', buy === undefined ? [] : [mediaBuyColumns(buy)]),
    insertRows(client, 'buy_assignment', assignmentRows(organizationId, draft.assignment)),
    insertRows(
      client,
      'seller_buy',
      draft.sellerBuys.map((sellerBuy) => sellerBuyColumns(organizationId, sellerBuy, at)),
    ),
    buy === undefined ? joinPackages(client, draft.packages) : insertPackages(client, draft.packages),
    insertAddresses(client, operation, draft.registrations, at),
  ]);
}

const addressRow = rowWriter<OperationDraft['registrations'][number]>()(
  'id, connection_id, leg_id, kind, mode, credential_id, token_hash, seller_operation_id',
);

/** Our webhook addresses that the legs of an operation send to sellers. */
export function insertAddresses(
  client: TenantClient,
  { id, organizationId }: Pick<Operation, 'id' | 'organizationId'>,
  registrations: OperationDraft['registrations'],
  at: Instant,
): Promise<void> {
  return insertRows(
    client,
    'webhook_registration',
    registrations.map((registration) => ({
      ...addressRow(registration),
      organization_id: organizationId,
      operation_id: id,
      created_at: new Date(at),
    })),
  );
}

async function holderOf(client: TenantClient, operation: Operation): Promise<Operation | undefined> {
  const text = 'SELECT * FROM operation WHERE principal_id = $1 AND idempotency_key = $2';
  const { rows } = await client.query<Row>(text, [
    operation.principalId,
    storableText(operation.idempotencyKey ?? ''),
  ]);
  return rows[0] === undefined ? undefined : operationOf(rows[0]);
}

/**
 * Checks a buy under its lock before a change of it is stored. A copy of the request is searched first: it waited on
 * the lock, and gets the result of the first copy. Returns whose the buy is now: it may have been moved since it was
 * read.
 */
async function guardBuy(
  client: TenantClient,
  operation: Operation,
  guard: BuyGuard,
): Promise<Begun | Belonging> {
  const locked = await client.query<Row>(
    'SELECT revision, brand_domain, client_id, campaign_id FROM media_buy WHERE id = $1 FOR UPDATE',
    [guard.mediaBuyId],
  );
  const known = operation.idempotencyKey === undefined ? undefined : await holderOf(client, operation);
  if (known !== undefined) return { kind: 'exists', operation: known };
  const revision = locked.rows[0]?.['revision'];
  if (guard.revision !== undefined && typeof revision === 'number' && revision !== guard.revision)
    return { kind: 'stale', revision };
  const { rows } = await client.query<{ seller: string }>(busyDeps, [[...guard.sellerBuyIds]]);
  if (rows[0] !== undefined) return { kind: 'busy', seller: rows[0].seller };
  return locked.rows[0] === undefined ? {} : belongingOf(locked.rows[0]);
}

/**
 * Returns the full window, if there is one. Requests of one scope take turns until each has committed, so that each
 * sees all earlier ones. Both statements are sent together; the second sees what was committed while the first waited.
 */
async function crowding(
  client: TenantClient,
  at: number,
  { scope, ceilings }: InsertBudget,
): Promise<Crowded | undefined> {
  const [, { rows }] = await Promise.all([
    client.query('SELECT pg_advisory_xact_lock(7272, hashtext($1))', [`${client.organizationId} ${scope}`]),
    client.query<{ at: number; until: Date }>(fullWindows, [
      scope,
      new Date(at),
      ceilings.map(({ windowMs }) => windowMs),
      ceilings.map(({ most }) => most),
    ]),
  ]);
  const [full] = rows;
  const ceiling = full === undefined ? undefined : ceilings[full.at - 1];
  if (full === undefined || ceiling === undefined) return undefined;
  return { kind: 'crowded', until: full.until.getTime(), ceiling };
}

/** Finds the request in the last place of each window. If it is inside the window, the window is full. */
const fullWindows = `
  SELECT c.at::int, o.created_at + c.width AS until
  FROM (
    SELECT at, window_ms * interval '1 millisecond' AS width, most
    FROM unnest($3::int[], $4::int[]) WITH ORDINALITY AS given (window_ms, most, at)
  ) AS c
  CROSS JOIN LATERAL (
    SELECT created_at FROM operation
    WHERE insert_scope = $1 AND created_at > $2::timestamptz - c.width
    ORDER BY created_at DESC OFFSET c.most - 1 LIMIT 1
  ) AS o
  ORDER BY until DESC LIMIT 1`;

/** A change of one of these parts that is in progress. */
export const busyDeps = `
  SELECT seller FROM leg WHERE seller_buy_id = ANY($1::uuid[]) AND status IN ('pending', 'sent') ORDER BY seller LIMIT 1`;
