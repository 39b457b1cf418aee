import {
  agreementsOf,
  countFacts,
  countFigures,
  daysOfPeriod,
  firstDayOf,
  groupBy,
  sharesOf,
  shiftDay,
  withAgreement,
  type Agreement,
  type BookedInvoice,
  type CountedFigure,
  type PackageFigures,
  type ReportVersion,
  type StoredVersion,
} from '@switchyard/ledger';
import { isSameSite } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { nextTurn } from '@switchyard/values';
import { orderNumberSql } from '../billing/insertion-order.list.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { readAgreements } from './agreement-repository.js';
import { readThirdParty, type CountedElsewhere } from './figure-repository.js';
import { readWholeGroups } from '../ledger/read-versions.js';
import type { Window } from '../ledger/wanted-buys.js';

interface FiguresWanted {
  readonly period: string;
  readonly seller?: string;
  /** UUID. */
  readonly clientId?: string;
  /** Only these media buys; all of the organization unless set. */
  readonly buys?: readonly string[];
  /** Invoices of the period: the issue date of each seller's newest one is the date of the figures known at issue. */
  readonly invoices: readonly BookedInvoice[];
  /** Called with the buys that were read, and how many there are. */
  readonly progress?: (done: number, total: number) => Promise<void>;
}

/** Limits the memory in use; each page is one statement. */
const buysAtOnce = 200;

/** Their report versions take about ten milliseconds; then other tasks of the event loop run. */
const buysPerTurn = 10;

/** `billing_measurement` of the terms of a package, as the protocol has it. */
interface BillingMeasurement {
  readonly vendor?: { readonly domain?: unknown };
  readonly max_variance_percent?: unknown;
}

interface BuyRow {
  readonly id: string;
  readonly seller: string;
  readonly seller_media_buy_id: string;
  readonly media_buy_id: string;
  readonly currency: string;
  readonly po_number: string | null;
  readonly insertion_order: string | null;
  readonly client_id: string | null;
  readonly budgets: Readonly<Record<string, string>>;
  /** By package: what was agreed of its measurement. */
  readonly measured: Readonly<Record<string, BillingMeasurement>>;
  /** By package and month: what it spent. */
  readonly months: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** References of the buyer and the campaign. */
  readonly names: readonly string[];
  readonly agent_url: string;
  readonly spent: Readonly<Record<string, string>>;
}

/** Sellers' delivery in one period by package, from the report versions that count. */
export async function readFigures(
  store: Store,
  scope: TenantScope,
  wanted: FiguresWanted,
): Promise<readonly PackageFigures[]> {
  const { from, to } = daysOfPeriod(wanted.period);
  const bounds = [`${shiftDay(from, -1)}T00:00:00Z`, `${shiftDay(to, 1)}T00:00:00Z`];
  const figures: PackageFigures[] = [];
  const agreed = agreementsOf(await store.inTenant(scope, readAgreements), wanted.period);
  let [after, done] = ['', 0];
  const total = wanted.progress === undefined ? 0 : await store.inTenant(scope, countBuys);
  for (;;) {
    const page = await store.inTenant(scope, async (client) => {
      const ids = wanted.buys ?? (await nextBuys(client, after));
      const buys = await readBuys(client, wanted, ids, bounds);
      const elsewhere = await readThirdParty(
        client,
        buys.map(({ id }) => id),
        { from, to },
      );
      return { ids, buys, elsewhere, versions: await readVersions(client, buys, bounds) };
    });
    for (const [at, buy] of page.buys.entries()) {
      if (at % buysPerTurn === 0) await nextTurn();
      const versions = page.versions.get(buy.id) ?? [];
      const ofBuy = figuresOf(buy, versions, {
        ...{ from, to, issuedOn: issueDay(wanted, buy.seller) },
        agreement: agreed({
          ...{ seller: buy.seller, mediaBuyId: buy.media_buy_id },
          ...present({ insertionOrder: buy.insertion_order }),
        }),
      });
      const counted = page.elsewhere.get(buy.id);
      figures.push(...ofBuy.map((figure) => withThirdParty(figure, counted?.get(figure.packageRef))));
    }
    const last = page.ids.at(-1);
    if (last === undefined || wanted.buys !== undefined) return figures;
    after = last;
    done += page.ids.length;
    if (done % buysPerWord === 0) await wanted.progress?.(done, total);
  }
}

/** Buys between two words about progress. */
const buysPerWord = 2_000;

async function countBuys(client: TenantClient): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    'select count(distinct media_buy_id)::text as count from seller_buy where organization_id = $1',
    [client.organizationId],
  );
  return Number(rows[0]?.count);
}

function withThirdParty(
  packageFigures: PackageFigures,
  counted: CountedElsewhere | undefined,
): PackageFigures {
  return counted === undefined
    ? packageFigures
    : { ...packageFigures, thirdPartyMicros: counted.micros, thirdPartySource: counted.source };
}

/** Ids of media buys with a part at a seller, in order. */
async function nextBuys(client: TenantClient, after: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ media_buy_id: string }>(
    `select distinct media_buy_id from (
       select media_buy_id from seller_buy where organization_id = $1 and media_buy_id > $2
       order by media_buy_id limit ${buysAtOnce}) page order by media_buy_id`,
    [client.organizationId, after],
  );
  return rows.map(({ media_buy_id: id }) => id);
}

/** Parts of these buys with a figure in the period or next to it. */
async function readBuys(
  client: TenantClient,
  { seller, clientId, period }: FiguresWanted,
  ids: readonly string[],
  [start, end]: readonly (string | undefined)[],
): Promise<readonly BuyRow[]> {
  const { rows } = await client.query<BuyRow>(
    `select b.id, b.seller, b.seller_media_buy_id, b.media_buy_id, m.currency, k.po_number, k.insertion_order, m.client_id,
       coalesce((select jsonb_object_agg(coalesce(p.seller_package_id, p.buyer_ref, ''), p.budget_micros::text)
                 from buy_package p where p.leg_id = b.leg_id), '{}') as budgets,
       coalesce((select jsonb_object_agg(s.package_ref, s.spent::text) from (
                   select package_ref, sum(amount_micros) as spent from package_spend
                   where seller_buy_id = b.id group by package_ref) s), '{}') as spent,
       coalesce((select jsonb_object_agg(s.package_ref, s.months) from (
                   select package_ref, jsonb_object_agg(month, amount_micros::text) as months from package_spend
                   where seller_buy_id = b.id and month <> $7 and month <> all(coalesce(i.periods, '{}'))
                   group by package_ref) s), '{}') as months,
       coalesce((select jsonb_object_agg(coalesce(p.seller_package_id, p.buyer_ref, ''), coalesce(
                   p.terms #> '{reported,measurement_terms,billing_measurement}',
                   p.terms #> '{sent,measurement_terms,billing_measurement}',
                   p.terms #> '{quoted,measurement_terms,billing_measurement}'))
                 from buy_package p where p.leg_id = b.leg_id and p.terms is not null), '{}') as measured,
       array_remove(array[m.buyer_ref, k.insertion_order, k.estimate, k.reference, k.id::text, k.name,
         (select ${orderNumberSql} from insertion_order o
          where o.organization_id = $2 and o.seller_buy_id = b.id limit 1)], null) as names,
       coalesce((select c.agent_url from connection c where c.id = b.connection_id), '') as agent_url
     from unnest($1::text[]) page(id)
     cross join lateral (select * from seller_buy s where s.organization_id = $2 and s.media_buy_id = page.id offset 0) b
     join media_buy m on m.id = b.media_buy_id left join campaign k on k.id = m.campaign_id
     left join lateral (
       select array_agg(distinct n.period) as periods from invoice_line l join invoice n on n.id = l.invoice_id
       where l.organization_id = $2 and l.seller_media_buy_id = b.seller_media_buy_id
         and n.connection_id = b.connection_id and n.voided_at is null) i on true
     where b.seller_media_buy_id is not null
       and ($3::text is null or b.seller = $3) and ($4::uuid is null or m.client_id = $4)
       and exists (select 1 from report_version v where v.seller_buy_id = b.id
                     and v.period_end > $5::timestamptz and v.period_start < $6::timestamptz)`,
    [ids, client.organizationId, seller ?? null, clientId ?? null, start, end, period],
  );
  return rows;
}

/** The versions of the buys that overlap the period, and those that overlap one of these. */
async function readVersions(
  client: TenantClient,
  buys: readonly BuyRow[],
  bounds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredVersion[]>> {
  const [start = '', end = ''] = bounds;
  const window: Window = { start: Date.parse(start), end: Date.parse(end) };
  const ids = buys.map(({ id }) => id);
  return readWholeGroups(client, new Map(ids.map((id) => [id, window])));
}

function issueDay({ invoices }: FiguresWanted, seller: string): string | undefined {
  return invoices
    .filter((invoice) => invoice.seller === seller)
    .map(({ issuedOn }) => issuedOn)
    .sort()
    .at(-1);
}

interface Cut {
  readonly from: string;
  readonly to: string;
  readonly issuedOn: string | undefined;
}

function figuresOf(
  buy: BuyRow,
  versions: readonly ReportVersion[],
  { agreement, ...cut }: Cut & { readonly agreement: Agreement | undefined },
): readonly PackageFigures[] {
  const all = amounts(countFigures(versions).values(), cut);
  // Often one subset holds all versions: then the result is shared.
  const amountsOf = (some: readonly ReportVersion[]) =>
    some.length === versions.length ? all : amounts(countFigures(some).values(), cut);
  const pushed = amountsOf(versions.filter(({ source }) => source === 'webhook'));
  const pulled = amountsOf(versions.filter(({ source }) => source === 'pull'));
  const bothWays = pushed === all || pulled === all ? undefined : cameBothWays(versions, cut);
  const { issuedOn } = cut;
  const issuedBy = issuedOn === undefined ? undefined : Date.parse(`${shiftDay(issuedOn, 1)}T00:00:00Z`);
  const known =
    issuedBy === undefined
      ? undefined
      : amountsOf(versions.filter(({ receivedAt }) => receivedAt < issuedBy));
  const windows = [...groupBy(versions, ({ measurementWindow }) => measurementWindow)].map(
    ([window, of]) => [window, amountsOf(of)] as const,
  );
  return [...all].map(([packageRef, { micros, days, units, evidence }]) => {
    const ordered = buy.budgets[packageRef];
    const reported = pushed.get(packageRef)?.micros;
    const polled = pulled.get(packageRef)?.micros;
    const both = bothWays?.get(packageRef);
    return {
      seller: buy.seller,
      sellerMediaBuyId: buy.seller_media_buy_id,
      packageRef,
      mediaBuyId: buy.media_buy_id,
      currency: buy.currency,
      spentInAllMicros: BigInt(buy.spent[packageRef] ?? '0'),
      countedMicros: micros,
      days,
      units,
      evidence,
      windows: new Map(
        windows.flatMap(([window, of]) => {
          const found = of.get(packageRef);
          return found === undefined ? [] : [[window, found.micros]];
        }),
      ),
      ...(ordered !== undefined && { orderedMicros: BigInt(ordered) }),
      ...(reported !== undefined && { reportedMicros: reported }),
      ...(polled !== undefined && { polledMicros: polled }),
      ...(both !== undefined && { bothWays: both }),
      ...(known !== undefined && { countedAtIssueMicros: known.get(packageRef)?.micros ?? 0n }),
      ...(buy.po_number !== null && { poNumber: buy.po_number }),
      ...(buy.client_id !== null && { clientId: buy.client_id }),
      names: buy.names,
      otherMonths: new Map(
        Object.entries(buy.months[packageRef] ?? {}).map(([month, of]) => [month, BigInt(of)] as const),
      ),
      ...present({ terms: withAgreement(termsOf(buy, packageRef), agreement) ?? null }),
    };
  });
}

/** What was agreed of who counts: another vendor than the seller, and how far the counts may differ. */
function termsOf({ measured, agent_url: url }: BuyRow, packageRef: string): PackageFigures['terms'] {
  const { vendor, max_variance_percent: variance } = measured[packageRef] ?? {};
  const domain = vendor?.domain;
  const isOfOther =
    typeof domain === 'string' && URL.canParse(url) && !isSameSite(domain, new URL(url).hostname);
  const hasVariance = typeof variance === 'number' && variance >= 0 && variance <= 100;
  if (!isOfOther && !hasVariance) return undefined;
  return {
    isThirdPartyBilled: isOfOther,
    ...(hasVariance && { maxVarianceHundredths: Math.round(variance * 100) }),
  };
}

/** By package: pushed and pulled figures of the same reporting periods, as each source would count. */
function cameBothWays(versions: readonly ReportVersion[], { from, to }: Cut) {
  const sums = new Map<string, { reportedMicros: bigint; polledMicros: bigint }>();
  const facts = groupBy(
    versions,
    (version) => `${version.packageRef}/${version.periodStart}/${version.periodEnd}`,
  );
  for (const ofFact of facts.values()) {
    const [pushed] = countFacts(ofFact.filter(({ source }) => source === 'webhook'));
    const [pulled] = countFacts(ofFact.filter(({ source }) => source === 'pull'));
    if (pushed === undefined || pulled === undefined) continue;
    const day = firstDayOf(pushed);
    if (day < from || day >= to) continue;
    const known = sums.get(pushed.packageRef) ?? { reportedMicros: 0n, polledMicros: 0n };
    sums.set(pushed.packageRef, {
      reportedMicros: known.reportedMicros + pushed.spendMicros,
      polledMicros: known.polledMicros + pulled.spendMicros,
    });
  }
  return sums;
}

interface Amounts {
  micros: bigint;
  units: bigint;
  readonly days: Map<string, bigint>;
  readonly evidence: string[];
}

/** By package: what counts in the period, and on each day in it and next to it. */
function amounts(counted: Iterable<CountedFigure>, { from, to }: Cut): ReadonlyMap<string, Amounts> {
  const found = new Map<string, Amounts>();
  const isIn = (day: string): boolean => day >= from && day < to;
  for (const figure of counted) {
    const { version } = figure;
    const known = found.get(version.packageRef);
    const sums: Amounts = known ?? { micros: 0n, units: 0n, days: new Map(), evidence: [] };
    found.set(version.packageRef, sums);
    const shares = sharesOf(figure);
    for (const { day, micros } of shares) {
      sums.days.set(day, (sums.days.get(day) ?? 0n) + micros);
      if (isIn(day)) sums.micros += micros;
    }
    if (shares.some(({ day }) => isIn(day))) sums.evidence.push(version.id);
    sums.units += unitsIn(version, isIn);
  }
  return found;
}

/** Units are split as the days are, without looking at what is known of single days. */
function unitsIn(version: ReportVersion, isIn: (day: string) => boolean): bigint {
  const units = version.impressions ?? 0n;
  const shares = sharesOf({ version: { ...version, spendMicros: units }, replaced: [] });
  return shares.reduce((sum, { day, micros }) => sum + (isIn(day) ? micros : 0n), 0n);
}
