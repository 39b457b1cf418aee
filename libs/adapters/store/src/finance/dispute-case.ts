import { randomUUID } from 'node:crypto';
import { shiftDay } from '@switchyard/ledger';
import { isoOf, isUuid, type Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/** The document that a case is about. */
export interface DisputedInvoice {
  readonly id: string;
  readonly connection_id: string;
  readonly seller: string;
  readonly period: string;
  readonly currency: string;
  readonly total: string;
  readonly open: string;
}

interface NewDispute {
  readonly invoice: DisputedInvoice;
  readonly amountMicros: bigint;
  /** The difference that it is about. */
  readonly breakId?: string;
  /** Under which its amount is held. */
  readonly holdKey?: string;
  readonly lines?: readonly number[];
  readonly reason: string;
  /** `YYYY-MM-DD`. */
  readonly dueOn?: string;
  readonly by: string;
  /** The entry that has moved the amount. */
  readonly entryId: string;
}

/** Days that a seller has to answer. */
const usualAnswerDays = 30;

/** Free-standing cases hold their amount under this key. */
export const holdKeyOf = (disputeId: string): string => `dispute:${disputeId}`;

/** Stores a case under the next number of the organization. The caller holds the lock of the ledger. Returns its id. */
export async function insertDispute(client: TenantClient, made: NewDispute, at: Instant): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into dispute (organization_id, id, number, connection_id, seller, invoice_id, period, break_id, hold_key,
       currency, amount_micros, lines, reason, due_on, state, opened_by, opened_at, entry_id)
     values ($1, $2, (select coalesce(max(number), 0) + 1 from dispute where organization_id = $1), $3, $4, $5, $6, $7, $8,
       $9, $10, $11, $12, $13, 'open', $14, $15, $16)`,
    [
      client.organizationId,
      id,
      made.invoice.connection_id,
      made.invoice.seller,
      made.invoice.id,
      made.invoice.period,
      made.breakId ?? null,
      made.holdKey ?? holdKeyOf(id),
      made.invoice.currency,
      made.amountMicros.toString(),
      made.lines ?? [],
      storableText(made.reason),
      made.dueOn ?? shiftDay(isoOf(at).slice(0, 10), usualAnswerDays),
      made.by,
      new Date(at),
      made.entryId,
    ],
  );
  return id;
}

/** The largest of some documents that are not voided. */
export async function largestOf(
  client: TenantClient,
  ids: readonly string[],
): Promise<DisputedInvoice | undefined> {
  const { rows } = await client.query<DisputedInvoice>(
    `select id, connection_id, seller, period, currency, total_micros::text as total,
       (total_micros - paid_micros)::text as open
     from invoice where organization_id = $1 and id = any($2::uuid[]) and voided_at is null
     order by total_micros desc, id limit 1 for update`,
    [client.organizationId, ids.filter((id) => isUuid(id))],
  );
  return rows[0];
}
