import {
  daysOfPeriod,
  roundedLines,
  usualTermDays,
  type BookBill,
  type JournalSum,
} from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { reportingCurrency } from './dated-rates.js';
import { accountText } from './spend-by.js';

/** The entries of a batch: those without a document as sums, and those of sellers' documents. No amount is in both. */
export interface BatchContents {
  readonly number: number;
  readonly sums: readonly JournalSum[];
  /** Positive: bills. Negative: credit notes, and bills that are voided. */
  readonly documents: readonly BookBill[];
  readonly codes: ReadonlyMap<string, string>;
  /** ISO 4217. */
  readonly baseCurrency: string;
}

/** Rows that one file may be made of. */
const batchRowsAtMost = 50_000;

/** Whether an entry books or takes back a document of a seller. */
const ofDocument = `(e.kind = 'invoice' or (e.kind = 'void' and exists (
  select from invoice v where v.organization_id = $1 and v.id = e.operation_id and v.void_entry_id = e.id)))`;

/** The client of an entry `e` with its buy `m` or its document `b`: an accrual of a client names it as its operation. */
export const clientOfEntry = `coalesce(m.client_id, b.client_id,
  case when e.kind = 'accrual' and e.seller = '' then e.operation_id end)`;

const ofBatch = `
  from journal_batch_entry x
  join ledger_entry e on e.organization_id = x.organization_id and e.id = x.entry_id
  join ledger_posting p on p.organization_id = x.organization_id and p.entry_id = x.entry_id
    and p.day >= $3 and p.day < $4`;

export async function readBatch(client: TenantSession, named: string): Promise<BatchContents | undefined> {
  const number = /^\d{1,9}$/.test(named) ? Number(named) : undefined;
  if (number === undefined && !isUuid(named)) return undefined;
  const key = number === undefined ? { id: named } : { number };
  const batch = await client.models.journal_batch.findFirst({
    where: { organization_id: client.organizationId, ...key },
    omit: { file: true },
  });
  if (batch === null) return undefined;
  const { from, to } = daysOfPeriod(batch.period);
  const part = [client.organizationId, batch.id, from, to];
  return {
    number: batch.number,
    sums: await readSums(client, part),
    documents: await readDocuments(client, part),
    codes: await readCodes(client),
    baseCurrency: await reportingCurrency(client),
  };
}

/** The codes of the books, by their keys. */
export async function readCodes({
  models,
  organizationId,
}: TenantSession): Promise<ReadonlyMap<string, string>> {
  const codes = await models.book_code.findMany({ where: { organization_id: organizationId } });
  return new Map(codes.map(({ key, code }) => [key, code]));
}

async function readSums(client: TenantClient, part: readonly unknown[]): Promise<readonly JournalSum[]> {
  const { rows } = await client.query<{
    day: string;
    kind: string;
    seller: string;
    client: string | null;
    codes: Readonly<Record<string, string>> | null;
    currency: string;
    account: string;
    amount: string;
    seller_account: string | null;
  }>(
    `select p.day, e.kind, p.seller, c.name as client, c.codes, p.currency, p.account, sum(p.amount_micros)::text as amount,
       case when m.id is not null or s.account is not null then ${accountText} end as seller_account
     ${ofBatch}
     left join media_buy m on m.id = p.media_buy_id
     left join client_invoice b on b.organization_id = $1 and b.id = e.operation_id
     left join client c on c.id = ${clientOfEntry}
     left join connection s on s.organization_id = $1 and s.slug = p.seller
     where x.organization_id = $1 and x.batch_id = $2 and not ${ofDocument}
     group by p.day, e.kind, p.seller, c.id, p.currency, p.account, seller_account
     order by p.day, e.kind, p.seller, c.id, seller_account, p.currency, p.account limit ${batchRowsAtMost}`,
    part,
  );
  return rows.map(({ client: name, codes, amount, seller_account: sellerAccount, ...row }) => ({
    ...row,
    amountMicros: BigInt(amount),
    ...present({ client: name, clientCodes: codes, sellerAccount }),
  }));
}

async function readDocuments(client: TenantClient, part: readonly unknown[]): Promise<readonly BookBill[]> {
  const { rows } = await client.query<{
    number: string;
    seller: string;
    issued_on: string;
    due_on: string;
    day: string;
    currency: string;
    lines: readonly { readonly account: string; readonly amount: string }[];
  }>(
    `select case when e.kind = 'void' then 'VOID-' || i.number else i.number end as number, i.seller, i.issued_on,
       coalesce(i.due_on, to_char(i.issued_on::date + $5::int, 'YYYY-MM-DD')) as due_on, min(p.day) as day,
       p.currency, json_agg(json_build_object('account', p.account, 'amount', p.amount_micros::text) order by p.line) as lines
     ${ofBatch}
     join invoice i on i.organization_id = $1 and i.id = e.operation_id
     where x.organization_id = $1 and x.batch_id = $2 and ${ofDocument}
     group by e.id, e.kind, i.id, p.currency order by i.seller, i.number, e.id limit ${batchRowsAtMost}`,
    [...part, usualTermDays],
  );
  return rows.map(({ issued_on: issuedOn, due_on: dueOn, lines, ...row }) => ({
    ...row,
    issuedOn,
    dueOn,
    lines: roundedLines(
      row.currency,
      lines.map(({ account, amount }) => ({ account, amountMicros: BigInt(amount) })),
    ).filter(({ account }) => account !== 'seller_invoiced'),
  }));
}
