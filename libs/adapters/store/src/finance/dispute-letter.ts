import type { DisputeLetter } from '@switchyard/ledger';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type {
  disputeModel,
  invoiceModel,
  invoice_lineModel,
  reconciliation_breakModel,
} from '../generated/models.js';
import type { OrNull } from '../core/row-mapper.js';

type LetterRow = Pick<disputeModel, 'number' | 'period' | 'currency' | 'reason' | 'due_on'> &
  Pick<invoiceModel, 'issued_on'> &
  OrNull<Pick<reconciliation_breakModel, 'package_ref'>> & {
    readonly organization: string;
    readonly invoice: string;
    readonly total: string;
    readonly amount: string;
    readonly has_figures: boolean;
    readonly invoiced: string | null;
    readonly reported: string | null;
    readonly ordered: string | null;
    readonly third_party: string | null;
    readonly seller_media_buy_id: string | null;
  };

type LineRow = Pick<invoice_lineModel, 'line' | 'seller_media_buy_id' | 'package_ref' | 'description'> & {
  readonly amount: string;
};

/** What the letter of a case says: the figures of both sides, and the lines that it names. */
export async function readLetter(client: TenantClient, id: string): Promise<DisputeLetter | undefined> {
  const { rows } = await client.query<LetterRow>(
    `select d.number, g.name as organization, i.number as invoice, i.issued_on, i.period, d.currency,
       i.total_micros::text as total, d.amount_micros::text as amount, d.reason, d.due_on, b.id is not null as has_figures,
       b.invoiced_micros::text as invoiced, coalesce(b.polled_micros, b.reported_micros)::text as reported,
       b.ordered_micros::text as ordered, b.third_party_micros::text as third_party, b.package_ref,
       (select s.seller_media_buy_id from seller_buy s
        where s.organization_id = d.organization_id and s.media_buy_id = b.media_buy_id
          and s.connection_id = d.connection_id limit 1) as seller_media_buy_id
     from dispute d join invoice i on i.id = d.invoice_id join organization g on g.id = d.organization_id
     left join reconciliation_break b on b.id = d.break_id
     where d.organization_id = $1 and d.id = $2`,
    [client.organizationId, id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { rows: lines } = await client.query<LineRow>(
    `select l.line, l.seller_media_buy_id, l.package_ref, l.description, l.amount_micros::text as amount
     from dispute d join invoice_line l on l.invoice_id = d.invoice_id and l.line = any(d.lines)
     where d.organization_id = $1 and d.id = $2 order by l.line limit 100`,
    [client.organizationId, id],
  );
  const { invoiced, reported, ordered, third_party: thirdParty } = row;
  const figures = {
    ...(invoiced !== null && { invoicedMicros: BigInt(invoiced) }),
    ...(reported !== null && { reportedMicros: BigInt(reported) }),
    ...(ordered !== null && { orderedMicros: BigInt(ordered) }),
    ...(thirdParty !== null && { thirdPartyMicros: BigInt(thirdParty) }),
    ...present({ packageRef: row.package_ref, sellerMediaBuyId: row.seller_media_buy_id }),
  };
  return {
    number: `D-${row.number}`,
    organization: row.organization,
    invoice: row.invoice,
    issuedOn: row.issued_on,
    period: row.period,
    currency: row.currency,
    totalMicros: BigInt(row.total),
    amountMicros: BigInt(row.amount),
    reason: row.reason,
    dueOn: row.due_on,
    ...(row.has_figures && { figures }),
    lines: lines.map(({ line, amount, ...one }) => ({
      line,
      amountMicros: BigInt(amount),
      ...present({
        sellerMediaBuyId: one.seller_media_buy_id,
        packageRef: one.package_ref,
        description: one.description,
      }),
    })),
  };
}
