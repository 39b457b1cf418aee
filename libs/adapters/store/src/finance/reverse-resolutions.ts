import {
  amountsOf,
  disputeAmounts,
  entryOf,
  movedPostings,
  type AccountAmounts,
  type DisputeOutcome,
  type LedgerEntry,
} from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { type Row } from '../core/row-mapper.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { disputeModel } from '../generated/models.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { breakRow, dayOf, freeHold } from './break-verdict.js';

interface Voided {
  readonly invoiceId: string;
  readonly period: string;
  readonly by: string;
}

/**
 * Takes back what was decided about a document that is voided: the postings of its differences and cases, and what they
 * hold. The differences are gone until a run finds them again; open cases end as withdrawn. Returns the entries.
 */
export async function reverseResolutions(
  client: TenantSession,
  voided: Voided,
  at: Instant,
): Promise<readonly LedgerEntry[]> {
  const { organizationId } = client;
  const { invoiceId, period, by } = voided;
  const { rows } = await client.query<Row>(
    `select distinct on (fingerprint) * from reconciliation_break
     where organization_id = $1 and period = $2 and state in ('resolved', 'disputed') and $3 = any(evidence)
     order by fingerprint, round desc`,
    [organizationId, period, invoiceId],
  );
  const day = await dayOf(client, period);
  const reversalOf = (
    row: { readonly id: string; readonly seller: string; readonly currency: string },
    before: AccountAmounts,
    about: string,
  ): readonly LedgerEntry[] => {
    const postings = movedPostings(before, new Map(), { currency: row.currency, day });
    if (postings.length === 0) return [];
    const facts = { [about]: row.id, voided_invoice_id: invoiceId, step: 'reversed', by };
    const base = { operationId: row.id, seller: row.seller, occurredAt: at };
    return [entryOf({ ...base, id: timeOrderedId(at), kind: 'adjustment', postings, facts })];
  };
  const entries: LedgerEntry[] = [];
  for (const row of rows.map(breakRow)) {
    entries.push(...reversalOf(row, amountsOf(row.resolution, row), 'break_id'));
    await freeHold(client, row.fingerprint);
    await client.models.reconciliation_break.updateMany({
      where: { organization_id: organizationId, period, fingerprint: row.fingerprint },
      data: { state: 'gone', seen_at: new Date(at) },
    });
  }
  const { rows: cases } = await client.query<CaseRow>(
    `update dispute d set state = 'closed', outcome = 'withdrawn', closing_note = 'The invoice was voided.', closed_by = $3,
       closed_at = $4, credited_micros = null, credit_id = null
     from (select id, outcome as was, credited_micros::text as credited from dispute
           where organization_id = $1 and invoice_id = $2 for update) o
     where d.organization_id = $1 and d.id = o.id and o.was is distinct from 'withdrawn'
     returning d.id, d.seller, d.currency, d.hold_key, d.break_id, d.amount_micros::text as amount, o.was, o.credited`,
    [organizationId, invoiceId, by, new Date(at)],
  );
  for (const row of cases) {
    await freeHold(client, row.hold_key);
    // What a case about a difference has posted stands in the resolution of the difference.
    if (row.break_id === null) entries.push(...reversalOf(row, leftBy(row), 'dispute_id'));
  }
  return entries;
}

type CaseRow = Pick<disputeModel, 'id' | 'seller' | 'currency' | 'hold_key' | 'break_id'> & {
  readonly amount: string;
  readonly was: DisputeOutcome | null;
  readonly credited: string | null;
};

const leftBy = ({ amount, was, credited }: CaseRow): AccountAmounts =>
  disputeAmounts({
    amountMicros: BigInt(amount),
    ...(was !== null && { outcome: was }),
    ...(credited !== null && { creditedMicros: BigInt(credited) }),
  });
