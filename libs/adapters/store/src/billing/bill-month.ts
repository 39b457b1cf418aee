import { randomUUID } from 'node:crypto';
import {
  billClient,
  daysOfPeriod,
  type BillingCheck,
  type ClientDraft,
  type FreeLine,
  type PackageFigures,
} from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { insertRows } from '../buys/insert-rows.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { openFrom } from '../ledger/open-from.js';
import {
  openDifferences,
  readBilled,
  readCampaigns,
  readClientFigures,
  TooMuchToBill,
  type ClientMonth,
} from './billing-figures.js';
import { readBillings, readRules } from './billing-settings.js';
import { linesAtMost } from './client-invoice-rows.js';
import { lockRow } from '../core/lock-row.js';

export interface BillingRun extends ClientMonth {
  readonly free: readonly FreeLine[];
  /** UUID of the principal. */
  readonly by: string;
}

export type BilledMonth =
  | { readonly kind: 'done'; readonly ids: readonly string[]; readonly checks: readonly BillingCheck[] }
  /** `too_many`: more figures than one bill is computed of. */
  | { readonly kind: 'no_client' | 'no_rule' | 'too_many' };

/** Computes what a client owes for a month and stores it as drafts, which replace its drafts of the month. */
export async function billMonth(
  client: TenantSession,
  { clientId, period, free, by }: BillingRun,
  packages: readonly PackageFigures[],
  at: Instant,
): Promise<BilledMonth> {
  const month = { clientId, period };
  await lockClient(client, clientId);
  const [billing] = await readBillings(client, clientId);
  if (billing === undefined) return { kind: 'no_client' };
  const rules = await readRules(client, clientId);
  if (rules.length === 0 && free.length === 0) return { kind: 'no_rule' };
  const open = await openFrom(client);
  const { drafts, checks } = billClient({
    ...{ clientId, period, rules, free, tax: billing.tax },
    isClosed: open !== undefined && daysOfPeriod(period).from < open,
    figures: await readClientFigures(client, month, packages),
    campaigns: await readCampaigns(client, month),
    ...(await readBilled(client, month)),
    sellerNames: await sellerNames(client),
  });
  const found = [...checks, ...(await differencesOf(client, month))];
  await dropDrafts(client, month);
  const runId = randomUUID();
  const ids = [];
  for (const draft of drafts) {
    if (draft.lines.length > linesAtMost) throw new TooMuchToBill();
    const refersTo =
      draft.kind === 'credit_note' ? await newestInvoice(client, month, draft.currency) : undefined;
    const about = { entityId: billing.entityId, clientId, period, runId, checks: found, by, refersTo };
    ids.push(await insertDraft(client, about, draft, at));
  }
  return { kind: 'done', ids, checks: found };
}

/** One at a time works on the documents of a client. */
export async function lockClient(client: TenantClient, clientId: string): Promise<void> {
  await lockRow(client, 'client_billing', { client_id: clientId }, ['client_id']);
}

async function sellerNames({ models, organizationId }: TenantSession): Promise<ReadonlyMap<string, string>> {
  const rows = await models.connection.findMany({
    where: { organization_id: organizationId },
    select: { slug: true, name: true },
    take: 10_000,
  });
  return new Map(rows.map(({ slug, name }) => [slug, name]));
}

async function differencesOf(client: TenantClient, month: ClientMonth): Promise<readonly BillingCheck[]> {
  return (await openDifferences(client, month)).map(({ seller, ...amount }) => ({
    code: 'open_difference',
    text: `Differences with ${seller} are open: what is billed may change.`,
    ...amount,
  }));
}

async function dropDrafts(client: TenantSession, { clientId, period }: ClientMonth): Promise<void> {
  const rows = await client.models.client_invoice.findMany({
    where: { organization_id: client.organizationId, client_id: clientId, period, state: 'draft' },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: 1000,
  });
  await deleteDrafts(
    client,
    rows.map(({ id }) => id),
  );
}

export async function deleteDrafts(client: TenantSession, ids: readonly string[]): Promise<void> {
  const { client_invoice, client_invoice_line } = client.models;
  const [own, named] = [{ organization_id: client.organizationId }, { in: [...ids] }];
  await client_invoice_line.deleteMany({ where: { ...own, invoice_id: named } });
  await client_invoice.deleteMany({ where: { ...own, id: named, state: 'draft' } });
}

async function newestInvoice(
  { models, organizationId }: TenantSession,
  { clientId, period }: ClientMonth,
  currency: string,
): Promise<string | undefined> {
  const issued = { kind: 'invoice', state: 'issued' };
  const newest = await models.client_invoice.findFirst({
    where: { organization_id: organizationId, client_id: clientId, period, currency, ...issued },
    orderBy: [{ issued_at: 'desc' }, { number: 'desc' }],
  });
  return newest?.id;
}

/** Of which a draft is made, beside its lines. */
interface AboutDraft extends ClientMonth {
  readonly entityId: string;
  readonly runId: string;
  readonly checks: readonly BillingCheck[];
  readonly by: string;
  readonly refersTo: string | undefined;
  readonly reason?: string;
}

export async function insertDraft(
  client: TenantSession,
  { entityId, clientId, period, runId, checks, by, refersTo, reason }: AboutDraft,
  { kind, currency, lines, netMicros, taxMicros, grossMicros }: ClientDraft,
  at: Instant,
): Promise<string> {
  const id = randomUUID();
  const { organizationId } = client;
  const issuedBefore = await issuedOf(client, clientId);
  await insertRows(client, 'client_invoice', [
    {
      ...{ organization_id: organizationId, id, entity_id: entityId, client_id: clientId, run_id: runId },
      ...{ kind, state: 'draft', period, currency, net_micros: netMicros, tax_micros: taxMicros },
      ...{ gross_micros: grossMicros, refers_to: refersTo, reason, made_by: by, made_at: new Date(at) },
      issued_before: issuedBefore,
      checks: checks.map(({ amountMicros, ...check }) => ({ ...check, amount: amountMicros.toString() })),
    },
  ]);
  // Of a statement's 65,535 values.
  for (let from = 0; from < lines.length; from += 1_000)
    await insertRows(
      client,
      'client_invoice_line',
      lines.slice(from, from + 1_000).map((line, place) => ({
        ...{ organization_id: organizationId, invoice_id: id, line: from + place + 1, key: line.key },
        ...{ type: line.type, campaign_id: line.campaignId, seller: line.seller, rule_id: line.ruleId },
        ...{ description: line.description, net_micros: line.netMicros },
        ...{ tax_hundredths: line.taxHundredths, tax_category: line.taxCategory },
      })),
    );
  return id;
}

/** Documents of a client that were issued, but for those of one run. */
export function issuedOf(
  { models, organizationId }: TenantSession,
  clientId: string,
  exceptRun?: string,
): Promise<number> {
  const issued = { organization_id: organizationId, client_id: clientId, state: 'issued' };
  return models.client_invoice.count({
    where: { ...issued, ...(exceptRun !== undefined && { run_id: { not: exceptRun } }) },
  });
}
