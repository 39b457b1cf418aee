import {
  agreementsOf,
  daysOfPeriod,
  finalCountDue,
  shiftDay,
  withAgreement,
  type Agreement,
  type BookedInvoice,
  type PackageFigures,
} from '@switchyard/ledger';
import { isSameSite } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, nextTurn, type Instant } from '@switchyard/values';
import { orderNumberSql } from '../billing/insertion-order.list.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { readAgreements } from './agreement-repository.js';
import { readThirdParty, type CountedElsewhere } from './figure-repository.js';
import type { PackageSums, SumsByPackage } from './period-sums.js';
import { readPeriodSums, readSumDetails, type SummedPackage } from './read-period-sums.js';
import type { campaignModel, connectionModel, media_buyModel, seller_buyModel } from '../generated/models.js';

interface FiguresWanted {
  readonly period: string;
  readonly seller?: string;
  /** UUID. */
  readonly clientId?: string;
  /** Only these media buys; all of the organization unless set. */
  readonly buys?: readonly string[];
  /** Invoices of the period: the issue date of each seller's newest one is the date of the figures known at issue. */
  readonly invoices: readonly BookedInvoice[];
  /** Deadlines for final counts before it are over. None is unless set. */
  readonly asOf?: Instant;
  /** Called with the buys that were read, and how many there are. */
  readonly progress?: (done: number, total: number) => Promise<void>;
}

/** Limits the memory in use; each page is one statement. */
const buysAtOnce = 200;

/** Each is read in a connection of its own: PostgreSQL adds up the periods of a page on one processor. */
const pagesAtOnce = 2;

/** Buys whose figures are made before other tasks of the event loop run. */
const buysPerTurn = 10;

/** `billing_measurement` of the terms of a package, as the protocol has it. */
interface BillingMeasurement {
  readonly vendor?: { readonly domain?: unknown };
  readonly max_variance_percent?: unknown;
  readonly measurement_window?: unknown;
  readonly finalization_deadline_hours?: unknown;
}

type BuyRow = Pick<seller_buyModel, 'id' | 'seller' | 'media_buy_id'> &
  Pick<media_buyModel, 'currency' | 'client_id'> &
  Pick<campaignModel, 'po_number' | 'insertion_order'> &
  Pick<connectionModel, 'agent_url'> & {
    readonly is_ended: boolean;
    readonly seller_media_buy_id: string;
    readonly budgets: Readonly<Record<string, string>>;
    /** By package: what was agreed of its measurement. */
    readonly measured: Readonly<Record<string, BillingMeasurement>>;
    /** By package and month: what it spent. */
    readonly months: Readonly<Record<string, Readonly<Record<string, string>>>>;
    /** References of the buyer and the campaign. */
    readonly names: readonly string[];
    readonly spent: Readonly<Record<string, string>>;
  };

/** The figures of a period, and what has to be called before the days and the evidence of some of them are looked at. */
interface ReadFigures {
  readonly packages: readonly PackageFigures[];
  readonly look: (packages: readonly PackageFigures[]) => Promise<void>;
}

/** Packages whose days and evidence are read in one statement. */
const lookedAtOnce = 1_000;

/** Sellers' delivery in one period by package, from the report versions that count. */
export async function readFigures(
  store: Store,
  scope: TenantScope,
  wanted: FiguresWanted,
): Promise<ReadFigures> {
  const summed = new Map<PackageFigures, SummedPackage>();
  const agreed = agreementsOf(await store.inTenant(scope, readAgreements), wanted.period);
  const total = wanted.progress === undefined ? 0 : await store.inTenant(scope, countBuys);
  const issued = issueTimes(wanted.invoices);
  let done = 0;
  for await (const page of readPages(store, scope, wanted, issued)) {
    for (const [at, buy] of page.buys.entries()) {
      if (at % buysPerTurn === 0) await nextTurn();
      const ofBuy = figuresOf(buy, page.sums.get(buy.id) ?? new Map(), {
        issuedBy: issued.get(buy.seller),
        elsewhere: page.elsewhere.get(buy.id),
        wanted,
        agreement: agreed({
          ...{ seller: buy.seller, mediaBuyId: buy.media_buy_id },
          ...present({ insertionOrder: buy.insertion_order }),
        }),
      });
      for (const [figure, sums] of ofBuy)
        summed.set(figure, { sellerBuyId: buy.id, packageRef: figure.packageRef, sums });
    }
    done += page.ids.length;
    if (done % buysPerWord === 0) await wanted.progress?.(done, total);
  }
  const look = async (packages: readonly PackageFigures[]): Promise<void> => {
    for (let at = 0; at < packages.length; at += lookedAtOnce) {
      const some = packages.slice(at, at + lookedAtOnce).flatMap((figure) => summed.get(figure) ?? []);
      const { days, bounds } = daysAround(wanted.period);
      await store.inTenant(scope, (client) => readSumDetails(client, some, days, bounds));
    }
  };
  return { packages: [...summed.keys()], look };
}

/** The days of a period, and the bounds of what is read: a day more on each side. */
function daysAround(period: string) {
  const days = daysOfPeriod(period);
  const bounds = [`${shiftDay(days.from, -1)}T00:00:00Z`, `${shiftDay(days.to, 1)}T00:00:00Z`] as const;
  return { days, bounds };
}

/** The pages in order. Further ones are read while one is worked on. */
async function* readPages(
  store: Store,
  scope: TenantScope,
  wanted: FiguresWanted,
  issued: ReadonlyMap<string, number>,
) {
  const begun: ReturnType<typeof readPage>[] = [];
  let after: string | undefined = '';
  for (;;) {
    while (after !== undefined && begun.length < pagesAtOnce) {
      const last: string = after;
      const ids = wanted.buys ?? (await store.inTenant(scope, (client) => nextBuys(client, last)));
      after = wanted.buys === undefined ? ids.at(-1) : undefined;
      const page = store.inTenant(scope, (client) => readPage(client, wanted, issued, ids));
      // It is awaited later, or not at all where the reading is stopped.
      page.catch(() => undefined);
      begun.push(page);
    }
    const page = begun.shift();
    if (page === undefined) return;
    yield await page;
  }
}

/** These buys, and what counts of them in the period. */
async function readPage(
  client: TenantClient,
  wanted: FiguresWanted,
  issued: ReadonlyMap<string, number>,
  ids: readonly string[],
) {
  const { days, bounds } = daysAround(wanted.period);
  const buys = await readBuys(client, wanted, ids, bounds);
  const summed = buys.map(({ id, is_ended: isEnded, seller }) => ({
    ...{ id, isEnded, issuedBy: issued.get(seller) },
  }));
  const elsewhere = await readThirdParty(
    client,
    buys.map(({ id }) => id),
    days,
  );
  return { ids, buys, elsewhere, sums: await readPeriodSums(client, summed, days, bounds) };
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
  [start, end]: readonly [string, string],
): Promise<readonly BuyRow[]> {
  const { rows } = await client.query<BuyRow>(
    `select b.id, b.reporting_ended_at is not null as is_ended, b.seller, b.seller_media_buy_id, b.media_buy_id, m.currency, k.po_number, k.insertion_order, m.client_id,
       coalesce((select jsonb_object_agg(coalesce(p.seller_package_id, p.buyer_ref, ''), p.budget_micros::text)
                 from buy_package p where p.organization_id = $2 and p.leg_id = b.leg_id), '{}') as budgets,
       coalesce((select jsonb_object_agg(s.package_ref, s.spent::text) from (
                   select package_ref, sum(amount_micros) as spent from package_spend
                   where organization_id = $2 and seller_buy_id = b.id group by package_ref) s), '{}') as spent,
       coalesce((select jsonb_object_agg(s.package_ref, s.months) from (
                   select package_ref, jsonb_object_agg(month, amount_micros::text) as months from package_spend
                   where organization_id = $2 and seller_buy_id = b.id and month <> $7 and month <> all(coalesce(i.periods, '{}'))
                   group by package_ref) s), '{}') as months,
       coalesce((select jsonb_object_agg(coalesce(p.seller_package_id, p.buyer_ref, ''), coalesce(
                   p.terms #> '{reported,measurement_terms,billing_measurement}',
                   p.terms #> '{sent,measurement_terms,billing_measurement}',
                   p.terms #> '{quoted,measurement_terms,billing_measurement}'))
                 from buy_package p where p.organization_id = $2 and p.leg_id = b.leg_id and p.terms is not null), '{}') as measured,
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
     -- The limit makes PostgreSQL look buy by buy: it would read every version of the organization otherwise.
     cross join lateral (
       select from report_version v where v.seller_buy_id = b.id
         and v.period_end > $5::timestamptz and v.period_start < $6::timestamptz limit 1) v
     where b.seller_media_buy_id is not null
       and ($3::text is null or b.seller = $3) and ($4::uuid is null or m.client_id = $4)`,
    [ids, client.organizationId, seller ?? null, clientId ?? null, start, end, period],
  );
  return rows;
}

/** By seller: the end of the day on which its newest invoice was issued. */
function issueTimes(invoices: readonly BookedInvoice[]): ReadonlyMap<string, number> {
  const newest = new Map<string, string>();
  for (const { seller, issuedOn } of invoices)
    if (issuedOn > (newest.get(seller) ?? '')) newest.set(seller, issuedOn);
  return new Map([...newest].map(([seller, day]) => [seller, Date.parse(`${shiftDay(day, 1)}T00:00:00Z`)]));
}

function figuresOf(
  buy: BuyRow,
  sums: SumsByPackage,
  {
    agreement,
    issuedBy,
    elsewhere,
    wanted,
  }: {
    readonly agreement: Agreement | undefined;
    readonly issuedBy: number | undefined;
    readonly elsewhere: ReadonlyMap<string, CountedElsewhere> | undefined;
    readonly wanted: FiguresWanted;
  },
): readonly (readonly [PackageFigures, PackageSums])[] {
  return [...sums].map(([packageRef, counted]) => {
    const { micros, units, windows, pushed, pulled, known, bothWays, isFinal, isBeside } = counted;
    const third = elsewhere?.get(packageRef);
    const ordered = buy.budgets[packageRef];
    const terms = withAgreement(termsOf(buy, packageRef, wanted), agreement);
    const figure: PackageFigures = {
      seller: buy.seller,
      sellerMediaBuyId: buy.seller_media_buy_id,
      packageRef,
      mediaBuyId: buy.media_buy_id,
      currency: buy.currency,
      spentInAllMicros: BigInt(buy.spent[packageRef] ?? '0'),
      countedMicros: micros,
      ...{ isFinal, isBeside, units },
      windows,
      get days() {
        return detailsOf(counted).days;
      },
      get evidence() {
        return detailsOf(counted).evidence;
      },
      ...(ordered !== undefined && { orderedMicros: BigInt(ordered) }),
      ...(pushed !== undefined && { reportedMicros: pushed }),
      ...(pulled !== undefined && { polledMicros: pulled }),
      ...(bothWays !== undefined && { bothWays }),
      ...(issuedBy !== undefined && { countedAtIssueMicros: known ?? 0n }),
      ...(buy.po_number !== null && { poNumber: buy.po_number }),
      ...(buy.client_id !== null && { clientId: buy.client_id }),
      names: buy.names,
      otherMonths: new Map(
        Object.entries(buy.months[packageRef] ?? {}).map(([month, of]) => [month, BigInt(of)] as const),
      ),
      ...(terms !== undefined && { terms }),
      ...(third !== undefined && {
        thirdPartyMicros: third.micros,
        thirdPartySource: third.source,
        ...present({ thirdPartyBasis: third.basis }),
      }),
    };
    return [figure, counted];
  });
}

function detailsOf({ details }: PackageSums): NonNullable<PackageSums['details']> {
  if (details === undefined) throw new Error('The days and the evidence of a package were not read.');
  return details;
}

/** What was agreed of who counts: another vendor than the seller, how far the counts may differ, and until when. */
function termsOf(
  { measured, agent_url: url }: BuyRow,
  packageRef: string,
  wanted: FiguresWanted,
): PackageFigures['terms'] {
  const { vendor, max_variance_percent: variance, ...deadline } = measured[packageRef] ?? {};
  const domain = vendor?.domain;
  const isOfOther =
    typeof domain === 'string' && URL.canParse(url) && !isSameSite(domain, new URL(url).hostname);
  const hasVariance = typeof variance === 'number' && variance >= 0 && variance <= 100;
  const finalCount = finalCountOf(deadline, wanted);
  if (!isOfOther && !hasVariance && finalCount === undefined) return undefined;
  return {
    isThirdPartyBilled: isOfOther,
    ...(hasVariance && { maxVarianceHundredths: Math.round(variance * 100) }),
    ...(finalCount !== undefined && { finalCount }),
  };
}

/** The most hours of a deadline that is believed: ten years. */
const mostHours = 87_600;

function finalCountOf(
  { measurement_window: window, finalization_deadline_hours: hours }: BillingMeasurement,
  { period, asOf }: FiguresWanted,
): NonNullable<PackageFigures['terms']>['finalCount'] {
  if (asOf === undefined || typeof hours !== 'number' || hours < 0 || hours > mostHours) return undefined;
  const end = Date.parse(`${daysOfPeriod(period).to}T00:00:00Z`);
  const due = finalCountDue({ window: typeof window === 'string' ? window : '', hours }, end);
  return due === undefined ? undefined : { dueOn: isoOf(due).slice(0, 10), isOver: due < asOf };
}
