import { randomUUID } from 'node:crypto';
import {
  createEntry,
  shiftDay,
  daysOfPeriod,
  groupBy,
  usualTermDays,
  type BookedInvoice,
  type InvoiceHead,
  type InvoiceLine,
  type InvoiceMapping,
} from '@switchyard/ledger';
import type { ListSort, TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant } from '@switchyard/values';
import { isDuplicate } from '../core/is-duplicate.js';
import { comparedBy, directionOf } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { markFileUsed } from './finance-files.js';
import { appendBlock } from '../ledger/append-block.js';
import { recommitBuys } from '../spending/recommit-parts.js';
import { insertColumns } from '../ledger/insert-columns.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { termDaysOf } from './payment-repository.js';

/** An invoice with its source file. */
export interface InvoiceImport {
  readonly connectionId: string;
  /** The seller's slug. */
  readonly seller: string;
  readonly head: InvoiceHead;
  /** Batches, in the order of the file. If they end with an error, nothing is booked. */
  readonly lines: AsyncIterable<readonly InvoiceLine[]>;
  readonly mapping: InvoiceMapping;
  /** An uploaded file, or the bytes of a small one. */
  readonly file: { readonly name: string; readonly hash: string } & (
    { readonly id: string } | { readonly bytes: Buffer }
  );
  /** UUID of the principal. */
  readonly importedBy: string;
}

/** Limit of shown lines of one invoice. */
const linesShown = 1_000;

/** A file attached to an invoice. */
interface InvoiceAttachment {
  readonly fileId: string;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly attachedAt: Instant;
}

/** An invoice in a list. */
export interface StoredInvoice extends Omit<BookedInvoice, 'lines'> {
  readonly fileName: string;
  readonly originalHash: string;
  readonly importedAt: Instant;
  readonly entryId: string;
  /** `YYYY-MM-DD`. */
  readonly dueOn: string;
  readonly paidMicros: bigint;
  /** Day of the payment that settled it; absent while an amount is open. */
  readonly settledOn?: string;
}

interface InvoiceFilter {
  readonly seller?: string;
  readonly period?: string;
  /** Newest first unless set. */
  readonly sort?: ListSort;
  readonly after?: readonly (string | number)[];
  readonly limit: number;
}

/** Invoices of sellers. Each is booked with its ledger entry, in one commit. */
export function invoiceRepository(store: Store) {
  return {
    /** Returns the id of the booked invoice; nothing if the seller already has an invoice with this number. */
    book: async (scope: TenantScope, invoice: InvoiceImport, at: Instant): Promise<string | undefined> => {
      try {
        return await store.inTenant(scope, (client) => bookInvoice(client, invoice, at));
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },
    mapping: (scope: TenantScope, connectionId: string): Promise<InvoiceMapping> =>
      store.inTenantModels(scope, async ({ invoice_mapping }) => {
        const found = await invoice_mapping.findFirst({ where: { connection_id: connectionId } });
        return (found?.mapping ?? {}) as InvoiceMapping;
      }),
    list: (scope: TenantScope, { seller, period, sort = 'newest', after, limit }: InvoiceFilter) =>
      store.inTenant(scope, async (client) => {
        const [at, id] = after ?? [];
        const { rows } = await client.query<InvoiceRow>(
          `select ${columns}, paid_micros, settled_on from invoice
           where ($1::text is null or seller = $1) and ($2::text is null or period = $2)
             and ($3::timestamptz is null or (imported_at, id) ${comparedBy(sort)} ($3, $4::uuid))
           order by imported_at ${directionOf(sort)}, id ${directionOf(sort)} limit $5`,
          [seller ?? null, period ?? null, at ?? null, id ?? null, limit],
        );
        return rows.map(invoiceOf);
      }),
    /** Returns the invoice with its first thousand lines. */
    find: (scope: TenantScope, id: string): Promise<InvoiceFound | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<InvoiceRow>(
          `select ${columns}, paid_micros, settled_on from invoice where id = $1`,
          [id],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        const { rows: lines } = await client.query<LineRow & { media_buy_id: string | null }>(
          `select l.*, b.media_buy_id
           from (select * from invoice_line where invoice_id = $1 order by line limit ${linesShown}) l
           left join seller_buy b on b.connection_id = $2 and b.seller_media_buy_id = l.seller_media_buy_id
           order by l.line`,
          [id, row.connection_id],
        );
        const { rows: counted } = await client.query<{ count: string }>(
          'select count(*)::text as count from invoice_line where invoice_id = $1',
          [id],
        );
        return {
          ...invoiceOf(row),
          lines: lines.map((line) => ({ ...lineOf(line), ...present({ mediaBuyId: line.media_buy_id }) })),
          lineTotal: Number(counted[0]?.count),
          attachments: await attachmentsOf(client, id),
        };
      }),
    /** Attaches a file to an invoice. False if one of them does not exist. */
    attach: (
      scope: TenantScope,
      id: string,
      { fileId, by, at }: { readonly fileId: string; readonly by: string; readonly at: Instant },
    ): Promise<boolean> =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `insert into invoice_attachment (organization_id, invoice_id, file_id, attached_by, attached_at)
           select i.organization_id, i.id, f.id, $3, $4 from invoice i join finance_file f on f.id = $2 where i.id = $1
           on conflict (invoice_id, file_id) do nothing`,
          [id, fileId, by, new Date(at)],
        );
        return rowCount > 0 && (await markFileUsed(client, fileId));
      }),
    /** For comparisons: lines with the same package and PO are added up; a file may have hundreds of thousands. */
    ofPeriod: (scope: TenantScope, period: string, seller?: string): Promise<readonly BookedInvoice[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<InvoiceRow>(
          `select ${columns}, paid_micros, settled_on from invoice where period = $1 and ($2::text is null or seller = $2) order by id`,
          [period, seller ?? null],
        );
        const { rows: lines } = await client.query<LineRow>(
          `select invoice_id, min(line) as line, seller_media_buy_id, package_ref, po_number, null as description,
             sum(units)::text as units, sum(amount_micros)::text as amount_micros
           from invoice_line where invoice_id = any($1::uuid[])
           group by invoice_id, seller_media_buy_id, package_ref, po_number order by invoice_id, line`,
          [rows.map(({ id }) => id)],
        );
        const byInvoice = groupBy(lines, (line) => line.invoice_id);
        return rows.map((row) => ({ ...invoiceOf(row), lines: (byInvoice.get(row.id) ?? []).map(lineOf) }));
      }),
  };
}

interface InvoiceFound extends StoredInvoice {
  /** With our buy, if the seller named its own id of it. */
  readonly lines: readonly (InvoiceLine & { readonly mediaBuyId?: string })[];
  /** Of all lines, including those not shown. */
  readonly lineTotal: number;
  readonly attachments: readonly InvoiceAttachment[];
}

export type InvoiceRepository = ReturnType<typeof invoiceRepository>;

/** Everything but the bytes of the original. */
const columns = `id, organization_id, connection_id, seller, number, period, issued_on, currency, total_micros, file_name,
  original_hash, imported_by, imported_at, entry_id, due_on`;

async function bookInvoice(client: TenantClient, invoice: InvoiceImport, at: Instant): Promise<string> {
  const { head: draft, seller, file } = invoice;
  const id = randomUUID();
  const entryId = timeOrderedId(at);
  const fileId = 'id' in file ? file.id : await storeSmall(client, invoice, file.bytes, at);
  if (!(await markFileUsed(client, fileId))) throw new Error('The file of an invoice is gone.');
  await client.query(
    `insert into invoice (${columns}, file_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      id,
      client.organizationId,
      invoice.connectionId,
      seller,
      draft.number,
      draft.period,
      draft.issuedOn,
      draft.currency,
      draft.totalMicros.toString(),
      file.name,
      file.hash,
      invoice.importedBy,
      new Date(at),
      entryId,
      draft.dueOn ?? shiftDay(draft.issuedOn, await termDaysOf(client, seller)),
      fileId,
    ],
  );
  for await (const lines of invoice.lines) await insertLines(client, id, lines);
  await client.query(
    `insert into invoice_mapping (organization_id, connection_id, mapping, updated_at) values ($1, $2, $3, $4)
     on conflict (organization_id, connection_id) do update set mapping = excluded.mapping, updated_at = excluded.updated_at`,
    [client.organizationId, invoice.connectionId, JSON.stringify(invoice.mapping), new Date(at)],
  );
  // The head is locked last: a large file would otherwise make every report of the organization wait.
  const head = await lockHead(client);
  const entry = createEntry({
    id: entryId,
    kind: 'invoice',
    operationId: id,
    seller,
    occurredAt: at,
    postings: invoicePostings(draft, await openFrom(client)),
    facts: {
      invoice_id: id,
      number: draft.number,
      period: draft.period,
      issued_on: draft.issuedOn,
      original_sha256: file.hash,
      line_total: draft.lineTotal,
    },
  });
  if (!entry.ok) throw new Error(`An invoice made an entry that cannot stand: ${entry.error.code}.`);
  await appendBlock(client, head, [entry.value], at);
  await recommitBuys(client, await buysOf(client, id, invoice.connectionId), at);
  return id;
}

/** The buys that an invoice names. */
async function buysOf(client: TenantClient, id: string, connectionId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ media_buy_id: string }>(
    `select distinct b.media_buy_id
     from (select distinct seller_media_buy_id from invoice_line where invoice_id = $1) l
     join seller_buy b on b.connection_id = $2 and b.seller_media_buy_id = l.seller_media_buy_id`,
    [id, connectionId],
  );
  return rows.map((row) => row.media_buy_id);
}

async function storeSmall(
  client: TenantClient,
  { file: { name, hash }, importedBy }: InvoiceImport,
  bytes: Buffer,
  at: Instant,
): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into finance_file (id, organization_id, name, bytes, sha256, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, client.organizationId, name, bytes.length, hash, importedBy, new Date(at)],
  );
  await client.query(
    'insert into finance_file_part (organization_id, file_id, part, content) values ($1, $2, 0, $3)',
    [client.organizationId, id, bytes],
  );
  return id;
}

function insertLines(client: TenantClient, id: string, lines: readonly InvoiceLine[]): Promise<void> {
  return insertColumns(
    client,
    'invoice_line',
    lineTypes,
    lines.map((line) => ({
      invoice_id: id,
      line: line.line,
      seller_media_buy_id: line.sellerMediaBuyId ?? null,
      package_ref: line.packageRef ?? null,
      po_number: line.poNumber ?? null,
      description: line.description ?? null,
      units: line.units?.toString() ?? null,
      amount_micros: line.amountMicros.toString(),
    })),
  );
}

const lineTypes = {
  invoice_id: 'uuid',
  line: 'int',
  seller_media_buy_id: 'text',
  package_ref: 'text',
  po_number: 'text',
  description: 'text',
  units: 'bigint',
  amount_micros: 'bigint',
} as const;

/** Moves what was owed by delivery to owed by invoice; dated to the last day billed, or to the open period. */
function invoicePostings({ period, currency, totalMicros }: InvoiceHead, open: string | undefined) {
  if (totalMicros === 0n) return [];
  const last = shiftDay(daysOfPeriod(period).to, -1);
  const day = open !== undefined && last < open ? open : last;
  return [
    { account: 'seller_payable', day, currency, amountMicros: totalMicros },
    { account: 'seller_invoiced', day, currency, amountMicros: -totalMicros },
  ] as const;
}

async function attachmentsOf(client: TenantClient, id: string): Promise<readonly InvoiceAttachment[]> {
  const { rows } = await client.query<{
    id: string;
    name: string;
    sha256: string;
    bytes: string;
    attached_at: Date;
  }>(
    `select f.id, f.name, f.sha256, f.bytes, a.attached_at from invoice_attachment a join finance_file f on f.id = a.file_id
     where a.invoice_id = $1 order by a.attached_at, f.id limit 100`,
    [id],
  );
  return rows.map(({ id: fileId, bytes, attached_at: at, ...file }) => ({
    ...file,
    fileId,
    bytes: Number(bytes),
    attachedAt: at.getTime(),
  }));
}

interface LineRow extends Row {
  readonly invoice_id: string;
  /** A 64-bit number: `pg` reads its digits. */
  readonly units: string | null;
}

const readLine = rowReader<Omit<InvoiceLine, 'units'>>()(
  'line, amount_micros, seller_media_buy_id, package_ref, po_number, description',
);

function lineOf(row: LineRow): InvoiceLine {
  return { ...readLine(row), ...(row.units !== null && { units: BigInt(row.units) }) };
}

interface InvoiceRow extends Row {
  readonly id: string;
  readonly connection_id: string;
  readonly issued_on: string;
  readonly due_on: string | null;
}

const readInvoice = rowReader<Omit<StoredInvoice, 'dueOn'>>()(`
  id, seller, number, period, issued_on, currency, total_micros, file_name, original_hash, imported_at, entry_id,
  paid_micros, settled_on`);

function invoiceOf(row: InvoiceRow): StoredInvoice {
  return { ...readInvoice(row), dueOn: row.due_on ?? shiftDay(row.issued_on, usualTermDays) };
}

/** Page key of an invoice in its list. */
export const invoicePlace = ({ importedAt, id }: StoredInvoice) => [isoOf(importedAt), id] as const;
