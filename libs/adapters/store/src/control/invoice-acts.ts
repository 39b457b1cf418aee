import { microsToDecimal } from '@switchyard/money';
import { isUuid } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { voidInvoice } from '../finance/void-invoice.js';
import { refused, type ActRules } from './control-act.js';

interface InvoiceRow {
  readonly seller: string;
  readonly number: string;
  readonly currency: string;
  readonly total: string;
  readonly paid: string;
  readonly is_voided: boolean;
}

/** A document of a seller is taken back by two people, and never while a payment or a credit note is applied to it. */
export const invoiceVoided: ActRules<'void_invoice'> = {
  judge: async (client, { invoiceId, reason }) => {
    const invoice = isUuid(invoiceId) ? await invoiceById(client, invoiceId) : undefined;
    if (invoice === undefined) return refused('NOT_FOUND', 'No invoice has this id.');
    if (invoice.is_voided) return refused('CONFLICT', 'The invoice is voided already.');
    if (invoice.paid !== '0')
      return refused(
        'CONFLICT',
        'Payments or credit notes are applied to the invoice: take them back first.',
      );
    if (await isRestedOn(client, invoiceId))
      return refused('CONFLICT', 'A closed dispute rests on this credit note: reopen it first.');
    return {
      asks: true,
      basedOn: [invoice.number, invoice.total, invoice.paid],
      place: {},
      subject: `invoice ${invoice.number} of ${invoice.seller}`,
      reason: `Takes back the invoice ${invoice.number} of ${invoice.seller}, ${microsToDecimal(BigInt(invoice.total))} ${invoice.currency}: ${reason}`,
      amount: BigInt(invoice.total),
      currency: invoice.currency,
    };
  },
  apply: (client, { invoiceId, reason }, { by, at }) => voidInvoice(client, { invoiceId, reason, by }, at),
};

async function isRestedOn(client: TenantClient, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from dispute where organization_id = $1 and credit_id = $2 and state = 'closed' limit 1`,
    [client.organizationId, id],
  );
  return rowCount > 0;
}

async function invoiceById(client: TenantClient, id: string): Promise<InvoiceRow | undefined> {
  const { rows } = await client.query<InvoiceRow>(
    `select seller, number, currency, total_micros::text as total, paid_micros::text as paid,
       voided_at is not null as is_voided
     from invoice where organization_id = $1 and id = $2 for update`,
    [client.organizationId, id],
  );
  return rows[0];
}
