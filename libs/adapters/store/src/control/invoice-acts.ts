import { microsToDecimal } from '@switchyard/money';
import { isUuid } from '@switchyard/values';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { invoiceModel } from '../generated/models.js';
import { payableInvoice } from '../finance/payable.js';
import { lockHead } from '../ledger/stream-head.js';
import { voidInvoice } from '../finance/void-invoice.js';
import { writeOffRest } from '../finance/write-off-rest.js';
import { refused, type ActRules } from './control-act.js';
import { lockRow } from '../core/lock-row.js';

type InvoiceRow = Pick<invoiceModel, 'seller' | 'number' | 'currency'> &
  Readonly<Record<'total' | 'paid', string>> & { readonly is_voided: boolean };

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

/**
 * What is left of an invoice after a payment or a credit note is given up by two people, and never where somebody still decides
 * about it. What is judged is locked until it is written off: the head of the ledger first, as payments lock it.
 */
export const restWrittenOff: ActRules<'write_off_rest'> = {
  judge: async (client, { invoiceId, reason }) => {
    await lockHead(client);
    const invoice = isUuid(invoiceId) ? await payableInvoice(client, invoiceId) : undefined;
    if (invoice === undefined) return refused('NOT_FOUND', 'No invoice has this id.');
    const { seller, number, currency, openMicros, totalMicros } = invoice;
    if (openMicros <= 0n) return refused('CONFLICT', 'Nothing is open of the invoice.');
    if (invoice.reason !== undefined)
      return refused(
        'CONFLICT',
        'The rest of an approved invoice alone is written off, and nothing of it may be held, disputed or in a proposal of payments.',
      );
    if (openMicros >= totalMicros)
      return refused(
        'CONFLICT',
        'Nothing of the invoice is paid: it has no rest. Void it, or decide its differences.',
      );
    const amount = `${microsToDecimal(openMicros)} ${currency}`;
    return {
      asks: true,
      basedOn: [number, openMicros.toString()],
      place: {},
      subject: `invoice ${number} of ${seller}`,
      reason: `Writes off the rest of the invoice ${number} of ${seller}, ${amount}: ${reason}`,
      amount: openMicros,
      currency,
    };
  },
  apply: (client, { invoiceId, reason }, { by, at }) => writeOffRest(client, { invoiceId, reason, by }, at),
};

async function isRestedOn(client: TenantSession, id: string): Promise<boolean> {
  const where = { organization_id: client.organizationId, credit_id: id, state: 'closed' };
  return (await client.models.dispute.count({ where })) > 0;
}

async function invoiceById(client: TenantClient, id: string): Promise<InvoiceRow | undefined> {
  const columns = ['seller', 'number', 'currency', 'total_micros', 'paid_micros', 'voided_at'] as const;
  const row = await lockRow(client, 'invoice', { id }, columns);
  return row && { ...row, total: row.total_micros, paid: row.paid_micros, is_voided: row.voided_at !== null };
}
