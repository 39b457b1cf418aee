import { randomUUID } from 'node:crypto';
import type { ImpairmentBook, SellerBuy } from '@switchyard/buys';
import { shownImpairment } from '@switchyard/events';
import { createEntry, type LedgerEntry, type LedgerStore } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableJson } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { tellImpairments } from '../outbox/tell-impairments.js';

/** One impairment as a webhook told it. `isResolved`: its closing fire. */
export interface ToldImpairment {
  readonly sellerBuy: SellerBuy;
  readonly impairmentId: string;
  readonly detail: JsonObject;
  readonly isResolved: boolean;
  readonly eventId: string;
}

export interface Impairments extends ImpairmentBook {
  /** Takes in what a webhook told; the snapshot that is read next has the last word. True where it was news. */
  told(scope: TenantScope, told: ToldImpairment, at: Instant): Promise<boolean>;
}

interface ImpairmentRow {
  readonly id: string;
  readonly impairment_id: string;
  readonly media_buy_id: string;
  readonly seller: string;
  readonly detail: JsonObject;
  readonly resolved_at: Date | null;
}

interface Change {
  readonly impairmentId: string;
  readonly detail: JsonObject;
  readonly isResolved: boolean;
  readonly source: 'webhook' | 'snapshot';
  readonly eventId: string | null;
}

/**
 * Impairments, the ledger's entries about them and what buyers are told of them, which change together: each change is
 * an entry without postings for each package that it is about (ruling 30).
 */
export function impairments(store: Store, ledger: Pick<LedgerStore<TenantClient>, 'append'>): Impairments {
  const apply = async (
    client: TenantClient,
    sellerBuy: SellerBuy,
    changes: readonly Change[],
    at: Instant,
  ): Promise<void> => {
    const operationId = await operationOf(client, sellerBuy.mediaBuyId);
    if (operationId === undefined || changes.length === 0) return;
    const kept = new Set<string>();
    for (const change of changes) kept.add(await keep(client, sellerBuy, change, at));
    await tellImpairments(client, sellerBuy.mediaBuyId, kept, at);
    const entries = changes.flatMap((change) => entriesOf(sellerBuy, change, operationId, at));
    await ledger.append(client, entries, at);
  };
  return {
    told: (scope, { sellerBuy, ...told }, at) =>
      store.inTenant(scope, async (client) => {
        const known = await knownOf(client, sellerBuy.id);
        const before = known.find((row) => row.impairment_id === told.impairmentId);
        if (!isNews(before, told.detail, told.isResolved)) return false;
        await apply(client, sellerBuy, [{ ...told, source: 'webhook' }], at);
        return true;
      }),
    saw: (scope, sellerBuy, listed, at) =>
      store.inTenant(scope, async (client) => {
        const known = await knownOf(client, sellerBuy.id);
        const named = listed.filter((one) => idOf(one) !== undefined);
        const news = named
          .filter((one) => !isListed(known, one))
          .map((detail): Change => {
            return {
              impairmentId: idOf(detail) ?? '',
              detail,
              isResolved: false,
              source: 'snapshot',
              eventId: null,
            };
          });
        const gone = known
          .filter((row) => row.resolved_at === null && !named.some((one) => idOf(one) === row.impairment_id))
          .map((row): Change => {
            const { impairment_id: impairmentId, detail } = row;
            return { impairmentId, detail, isResolved: true, source: 'snapshot', eventId: null };
          });
        await apply(client, sellerBuy, [...news, ...gone], at);
      }),
    of: (scope, mediaBuyIds) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ImpairmentRow>(
          `select * from impairment where media_buy_id = any($1) and resolved_at is null order by observed_at, id`,
          [mediaBuyIds],
        );
        const byBuy = new Map<string, JsonObject[]>();
        for (const row of rows)
          byBuy.set(row.media_buy_id, [...(byBuy.get(row.media_buy_id) ?? []), shownImpairment(row)]);
        return byBuy;
      }),
  };
}

/** Locked by the seller's buy, so that a webhook and a snapshot of one buy come one after the other. */
async function knownOf(client: TenantClient, sellerBuyId: string): Promise<readonly ImpairmentRow[]> {
  await client.query('select 1 from seller_buy where id = $1 for update', [sellerBuyId]);
  const { rows } = await client.query<ImpairmentRow>('select * from impairment where seller_buy_id = $1', [
    sellerBuyId,
  ]);
  return rows;
}

function isNews(before: ImpairmentRow | undefined, detail: JsonObject, isResolved: boolean): boolean {
  if (before === undefined) return !isResolved;
  return (before.resolved_at !== null) !== isResolved || (!isResolved && !isSame(before.detail, detail));
}

function isListed(known: readonly ImpairmentRow[], detail: JsonObject): boolean {
  return known.some(
    (row) => row.impairment_id === idOf(detail) && row.resolved_at === null && isSame(row.detail, detail),
  );
}

/** What matters of an impairment: sellers add and drop words around it. */
function isSame(left: JsonObject, right: JsonObject): boolean {
  const core = (one: JsonObject): string =>
    JSON.stringify([one['resource_id'], one['reason_code'], packagesOf(one), toOf(one)]);
  return core(left) === core(right);
}

/** Answers the id that buyers know it by. What opens again after it was over is a new one to them, whatever its seller calls it. */
async function keep(
  client: TenantClient,
  sellerBuy: SellerBuy,
  { impairmentId, detail, isResolved, source, eventId }: Change,
  at: Instant,
): Promise<string> {
  const observed = Date.parse(textOf(detail['observed_at']) ?? '');
  const isUsable = observed > 0 && observed <= at;
  const { rows } = await client.query<{ id: string }>(
    `insert into impairment as kept
       (id, organization_id, connection_id, seller_buy_id, media_buy_id, seller, impairment_id, detail, observed_at,
        first_seen_at, resolved_at, source, event_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11 then $10::timestamptz end, $12, $13)
     on conflict (seller_buy_id, impairment_id) do update
     set id = case when kept.resolved_at is not null and not $11 then excluded.id else kept.id end,
         detail = excluded.detail, resolved_at = excluded.resolved_at, source = excluded.source,
         event_id = coalesce(excluded.event_id, kept.event_id)
     returning id`,
    [
      randomUUID(),
      client.organizationId,
      sellerBuy.connectionId,
      sellerBuy.id,
      sellerBuy.mediaBuyId,
      sellerBuy.seller,
      impairmentId,
      storableJson(detail),
      new Date(isUsable ? observed : at),
      new Date(at),
      isResolved,
      source,
      eventId,
    ],
  );
  return rows[0]?.id ?? '';
}

function entriesOf(
  sellerBuy: SellerBuy,
  { impairmentId, detail, isResolved, source, eventId }: Change,
  operationId: string,
  at: Instant,
): readonly LedgerEntry[] {
  const packages = packagesOf(detail);
  return (packages.length > 0 ? packages : ['']).map((packageRef) => {
    const facts = JSON.parse(
      storableJson({
        impairment_id: impairmentId,
        package_ref: packageRef,
        seller_buy_id: sellerBuy.id,
        is_resolved: isResolved,
        resource_type: textOf(detail['resource_type']) ?? null,
        resource_id: textOf(detail['resource_id']) ?? null,
        reason_code: textOf(detail['reason_code']) ?? null,
        to: toOf(detail) ?? null,
        observed_at: textOf(detail['observed_at']) ?? null,
        source,
        event_id: eventId,
      }),
    ) as JsonObject;
    const entry = createEntry({
      id: timeOrderedId(at),
      kind: 'impairment',
      operationId,
      mediaBuyId: sellerBuy.mediaBuyId,
      seller: sellerBuy.seller,
      occurredAt: at,
      postings: [],
      facts,
    });
    if (!entry.ok) throw new Error(`An impairment made an entry that cannot stand: ${entry.error.code}.`);
    return entry.value;
  });
}

async function operationOf(client: TenantClient, mediaBuyId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ operation_id: string }>(
    'select operation_id from media_buy where id = $1',
    [mediaBuyId],
  );
  return rows[0]?.operation_id;
}

function idOf(detail: JsonObject): string | undefined {
  const id = textOf(detail['impairment_id']);
  return id === undefined || id === '' || id.length > 255 || id.includes('\u0000') ? undefined : id;
}

function packagesOf(detail: JsonObject): readonly string[] {
  const ids = detail['package_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

function toOf(detail: JsonObject): string | undefined {
  const { transition } = detail;
  if (typeof transition !== 'object' || transition === null || Array.isArray(transition)) return undefined;
  return textOf(transition['to']);
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
