import type { OperationStore } from '@switchyard/buys';
import { ledgerExport, type LedgerEntry, type LedgerStore, type MissingRate } from '@switchyard/ledger';
import { streamUntil } from '@switchyard/journal';
import { microsToDecimal } from '@switchyard/money';
import {
  spendDimensions,
  spendRowsAtMost,
  type NameReader,
  type ReportingRow,
  type RowNames,
  type SenderKeys,
  type SpendDimension,
  type SpendQuestion,
  type SpendRow,
} from '@switchyard/store';
import { csvText } from '@switchyard/tables';
import { reachOf, seesSellers, type TenantScope } from '@switchyard/tenancy';
import { defined, err, isJsonObject, isoOf, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { LedgerAnchors } from './anchor-ledger.js';
import type { LedgerVerifier } from './verify-ledger.js';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { senderKeyView } from '../keys/index.js';
import { rowMembers, whoseOfRow } from '../business/index.js';
import {
  chainDocument,
  notSigned,
  day,
  instant,
  jsonObject,
  moment,
  nameOrId,
} from '../platform/routes/fields.js';
import { madeSortQuery, organizationWide, reachFilter } from '../platform/routes/list-filters.js';
import { noMediaBuy } from '../buys/index.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn, WrittenAnswer } from '../platform/routes/route.js';
import { archivedBefore } from './archived.js';
import { verdict, verdictView } from './ledger-verdict.js';
import { noRate } from './no-rate.js';

interface LedgerDeps {
  readonly jobStarter: JobStarter;
  readonly operations: Pick<OperationStore, 'mediaBuys'>;
  readonly ledger: Pick<LedgerStore, 'archive' | 'entriesOf' | 'head' | 'stream'>;
  readonly anchors: Pick<LedgerAnchors, 'beside'>;
  readonly senderKeys: Pick<SenderKeys, 'list'>;
  readonly names: Pick<NameReader, 'ofBuys'>;
  readonly verifier: LedgerVerifier;
  readonly spendBy: (scope: TenantScope, question: SpendQuestion) => Promise<readonly SpendRow[]>;
  readonly spendInReporting: (
    scope: TenantScope,
    question: SpendQuestion,
  ) => Promise<Result<readonly ReportingRow[], MissingRate>>;
}

const spendQuery = z.strictObject({
  by: z
    .string()
    .max(200)
    .exactOptional()
    .describe(`Comma-separated: ${spendDimensions.join(', ')}. Seller unless set.`),
  from: day.exactOptional().describe('First UTC day.'),
  to: day.exactOptional().describe('First UTC day after the last one.'),
  as_of: moment.exactOptional().describe('Only what was booked by then.'),
  seller: nameOrId.exactOptional().describe('Only at this seller, by its slug.'),
  currency: z
    .enum(['reporting'])
    .exactOptional()
    .describe("In the organization's reporting currency, by the rate of each day or the last before it."),
});

const spendRow = z.strictObject({
  client_id: z.string().nullable().exactOptional(),
  client: z.string().nullable().exactOptional(),
  brand: z.string().nullable().exactOptional(),
  campaign_id: z.string().nullable().exactOptional(),
  campaign: z.string().nullable().exactOptional(),
  seller: z.string().exactOptional(),
  account: z
    .string()
    .exactOptional()
    .describe('Our account at the seller: its id, else the brand and the operator.'),
  media_buy_id: z.string().nullable().exactOptional(),
  buy: z.string().nullable().exactOptional().describe('media_buy_id, under the name of the dimension.'),
  package_id: z.string().nullable().exactOptional().describe('Null where a report said nothing of packages.'),
  package: z.string().nullable().exactOptional().describe('package_id, as with buy.'),
  day: z.string().exactOptional(),
  week: z.string().exactOptional().describe('Its Monday.'),
  month: z.string().exactOptional(),
  period: z.string().exactOptional(),
  currency: z.string(),
  spend: z.string(),
  originals: z
    .array(z.strictObject({ currency: z.string(), spend: z.string() }))
    .exactOptional()
    .describe('What was added up, each in its own currency; with currency=reporting.'),
  rates: z
    .array(z.strictObject({ from: z.string(), date: z.string(), rate: z.string(), source: z.string() }))
    .exactOptional()
    .describe('What it was converted by, each from its date on; 100 at most.'),
  rate_total: z.int().exactOptional().describe('How many rates there are.'),
});

/** One entry of the ledger's chain: the members of the text that was hashed, and the current owner of its media buy. */
const entry = z.strictObject({
  entry_id: z.string(),
  kind: z.string(),
  occurred_at: instant,
  seller: z.string(),
  hash: z.string(),
  ...rowMembers,
  postings: z.array(
    z.strictObject({ account: z.string(), day: z.string(), currency: z.string(), amount: z.string() }),
  ),
  facts: jsonObject.describe('What the entry says beside its postings, by its kind.'),
});

/** Entries of a page by default: a buy has one for each change and each day of delivery. */
const usualEntries = 500;

const route = routesOn<LedgerDeps>();

/** The ledger: what was spent, and whether the chain is intact. */
export const ledgerRoutes = withJobs([
  route({
    method: 'get',
    path: '/v1/ledger/spend',
    id: 'ledger_spend',
    summary: 'Spend by seller and currency, or by the dimensions of by',
    needs: 'ledger.read',
    query: spendQuery,
    answer: z.strictObject({ spend: z.array(spendRow) }),
    example: { spend: [{ seller: 'acme', currency: 'USD', spend: '12.5' }] },
    handle: (deps, { caller, query }) => spend(deps, caller, query),
  }),
  route({
    method: 'get',
    path: '/v1/ledger/spend/export',
    id: 'export_spend',
    summary: 'The same as a file: CSV with a header',
    needs: 'ledger.read',
    query: spendQuery,
    answer: z.strictObject({
      rows: z.int(),
      file: z
        .string()
        .describe('The text of the file (RFC 4180). Text that begins like a formula is escaped.'),
    }),
    example: { rows: 1, file: 'seller,spend,currency\nacme,12.5,USD\n' },
    asJob: { title: 'Export of spend' },
    handle: async (deps, { caller, query }) => {
      const found = await spend(deps, caller, query);
      return found.ok ? ok({ rows: found.value.spend.length, file: spendFile(found.value.spend) }) : found;
    },
  }),
  route({
    method: 'get',
    path: '/v1/ledger/verify',
    id: 'ledger_verify',
    summary: 'Recompute the chain and its sums since the last checkpoint, or all with from_start',
    needs: 'ledger.read',
    query: z.strictObject({ from_start: z.enum(['true', 'false']).exactOptional() }),
    answer: verdict,
    example: { ok: true, entries: 0, head: null },
    handle: async ({ verifier }, { caller, query }) => {
      const refused = organizationWide(caller, 'ledger', 'read');
      if (refused !== undefined) return err(refused);
      const fromStart = query.from_start === 'true';
      const read = await verifier.verify(scopeOf(caller), { fromStart });
      return ok(verdictView(read));
    },
  }),
  route({
    method: 'get',
    path: '/v1/ledger/entries/{id}',
    id: 'ledger_entries',
    summary: 'The entries of one media buy: bought, changed, canceled, delivered',
    needs: 'ledger.read',
    query: z.strictObject({ ...madeSortQuery, ...pageQuery }),
    answer: z.strictObject({
      entries: z.array(entry),
      archived_before: z
        .string()
        .exactOptional()
        .describe('Entries from before this month are archived in files, and not in this list.'),
      next_cursor: nextCursor,
    }),
    handle: async ({ operations, ledger, names }, { caller, params, query }) => {
      const reach = reachFilter(caller, 'ledger', 'read');
      const page = await listPage(
        { id: `ledger_entries ${params.id}`, caller, query: { limit: usualEntries, ...query } },
        (read) =>
          ledger.entriesOf(scopeOf(caller), params.id, {
            ...reach,
            ...(query.sort && { sort: query.sort }),
            ...read,
          }),
        ({ id }) => [id],
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      if (rows.length === 0) {
        const wanted = { ids: [params.id], limit: 1, reach: reachOf(caller, 'ledger', 'read') };
        const [buy] = await operations.mediaBuys(scopeOf(caller), wanted);
        if (buy === undefined) return err(noMediaBuy);
      }
      const known = await names.ofBuys(
        scopeOf(caller),
        rows.map(({ seller }) => ({ mediaBuyId: params.id, seller })),
      );
      const archive = await ledger.archive(scopeOf(caller));
      return ok({
        entries: rows.map((row) =>
          entryView(seesSellers(caller) ? row : withoutSender(row), params.id, known),
        ),
        ...(archive && { archived_before: archive.before }),
        ...next,
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/ledger/export',
    id: 'ledger_export',
    summary: 'The whole chain as one document that can be verified offline',
    needs: 'ledger.read',
    answer: chainDocument,
    inParts: true,
    asJob: { title: 'Export of the ledger' },
    handle: async ({ ledger, anchors, senderKeys }, { caller }) => {
      const refused = organizationWide(caller, 'ledger', 'read');
      if (refused !== undefined) return err(refused);
      const archive = await ledger.archive(scopeOf(caller));
      if (archive !== undefined)
        return err(archivedBefore(archive.before, 'the chain cannot be exported from its first entry'));
      const head = await ledger.head(scopeOf(caller));
      const keys = seesSellers(caller) ? (await senderKeys.list(scopeOf(caller))).map(senderKeyView) : [];
      const beside = await anchors.beside(scopeOf(caller), head, { keys });
      if (!beside.ok) return err(notSigned);
      const written = new WrittenAnswer((write) =>
        ledger.stream(scopeOf(caller), async (stream) => {
          const parts = ledgerExport({ ...streamUntil(stream, head), beside: beside.value });
          for await (const part of parts) await write(part);
        }),
      );
      return ok(written);
    },
  }),
]);

async function spend(
  { ledger, spendBy, spendInReporting }: LedgerDeps,
  caller: PrincipalCaller,
  query: z.output<typeof spendQuery>,
): Promise<Result<{ spend: z.output<typeof spendRow>[] }, AdminFailure>> {
  const named = (query.by ?? 'seller').split(',').map((part) => part.trim());
  const by = spendDimensions.filter((dimension) => named.includes(dimension));
  const unknown = named.find((name) => !(by as readonly string[]).includes(name));
  if (unknown !== undefined)
    return err({
      code: 'INVALID_REQUEST',
      message: `Spend cannot be added up by ${unknown}. Use ${spendDimensions.join(', ')}.`,
      field: 'by',
    });
  if (query.from !== undefined && query.to !== undefined && query.to < query.from)
    return err({
      code: 'INVALID_REQUEST',
      message: 'The time ends before it starts.',
      field: 'to',
      suggestion: 'to is the first day that is not counted.',
    });
  const archive = query.as_of === undefined ? undefined : await ledger.archive(scopeOf(caller));
  if (archive !== undefined && query.as_of !== undefined && query.as_of < archive.head.sealedAt)
    return err(archivedBefore(archive.before, 'spend as of a time before that is not known', 'as_of'));
  const question = {
    by,
    reach: reachOf(caller, 'ledger', 'read'),
    ...defined({ from: query.from, to: query.to, asOf: query.as_of, seller: query.seller }),
  };
  if (query.currency === 'reporting') {
    const converted = await spendInReporting(scopeOf(caller), question);
    if (!converted.ok) return err(noRate(converted.error));
    if (converted.value.length >= spendRowsAtMost) return err(tooManyRows);
    return ok({ spend: converted.value.map((row) => reportingView(by, row)) });
  }
  const rows = await spendBy(scopeOf(caller), question);
  if (rows.length >= spendRowsAtMost) return err(tooManyRows);
  return ok({ spend: rows.map((row) => spendView(by, row)) });
}

/** One sum, with each dimension under its name in the request. */
function spendView(by: readonly SpendDimension[], { amount, ...row }: SpendRow): z.output<typeof spendRow> {
  return {
    ...row,
    ...(by.includes('buy') && { buy: row['media_buy_id'] ?? null }),
    ...(by.includes('package') && { package: row['package_id'] ?? null }),
    spend: microsToDecimal(BigInt(amount)),
  };
}

/** Columns that a file omits because others repeat them: sums before conversion, and second names. */
const leftOutOfFiles: ReadonlySet<string> = new Set(['originals', 'rates', 'rate_total', 'buy', 'package']);

function spendFile(rows: readonly z.output<typeof spendRow>[]): string {
  const named = Object.keys(rows[0] ?? {}).filter((name) => !leftOutOfFiles.has(name));
  const columns = rows.length === 0 ? ['spend', 'currency'] : named;
  const cells = rows.map((row) => {
    const members: Readonly<Record<string, unknown>> = row;
    return columns.map((name) => (typeof members[name] === 'string' ? members[name] : ''));
  });
  return csvText([columns, ...cells]);
}

const tooManyRows: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: `This has ${spendRowsAtMost} rows or more.`,
  suggestion: 'Name fewer dimensions, or a shorter time with from and to.',
};

/** The most rates shown beside one sum: a year of days in many currencies is too much for one answer. */
const ratesShown = 100;

function reportingView(
  by: readonly SpendDimension[],
  { row, originals, rates }: ReportingRow,
): z.output<typeof spendRow> {
  return {
    ...spendView(by, row),
    originals: originals.map((original) => ({
      currency: original.currency,
      spend: microsToDecimal(BigInt(original.amount)),
    })),
    rates: rates.slice(0, ratesShown).map(({ from, date, rate, source }) => ({ from, date, rate, source })),
    rate_total: rates.length,
  };
}

/** The message of an entry names the seller's agent and its key: the slug replaces them here. */
function withoutSender(entry: LedgerEntry): LedgerEntry {
  const { message, ...facts } = entry.facts;
  if (!isJsonObject(message)) return entry;
  const { keyid: _keyid, ...others } = message;
  return { ...entry, facts: { ...facts, message: { ...others, sender: entry.seller } } };
}

function entryView(entry: LedgerEntry, mediaBuyId: string, names: RowNames) {
  return {
    entry_id: entry.id,
    kind: entry.kind,
    occurred_at: isoOf(entry.occurredAt),
    seller: entry.seller,
    hash: entry.hash,
    ...whoseOfRow({ operationId: mediaBuyId, seller: entry.seller }, names),
    postings: entry.postings.map(({ account, day, currency, amountMicros }) => ({
      account,
      day,
      currency,
      amount: microsToDecimal(amountMicros),
    })),
    facts: entry.facts,
  };
}
