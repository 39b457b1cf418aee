import { createHash } from 'node:crypto';
import {
  daysOfPeriod,
  isPeriod,
  statementDigest,
  statementDocument,
  statementFileFormat,
  type LedgerStore,
  type StatementScope,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import type {
  BreakRepository,
  MadeDocuments,
  InvoiceRepository,
  PeriodRepository,
  SpendQuestion,
  SpendRow,
} from '@switchyard/store';
import {
  pageHtml,
  pageTables,
  writePage,
  writeTable,
  type PageDocument,
  type TableDocument,
} from '@switchyard/tables';
import { isInReach, reachOf, type GrantDirectory, type Reach } from '@switchyard/tenancy';
import {
  canonicalJson,
  defined,
  err,
  isJsonObject,
  isUuid,
  isoOf,
  ok,
  brandDomainOf,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { jsonObject, period, plainText } from '../platform/routes/fields.js';
import { breakView } from './break-view.js';
import { routesOn } from '../platform/routes/route.js';
import { signDocument, type SignDeps } from './documents/sign-document.js';
import {
  countedKey,
  impressionsOf,
  plansOf,
  type StatementFiguresDeps,
} from './documents/statement-figures.js';
import { checkedAt } from './documents/checked-at.js';
import { statementPage } from './documents/statement-page.js';

export interface StatementsDeps extends SignDeps, StatementFiguresDeps {
  readonly jobStarter: JobStarter;
  readonly breaks: BreakRepository;
  readonly invoices: InvoiceRepository;
  readonly periods: PeriodRepository;
  readonly grants: Pick<GrantDirectory, 'placeOf'>;
  readonly connections: Pick<ConnectionDirectory, 'bySlug' | 'list'>;
  readonly ledger: Pick<LedgerStore, 'head'>;
  readonly spendBy: (scope: PrincipalCaller, question: SpendQuestion) => Promise<readonly SpendRow[]>;
  readonly domainOf: (scope: PrincipalCaller) => Promise<string>;
  /** The name of a client, or of a campaign with its client. */
  readonly clientNames: (
    scope: PrincipalCaller,
    of: { readonly kind: 'client' | 'campaign'; readonly id: string },
  ) => Promise<string>;
  readonly madeDocuments: Pick<MadeDocuments, 'record'>;
  readonly baseUrl: () => string;
  readonly clock: Clock;
}

/** What a statement is about. */
export const statementScope = z
  .string()
  .refine(
    (text) =>
      /^(organization|brand:[^\s:]{1,253}|seller:[a-z0-9-]{1,63})$/.test(text) ||
      isUuid(/^(?:client|campaign):(.*)$/s.exec(text)?.[1] ?? ''),
    'must be organization, client:ID, brand:DOMAIN, campaign:ID or seller:SLUG',
  )
  .exactOptional()
  .describe('organization, client:ID, brand:DOMAIN, campaign:ID or seller:SLUG; organization unless set.');

/** What a statement says, whatever it is rendered as. */
export const statementWanted = {
  period,
  scope: statementScope,
  note: plainText(2_000)
    .trim()
    .min(1)
    .exactOptional()
    .describe('Words of a person, above the figures; they are part of what is signed.'),
};

const wanted = z.strictObject({
  ...statementWanted,
  format: z
    .enum(['json', 'csv', 'xlsx', 'pdf', 'html'])
    .exactOptional()
    .describe('json unless set. Of the others the answer has the file, and the signature covers its digest.'),
});

const answer = z.strictObject({
  statement: jsonObject.describe('The text that was signed: its members are those of the format.'),
  digest: z.string().describe('SHA-256 of the canonical text (RFC 8785) of the statement.'),
  jws: z
    .string()
    .describe('Compact JWS (RFC 7515) whose payload is that text, or with a file what is said of the file.'),
  key: jsonObject.describe('Public key that it verifies with, as in /.well-known/jwks.json.'),
  file: z
    .strictObject({
      media_type: z.string(),
      sha256: z.string(),
      content: z.base64().describe('The bytes of the file.'),
    })
    .exactOptional(),
});

const route = routesOn<StatementsDeps>();

/** Signed documents of the spend of one period. */
export const statementRoutes = withJobs([
  route({
    method: 'post',
    path: '/v1/statements',
    id: 'make_statement',
    summary: 'Make and sign the statement of one period',
    needs: 'ledger.read',
    body: wanted,
    answer,
    asJob: { title: 'Statement' },
    handle: (deps, { caller, body }) => makeStatement(deps, caller, body),
  }),
]);

/** The most breaks and invoices in a statement; with more it is refused, because it would not be complete. */
const rowsAtMost = 10_000;

async function makeStatement(
  deps: StatementsDeps,
  caller: PrincipalCaller,
  { format = 'json', ...about }: z.output<typeof wanted>,
): Promise<Result<z.output<typeof answer>, AdminFailure>> {
  const stated = await statementDocuments(deps, caller, about);
  if (!stated.ok) return stated;
  const { document, digest, page } = stated.value;
  await deps.madeDocuments.record(caller, { digest, title: page.title }, deps.clock.now());
  if (format === 'json') {
    const made = await signDocument(deps, caller, document, 'switchyard-statement+jws');
    return made.ok ? ok({ statement: document, digest, ...made.value }) : made;
  }
  const bytes =
    format === 'csv' ? await writeTable(statementTables(document), 'csv') : await pageFile(page, format);
  const file = { media_type: mediaTypes[format], sha256: createHash('sha256').update(bytes).digest('hex') };
  const signedFile = {
    format: statementFileFormat,
    organization: document['organization'] ?? null,
    ...file,
    bytes: bytes.length,
    statement_digest: digest,
  };
  const made = await signDocument(deps, caller, signedFile, 'switchyard-statement-file+jws');
  if (!made.ok) return made;
  return ok({
    statement: document,
    digest,
    ...made.value,
    file: { ...file, content: bytes.toString('base64') },
  });
}

function pageFile(page: PageDocument, format: 'xlsx' | 'pdf' | 'html'): Promise<Buffer> {
  if (format === 'pdf') return writePage(page);
  if (format === 'html') return Promise.resolve(Buffer.from(pageHtml(page), 'utf8'));
  return writeTable(pageTables(page), 'xlsx');
}

interface Stated {
  readonly period: string;
  readonly scope?: string;
  readonly note?: string;
  /** True: without differences and invoices of sellers, which are the organization's own matter. */
  readonly isForClient?: boolean;
}

/** A statement as its text, with its digest, and as the page that all its files for people are rendered from. */
export async function statementDocuments(
  deps: StatementsDeps,
  caller: PrincipalCaller,
  { period, scope: scopeText = 'organization', note, isForClient = false }: Stated,
): Promise<
  Result<
    { readonly document: JsonObject; readonly digest: string; readonly page: PageDocument },
    AdminFailure
  >
> {
  if (!isPeriod(period)) return err({ code: 'INVALID_REQUEST', message: 'A period is a month as YYYY-MM.' });
  const scope = scopeOf(scopeText);
  const reach = reachOf(caller, 'ledger', 'read');
  if (!(await mayState(deps, caller, reach, scope)))
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message: `A statement of ${scopeText} needs ledger.read in that scope.`,
      field: 'scope',
    });
  const { from, to } = daysOfPeriod(period);
  const head = await deps.ledger.head(caller);
  const question: SpendQuestion = {
    by: ['client', 'brand', 'campaign', 'seller', 'account', 'buy'],
    reach,
    from,
    to,
    ...partOf(scope),
  };
  let spend = await deps.spendBy(caller, question);
  // The figures are the sums until the head that the statement names, also if something was booked meanwhile.
  if ((await deps.ledger.head(caller)).hash !== head.hash)
    spend = await deps.spendBy(caller, { ...question, asOf: head.sealedAt });
  const breaks = isForClient
    ? []
    : (await deps.breaks.list(caller, { reach, period, limit: rowsAtMost })).filter(
        (difference) => difference.state !== 'gone' && belongs(scope, difference),
      );
  const invoices =
    !isForClient && (scope.kind === 'organization' || scope.kind === 'seller')
      ? await deps.invoices.ofPeriod(caller, period, scope.kind === 'seller' ? scope.id : undefined)
      : [];
  if (spend.length + breaks.length + invoices.length === 0 && !(await isThere(deps, caller, scope)))
    return err({ code: 'NOT_FOUND', message: `There is no ${scopeText}.`, field: 'scope' });
  if ([spend, breaks, invoices].some(({ length }) => length >= rowsAtMost))
    return err({
      code: 'INVALID_REQUEST',
      message: `This statement has ${rowsAtMost} rows or more.`,
      suggestion: 'Make one statement per client or seller.',
    });
  const state =
    (await deps.periods.list(caller, deps.clock.now())).find((periodState) => periodState.period === period)
      ?.state ?? 'open';
  const now = deps.clock.now();
  const byDay = await deps.spendBy(caller, { ...question, by: ['day'] });
  const counted = await impressionsOf(deps, caller, { period, spend });
  const campaignIds = await campaignsOf(deps, caller, question);
  const plans = await plansOf(deps, caller, { period, campaignIds, reach });
  const plannedOn = (day: string, currency: string): bigint =>
    plans.reduce((sum, plan) => sum + (plan.currency === currency ? (plan.days.get(day) ?? 0n) : 0n), 0n);
  const document = statementDocument({
    names: await namesOf(deps, caller, scope),
    zones: await deps.periods.zonesInUse(caller),
    days: byDay.map(({ day = '', currency, amount }) => ({
      ...{ day, currency, spendMicros: BigInt(amount) },
      ...(plans.length > 0 && { plannedMicros: plannedOn(day, currency) }),
    })),
    plans: plans.map(({ days: _days, ...plan }) => plan),
    ...defined({ note }),
    organization: await deps.domainOf(caller),
    period,
    scope,
    madeAt: isoOf(now),
    state,
    lines: spend.map(({ amount, client, brand, campaign, seller = '', account, media_buy_id, currency }) => ({
      seller,
      currency,
      spendMicros: BigInt(amount),
      ...present({ client, brand, campaign, account, media_buy_id }),
      ...defined({ impressions: counted.get(countedKey(media_buy_id ?? '', seller)) }),
    })),
    breaks: breaks.map((difference) => ({ ...breakView(difference, now) })),
    invoices: invoices.map(({ id, number, seller, currency, totalMicros }) => ({
      invoice_id: id,
      number,
      seller,
      currency,
      total: microsToDecimal(totalMicros),
    })),
    head: { number: head.number.toString(), hash: head.hash },
  });
  const digest = statementDigest(document);
  return ok({
    document,
    digest,
    page: statementPage(document, digest, checkedAt(deps.baseUrl(), caller, digest)),
  });
}

/** The campaigns that have spent. */
async function campaignsOf(
  { spendBy }: Pick<StatementsDeps, 'spendBy'>,
  caller: PrincipalCaller,
  question: SpendQuestion,
): Promise<readonly string[]> {
  const rows = await spendBy(caller, { ...question, by: ['campaign'] });
  return [...new Set(rows.flatMap(({ campaign_id: id }) => id ?? []))];
}

/** What people read in the place of ids and slugs. Names of sellers are for who may read sellers. */
async function namesOf(
  { connections, clientNames }: StatementsDeps,
  caller: PrincipalCaller,
  { kind, id }: StatementScope,
): Promise<{ readonly scope: string; readonly sellers: Readonly<Record<string, string>> }> {
  const maySeeSellers = reachOf(caller, 'sellers', 'read').kind === 'everything';
  const all = maySeeSellers ? await connections.list(caller) : [];
  const sellers = Object.fromEntries(all.map(({ slug, name }) => [slug, name]));
  if (kind === 'client' || kind === 'campaign')
    return { scope: await clientNames(caller, { kind, id }), sellers };
  const scope = kind === 'organization' ? 'All clients' : (sellers[id] ?? id);
  return { scope, sellers };
}

const mediaTypes = {
  csv: 'text/csv',
  html: 'text/html',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
} as const;

/** The lists of a statement as tables, and its other members as one table of names and values. */
function statementTables(document: JsonObject): TableDocument {
  const text = (value: JsonValue | undefined): string => {
    if (value === undefined || value === null) return '';
    return Array.isArray(value)
      ? value.map(text).join(' ')
      : isJsonObject(value)
        ? canonicalJson(value)
        : String(value);
  };
  const facts = Object.entries(document).flatMap(([name, value]): readonly (readonly string[])[] => {
    if (Array.isArray(value)) return [];
    if (!isJsonObject(value)) return [[name, text(value)]];
    return Object.entries(value).map(([member, inner]) => [`${name}.${member}`, text(inner)]);
  });
  const lists = Object.entries(document).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [];
    const rows = value.filter(isJsonObject);
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return [{ name, columns, rows: rows.map((row) => columns.map((column) => text(row[column]))) }];
  });
  return {
    title: `Statement ${text(document['period'])} of ${text(document['organization'])}`,
    madeAt: text(document['made_at']),
    sections: [
      {
        name: 'statement',
        columns: ['name', 'value'],
        rows: [...facts, ['digest', statementDigest(document)]],
      },
      ...lists,
    ],
  };
}

function scopeOf(text: string): StatementScope {
  const [kind = '', id = ''] = text.split(/:(.*)/s);
  return { kind: kind as StatementScope['kind'], id: kind === 'brand' ? brandDomainOf(id) : id };
}

/** Whether a caller may state a part of the organization: one in its reach, a campaign also by its client or brand. */
async function mayState(
  { grants }: Pick<StatementsDeps, 'grants'>,
  caller: PrincipalCaller,
  reach: Reach,
  { kind, id }: StatementScope,
): Promise<boolean> {
  if (reach.kind === 'everything') return true;
  if (kind === 'organization' || kind === 'seller') return false;
  const place = await grants.placeOf(caller, { kind, id });
  return place !== undefined && isInReach(reach, place);
}

/** A statement without spend is signed too, but only if its subject exists: a name may be mistyped. */
async function isThere(
  { grants, connections }: StatementsDeps,
  caller: PrincipalCaller,
  { kind, id }: StatementScope,
): Promise<boolean> {
  if (kind === 'organization') return true;
  if (kind === 'seller') return (await connections.bySlug(caller, id)) !== undefined;
  return (await grants.placeOf(caller, { kind, id })) !== undefined;
}

function partOf({ kind, id }: StatementScope): Partial<SpendQuestion> {
  if (kind === 'client') return { clientId: id };
  if (kind === 'brand') return { brandDomain: id };
  if (kind === 'campaign') return { campaignId: id };
  return kind === 'seller' ? { seller: id } : {};
}

function belongs(
  { kind, id }: StatementScope,
  row: {
    readonly seller: string;
    readonly clientId?: string;
    readonly brandDomain?: string;
    readonly campaignId?: string;
  },
): boolean {
  if (kind === 'organization') return true;
  const of = { client: row.clientId, brand: row.brandDomain, campaign: row.campaignId, seller: row.seller };
  return of[kind] === id;
}

function present(members: Readonly<Record<string, string | null | undefined>>) {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string'),
  );
}
