import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Observation, ledgerExport, type LedgerStore } from '@switchyard/ledger';
import { divideHalfEven, microsOf, microsToDecimal } from '@switchyard/money';
import { createBookedBuy, createOrganization } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { observation, openFinanceRoutes } from './testkit/finance.js';
import { json } from 'node:stream/consumers';
import { allPermissions, type TenantScope } from '@switchyard/tenancy';

/** One month: 12 sellers, 40 buys, 3 currencies, and every fault once or where its kind says it must be seen. */
const period = '2026-09';
const dayMs = 86_400_000;
const issuedOn = '2026-10-02';
/** When everything is known that the invoices of this day say; what comes later comes two days later. */
const { store, clock, ledger, call, callAs, createCaller } = await openFinanceRoutes(Date.UTC(2026, 9, 2, 6));
const { id: organizationId } = await createOrganization(store);
const caller = await createCaller(organizationId);
// What a person may approve alone is read from its row.
await store.inTenant({ organizationId }, (tenant) =>
  tenant.query('update principal set permissions = $1 where id = $2', [
    JSON.stringify(allPermissions),
    caller.principalId,
  ]),
);
const done = callAs(caller);

const faults = [
  'late_report',
  'window_mismatch',
  'time_zone_cut',
  'missing_package',
  'currency',
  'price',
  'over_delivery',
  'duplicate_invoice',
  'wrong_po',
  'missing_invoice',
  'late_pull',
  'none',
] as const;
type Fault = (typeof faults)[number];
const currencies = ['USD', 'EUR', 'GBP'] as const;

interface Planned {
  readonly seller: string;
  readonly fault: Fault;
  readonly currency: string;
  readonly at: number;
}

/** Every fourth seller has four buys, the others three; the fault is in the first buy of its seller. */
const plan: readonly Planned[] = faults.flatMap((fault, seller) =>
  Array.from({ length: seller % 3 === 0 ? 4 : 3 }, (_, buy) => ({
    seller: `s${String(seller + 1).padStart(2, '0')}`,
    fault: buy === 0 ? fault : 'none',
    currency: currencies[seller % 3] ?? 'USD',
    at: seller * 10 + buy,
  })),
);

/** Micros of one package on one day: another amount for each, so that no two sums agree by accident. */
const spendOf = (at: number, part: number, day: number): bigint =>
  10_000_000n + BigInt(at) * 130_000n + BigInt(part) * 3_010_000n + BigInt((day * 37) % 31) * 70_001n;
const unitsOf = (micros: bigint): bigint => micros / 2_000n;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((left, right) => left + right, 0n);
const september = Array.from({ length: 30 }, (_, day) => day);
const inAll = (at: number, part: number, days: readonly number[] = september): bigint =>
  sum(days.map((day) => spendOf(at, part, day)));
/** What is billed can be paid. */
const inCents = (micros: bigint): bigint => divideHalfEven(micros, 10_000n) * 10_000n;
const packages = ['p1', 'p2'] as const;
const pounds = (amount: number): bigint => BigInt(amount) * 1_000_000n;
const lateBy = pounds(25);
const overBy = pounds(40);
const pulledMore = pounds(7);

type Bought = Awaited<ReturnType<typeof createBookedBuy>> & Planned;
interface Reported {
  readonly window?: string;
  readonly source?: Observation['source'];
  readonly sequence?: number;
  readonly adjusted?: boolean;
  readonly more?: bigint;
  readonly permille?: bigint;
}

/** What one buy says of one day. */
function observationOf(buy: Bought, day: number, received: Reported = {}): Observation {
  const { source = 'webhook', sequence = day + 1, adjusted = false, more = 0n, permille = 1000n } = received;
  const delivered = packages.map((packageId, part) => {
    const spend = (spendOf(buy.at, part, day) * permille) / 1000n + (part === 0 ? more : 0n);
    const window = received.window === undefined ? {} : { measurementWindow: received.window };
    return { packageId, spend: microsToDecimal(spend), impressions: Number(unitsOf(spend)), ...window };
  });
  const report = {
    from: day,
    to: day + 1,
    notificationType: adjusted ? 'adjusted' : 'scheduled',
    sequenceNumber: sequence,
    currency: buy.currency,
  } as const;
  return observation(buy, clock.now(), report, delivered, source);
}

const bought: Bought[] = [];
const report = (buy: Bought, observations: readonly Observation[]) =>
  ledger.applyReports(buy, observations, { now: clock.now() });
const buyOf = (fault: Fault): Bought => {
  const found = bought.find((item) => item.fault === fault);
  if (found === undefined) throw new Error(`No buy has the fault ${fault}.`);
  return found;
};

async function makeMonth(): Promise<void> {
  const client = textOf((await done('add_client', { body: { name: 'Nova Foods' } }))['client_id']);
  const brand = { domain: 'nova.example', name: 'Nova', client_id: client };
  await done('add_brand', { body: brand });
  const campaigns = new Map<string, string>();
  for (const currency of currencies) {
    const of = { name: currency, client_id: client, brand: brand.domain, currency, budget: '100000' };
    const body = { ...of, from: '2026-09-01', to: '2026-10-31', po_number: `PO-${currency}` };
    campaigns.set(currency, textOf((await done('add_campaign', { body }))['campaign_id']));
  }
  const connections = new Map<string, { readonly id: string; readonly slug: string }>();
  for (const planned of plan) {
    const { seller, currency, fault, at } = planned;
    // What an over-delivering seller was asked for is 40 less than what it delivers, first package.
    const budgetMicros = fault === 'over_delivery' ? inAll(at, 0) - overBy : pounds(2000);
    const connection = connections.get(seller);
    const buy = await createBookedBuy(store, organizationId, {
      currency,
      packages: [...packages],
      budgetMicros,
      ...(connection === undefined ? { seller } : { connection }),
    });
    connections.set(seller, { id: buy.connectionId, slug: seller });
    await store.inTenant({ organizationId }, async (tenant) => {
      await tenant.query(
        `update media_buy set brand = '{"domain": "nova.example"}', brand_domain = 'nova.example' where id = $1`,
        [buy.mediaBuyId],
      );
      await tenant.query(
        `update buy_package set budget_micros = $2 where leg_id = $1 and seller_package_id = 'p2'`,
        [buy.legId, pounds(2000).toString()],
      );
    });
    const body = { media_buy_id: buy.mediaBuyId };
    await done('assign_buy', { params: { id: campaigns.get(currency) ?? '' }, body });
    bought.push({ ...buy, ...planned });
  }
}

/** Every buy reports September and the first of October; some twice, in other windows, pulled, or out of order. */
async function reportMonth(): Promise<void> {
  for (const buy of bought) {
    const days = [...september, 30];
    const received = days.map((day) => observationOf(buy, day));
    // An order that is none, and everything once more: nothing of it may count twice.
    const shuffled = received.toSorted((left, right) =>
      (left.eventId ?? '').localeCompare(right.eventId ?? ''),
    );
    await report(buy, buy.at % 2 === 0 ? [...shuffled, ...received.slice(0, 5)] : received);
    if (buy.fault === 'window_mismatch')
      await report(
        buy,
        september.map((day) =>
          observationOf(buy, day, { window: 'c7', permille: 1080n, sequence: 100 + day }),
        ),
      );
    if (buy.fault === 'late_pull') {
      clock.advance(60_000);
      await report(buy, [observationOf(buy, 9, { source: 'pull', more: pulledMore })]);
    }
  }
}

interface BilledLine {
  readonly buy: Bought;
  readonly part: number;
  readonly micros: bigint;
  readonly units?: bigint;
  readonly po?: string;
}

/** What a seller bills for one buy, with the fault that was planted in it. */
function linesOf(buy: Bought): readonly BilledLine[] {
  const shifted = [...september.slice(1), 30];
  const lines = packages.map((_, part): BilledLine => {
    const days = buy.fault === 'time_zone_cut' ? shifted : september;
    const delivered = inAll(buy.at, part, days);
    const more = buy.fault === 'late_pull' && part === 0 ? pulledMore : 0n;
    const price = buy.fault === 'price' ? 1200n : 1000n;
    return {
      buy,
      part,
      micros: inCents((delivered * price) / 1000n + more),
      units: sum(days.map((day) => unitsOf(spendOf(buy.at, part, day)))),
      po: buy.fault === 'wrong_po' ? 'PO-1' : `PO-${buy.currency}`,
    };
  });
  if (buy.fault === 'missing_package') return lines.slice(0, 1);
  return buy.fault === 'over_delivery' || buy.fault === 'price'
    ? lines
    : lines.map(({ units: _, ...line }) => line);
}

async function bill(
  seller: string,
  number: string,
  currency: string,
  lines: readonly BilledLine[],
): Promise<string> {
  const rows = lines.map(({ buy, part, micros: amount, units = '', po = '' }) =>
    [buy.sellerMediaBuyId, packages[part], po, String(units), microsToDecimal(amount)].join(','),
  );
  const file = { name: `${number}.csv`, text: `Order,Item,PO,Units,Net\n${rows.join('\n')}\n` };
  const mapping = {
    media_buy_id: 'Order',
    package_id: 'Item',
    po_number: 'PO',
    units: 'Units',
    amount: 'Net',
  };
  const defaults = { invoice_number: number, issued_on: issuedOn, period, currency };
  const answer = await done('import_invoice', { body: { seller, file, mapping, defaults } });
  expect(answer).toMatchObject({ refused: [], lines: lines.length });
  return textOf(answer['invoice_id']);
}

async function billMonth(): Promise<void> {
  for (const seller of new Set(plan.map((planned) => planned.seller))) {
    const own = bought.filter((buy) => buy.seller === seller);
    const [{ fault, currency } = { fault: 'none', currency: 'USD' }] = own;
    if (fault === 'missing_invoice') continue;
    const other = own.filter((buy) => buy.fault === 'currency');
    const lines = own.filter((buy) => buy.fault !== 'currency').flatMap(linesOf);
    await bill(seller, `${seller}-1`, currency, lines);
    if (other.length > 0) await bill(seller, `${seller}-2`, 'CHF', other.flatMap(linesOf));
    if (fault === 'duplicate_invoice') await bill(seller, `${seller}-1 copy`, currency, lines);
  }
}

/** Kind, seller, buy, package and difference of each break that was planted, worked out from the plan alone. */
function planted(): readonly string[] {
  const row = (kind: string, buy: Bought, part: string, difference: bigint, isBuys = true): string =>
    [kind, buy.seller, isBuys ? buy.mediaBuyId : '', part, microsToDecimal(difference)].join(' ');
  const each = (fault: Fault, differenceOf: (buy: Bought, part: number) => bigint): string[] =>
    packages.map((name, part) => row(fault, buyOf(fault), name, differenceOf(buyOf(fault), part)));
  const billed = (buys: readonly Bought[]): bigint => sum(buys.flatMap(linesOf).map((line) => line.micros));
  const shifted = [...september.slice(1), 30];
  const cut = ({ at }: Bought, part: number): bigint => inCents(inAll(at, part, shifted)) - inAll(at, part);
  const lately = buyOf('late_report').at;
  const ofSeller = (fault: Fault): readonly Bought[] =>
    bought.filter(({ seller }) => seller === buyOf(fault).seller);
  const inC7 = (buy: Bought, part: number): bigint =>
    sum(september.map((day) => (spendOf(buy.at, part, day) * 1080n) / 1000n));
  return [
    row('late_report', buyOf('late_report'), 'p1', inCents(inAll(lately, 0)) - inAll(lately, 0) - lateBy),
    row('late_report', buyOf('late_pull'), 'p1', pulledMore),
    ...each('window_mismatch', (buy, part) => inCents(inAll(buy.at, part)) - inC7(buy, part)),
    ...each('time_zone_cut', cut),
    row('missing_package', buyOf('missing_package'), 'p2', -inAll(buyOf('missing_package').at, 1)),
    row('currency', buyOf('currency'), '', billed([buyOf('currency')]), false),
    ...each('price', ({ at }, part) => inCents((inAll(at, part) * 1200n) / 1000n) - inAll(at, part)),
    row('over_delivery', buyOf('over_delivery'), 'p1', overBy + spendOf(buyOf('over_delivery').at, 0, 30)),
    row('duplicate_invoice', buyOf('duplicate_invoice'), '', billed(ofSeller('duplicate_invoice')), false),
    ...each('wrong_po', () => 0n),
    ...ofSeller('missing_invoice').flatMap((buy) =>
      packages.map((name, part) => row('missing_invoice', buy, name, -inAll(buy.at, part))),
    ),
  ].sort();
}

/** A text; nothing for what is none. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const rowsOf = (value: unknown): readonly JsonObject[] => value as readonly JsonObject[];
const shown = (row: JsonObject): string =>
  ['kind', 'seller', 'buy', 'package', 'difference'].map((name) => textOf(row[name] ?? '')).join(' ');
const reconcile = async () => done('reconcile', { body: { period } });

/** What every buy spent in September, by the plan and not by the code that is tested. */
function spentOf(buy: Bought): bigint {
  const plain = sum(packages.map((_, part) => inAll(buy.at, part)));
  if (buy.fault === 'late_report') return plain + lateBy;
  if (buy.fault === 'late_pull') return plain + pulledMore;
  if (buy.fault !== 'window_mismatch') return plain;
  return sum(
    packages.flatMap((_, part) => september.map((day) => (spendOf(buy.at, part, day) * 1080n) / 1000n)),
  );
}

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Checks a signed statement with node:crypto alone. Throws where it does not hold. */
function checkedStatement(made: JsonObject): JsonObject {
  const [head = '', payload = '', signature = ''] = textOf(made['jws']).split('.');
  const key = createPublicKey({ key: made['key'] as unknown as JsonWebKey, format: 'jwk' });
  if (!verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')))
    throw new Error('The signature is not valid.');
  const bytes = Buffer.from(payload, 'base64url');
  if (sha256(bytes) !== made['digest']) throw new Error('The digest is another one.');
  return JSON.parse(bytes.toString('utf8')) as JsonObject;
}

async function expectBothOrders(route: string, rows: string, of: JsonObject = {}): Promise<void> {
  const walk = async (sort: string): Promise<readonly JsonObject[]> => {
    const seen: JsonObject[] = [];
    for (let query: Record<string, string> = { sort, limit: '3' }; ;) {
      const page = await done(route, { ...of, query });
      seen.push(...rowsOf(page[rows]));
      if (page['next_cursor'] === undefined) return seen;
      query = { ...query, cursor: textOf(page['next_cursor']) };
    }
  };
  const newest = await walk('newest');
  expect(newest.length).toBeGreaterThan(3);
  expect(await walk('oldest')).toEqual(newest.toReversed());
}

beforeAll(async () => {
  await makeMonth();
  await reportMonth();
  await billMonth();
  // Two days after the invoices: what was known when they were issued changes.
  clock.advance(2 * dayMs);
  const late = buyOf('late_report');
  await report(late, [observationOf(late, 19, { adjusted: true, sequence: 60, more: lateBy })]);
}, 120_000);

describe('a scripted month of 12 sellers, 40 buys and 3 currencies', () => {
  it('has every planted fault found with its kind, and no other', async () => {
    expect([new Set(plan.map(({ seller }) => seller)).size, plan.length]).toEqual([12, 40]);
    const { breaks } = await reconcile();
    expect(rowsOf(breaks).map(shown).sort()).toEqual(planted());
  });

  it.each([
    ['list_breaks', 'breaks'],
    ['list_invoices', 'invoices'],
  ])('is the same in both orders of %s, page by page', async (route, rows) => {
    await expectBothOrders(route, rows);
  });

  it('reports the same in every run, without resolved differences', async () => {
    const { breaks } = await reconcile();
    const ids = rowsOf(breaks).map((difference) => textOf(difference['break_id']));
    expect(rowsOf((await reconcile())['breaks']).map((difference) => difference['break_id'])).toEqual(ids);
    expect(await call(caller, 'close_period', { params: { period }, body: {} })).toMatchObject({ ok: false });
    const ways = ['credit', 'dispute', 'accept', 'write-off', 'corrected'];
    for (const [at, id] of ids.entries())
      await done('resolve_break', { params: { id }, body: { as: ways[at % ways.length], reason: 'agreed' } });
    expect(await reconcile()).toMatchObject({ breaks: [] });
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
  });

  it('closes, with a statement that an independent verifier accepts', async () => {
    const before = await done('make_statement', { body: { period } });
    expect(await done('close_period', { params: { period }, body: {} })).toEqual({ period, state: 'closed' });
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
    const made = await done('make_statement', { body: { period } });
    const statement = checkedStatement(made);
    expect(statement).toEqual(made['statement']);
    expect([checkedStatement(before)['period_state'], statement['period_state']]).toEqual(['open', 'closed']);

    const spent = new Map(rowsOf(statement['lines']).map((line) => [line['media_buy_id'], line['spend']]));
    expect(spent).toEqual(new Map(bought.map((buy) => [buy.mediaBuyId, microsToDecimal(spentOf(buy))])));
    const totals = currencies.map((currency) => ({
      currency,
      spend: microsToDecimal(sum(bought.filter((buy) => buy.currency === currency).map(spentOf))),
    }));
    expect(rowsOf(statement['totals'])).toEqual(
      totals.toSorted((left, right) => left.currency.localeCompare(right.currency)),
    );
    for (const { currency, spend } of totals)
      expect(
        sum(
          rowsOf(statement['lines'])
            .filter((line) => line['currency'] === currency)
            .map((line) => microsOf(textOf(line['spend']))),
        ),
      ).toBe(microsOf(spend));
    expect(rowsOf(statement['breaks']).map(shown).sort()).toEqual(planted());
    expect(
      rowsOf(statement['breaks']).every(({ state }) => state === 'resolved' || state === 'disputed'),
    ).toBe(true);
  });

  it('is tied to a chain whose hashes are those of the exported bytes', async () => {
    const statement = checkedStatement(await done('make_statement', { body: { period } }));
    const exported = await exportedLedger(ledger, { organizationId });
    const stream = `ledger:${organizationId}`;
    let previous = sha256(JSON.stringify(['switchyard.journal.genesis.1', stream]));
    let number = '0';
    for (const block of rowsOf(exported['blocks'])) {
      const entries = rowsOf(block['entries']).map(({ body }) => sha256(textOf(body)));
      number = textOf(block['number']);
      const parts = ['switchyard.journal.block.1', stream, number, previous, block['sealed_at'], entries];
      previous = sha256(JSON.stringify(parts));
      expect(block['hash']).toBe(previous);
    }
    expect(statement['ledger_head']).toEqual({ number, hash: previous });
  });

  it('is invalid after a change to one digit', async () => {
    const made = await done('make_statement', { body: { period } });
    const [head, payload = '', signature] = textOf(made['jws']).split('.');
    const text = Buffer.from(payload, 'base64url')
      .toString('utf8')
      .replace(/"spend":"(\d)/, (_, digit: string) => `"spend":"${digit === '9' ? 8 : Number(digit) + 1}`);
    const forged = [head, Buffer.from(text).toString('base64url'), signature].join('.');
    expect(forged).not.toBe(made['jws']);
    expect(() => checkedStatement({ ...made, jws: forged })).toThrow('signature');
  });

  it('has its entries, rates and tolerances in both orders, page by page', async () => {
    for (const [at, from] of ['EUR', 'GBP', 'CHF', 'SEK'].entries()) {
      const date = `2026-10-0${1 + (at % 2)}`;
      await done('set_rate', { body: { from, to: 'USD', rate: '1.1', date, source: 'ECB' } });
      await done('set_tolerance', {
        body: { seller: plan[at * 4]?.seller ?? '', absolute: '1', percent: '0' },
      });
    }
    await expectBothOrders('list_rates', 'rates');
    await expectBothOrders('list_tolerances', 'tolerances');
    await expectBothOrders('ledger_entries', 'entries', { params: { id: buyOf('none').mediaBuyId } });
  });
});

/** The ledger's export, read as JSON. */
function exportedLedger(ledger: Pick<LedgerStore, 'stream'>, scope: TenantScope): Promise<JsonObject> {
  return ledger.stream(scope, (stream) => json(ledgerExport(stream)) as Promise<JsonObject>);
}
