import { randomUUID } from 'node:crypto';
import type { ImpairmentRepository, SellerBuy } from '@switchyard/buys';
import {
  changeByWebhook,
  changesBySnapshot,
  impairedPackages,
  impairedTo,
  shownImpairment,
  type ImpairmentChange,
  type RecordedImpairment,
} from '@switchyard/events';
import {
  entryOf,
  messageFacts,
  type LedgerEntry,
  type LedgerStore,
  type MessageEvidence,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableJson } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { impairmentModel } from '../generated/models.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { notifyImpairments } from '../outbox/notify-impairments.js';

/** One impairment from a webhook. `isResolved`: the webhook closes it. */
interface NotifiedImpairment {
  readonly sellerBuy: SellerBuy;
  readonly impairmentId: string;
  readonly detail: JsonObject;
  readonly isResolved: boolean;
  readonly eventId: string;
  readonly message: MessageEvidence;
}

export interface Impairments extends ImpairmentRepository {
  /** Stores an impairment from a webhook; the next snapshot may overwrite it. True if it was a change. */
  recordNotified(scope: TenantScope, received: NotifiedImpairment, at: Instant): Promise<boolean>;
}

type ImpairmentRow = Pick<
  impairmentModel,
  'id' | 'impairment_id' | 'media_buy_id' | 'seller' | 'resolved_at' | 'changed_at'
> & { readonly detail: JsonObject };

interface Change extends ImpairmentChange {
  readonly eventId: string | null;
  readonly message?: MessageEvidence;
}

/**
 * Impairments, their ledger entries and the notifications of buyers, which change together: each change is an entry
 * without postings for each affected package (docs/protocol/media-buys.md#impairments).
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
    const stored = new Set<string>();
    for (const change of changes) stored.add(await keep(client, sellerBuy, change, at));
    await notifyImpairments(client, sellerBuy.mediaBuyId, stored, at);
    const entries = changes.flatMap((change) => entriesOf(sellerBuy, change, operationId, at));
    await ledger.append(client, entries, at);
  };
  return {
    recordNotified: (scope, { sellerBuy, eventId, message, ...rest }, at) =>
      store.inTenant(scope, async (client) => {
        const change = changeByWebhook(await knownOf(client, sellerBuy.id), rest);
        if (change === undefined) return false;
        await apply(client, sellerBuy, [{ ...change, eventId, message }], at);
        return true;
      }),
    recordSnapshot: (scope, sellerBuy, listed, at) =>
      store.inTenant(scope, async (client) => {
        const changes = changesBySnapshot(await knownOf(client, sellerBuy.id), listed, at);
        await apply(
          client,
          sellerBuy,
          changes.map((change) => ({ ...change, eventId: null })),
          at,
        );
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

/**
 * Locked by the id of the seller's buy, so that a webhook and a snapshot of one buy are applied in turn. It does not
 * lock the row: reports lock the ledger's head first and that row last, while here the head is locked after this.
 */
async function knownOf(client: TenantClient, sellerBuyId: string): Promise<readonly RecordedImpairment[]> {
  await client.query('select pg_advisory_xact_lock(7271, hashtext($1))', [sellerBuyId]);
  const { rows } = await client.query<ImpairmentRow>('select * from impairment where seller_buy_id = $1', [
    sellerBuyId,
  ]);
  return rows.map(({ impairment_id: impairmentId, detail, resolved_at: at, changed_at: changedAt }) => ({
    impairmentId,
    detail,
    isResolved: at !== null,
    changedAt: changedAt.getTime(),
  }));
}

/** Returns the id that buyers see. An impairment that opens again after its end gets a new one. */
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
        first_seen_at, resolved_at, source, event_id, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11 then $10::timestamptz end, $12, $13, $10)
     on conflict (seller_buy_id, impairment_id) do update
     set id = case when kept.resolved_at is not null and not $11 then excluded.id else kept.id end,
         detail = excluded.detail, resolved_at = excluded.resolved_at, source = excluded.source,
         changed_at = excluded.changed_at,
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
  { impairmentId, detail, isResolved, source, eventId, message }: Change,
  operationId: string,
  at: Instant,
): readonly LedgerEntry[] {
  const packages = impairedPackages(detail);
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
        to: impairedTo(detail) ?? null,
        observed_at: textOf(detail['observed_at']) ?? null,
        source,
        event_id: eventId,
        ...(message !== undefined && { message: messageFacts(message) }),
      }),
    ) as JsonObject;
    return entryOf({
      id: timeOrderedId(at),
      kind: 'impairment',
      operationId,
      mediaBuyId: sellerBuy.mediaBuyId,
      seller: sellerBuy.seller,
      occurredAt: at,
      postings: [],
      facts,
    });
  });
}

async function operationOf(client: TenantClient, mediaBuyId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ operation_id: string }>(
    'select operation_id from media_buy where id = $1',
    [mediaBuyId],
  );
  return rows[0]?.operation_id;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
