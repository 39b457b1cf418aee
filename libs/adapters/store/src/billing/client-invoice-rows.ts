import type { ClientLine, ClientLineType, TaxCategory } from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { client_invoiceModel } from '../generated/models.js';

/** A document to a client as the steps on it need it. */
export type ClientInvoiceRow = Omit<
  client_invoiceModel,
  'kind' | 'state' | 'net_micros' | 'tax_micros' | 'gross_micros' | 'paid_micros'
> &
  Readonly<Record<'net' | 'tax' | 'gross' | 'paid', string>> & {
    readonly kind: 'invoice' | 'credit_note';
    readonly state: 'draft' | 'issued';
  };

/** A document by its id or number, without a lock. */
export async function findInvoice(
  client: TenantClient,
  named: string,
): Promise<Pick<ClientInvoiceRow, 'id' | 'client_id'> | undefined> {
  const { rows } = await client.query<Pick<ClientInvoiceRow, 'id' | 'client_id'>>(
    `select id, client_id from client_invoice where organization_id = $1 and (id = $2::uuid or number = $3) order by id limit 2`,
    [client.organizationId, isUuid(named) ? named : null, isUuid(named) ? null : named],
  );
  return rows.length === 1 ? rows[0] : undefined;
}

/** Finds and locks a document by its id or number; undefined where none, or more than one, has that name. */
export async function lockInvoice(
  client: TenantClient,
  named: string,
): Promise<ClientInvoiceRow | undefined> {
  const { rows } = await client.query<ClientInvoiceRow>(
    `select *, net_micros::text as net, tax_micros::text as tax, gross_micros::text as gross, paid_micros::text as paid
     from client_invoice where organization_id = $1 and (id = $2::uuid or number = $3) order by id limit 2 for update`,
    [client.organizationId, isUuid(named) ? named : null, isUuid(named) ? null : named],
  );
  return rows.length === 1 ? rows[0] : undefined;
}

/** The most lines of one document: a run refuses more, and `readLines` reads as many. */
export const linesAtMost = 10_000;

/** The lines of a document in their order. */
export async function readLines(client: TenantClient, invoiceId: string): Promise<readonly ClientLine[]> {
  const { rows } = await client.query<{
    key: string;
    type: ClientLineType;
    campaign_id: string | null;
    seller: string | null;
    rule_id: string | null;
    description: string;
    net: string;
    tax_hundredths: number;
    tax_category: TaxCategory;
  }>(
    `select key, type, campaign_id, seller, rule_id, description, net_micros::text as net, tax_hundredths, tax_category
     from client_invoice_line where organization_id = $1 and invoice_id = $2 order by line limit 10000`,
    [client.organizationId, invoiceId],
  );
  return rows.map((row) => ({
    ...{ key: row.key, type: row.type, description: row.description, netMicros: BigInt(row.net) },
    ...present({ campaignId: row.campaign_id, seller: row.seller, ruleId: row.rule_id }),
    ...{ taxHundredths: row.tax_hundredths, taxCategory: row.tax_category },
  }));
}
