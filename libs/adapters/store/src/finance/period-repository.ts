import { randomUUID } from 'node:crypto';
import {
  countFigures,
  daysOfPeriod,
  decideClose,
  decideReopen,
  restOf,
  type AccountingPeriod,
  type CloseChecklist,
  type CloseFacts,
  type Closing,
  type KeptOpen,
  type PeriodIds,
  type PeriodState,
  type Reopened,
  type Reopening,
  type SellerDue,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { readClientAccruals, saveClientAccruals } from '../billing/client-accruals.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { ofPeriod } from '../events/of-period.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { readWholeGroups } from '../ledger/read-versions.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import {
  changeCloseStep,
  ownStepOf,
  readCloseSteps,
  type CloseStep,
  type CloseStepChange,
} from './close-steps.js';
import { readZonesInUse } from './seller-calendars.js';
import { approvalMsByDefault } from '../spending/commit-spend.js';
import { holdersOfBoth, isOnePerson } from '../tenancy/one-person.js';

/** What was split between months by days, and stands in a period: nobody reported it so. */
export interface SplitEvenly {
  readonly seller: string;
  readonly currency: string;
  readonly amountMicros: bigint;
  readonly figures: number;
}

/** The newest comparison of a whole period. */
interface PeriodRun {
  readonly at: Instant;
  /** Amounts that agreed, and differences that were found. */
  readonly matched: number;
  readonly found: number;
}

/** The differences and invoices of a seller in a period and a currency. Amounts in micros, without signs. */
export interface SellerOfPeriod {
  readonly seller: string;
  readonly currency: string;
  /** What is held against delivery: without fees, tax and commission. */
  readonly invoicedMicros: bigint;
  readonly openBreaks: number;
  readonly openMicros: bigint;
  readonly resolvedBreaks: number;
  readonly disputedMicros: bigint;
}

/** What is known of a period beside its checklist. */
export interface PeriodSummary {
  readonly run?: PeriodRun;
  readonly sellers: readonly SellerOfPeriod[];
}

/** Accounting periods: which months are closed, what keeps one open, and what a close posts. */
export function periodRepository(store: Store) {
  return {
    /** The periods that were closed or reopened, newest first; all others are open. */
    list: (scope: TenantScope, at: Instant): Promise<readonly PeriodState[]> =>
      store.inTenant(scope, async (client) => (await readPeriods(client, at)).map(periodOf)),
    /** The same, and the open periods that have figures. */
    listWithFigures: (scope: TenantScope, at: Instant): Promise<readonly PeriodState[]> =>
      store.inTenant(scope, async (client) => {
        const known = (await readPeriods(client, at)).map(periodOf);
        const open = (await monthsWithFigures(client))
          .filter((period) => !known.some((state) => state.period === period))
          .map((period) => ({ period, state: 'open' as const }));
        return [...known, ...open].sort((a, b) => (a.period < b.period ? 1 : -1));
      }),
    summary: (scope: TenantScope, period: AccountingPeriod): Promise<PeriodSummary> =>
      store.inTenant(scope, (client) => readSummary(client, period)),
    checklist: (scope: TenantScope, period: AccountingPeriod): Promise<CloseChecklist> =>
      store.inTenant(scope, (client) => readChecklist(client, period)),
    /** Of the period, by seller and currency; of 500 seller buys at most. */
    splitEvenly: (scope: TenantScope, period: AccountingPeriod): Promise<readonly SplitEvenly[]> =>
      store.inTenant(scope, (client) => readSplits(client, period)),
    /** The zones whose days the organization's figures stand on, beside UTC. */
    zonesInUse: (scope: TenantScope): Promise<readonly string[]> => store.inTenant(scope, readZonesInUse),
    /** The steps of its close of which somebody said something. */
    steps: (scope: TenantScope, period: AccountingPeriod): Promise<readonly CloseStep[]> =>
      store.inTenant(scope, (client) => readCloseSteps(client, period)),
    /** Changes a step of its close. False if its owner is nobody of the organization. */
    changeStep: (scope: TenantScope, change: CloseStepChange, at: Instant): Promise<boolean> =>
      store.inTenant(scope, (client) => changeCloseStep(client, change, at)),
    accruals: (scope: TenantScope, period: AccountingPeriod): Promise<readonly SellerDue[]> =>
      store.inTenant(scope, async (client) =>
        (await readAccruals(client, period)).filter(({ amountMicros }) => amountMicros > 0n),
      ),
    /** Media of clients that is delivered and not billed by the end of a period. */
    unbilled: (scope: TenantScope, period: AccountingPeriod) =>
      store.inTenant(scope, async (client) =>
        (await readClientAccruals(client, period)).filter(({ amountMicros }) => amountMicros > 0n),
      ),
    /** Closes a period and posts its amounts without an invoice, in one commit. Returns what keeps it open. */
    close: (
      scope: TenantScope,
      closing: Closing,
      at: Instant,
    ): Promise<CloseChecklist | KeptOpen | undefined> =>
      store.inTenant(scope, (client) => closePeriod(client, closing, at)),
    /** One person requests it, another one opens it. Only the newest closed period can be opened. */
    reopen: (
      scope: TenantScope,
      reopening: Reopening & { readonly reason: string },
      at: Instant,
    ): Promise<Reopened> => store.inTenant(scope, (client) => reopenPeriod(client, reopening, at)),
    /** Ends the request to open a period again. False if nobody asks for it. */
    keepClosed: (scope: TenantScope, period: AccountingPeriod, at: Instant): Promise<boolean> =>
      store.inTenant(scope, (client) => keepClosed(client, period, at)),
  };
}

export type PeriodRepository = ReturnType<typeof periodRepository>;

/** A request to open one again is the last change of its row, and ends like any other request. */
async function readPeriods(client: TenantClient, at: Instant): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(
    `select period, state, closed_by, closed_at,
       case when is_asked then reopen_requested_by end as reopen_requested_by,
       case when is_asked then reopen_reason end as reopen_reason,
       case when is_asked then (select name from principal where id = reopen_requested_by) end as reopen_requested_by_name,
       case when is_asked then updated_at + $3 * interval '1 millisecond' end as reopen_until
     from accounting_period,
       lateral (select reopen_requested_by is not null and updated_at + $3 * interval '1 millisecond' > $2 as is_asked) as asked
     where organization_id = $1 order by period desc limit 240`,
    [client.organizationId, new Date(at), approvalMsByDefault],
  );
  return rows;
}

/** The months of postings and of invoices. Reads one row of the index for each month. */
async function monthsWithFigures(client: TenantClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ period: string }>(
    `with recursive posted (period) as (
       (select left(day, 7) from ledger_posting where organization_id = $1 order by day desc limit 1)
       union all
       select (select left(p.day, 7) from ledger_posting p
               where p.organization_id = $1 and p.day < m.period order by p.day desc limit 1)
       from posted m where m.period is not null
     ), billed (period) as (
       (select period from invoice where organization_id = $1 order by period desc limit 1)
       union all
       select (select i.period from invoice i
               where i.organization_id = $1 and i.period < m.period order by i.period desc limit 1)
       from billed m where m.period is not null
     )
     select period from (select period from posted union select period from billed) as found
     where period is not null order by period desc limit 240`,
    [client.organizationId],
  );
  return rows.map(({ period }) => period);
}

async function readSummary(client: TenantSession, period: AccountingPeriod): Promise<PeriodSummary> {
  const where = { organization_id: client.organizationId, period };
  const run = await client.models.reconciliation_run.findFirst({ where });
  // A difference that was found again has a newer round: the last one is what holds.
  const { rows } = await client.query<Row>(
    `with last as (
       select distinct on (fingerprint) seller, currency, state, resolution, abs(difference_micros) as size
       from reconciliation_break where organization_id = $1 and period = $2 order by fingerprint, round desc
     ), parts as (
       select seller, currency, 0::bigint as invoiced_micros, (state = 'open')::int as open,
         case when state = 'open' then size else 0 end as open_micros, (state in ('resolved', 'disputed'))::int as resolved,
         case when state = 'disputed' or (state = 'resolved' and resolution = 'dispute') then size else 0 end as disputed_micros
       from last
       union all
       select seller, currency, total_micros - coalesce((
         select sum(amount_micros) from invoice_line l
         where l.invoice_id = i.id and l.type in ('fee', 'tax', 'commission')), 0), 0, 0, 0, 0
       from invoice i where organization_id = $1 and period = $2 and voided_at is null
     )
     select seller, currency, sum(invoiced_micros)::text as invoiced_micros, sum(open)::int as open_breaks,
       sum(open_micros)::text as open_micros, sum(resolved)::int as resolved_breaks,
       sum(disputed_micros)::text as disputed_micros
     from parts group by seller, currency order by seller, currency`,
    [client.organizationId, period],
  );
  return {
    ...(run !== null && {
      run: { at: run.ran_at.getTime(), matched: run.matched, found: run.found },
    }),
    sellers: rows.map(sellerOfPeriod),
  };
}

const sellerOfPeriod = rowReader<SellerOfPeriod>()(
  'seller, currency, invoiced_micros, open_breaks, open_micros, resolved_breaks, disputed_micros',
);

async function readChecklist(client: TenantClient, period: AccountingPeriod): Promise<CloseChecklist> {
  const { from, to } = daysOfPeriod(period);
  const { rows } = await client.query<{ breaks: string; events: string; buys: string; is_due: boolean }>(
    `select
       not g.closes_unreconciled and (r.block_number is null
         or exists (select from ledger_entry e
                    where e.organization_id = g.id and e.stream = 'ledger' and e.block_number > r.block_number
                      and e.kind in ('delivery', 'restatement')
                      and exists (select from ledger_posting p
                                  where p.entry_id = e.id and p.day >= $2::text and p.day < $3::text))
         or exists (select from invoice i join ledger_entry e on e.id = i.entry_id
                    where i.organization_id = g.id and i.period = $1 and e.block_number > r.block_number)
         or exists (select from agreement a
                    where a.organization_id = g.id and a.set_at > r.ran_at and a.first_month <= $1)) as is_due,
       (select count(*) from reconciliation_break where period = $1 and state = 'open') as breaks,
       (select count(*) from (
          select e.received_at, e.kind, e.body from inbox_event e
          where e.organization_id = $4 and e.state = 'quarantined' and e.received_at >= $2::timestamptz
          order by e.received_at limit 10000) e
        where ${ofPeriod('$2', '$3')}) as events,
       (select count(*) from media_buy m where m.campaign_id is null and m.organization_id = $4
          and instant_of(m.start_time) < $3::timestamptz and instant_of(m.end_time) >= $2::timestamptz
          and exists (select 1 from client limit 1)
          and exists (select from package_spend s where s.organization_id = $4 and s.media_buy_id = m.id
                      group by s.seller_buy_id, s.package_ref having sum(s.amount_micros) <> 0)) as buys
     from organization g
     left join reconciliation_run r on r.organization_id = g.id and r.period = $1
     where g.id = $4`,
    [period, from, to, client.organizationId],
  );
  const [row] = rows;
  return {
    openBreaks: Number(row?.breaks ?? 0),
    quarantinedEvents: Number(row?.events ?? 0),
    unassignedBuys: Number(row?.buys ?? 0),
    reconciliationsDue: row?.is_due === false ? 0 : 1,
  };
}

const splitBuysAtMost = 500;

async function readSplits(client: TenantClient, period: AccountingPeriod): Promise<readonly SplitEvenly[]> {
  const { from, to } = daysOfPeriod(period);
  const { rows } = await client.query<{ seller_buy_id: string }>(
    `select distinct seller_buy_id from split_figure
     where organization_id = $1 and last_day >= $2 and first_day < $3 order by seller_buy_id limit ${splitBuysAtMost}`,
    [client.organizationId, from, to],
  );
  const window = { start: Date.parse(`${from}T00:00:00Z`), end: Date.parse(`${to}T00:00:00Z`) };
  const ids = rows.map((row) => row.seller_buy_id);
  const versions = await readWholeGroups(client, new Map(ids.map((id) => [id, window])));
  const sums = new Map<string, { seller: string; currency: string; amountMicros: bigint; figures: number }>();
  for (const ofBuy of versions.values())
    for (const figure of countFigures(ofBuy).values()) {
      const rest = restOf(figure).find(({ day }) => day >= from && day < to);
      if (rest === undefined) continue;
      const { seller, currency } = figure.version;
      const key = `${seller} ${currency}`;
      const sum = sums.get(key) ?? { seller, currency, amountMicros: 0n, figures: 0 };
      sum.amountMicros += rest.micros;
      sum.figures += 1;
      sums.set(key, sum);
    }
  return [...sums.values()];
}

/**
 * The balance of what is owed by delivery at the end of the period, without its accruals: credit is delivered and not
 * invoiced. A closed period gives the same result as before, and a reopened one posts the difference.
 */
async function readAccruals(client: TenantClient, period: AccountingPeriod): Promise<readonly SellerDue[]> {
  const { rows } = await client.query<Record<'seller' | 'currency' | 'amount' | 'accrued', string>>(
    `select seller, currency, greatest(-sum(amount_micros), 0)::text as amount,
       coalesce(-sum(amount_micros) filter (where account = 'accrued'), 0)::text as accrued
     from ledger_balance
     where organization_id = $1 and account in ('seller_payable', 'accrued') and day < $2
     group by seller, currency order by seller, currency`,
    [client.organizationId, daysOfPeriod(period).to],
  );
  return rows.map(({ seller, currency, amount, accrued }) => {
    const amountMicros = BigInt(amount);
    return { seller, currency, amountMicros, toPostMicros: amountMicros - BigInt(accrued) };
  });
}

const notAsked = { reopen_requested_by: null, reopen_reason: null };

async function closePeriod(
  client: TenantSession,
  closing: Closing,
  at: Instant,
): Promise<CloseChecklist | KeptOpen | undefined> {
  // Reports are booked under this lock: none can be booked between this read and the close.
  const head = await lockHead(client);
  const decided = decideClose(await loadClose(client, closing), closing, idsAt(at));
  if ('keptOpen' in decided) return decided.keptOpen;
  const key = { organization_id: client.organizationId, period: closing.period };
  const closed = { ...notAsked, state: decided.state, closed_by: closing.by };
  const times = { closed_at: new Date(at), updated_at: new Date(at) };
  await client.models.accounting_period.upsert({
    where: { organization_id_period: key },
    create: { ...key, ...closed, ...times },
    update: { ...closed, ...times },
  });
  await saveClientAccruals(client, closing.period, decided.clients);
  await appendBlock(client, head, decided.entries, at);
  return undefined;
}

/** Reads what a close is decided on; a soft one needs nothing of its accruals. */
async function loadClose(client: TenantClient, { period, soft, by }: Closing): Promise<CloseFacts> {
  const [open, checklist, ownStep, sellers, clients] = await Promise.all([
    openFrom(client),
    readChecklist(client, period),
    soft ? undefined : ownStepOf(client, period, by),
    soft ? [] : readAccruals(client, period),
    soft ? [] : readClientAccruals(client, period),
  ]);
  return { checklist, sellers, clients, ...present({ openFrom: open, ownStep }) };
}

const idsAt = (at: Instant): PeriodIds => ({ entry: () => timeOrderedId(at), operation: randomUUID, at });

async function reopenPeriod(
  client: TenantSession,
  { reason, ...reopening }: Reopening & { readonly reason: string },
  at: Instant,
): Promise<Reopened> {
  const { period, by } = reopening;
  const head = await lockHead(client);
  const periods = (await readPeriods(client, at)).map(periodOf);
  const askedBy = periods.find((known) => known.period === period)?.reopenRequestedBy ?? by;
  const [isOne, both] = await Promise.all([
    isOnePerson(client, by, askedBy),
    holdersOfBoth(client, askedBy, by),
  ]);
  const facts = { periods, isOnePerson: isOne, holdersOfBoth: both.map(({ id }) => id) };
  const decided = decideReopen(facts, reopening, idsAt(at));
  const { accounting_period } = client.models;
  const [where, updated_at] = [{ organization_id: client.organizationId, period }, new Date(at)];
  if (decided.kind === 'asked')
    await accounting_period.updateMany({
      where,
      data: { reopen_requested_by: by, reopen_reason: reason, updated_at },
    });
  if (decided.kind === 'opened') {
    const open = { state: 'open', closed_at: null, closed_by: null };
    await accounting_period.updateMany({ where, data: { ...notAsked, ...open, updated_at } });
    await appendBlock(client, head, [decided.entry], at);
  }
  return decided.kind;
}

async function keepClosed(client: TenantSession, period: AccountingPeriod, at: Instant): Promise<boolean> {
  await lockHead(client);
  const asked = (await readPeriods(client, at)).map(periodOf).find((known) => known.period === period);
  if (asked?.reopenRequestedBy === undefined) return false;
  await client.models.accounting_period.updateMany({
    where: { organization_id: client.organizationId, period },
    data: { reopen_requested_by: null, reopen_reason: null, updated_at: new Date(at) },
  });
  return true;
}

const periodOf = rowReader<PeriodState>()(
  'period, state, closed_by, closed_at, reopen_requested_by, reopen_requested_by_name, reopen_reason, reopen_until',
);
