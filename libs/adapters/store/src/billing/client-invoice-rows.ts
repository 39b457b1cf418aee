import type { ClientLine } from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import { rowReader } from '../core/row-mapper.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
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
  { models, organizationId }: TenantSession,
  named: string,
): Promise<Pick<ClientInvoiceRow, 'id' | 'client_id'> | undefined> {
  const rows = await models.client_invoice.findMany({
    where: { organization_id: organizationId, ...(isUuid(named) ? { id: named } : { number: named }) },
    select: { id: true, client_id: true },
    take: 2,
  });
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
export async function readLines(
  { models, organizationId }: TenantSession,
  invoiceId: string,
): Promise<readonly ClientLine[]> {
  const rows = await models.client_invoice_line.findMany({
    where: { organization_id: organizationId, invoice_id: invoiceId },
    orderBy: { line: 'asc' },
    take: linesAtMost,
  });
  return rows.map(lineOf);
}

const lineOf = rowReader<ClientLine>()(
  'key, type, description, net_micros, campaign_id, seller, rule_id, tax_hundredths, tax_category',
);
