import { randomUUID } from 'node:crypto';
import {
  foldedNumber,
  foldName,
  groupBy,
  invoiceEntry,
  isDelivered,
  shiftDay,
  usualTermDays,
  type BookedInvoice,
  type InvoiceHead,
  type InvoiceLine,
  type InvoiceMapping,
  type KnownThings,
  type NamedBuy,
  type BillingMonths,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, type Instant } from '@switchyard/values';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row, type RowOf } from '../core/row-mapper.js';
import type { invoiceModel, invoice_lineModel } from '../generated/models.js';
import { markFileUsed } from './finance-files.js';
import { appendBlock } from '../ledger/append-block.js';
import { calendarOf } from '../ledger/read-buys.js';
import { recommitBuys } from '../spending/recommit-parts.js';
import { insertColumns } from '../ledger/insert-columns.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { termDaysOf } from './payment-repository.js';

/** A document of a file. */
export interface DocumentImport {
  readonly head: InvoiceHead;
  /** Batches, in the order of the file. If they end with an error, nothing is booked. */
  readonly lines: AsyncIterable<readonly InvoiceLine[]>;
}

/** The documents of a file. */
export interface InvoiceImport {
  readonly connectionId: string;
  /** The seller's slug. */
  readonly seller: string;
  readonly documents: readonly DocumentImport[];
  /** Kept for the next file of the seller. */
  readonly mapping?: InvoiceMapping;
  /** An uploaded file, or the bytes of a small one. */
  readonly file: { readonly name: string; readonly hash: string } & (
    | { readonly id: string }
    | { readonly bytes: Buffer }
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
  readonly kind: 'invoice' | 'credit_note';
  readonly fileName: string;
  readonly originalHash: string;
  readonly importedAt: Instant;
  readonly entryId: string;
  /** `YYYY-MM-DD`. */
  readonly dueOn: string;
  readonly paidMicros: bigint;
  /** Day of the payment that settled it; absent while an amount is open. */
  readonly settledOn?: string;
  readonly heldAt?: Instant;
  readonly holdReason?: string;
  readonly approvedAt?: Instant;
  readonly approvedBy?: string;
  readonly voidedAt?: Instant;
  readonly voidReason?: string;
}

/** Documents were booked; or the seller has one with this number already. */
export type Booked =
  | { readonly ids: readonly string[] }
  | { readonly known: { readonly number: string; readonly id: string; readonly writtenAs: string } };

/** Invoices of sellers. Each is booked with its ledger entry, in one commit. */
export function invoiceRepository(store: Store) {
  return {
    /** Books all documents of a file in one commit, or none. */
    book: async (scope: TenantScope, file: InvoiceImport, at: Instant): Promise<Booked> => {
      try {
        return { ids: await store.inTenant(scope, (client) => bookInvoices(client, file, at)) };
      } catch (error) {
        const known = isDuplicate(error)
          ? await store.inTenant(scope, (client) => knownNumber(client, file))
          : undefined;
        if (known === undefined) throw error;
        return { known };
      }
    },
    /** What a principal has booked of the same bytes at a seller and not voided, by number. */
    bookedFrom: (scope: TenantScope, of: BookedBytes): Promise<readonly BookedFrom[]> =>
      store.inTenant(scope, (client) => bookedFrom(client, of)),
    /** What the names in a file of a seller mean, and the days of the invoices that it corrects. */
    namedThings: (
      scope: TenantScope,
      connectionId: string,
      names: { readonly ids: readonly string[]; readonly numbers: readonly string[] },
    ): Promise<NamedThings> => store.inTenant(scope, (client) => namedThings(client, connectionId, names)),
    mapping: (scope: TenantScope, connectionId: string): Promise<InvoiceMapping> =>
      store.inTenantModels(scope, async ({ invoice_mapping }) => {
        const found = await invoice_mapping.findFirst({ where: { connection_id: connectionId } });
        return (found?.mapping ?? {}) as InvoiceMapping;
      }),
    /** Returns the invoice with its first thousand lines. */
    find: (scope: TenantScope, id: string): Promise<InvoiceFound | undefined> =>
      store.inTenant(scope, async (client) => {
        const row = await client.models.invoice.findFirst({ where: { id }, omit: { original: true } });
        if (row === null) return undefined;
        const { rows: lines } = await client.query<LineRow & { media_buy_id: string | null }>(
          `select l.*, b.media_buy_id
           from (select * from invoice_line where invoice_id = $1 order by line limit ${linesShown}) l
           left join seller_buy b on b.connection_id = $2 and b.seller_media_buy_id = l.seller_media_buy_id
           order by l.line`,
          [id, row.connection_id],
        );
        return {
          ...invoiceOf(row),
          lines: lines.map((line) => ({ ...lineOf(line), ...present({ mediaBuyId: line.media_buy_id }) })),
          lineTotal: await client.models.invoice_line.count({ where: { invoice_id: id } }),
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
    /**
     * For comparisons, without voided ones: lines of a kind with the same package and PO are added up; a file may have
     * hundreds of thousands. The total is that of media: fees, tax and commission are no delivery.
     */
    ofPeriod: (scope: TenantScope, period: string, seller?: string): Promise<readonly BookedInvoice[]> =>
      store.inTenant(scope, async (client) => {
        const rows = await client.models.invoice.findMany({
          where: { organization_id: client.organizationId, period, ...defined({ seller }), voided_at: null },
          omit: { original: true },
          orderBy: { id: 'asc' },
        });
        const { rows: found } = await client.query<LineRow>(
          `select invoice_id, min(line) as line, seller_media_buy_id, package_ref, po_number, min(beside) as type,
             min(description) filter (where beside is not null) as description,
             sum(units)::text as units, sum(amount_micros)::text as amount_micros
           from (select *, case when type in ('fee', 'commission', 'credit') then type end as beside
                 from invoice_line where invoice_id = any($1::uuid[]) and type is distinct from 'tax') l
           group by invoice_id, seller_media_buy_id, package_ref, po_number, beside order by invoice_id, line`,
          [rows.map(({ id }) => id)],
        );
        const byInvoice = groupBy(found, (line) => line.invoice_id);
        return rows.map((row) => {
          const lines = (byInvoice.get(row.id) ?? []).map(lineOf);
          const totalMicros = lines.reduce(
            (sum, line) => sum + (isDelivered(line) ? line.amountMicros : 0n),
            0n,
          );
          return { ...invoiceOf(row), totalMicros, lines };
        });
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
  original_hash, imported_by, imported_at, entry_id, due_on, kind, service_from, service_to, net_micros, tax_micros,
  refers_to`;

const shown = `${columns}, paid_micros, settled_on, held_at, hold_reason, approved_at, approved_by, voided_at, void_reason`;

async function bookInvoices(
  client: TenantSession,
  file: InvoiceImport,
  at: Instant,
): Promise<readonly string[]> {
  const fileId = 'id' in file.file ? file.file.id : await storeSmall(client, file, file.file.bytes, at);
  if (!(await markFileUsed(client, fileId))) throw new Error('The file of an invoice is gone.');
  const termDays = await termDaysOf(client, file.seller);
  const made: { readonly id: string; readonly entryId: string; readonly head: InvoiceHead }[] = [];
  for (const { head, lines } of file.documents) {
    const ids = { id: randomUUID(), entryId: timeOrderedId(at) };
    await insertInvoice(client, { ...ids, head, file, fileId, termDays }, at);
    for await (const part of lines) await insertLines(client, ids.id, part);
    made.push({ ...ids, head });
  }
  if (file.mapping !== undefined) await keepMapping(client, file.connectionId, file.mapping, at);
  // The head is locked last: a large file would otherwise make every report of the organization wait.
  const ledgerHead = await lockHead(client);
  const open = await openFrom(client);
  const about = { seller: file.seller, fileHash: file.file.hash, openFrom: open, at };
  const entries = made.map(({ id, entryId, head }) => invoiceEntry(head, { id, entryId, ...about }));
  await appendBlock(client, ledgerHead, entries, at);
  const ids = made.map(({ id }) => id);
  await recommitBuys(client, await buysOfInvoices(client, ids, file.connectionId), at);
  return ids;
}

function insertInvoice(
  client: TenantClient,
  {
    id,
    entryId,
    head,
    file,
    fileId,
    termDays,
  }: {
    readonly id: string;
    readonly entryId: string;
    readonly head: InvoiceHead;
    readonly file: InvoiceImport;
    readonly fileId: string;
    readonly termDays: number;
  },
  at: Instant,
): Promise<unknown> {
  return client.query(
    `insert into invoice (${columns}, file_id, folded)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
    [
      id,
      client.organizationId,
      file.connectionId,
      file.seller,
      storableText(head.number),
      head.period,
      head.issuedOn,
      head.currency,
      head.totalMicros.toString(),
      file.file.name,
      file.file.hash,
      file.importedBy,
      new Date(at),
      entryId,
      head.dueOn ?? shiftDay(head.issuedOn, termDays),
      head.kind ?? 'invoice',
      head.serviceFrom ?? null,
      head.serviceTo ?? null,
      head.netMicros?.toString() ?? null,
      head.taxMicros?.toString() ?? null,
      head.refersTo === undefined ? null : storableText(head.refersTo),
      fileId,
      storableText(foldedNumber(head.number)),
    ],
  );
}

async function keepMapping(
  client: TenantSession,
  connectionId: string,
  mapping: InvoiceMapping,
  at: Instant,
): Promise<void> {
  const key = { organization_id: client.organizationId, connection_id: connectionId };
  const columns = { mapping: { ...mapping }, updated_at: new Date(at) };
  await client.models.invoice_mapping.upsert({
    where: { organization_id_connection_id: key },
    create: { ...key, ...columns },
    update: columns,
  });
}

/** The document of a file whose number the seller has used before. */
async function knownNumber(
  client: TenantSession,
  { connectionId, documents }: InvoiceImport,
): Promise<{ readonly number: string; readonly id: string; readonly writtenAs: string } | undefined> {
  const folded = documents.map(({ head }) => storableText(foldedNumber(head.number)));
  const row = await client.models.invoice.findFirst({
    where: { organization_id: client.organizationId, connection_id: connectionId, folded: { in: folded } },
    select: { id: true, number: true, folded: true },
  });
  const same = documents.find(({ head }) => storableText(foldedNumber(head.number)) === row?.folded);
  return row === null || same === undefined
    ? undefined
    : { number: same.head.number, id: row.id, writtenAs: row.number };
}

interface BookedBytes {
  readonly connectionId: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly hash: string;
  /** UUID of the principal. */
  readonly by: string;
}

type BookedFrom = StoredInvoice & { readonly lineTotal: number };

async function bookedFrom(
  client: TenantClient,
  { connectionId, hash, by }: BookedBytes,
): Promise<readonly BookedFrom[]> {
  const { rows } = await client.query<InvoiceRow & { readonly line_total: number }>(
    `select ${shown}, (select count(*)::int from invoice_line l where l.invoice_id = invoice.id) as line_total
     from invoice where organization_id = $1 and connection_id = $2 and original_hash = $3 and imported_by = $4
       and voided_at is null order by number`,
    [client.organizationId, connectionId, hash, by],
  );
  return rows.map((row) => ({ ...invoiceOf(row), lineTotal: row.line_total }));
}

/** What is known of the names in a file. */
export type NamedThings = Pick<KnownThings, 'buys' | 'invoices' | 'billing'> & {
  /** Of 200 of our buys at the seller. */
  readonly currencies: readonly string[];
};

async function namedThings(
  client: TenantClient,
  connectionId: string,
  { ids, numbers }: { readonly ids: readonly string[]; readonly numbers: readonly string[] },
): Promise<NamedThings> {
  const { organizationId } = client;
  const currencies = await client.query<{ currency: string }>(
    `select distinct sample.currency from (
       select m.currency from seller_buy s join media_buy m on m.id = s.media_buy_id
       where s.organization_id = $1 and s.connection_id = $2 limit 200) sample`,
    [organizationId, connectionId],
  );
  const buys = ids.length === 0 ? new Map<string, NamedBuy>() : await namedBuys(client, connectionId, ids);
  const found =
    numbers.length === 0
      ? { rows: [] }
      : await client.query<{ folded: string; first: string; last: string }>(
          `select folded, coalesce(service_from, period || '-01') as first,
             coalesce(service_to, to_char((period || '-01')::date + interval '1 month' - interval '1 day', 'YYYY-MM-DD')) as last
           from invoice where organization_id = $1 and connection_id = $2 and folded = any($3::text[])`,
          [organizationId, connectionId, numbers.map((number) => storableText(foldedNumber(number)))],
        );
  const billing = await readBilling(client, connectionId);
  return {
    buys,
    ...(billing !== undefined && { billing }),
    currencies: currencies.rows.map(({ currency }) => currency),
    invoices: new Map(found.rows.map(({ folded, first, last }) => [folded, { from: first, to: last }])),
  };
}

/** How a seller cuts the months that it bills, if a person set it. */
async function readBilling(client: TenantClient, connectionId: string): Promise<BillingMonths | undefined> {
  const { rows } = await client.query<{ calendar: string | null; issue_day: number | null }>(
    `select coalesce(c.billing_calendar, every.billing_calendar) as calendar, coalesce(c.issue_day, every.issue_day) as issue_day
     from (select organization_id, slug as seller from connection where id = $1 and organization_id = $2) k
     ${calendarOf('k')}`,
    [connectionId, client.organizationId],
  );
  const { calendar, issue_day: day } = rows[0] ?? {};
  if (calendar === 'issue_day') return { calendar, day: day ?? 1 };
  return calendar === 'broadcast' || calendar === 'month' ? { calendar } : undefined;
}

async function namedBuys(
  client: TenantClient,
  connectionId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NamedBuy>> {
  const { rows } = await client.query<{
    name: string;
    seller_media_buy_id: string;
    media_buy_id: string;
    currency: string;
    whole: string;
    billed: string;
    months: readonly string[];
  }>(
    `select wanted.id as name, s.seller_media_buy_id, s.media_buy_id, m.currency,
       greatest(
         (select coalesce(sum(p.budget_micros), 0) from buy_package p where p.leg_id = s.leg_id),
         (select coalesce(sum(t.amount_micros), 0) from package_spend t
          where t.organization_id = $2 and t.seller_buy_id = s.id and t.currency = m.currency))::text as whole,
       (select coalesce(sum(l.amount_micros), 0) from invoice_line l join invoice i on i.id = l.invoice_id
        where l.organization_id = $2 and l.seller_media_buy_id = s.seller_media_buy_id
          and i.connection_id = s.connection_id and i.voided_at is null)::text as billed,
       array(select distinct t.month from package_spend t
         where t.organization_id = $2 and t.seller_buy_id = s.id and t.amount_micros > 0 and not exists (
           select from invoice_line l join invoice i on i.id = l.invoice_id
           where l.organization_id = $2 and l.seller_media_buy_id = s.seller_media_buy_id
             and i.connection_id = s.connection_id and i.voided_at is null
             and coalesce(left(i.service_from, 7), i.period) <= t.month and i.period >= t.month)
         order by t.month limit 24) as months
     from unnest($1::text[]) wanted(id)
     cross join lateral (
       select b.id, b.leg_id, b.media_buy_id, b.connection_id, b.seller_media_buy_id from seller_buy b
       where b.organization_id = $2 and b.media_buy_id = wanted.id and b.connection_id = $3
       union select b.id, b.leg_id, b.media_buy_id, b.connection_id, b.seller_media_buy_id from seller_buy b
       where b.organization_id = $2 and b.connection_id = $3 and b.seller_media_buy_id = wanted.id offset 0) s
     join media_buy m on m.id = s.media_buy_id
     where s.seller_media_buy_id is not null`,
    [ids.map(storableText), client.organizationId, connectionId],
  );
  return new Map(
    rows.map((row) => [
      foldName(row.name),
      {
        mediaBuyId: row.media_buy_id,
        sellerMediaBuyId: row.seller_media_buy_id,
        currency: row.currency,
        wholeMicros: BigInt(row.whole),
        billedMicros: BigInt(row.billed),
        unbilledMonths: row.months,
      },
    ]),
  );
}

/** The buys that invoices name. */
export async function buysOfInvoices(
  client: TenantClient,
  ids: readonly string[],
  connectionId: string,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ media_buy_id: string }>(
    `select distinct b.media_buy_id
     from (select distinct seller_media_buy_id from invoice_line where invoice_id = any($1::uuid[])) l
     join seller_buy b on b.connection_id = $2 and b.seller_media_buy_id = l.seller_media_buy_id`,
    [ids, connectionId],
  );
  return rows.map((row) => row.media_buy_id);
}

async function storeSmall(
  { models, organizationId: organization_id }: TenantSession,
  { file: { name, hash }, importedBy }: InvoiceImport,
  bytes: Buffer,
  at: Instant,
): Promise<string> {
  const id = randomUUID();
  const made = { created_by: importedBy, created_at: new Date(at) };
  await models.finance_file.create({
    data: { id, organization_id, name, bytes: bytes.length, sha256: hash, ...made },
  });
  await models.finance_file_part.create({
    data: { organization_id, file_id: id, part: 0, content: Uint8Array.from(bytes) },
  });
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
      seller_media_buy_id: textOrNull(line.sellerMediaBuyId),
      package_ref: textOrNull(line.packageRef),
      po_number: textOrNull(line.poNumber),
      description: textOrNull(line.description),
      units: line.units?.toString() ?? null,
      amount_micros: line.amountMicros.toString(),
      type: line.type ?? null,
      service_from: line.serviceFrom ?? null,
      service_to: line.serviceTo ?? null,
    })),
  );
}

const textOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : storableText(text);

const lineTypes = {
  invoice_id: 'uuid',
  line: 'int',
  seller_media_buy_id: 'text',
  package_ref: 'text',
  po_number: 'text',
  description: 'text',
  units: 'bigint',
  amount_micros: 'bigint',
  type: 'text',
  service_from: 'text',
  service_to: 'text',
} as const;

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

type LineRow = Row & Pick<RowOf<invoice_lineModel>, 'invoice_id' | 'units'>;

const readLine = rowReader<Omit<InvoiceLine, 'units'>>()(
  'line, amount_micros, seller_media_buy_id, package_ref, po_number, description, type, service_from, service_to',
);

function lineOf(row: LineRow): InvoiceLine {
  return { ...readLine(row), ...(row.units !== null && { units: BigInt(row.units) }) };
}

type InvoiceRow = Row & Pick<invoiceModel, 'id' | 'connection_id' | 'issued_on' | 'due_on'>;

const readInvoice = rowReader<Omit<StoredInvoice, 'dueOn'>>()(`
  id, seller, number, period, issued_on, currency, total_micros, file_name, original_hash, imported_at, entry_id,
  paid_micros, settled_on, kind, service_from, service_to, net_micros, tax_micros, refers_to, held_at, hold_reason,
  approved_at, approved_by, voided_at, void_reason`);

function invoiceOf(row: InvoiceRow): StoredInvoice {
  return { ...readInvoice(row), dueOn: row.due_on ?? shiftDay(row.issued_on, usualTermDays) };
}
