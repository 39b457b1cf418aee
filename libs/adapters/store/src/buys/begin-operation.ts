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
import { noteThings } from '../governance/governed-things.js';
import type { Statement, TenantClient } from '../core/tenant-client.js';
import { assignmentRows } from '../campaigns/assign-buy.js';
import { insertRegistrations } from '../outbox/registration-row.js';
import { approvalMsByDefault, commitSpend } from '../spending/commit-spend.js';
import { joinPackages, targetingsOf } from './insert-packages.js';
import { allOf, insertOf } from './insert-rows.js';
import {
  belongingOf,
  legColumns,
  mediaBuyColumns,
  operationColumns,
  operationOf,
  packageColumns,
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
  const placed = { ...draft, operation: { ...operation, ...guarded } };
  if (!(await insertNew(client, placed, budget))) {
    const known = await holderOf(client, operation);
    if (known === undefined) throw new Error('An operation with this key exists, and cannot be read.');
    return { kind: 'exists', operation: known };
  }
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

/**
 * Stores an operation with its legs, buy, packages and addresses in one statement. False if an earlier operation holds its
 * key: then nothing was stored.
 */
async function insertNew(
  client: TenantClient,
  draft: OperationDraft,
  budget: InsertBudget | undefined,
): Promise<boolean> {
  const inserted = await client.query(newRows(draft, budget));
  if (inserted.rowCount === 0) return false;
  await besideNew(client, draft);
  return true;
}

/** A statement whose row decides whether an operation is stored: `may` is a condition over its columns. */
interface Gate extends Required<Statement> {
  readonly may: string;
}

/**
 * The statement that stores a new operation with its legs, buy, packages and addresses. It answers with the id of the operation,
 * or with no row if an earlier one holds its key. With a gate it answers with the gate's row, and in `stored` whether the
 * operation was stored.
 */
export function newRows(draft: OperationDraft, budget?: InsertBudget, gate?: Gate): Statement {
  const { operation, buy } = draft;
  const { organizationId, createdAt: at } = operation;
  const values: unknown[] = [...(gate?.values ?? [])];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const first = insertOf(
    'operation',
    [{ ...operationColumns(operation), insert_scope: budget?.scope }],
    gate === undefined ? '' : `(SELECT FROM w0 WHERE ${gate.may}) gate, `,
    place,
  );
  const tables: readonly (readonly [table: string, rows: readonly Row[]])[] = [
    ['leg', draft.legs.map((leg) => legColumns(leg))],
    ['media_buy', buy === undefined ? [] : [mediaBuyColumns(buy)]],
    ['buy_assignment', assignmentRows(organizationId, draft.assignment)],
    ['seller_buy', draft.sellerBuys.map((sellerBuy) => sellerBuyColumns(organizationId, sellerBuy, at))],
    [
      'buy_package',
      buy === undefined ? [] : draft.packages.map((item) => packageColumns(organizationId, item)),
    ],
    ['webhook_registration', addressRows(operation, draft.registrations, at)],
  ];
  const filled = tables.filter(([, rows]) => rows.length > 0);
  const stored = gate === undefined ? 'w0' : 'w1';
  return {
    // The text depends on which tables get rows, and not on how many.
    name: `${gate?.name ?? 'new_operation'}_${tables.map(([, rows]) => (rows.length > 0 ? 1 : 0)).join('')}`,
    text: allOf([
      ...(gate === undefined ? [] : [gate.text]),
      `${first} ON CONFLICT (organization_id, principal_id, idempotency_key) DO NOTHING RETURNING id`,
      ...filled.map(([table, rows]) => insertOf(table, rows, `${stored}, `, place)),
      gate === undefined ? 'TABLE w0' : 'SELECT w0.*, EXISTS (TABLE w1) AS stored FROM w0',
    ]),
    values,
  };
}

/** What is stored beside a new operation once its rows are there. */
export async function besideNew(client: TenantClient, { buy, packages }: OperationDraft): Promise<void> {
  if (buy === undefined) await joinPackages(client, packages);
  else await noteThings(client, targetingsOf(packages));
}

const addressRow = rowWriter<OperationDraft['registrations'][number]>()(
  'id, connection_id, leg_id, kind, mode, credential_id, token_hash, seller_operation_id',
);

/** The rows of our webhook addresses that the legs of an operation send to sellers. */
export function addressRows(
  { id, organizationId }: Pick<Operation, 'id' | 'organizationId'>,
  registrations: OperationDraft['registrations'],
  at: Instant,
): readonly Row[] {
  return registrations.map((registration) => ({
    ...addressRow(registration),
    organization_id: organizationId,
    operation_id: id,
    created_at: new Date(at),
  }));
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
