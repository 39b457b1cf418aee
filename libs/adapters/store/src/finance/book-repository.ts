import { createHash, randomUUID } from 'node:crypto';
import { daysOfPeriod, type AccountingPeriod, type ExportFormat, type JournalSum } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant, type Result } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import { clientOfEntry, readBatch, readCodes, type BatchContents } from './batch-contents.js';
import { readHead } from '../ledger/stream-head.js';
import { accountText } from './spend-by.js';
import { takeTurn } from '../core/take-turns.js';

/** The external accounting code of a ledger account, or of a seller as `vendor:` and its slug. */
interface BookCode {
  readonly key: string;
  readonly code: string;
  readonly name: string;
}

export interface JournalBatch {
  /** UUID. */
  readonly id: string;
  readonly number: number;
  readonly period: AccountingPeriod;
  readonly format: ExportFormat;
  readonly entryTotal: number;
  readonly lineTotal: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly fileHash: string;
  readonly exportedAt: Instant;
}

interface ExportWanted {
  readonly period: AccountingPeriod;
  readonly format: ExportFormat;
  /** UUID of the principal. */
  readonly by: string;
}

/** Limit of sums in one batch: with more, the file would be in memory several times. */
const sumsAtMost = 50_000;

export type Exported<Failure> =
  | { readonly kind: 'exported'; readonly batch: JournalBatch; readonly file: Buffer }
  | { readonly kind: 'nothing_new' }
  | { readonly kind: 'too_many'; readonly atMost: number }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Writes the file of a batch from its sums; on failure nothing is exported. */
export type WriteBatch<Failure> = (
  number: number,
  sums: readonly JournalSum[],
  codes: ReadonlyMap<string, string>,
) => Promise<Result<{ readonly file: Buffer; readonly lineTotal: number }, Failure>>;

/** The export to accounting: the codes, and batches of entries, each exported once. */
export function bookRepository(store: Store) {
  return {
    setCode: (scope: TenantScope, { key, code, name }: BookCode, by: string, at: Instant): Promise<void> =>
      store.inTenantModels(scope, async ({ book_code }) => {
        const { organizationId: organization_id } = scope;
        const set = { code: storableText(code), name: storableText(name), set_by: by, set_at: new Date(at) };
        const named = { organization_id, key: storableText(key) };
        await book_code.upsert({
          where: { organization_id_key: named },
          create: { ...named, ...set },
          update: set,
        });
      }),
    /** Exports what no batch of a period contains yet, with its file, in one commit. */
    export: <Failure>(
      scope: TenantScope,
      wanted: ExportWanted,
      write: WriteBatch<Failure>,
      at: Instant,
    ): Promise<Exported<Failure>> =>
      store.inTenant(scope, (client) => exportPeriod(client, wanted, write, at)),
    /** The newest hundred batches of a period. */
    batches: (scope: TenantScope, period: AccountingPeriod): Promise<readonly JournalBatch[]> =>
      store.inTenantModels(scope, async ({ journal_batch }) => {
        const rows = await journal_batch.findMany({
          where: { organization_id: scope.organizationId, period },
          omit: { file: true },
          orderBy: { number: 'desc' },
          take: 100,
        });
        return rows.map(batchOf);
      }),
    /** The entries of a batch by its id or number, for a file in any layout. */
    contents: (scope: TenantScope, named: string): Promise<BatchContents | undefined> =>
      store.inTenant(scope, (client) => readBatch(client, named)),
    /** A batch by its id or number, with the exact bytes that were exported. */
    batch: (
      scope: TenantScope,
      named: string,
    ): Promise<{ readonly batch: JournalBatch; readonly file: Buffer } | undefined> =>
      store.inTenant(scope, async (client) => {
        const number = /^\d{1,9}$/.test(named) ? Number(named) : undefined;
        if (number === undefined && !isUuid(named)) return undefined;
        const key = number === undefined ? { id: named } : { number };
        const where = { organization_id: client.organizationId, ...key };
        const row = await client.models.journal_batch.findFirst({ where });
        return row === null ? undefined : { batch: batchOf(row), file: Buffer.from(row.file) };
      }),
  };
}

export type BookRepository = ReturnType<typeof bookRepository>;

const batchOf = rowReader<JournalBatch>()(
  'id, number, period, format, entry_total, line_total, file_hash, exported_at',
);

async function exportPeriod<Failure>(
  client: TenantSession,
  { period, format, by }: ExportWanted,
  write: WriteBatch<Failure>,
  at: Instant,
): Promise<Exported<Failure>> {
  // Two exports of one organization take turns: otherwise both would export the same entries.
  await takeTurn(client, 'journalBatch');
  // Entries that are booked meanwhile are in later blocks, and belong to the next batch.
  const { number: block } = await readHead(client);
  const { from, to } = daysOfPeriod(period);
  const part = [client.organizationId, from, to, block.toString(), period];
  const { rows } = await client.query<SumRow>(sumsOfPeriod, part);
  if (rows.length === 0) return { kind: 'nothing_new' };
  if (rows.length > sumsAtMost) return { kind: 'too_many', atMost: sumsAtMost };
  const number = await nextNumber(client);
  const written = await write(number, rows.map(sumOf), await readCodes(client));
  if (!written.ok) return { kind: 'refused', failure: written.error };
  const { file, lineTotal } = written.value;
  const id = randomUUID();
  const entries = await client.query(insertEntries, [...part, id]);
  const batch: JournalBatch = {
    id,
    number,
    period,
    format,
    entryTotal: entries.rowCount,
    lineTotal,
    fileHash: createHash('sha256').update(file).digest('hex'),
    exportedAt: at,
  };
  await client.models.journal_batch.create({
    data: {
      id,
      organization_id: client.organizationId,
      number,
      period,
      format,
      entry_total: batch.entryTotal,
      line_total: lineTotal,
      file: Uint8Array.from(file),
      file_hash: batch.fileHash,
      exported_by: by,
      exported_at: new Date(at),
    },
  });
  return { kind: 'exported', batch, file };
}

async function nextNumber({ models, organizationId }: TenantSession): Promise<number> {
  const last = await models.journal_batch.findFirst({
    where: { organization_id: organizationId },
    select: { number: true },
    orderBy: { number: 'desc' },
  });
  return (last?.number ?? 0) + 1;
}

const notExported = `
  from ledger_posting p join ledger_entry e on e.id = p.entry_id
  left join media_buy m on m.id = p.media_buy_id
  left join client_invoice b on b.organization_id = $1 and b.id = e.operation_id
  left join client c on c.id = ${clientOfEntry}
  left join connection s on s.organization_id = $1 and s.slug = p.seller
  where p.organization_id = $1 and p.day >= $2 and p.day < $3 and e.block_number <= $4
    and not exists (select from journal_batch_entry x where x.entry_id = p.entry_id and x.period = $5)`;

const sumsOfPeriod = `
  select p.day, e.kind, p.seller, s.name as seller_name, c.name as client, c.codes, p.currency, p.account, sum(p.amount_micros)::text as amount,
    case when m.id is not null or s.account is not null then ${accountText} end as seller_account
  ${notExported}
  group by p.day, e.kind, p.seller, s.name, c.id, p.currency, p.account, seller_account
  order by p.day, e.kind, p.seller, c.id, seller_account, p.currency, p.account limit ${sumsAtMost + 1}`;

const insertEntries = `
  insert into journal_batch_entry (organization_id, entry_id, period, batch_id)
  select distinct $1::uuid, p.entry_id, $5, $6::uuid ${notExported}`;

interface SumRow {
  readonly day: string;
  readonly kind: string;
  readonly seller: string;
  readonly client: string | null;
  readonly codes: Readonly<Record<string, string>> | null;
  readonly currency: string;
  readonly account: string;
  readonly amount: string;
  readonly seller_account: string | null;
  readonly seller_name: string | null;
}

function sumOf({
  client,
  codes,
  amount,
  seller_account: sellerAccount,
  seller_name: sellerName,
  ...row
}: SumRow): JournalSum {
  const named = present({ client, clientCodes: codes, sellerAccount, sellerName });
  return { ...row, amountMicros: BigInt(amount), ...named };
}
