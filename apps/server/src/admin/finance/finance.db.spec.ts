import { createHash, randomUUID, sign, verify } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ReadPorts } from '@switchyard/buys';
import type { Observation } from '@switchyard/ledger';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import {
  bookRepository,
  breakRepository,
  clientRepository,
  connectionDirectory,
  eventLog,
  figureRepository,
  financeFiles,
  invoiceRepository,
  ledgerStore,
  nameReader,
  openStore,
  operationStore,
  paymentRepository,
  periodRepository,
  principalDirectory,
  readFigures,
  readPacing,
  spendBy,
  spendInReporting,
  toleranceRepository,
  spendingLimits,
} from '@switchyard/store';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import {
  createBookedBuy,
  createOrganization,
  createPrincipal,
  openTestStore,
  testClock,
  withoutPauses,
  type BookedBuyRows,
} from '@switchyard/testing';
import { allPermissions, type Grant } from '@switchyard/tenancy';
import { writeTable } from '@switchyard/tables';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { principalCaller } from '../../tasks/caller/principal-caller.js';
import type { PrincipalCaller } from '../../tasks/task-call.js';
import { bookRoutes } from './books.js';
import { figureRoutes } from './figures.js';
import { fileRoutes } from './files.js';
import { invoiceRoutes } from './invoices.js';
import { ledgerRoutes } from './ledger.js';
import { pacingRoutes } from './pacing.js';
import { payableRoutes } from './payables.js';
import { periodRoutes } from './periods.js';
import { readingGate } from './read-file.js';
import { rateRoutes } from '../business/rates.js';
import { reconciliationRoutes } from './reconciliation.js';
import type { Route } from '../route.js';
import { statementRoutes } from './statements.js';
import { toleranceRoutes } from './tolerances.js';
import { callRoutes } from '../testkit/call-route.js';

const dayMs = 86_400_000;
const september = Date.UTC(2026, 8, 1);
const clock = testClock(Date.UTC(2026, 9, 5));
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const ledger = ledgerStore(store);
const pair = generateSigningKey('k1');
const breaks = breakRepository(store);
const invoices = invoiceRepository(store);
const periods = periodRepository(store);
/** What the sellers answer when they are asked how an account stands; nothing: nobody answers. */
const told: { financials?: JsonObject; asked?: JsonObject } = {};
const ports: ReadPorts = {
  store: operationStore(store),
  connections: connectionDirectory(store),
  transport: {
    call: (_target, { args }) => {
      told.asked = args;
      return Promise.resolve(
        told.financials === undefined
          ? err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const)
          : ok({ payload: told.financials, isError: false, text: JSON.stringify(told.financials) }),
      );
    },
    listTools: () => Promise.resolve(ok({})),
    forget: () => Promise.resolve(),
    close: () => Promise.resolve(),
  },
  lease: () => Promise.resolve(ok(new Map())),
  // A seller that does not answer is asked once more after a pause.
  clock: withoutPauses(clock),
  ids: { uuid: () => randomUUID(), token: (prefix) => `${prefix}_${randomUUID()}` },
  callbackBase: () => 'http://127.0.0.1',
  notice: () => undefined,
  breakers: new BreakerBoard(defaultBreakerPolicy, { changed: () => undefined }),
  bulkhead: new Bulkhead(16),
};
const deps = {
  ports,
  files: financeFiles(store),
  fileLimits: { bytes: 20_000_000, rows: 100_000 },
  fileReads: readingGate(2),
  thirdParties: figureRepository(store),
  breaks,
  invoices,
  periods,
  ledger,
  names: nameReader(store),
  spendingLimits: spendingLimits(store),
  tolerances: toleranceRepository(store),
  payments: paymentRepository(store),
  books: bookRepository(store),
  clients: clientRepository(store),
  pacing: (scope: { readonly organizationId: string }, wanted: Parameters<typeof readPacing>[2]) =>
    readPacing(store, scope, wanted),
  spendInReporting: (scope: { readonly organizationId: string }, question: Parameters<typeof spendBy>[2]) =>
    spendInReporting(store, scope, question),
  verifier: { verify: () => Promise.reject(new Error('not asked here')) },
  clock,
  figures: (scope: { readonly organizationId: string }, wanted: Parameters<typeof readFigures>[2]) =>
    readFigures(store, scope, wanted),
  spendBy: (scope: { readonly organizationId: string }, question: Parameters<typeof spendBy>[2]) =>
    spendBy(store, scope, question),
  principals: principalDirectory(store),
  connections: connectionDirectory(store),
  domainOf: () => Promise.resolve('agency.example'),
  documentKeys: {
    signDocument: (
      _scope: unknown,
      _principal: unknown,
      _use: unknown,
      bytesFor: (kid: string, alg: 'EdDSA' | 'ES256') => Buffer,
    ) => {
      const bytes = bytesFor('k1', 'EdDSA');
      return Promise.resolve(
        ok({ bytes, signature: sign(null, bytes, pair.privateKey), publicJwk: publicJwk(pair, []) }),
      );
    },
  },
};

/** A finance department with one buy at one seller, whose package delivers ten a day in September. */
async function finance(days = 30, packages: readonly string[] = ['p1']) {
  const { id: organizationId } = await createOrganization(store);
  const person = async (): Promise<PrincipalCaller> =>
    principalCaller({ ...(await createPrincipal(store, organizationId)), permissions: allPermissions });
  const buy = await createBookedBuy(store, organizationId, { packages: [...packages] });
  const report = (
    from: number,
    to: number,
    spend: string | readonly string[],
    source: Observation['source'] = 'webhook',
  ) => ledger.applyReports(buy, [observation(buy, from, to, spend, source)], { now: clock.now() });
  for (let day = 0; day < days; day += 1) await report(day, day + 1, '10');
  const all = [
    ...bookRoutes,
    ...fileRoutes,
    ...figureRoutes,
    ...invoiceRoutes,
    ...ledgerRoutes,
    ...pacingRoutes,
    ...payableRoutes,
    ...periodRoutes,
    ...rateRoutes,
    ...reconciliationRoutes,
    ...statementRoutes,
    ...toleranceRoutes,
  ];
  const call = callRoutes(all as readonly Route<typeof deps>[], deps);
  const anna = await person();
  const bring = (number: string, amount: string, more: JsonObject = {}) =>
    call(anna, 'import_invoice', {
      body: {
        seller: buy.seller,
        file: {
          name: `${number}.csv`,
          text: `Buy,Package,Net\n${buy.sellerMediaBuyId ?? ''},${buy.packages[0] ?? ''},${amount}\n`,
        },
        mapping: { media_buy_id: 'Buy', package_id: 'Package', amount: 'Net' },
        defaults: { invoice_number: number, issued_on: '2026-10-02', period: '2026-09', currency: 'EUR' },
        ...more,
      },
    });
  const reconcile = async () => {
    const done = await call(anna, 'reconcile', { body: { period: '2026-09' } });
    return done.ok ? done.value : done.error;
  };
  return { organizationId, anna, berta: await person(), buy, call, bring, reconcile, report };
}

function observation(
  buy: BookedBuyRows,
  from: number,
  to: number,
  spend: string | readonly string[],
  source: Observation['source'],
): Observation {
  const byPackage = [spend].flat();
  const total = String(byPackage.reduce((sum, one) => sum + Number(one), 0));
  const reportedAt = clock.now();
  return {
    connectionId: buy.connectionId,
    source,
    stream: source === 'pull' ? 'pulled' : `address of ${buy.legId}`,
    report: {
      notificationType: 'scheduled',
      sequenceNumber: from + 1,
      period: {
        start: new Date(september + from * dayMs).toISOString(),
        end: new Date(september + to * dayMs).toISOString(),
      },
      currency: 'EUR',
      partialData: false,
      deliveries: [
        {
          mediaBuyId: buy.sellerMediaBuyId ?? '',
          status: 'active',
          isAdjusted: false,
          totals: { spend: total, original: {} },
          byPackage: byPackage.map((one, at) => ({
            ...{ packageId: buy.packages[at] ?? '', spend: one, impressions: 1_000, original: {} },
          })),
        },
      ],
    },
    reportedAt,
    receivedAt: reportedAt,
    eventId: randomUUID(),
    legId: buy.legId,
  };
}

const idOf = (one: JsonObject | undefined): string => {
  const id = one?.['break_id'];
  return typeof id === 'string' ? id : '';
};

const idIn = (done: Result<JsonObject, unknown>, name: string): string =>
  done.ok && typeof done.value[name] === 'string' ? done.value[name] : '';

type Call = Awaited<ReturnType<typeof finance>>['call'];

async function announced(call: Call, by: PrincipalCaller, name: string, bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const done = await call(by, 'announce_file', { body: { name, bytes: bytes.length, sha256 } });
  if (!done.ok) throw new Error(done.error.message);
  return { id: idIn(done, 'file_id'), parts: done.value['parts'], size: Number(done.value['part_bytes']) };
}

async function brought(call: Call, by: PrincipalCaller, name: string, bytes: Buffer): Promise<string> {
  const { id } = await announced(call, by, name, bytes);
  await call(by, 'put_file_part', { params: { id, part: '0' }, bytes });
  return id;
}

const found = (value: unknown): readonly JsonObject[] =>
  (value as { readonly breaks: readonly JsonObject[] }).breaks;

describe('a month of finance', () => {
  it('books an invoice once, finds that it fits, closes the month and verifies', async () => {
    const { anna, berta, call, bring, reconcile, buy, organizationId } = await finance();
    const dry = await bring('INV-1', '300', { dry_run: true });
    expect(dry).toMatchObject({
      ok: true,
      value: { invoice_id: null, lines: 1, total: '300', currency: 'EUR' },
    });
    expect(await bring('INV-1', '300')).toMatchObject({
      ok: true,
      value: { invoice_id: expect.any(String) },
    });
    for (const same of ['INV-1', ' INV-1 '])
      expect(await bring(same, '300')).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    expect(await reconcile()).toEqual({ matched: 1, breaks: [] });
    expect(await call(anna, 'list_accruals', { params: { period: '2026-09' } })).toEqual(
      ok({ accruals: [] }),
    );
    const closed = await call(anna, 'close_period', { params: { period: '2026-09' }, body: {} });
    expect(closed).toEqual(ok({ period: '2026-09', state: 'closed' }));
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });

    // A figure that comes late goes to the open month, and names the closed one.
    await ledger.applyReports(buy, [observation(buy, 29, 30, '12', 'pull')], { now: clock.now() + 1 });
    const byMonth = await spendBy(
      store,
      { organizationId },
      { by: ['month'], reach: { kind: 'everything' } },
    );
    expect(byMonth).toEqual([
      { month: '2026-09', currency: 'EUR', amount: '300000000' },
      { month: '2026-10', currency: 'EUR', amount: '2000000' },
    ]);
    const entries = await ledger.entriesOf({ organizationId }, buy.mediaBuyId);
    expect(entries.at(-1)?.facts['closed_periods']).toEqual(['2026-09']);
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });

    // Two people open it again.
    const reopen = (by: PrincipalCaller) =>
      call(by, 'reopen_period', { params: { period: '2026-09' }, body: { reason: 'a late credit' } });
    expect(await reopen(anna)).toEqual(ok({ period: '2026-09', state: 'closed' }));
    expect(await reopen(anna)).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    expect(await reopen(berta)).toEqual(ok({ period: '2026-09', state: 'open' }));
  });

  it('accrues what nobody has invoiced, takes it back on the next day, and keeps the books in balance', async () => {
    const { anna, call, reconcile, organizationId } = await finance(3);
    const [missing] = found(await reconcile());
    expect(missing).toMatchObject({
      kind: 'missing_invoice',
      difference: '-30',
      reported: '30',
      state: 'open',
    });
    const close = () => call(anna, 'close_period', { params: { period: '2026-09' }, body: {} });
    expect(await close()).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    const id = idOf(missing);
    const body = { as: 'accept', reason: 'the invoice comes in October' };
    expect(await call(anna, 'resolve_break', { params: { id }, body })).toMatchObject({
      ok: true,
      value: { state: 'resolved', resolution: 'accept', resolved_by: anna.name },
    });
    expect(await call(anna, 'list_accruals', { params: { period: '2026-09' } })).toMatchObject({
      ok: true,
      value: { accruals: [{ currency: 'EUR', amount: '30' }] },
    });
    expect(await close()).toEqual(ok({ period: '2026-09', state: 'closed' }));
    expect(await call(anna, 'list_accruals', { params: { period: '2026-09' } })).toEqual(
      ok({ accruals: [] }),
    );
    expect(await call(anna, 'list_accruals', { params: { period: '2026-10' } })).toMatchObject({
      ok: true,
      value: { accruals: [{ amount: '30' }] },
    });
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
  });

  it('never brings back what was resolved, unless the difference is another one', async () => {
    const { anna, bring, call, reconcile, report, organizationId } = await finance();
    await bring('INV-1', '350');
    const [one] = found(await reconcile());
    expect(one).toMatchObject({ kind: 'unknown', invoiced: '350', difference: '50' });
    const again = found(await reconcile());
    expect(again.map((each) => each['break_id'])).toEqual([one?.['break_id']]);
    const params = { id: idOf(one) };
    await call(anna, 'comment_break', { params, body: { text: 'asked the seller' } });
    await call(anna, 'resolve_break', { params, body: { as: 'credit', reason: 'credit note 7' } });
    expect(await call(anna, 'resolve_break', { params, body: { as: 'accept' } })).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT' },
    });
    expect(found(await reconcile())).toEqual([]);
    await report(0, 1, '30', 'pull');
    expect(found(await reconcile()).map((each) => [each['kind'], each['difference']])).toContainEqual([
      'late_report',
      '20',
    ]);
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
  });

  it('is closed once it is over, and the last month that there is never is', async () => {
    const { anna, call } = await finance(0);
    for (const [period, code] of [
      ['2026-10', 'CONFLICT'],
      ['9999-12', 'INVALID_REQUEST'],
    ] as const)
      expect(await call(anna, 'close_period', { params: { period }, body: {} })).toMatchObject({
        ok: false,
        error: { code },
      });
  });

  it('shows what is left of it and its accruals to nobody who reads a part of the organization alone', async () => {
    const { anna, call } = await finance(0);
    const grants: readonly Grant[] = [
      { permissions: { ledger: ['read'] }, scope: { kind: 'client', id: randomUUID() } },
    ];
    for (const id of ['show_checklist', 'list_accruals'] as const)
      expect(await call({ ...anna, grants }, id, { params: { period: '2026-09' } })).toMatchObject({
        ok: false,
        error: { code: 'INSUFFICIENT_PERMISSIONS' },
      });
  });

  it('is closed by nobody whose approval holds in a narrower scope, whatever he may read', async () => {
    const { anna, call } = await finance(1);
    const grants: readonly Grant[] = [
      { permissions: { ledger: ['read'] }, scope: { kind: 'organization' } },
      { permissions: { ledger: ['read', 'approve'] }, scope: { kind: 'brand', id: 'acme.example' } },
    ];
    const params = { period: '2026-09' };
    const refused = { ok: false, error: { code: 'INSUFFICIENT_PERMISSIONS' } };
    const narrow = { ...anna, grants };
    expect(await call(narrow, 'close_period', { params, body: {} })).toMatchObject(refused);
    expect(await call(narrow, 'reopen_period', { params, body: { reason: 'r' } })).toMatchObject(refused);
    expect(await call(narrow, 'list_accruals', { params })).toMatchObject({ ok: true });
    const rate = { from: 'EUR', to: 'USD', rate: '1.1', date: '2026-09-01', source: 'ECB' };
    expect(await call(narrow, 'set_rate', { body: rate })).toMatchObject(refused);
  });

  it('says nothing of one client about a seller that invoices without naming buys', async () => {
    const { anna, bring, call, buy, organizationId } = await finance(3);
    const clientId = randomUUID();
    await store.inTenant({ organizationId }, (client) =>
      client.query('update media_buy set client_id = $2 where id = $1', [buy.mediaBuyId, clientId]),
    );
    const ofClient = async () => {
      const done = await call(anna, 'reconcile', { body: { period: '2026-09', client_id: clientId } });
      return found(done.ok && done.value).map(({ kind }) => kind);
    };
    expect(await ofClient()).toEqual(['missing_invoice']);
    await bring('INV-1', '30', { mapping: { amount: 'Net' } });
    expect(await ofClient()).toEqual([]);
  });

  it('is signed as one document whose sums are those of its lines', async () => {
    const { anna, call } = await finance(2);
    const made = await call(anna, 'make_statement', { body: { period: '2026-09' } });
    expect(made).toMatchObject({
      ok: true,
      value: { statement: { organization: 'agency.example', totals: [{ currency: 'EUR', spend: '20' }] } },
    });
  });

  it('is invisible to another organization', async () => {
    const { bring, reconcile } = await finance(1);
    await bring('INV-1', '99');
    const [one] = found(await reconcile());
    const other = await finance(1);
    const params = { id: idOf(one) };
    expect(await other.call(other.anna, 'show_break', { params })).toMatchObject({
      ok: false,
      error: { code: 'NOT_FOUND' },
    });
    expect(await other.call(other.anna, 'list_invoices')).toEqual(ok({ invoices: [] }));
  });
});

const textIn = (value: unknown, name: string): string => {
  const text = (value as JsonObject | null)?.[name];
  return typeof text === 'string' ? text : '';
};

const withClient = async (organizationId: string, mediaBuyId: string, codes: JsonObject = {}) => {
  const clientId = randomUUID();
  await store.inTenant({ organizationId }, async (client) => {
    await client.query(
      `insert into client (id, organization_id, name, codes, created_at, updated_at) values ($1, $2, $3, $4, now(), now())`,
      [clientId, organizationId, '=Nova', JSON.stringify(codes)],
    );
    await client.query('update media_buy set client_id = $2 where id = $1', [mediaBuyId, clientId]);
  });
  return clientId;
};

describe('tolerances', () => {
  it('hold by the most specific one that is set, and the break says which one it was', async () => {
    const { anna, call, bring, reconcile, buy, organizationId } = await finance();
    const clientId = await withClient(organizationId, buy.mediaBuyId);
    await bring('INV-1', '301.5');
    const set = (absolute: string, percent: string, of: JsonObject = {}) =>
      call(anna, 'set_tolerance', { body: { absolute, percent, ...of } });
    const rules = async () =>
      found(await reconcile()).map(({ tolerance }) => tolerance as JsonObject | undefined);
    expect(await rules()).toEqual([{ absolute: '0.01', percent: '0', allowed: '0.01', rule: 'default' }]);
    // 0.49 % of 300 is 1.47, 0.50 % is 1.50: the second decimal decides.
    await set('0', '0.49', { seller: buy.seller });
    expect(await rules()).toMatchObject([{ percent: '0.49', allowed: '1.47', rule: 'seller' }]);
    await set('0', '0.5', { seller: buy.seller });
    expect(await rules()).toEqual([]);
    await set('1', '0', { client_id: clientId });
    expect(await rules()).toMatchObject([{ absolute: '1', allowed: '1', rule: 'client' }]);
    const both = await set('2', '0', { client_id: clientId, seller: buy.seller });
    expect(await rules()).toEqual([]);
    const id = both.ok ? textIn(both.value, 'tolerance_id') : '';
    expect(await call(anna, 'remove_tolerance', { params: { id } })).toEqual(ok({ removed: true }));
    expect(await rules()).toMatchObject([{ rule: 'client' }]);
    expect(await set('1', '0.001')).toMatchObject({ ok: false, error: { field: 'percent' } });
    expect(await set('-1', '0')).toMatchObject({ ok: false, error: { field: 'absolute' } });
    const narrow: readonly Grant[] = [
      { permissions: { ledger: ['read', 'write'] }, scope: { kind: 'client', id: clientId } },
    ];
    const colleague = { ...anna, grants: narrow };
    const body = { absolute: '9', percent: '0' };
    expect(await call(colleague, 'set_tolerance', { body })).toMatchObject({
      ok: false,
      error: { code: 'INSUFFICIENT_PERMISSIONS' },
    });
    expect(await call(colleague, 'set_tolerance', { body: { ...body, client_id: clientId } })).toMatchObject({
      ok: true,
    });
  });
});

describe('a period that is closed', () => {
  it('was reconciled after the last change of its figures, unless the organization allows it without', async () => {
    const { anna, call, bring, reconcile, report, organizationId } = await finance(2);
    const params = { period: '2026-09' };
    const close = () => call(anna, 'close_period', { params, body: {} });
    const due = async () => {
      const list = await call(anna, 'show_checklist', { params });
      return list.ok && list.value['reconciliation_due'];
    };
    const refused = {
      ok: false,
      error: { code: 'CONFLICT', message: expect.stringMatching(/not reconciled/) },
    };
    expect(await due()).toBe(true);
    expect(await close()).toMatchObject(refused);
    await bring('INV-1', '20');
    await reconcile();
    expect(await due()).toBe(false);
    await report(1, 2, '11', 'pull');
    expect(await due()).toBe(true);
    await reconcile();
    await bring('INV-2', '1');
    expect(await due()).toBe(true);
    await store.inTenant({ organizationId }, (client) =>
      client.query('update organization set closes_unreconciled = true where id = $1', [organizationId]),
    );
    expect(await due()).toBe(false);
  });
});

describe('an invoice that is paid', () => {
  const pay = (
    call: Awaited<ReturnType<typeof finance>>['call'],
    by: PrincipalCaller,
    id: string,
    body: object,
  ) => call(by, 'pay_invoice', { params: { id }, body });
  const idOf = (answer: { readonly ok: boolean; readonly value?: unknown }): string =>
    textIn(answer.value, 'invoice_id');

  it('leaves the payables by its payments, each booked once, and the books in balance', async () => {
    const { anna, call, bring, buy, organizationId } = await finance(3);
    await store.inTenant({ organizationId }, (client) =>
      client.query(`update organization set reporting_currency = 'EUR' where id = $1`, [organizationId]),
    );
    const clientId = await withClient(organizationId, buy.mediaBuyId);
    await call(anna, 'set_term', { body: { seller: buy.seller, days: 0 } });
    const id = idOf(await bring('INV-1', '30'));
    expect(await call(anna, 'show_invoice', { params: { id } })).toMatchObject({
      value: { due_on: '2026-10-02' },
    });
    const aging = async (by: string, caller = anna) => {
      const answer = await call(caller, 'show_aging', { query: { by } });
      return answer.ok ? answer.value['aging'] : answer.error;
    };
    expect(await aging('seller,client')).toMatchObject([
      {
        seller: buy.seller,
        client_id: clientId,
        currency: 'EUR',
        days_1_30: '30',
        current: '0',
        total: '30',
        invoices: 1,
      },
    ]);
    const body = { date: '2026-10-04', amount: '10', reference: 'bank 1' };
    expect(await pay(call, anna, id, body)).toMatchObject({ ok: true, value: { amount: '10', open: '20' } });
    expect(await pay(call, anna, id, body)).toMatchObject({ ok: false, error: { field: 'reference' } });
    expect(await aging('client')).toMatchObject([{ client_id: clientId, total: '20' }]);
    const stranger = {
      ...anna,
      grants: [{ permissions: { ledger: ['read'] }, scope: { kind: 'client', id: randomUUID() } }] as const,
    };
    expect(await aging('client', stranger)).toEqual([]);
    expect(await pay(call, anna, id, { date: '2026-10-04', amount: '21' })).toMatchObject({
      ok: false,
      error: { message: 'Only 20 EUR is open.' },
    });
    expect(await pay(call, anna, id, { date: '2026-10-06' })).toMatchObject({
      ok: false,
      error: { field: 'date' },
    });
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject({
      ok: true,
      value: { open: '0' },
    });
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT' },
    });
    expect(await aging('seller')).toEqual([]);
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
  });

  it('in another currency posts the realised difference as an entry of its own, and converts nothing without a rate', async () => {
    const { anna, call, bring, organizationId } = await finance(3);
    const id = idOf(await bring('INV-1', '100'));
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject({
      ok: false,
      error: { message: 'There is no rate from EUR to USD for 2026-10-02 or a day before it.' },
    });
    const text = 'from,to,rate,date\nEUR,USD,1.08,2026-10-01\neur,USD,1.1,2026-10-04\n';
    const file = { name: 'rates.csv', text };
    const bringRates = (body: object) => call(anna, 'import_rates', { body });
    expect(await bringRates({ file })).toMatchObject({
      value: { imported: 0, refused: [{ row: 1 }, { row: 2 }] },
    });
    expect(await bringRates({ file, source: 'ECB' })).toEqual(ok({ imported: 2, refused: [] }));
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject({
      ok: true,
      value: {
        amount: '100',
        reporting_currency: 'USD',
        reporting_amount: '110',
        difference: '2',
        open: '0',
      },
    });
    const sums = await store.inTenant({ organizationId }, (client) =>
      client.query<{ kind: string; account: string; currency: string; sum: string }>(
        `select e.kind, p.account, p.currency, sum(p.amount_micros)::text as sum from ledger_posting p
         join ledger_entry e on e.id = p.entry_id where e.kind in ('payment', 'exchange') group by 1, 2, 3 order by 1, 2, 3`,
      ),
    );
    expect(sums.rows.map(({ kind, account, currency, sum }) => [kind, account, currency, sum])).toEqual([
      ['exchange', 'currency_exchange', 'USD', '-2000000'],
      ['exchange', 'exchange_difference', 'USD', '2000000'],
      ['payment', 'cash', 'USD', '-110000000'],
      ['payment', 'currency_exchange', 'EUR', '-100000000'],
      ['payment', 'currency_exchange', 'USD', '110000000'],
      ['payment', 'seller_invoiced', 'EUR', '100000000'],
    ]);
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
  });
});

describe('spend in the reporting currency', () => {
  it('counts each day by its rate or the last one before it, and names every rate', async () => {
    const { anna, call, buy } = await finance(3);
    const rate = (value: string, date: string) =>
      call(anna, 'set_rate', { body: { from: 'EUR', to: 'USD', rate: value, date, source: 'ECB' } });
    const spend = async (by: string) => {
      const answer = await call(anna, 'ledger_spend', { query: { by, currency: 'reporting' } });
      return answer.ok ? answer.value['spend'] : answer.error;
    };
    await rate('1.2', '2026-09-02');
    expect(await spend('seller')).toMatchObject({
      code: 'CONFLICT',
      message: 'There is no rate from EUR to USD for 2026-09-01 or a day before it.',
    });
    await rate('1.1', '2026-08-20');
    const rates = [
      { from: 'EUR', date: '2026-08-20', rate: '1.1', source: 'ECB' },
      { from: 'EUR', date: '2026-09-02', rate: '1.2', source: 'ECB' },
    ];
    const expected = {
      currency: 'USD',
      spend: '35',
      originals: [{ currency: 'EUR', spend: '30' }],
      rates,
      rate_total: 2,
    };
    expect(await spend('seller')).toEqual([{ seller: buy.seller, ...expected }]);
    expect(await spend('buy')).toMatchObject([{ media_buy_id: buy.mediaBuyId, ...expected }]);
    expect(await spend('day')).toMatchObject([
      { day: '2026-09-01', spend: '11' },
      { day: '2026-09-02', spend: '12' },
      { day: '2026-09-03', spend: '12' },
    ]);
  });
});

describe('spend by account and package', () => {
  it('adds up to what each version says that counts, by every package, day and time of booking', async () => {
    const { anna, call, buy, report, organizationId } = await finance(0, ['p1', 'p2']);
    const spend = async (query: Readonly<Record<string, string>>) => {
      const answer = await call(anna, 'ledger_spend', { query });
      if (!answer.ok) throw new Error(answer.error.message);
      return answer.value['spend'] as readonly JsonObject[];
    };
    await report(0, 1, ['10', '5']);
    await report(1, 2, ['8', '2']);
    const before = new Date(clock.now()).toISOString();
    clock.advance(1);
    // Ten go from one package to the other: no posting says so. And one day is restated.
    await report(0, 1, ['4', '11'], 'pull');
    await report(1, 2, ['9', '2.5'], 'pull');
    const [p1, p2] = buy.packages.map((id) => `${buy.seller}:${id}`);
    const rows = async (query: Readonly<Record<string, string>>) =>
      (await spend(query)).map(({ package_id: id, day, spend: sum }) => [
        id,
        ...(day === undefined ? [] : [day]),
        sum,
      ]);
    expect(await rows({ by: 'package' })).toEqual([
      [p1, '13'],
      [p2, '13.5'],
    ]);
    expect(await rows({ by: 'package,day' })).toEqual([
      [p1, '2026-09-01', '4'],
      [p1, '2026-09-02', '9'],
      [p2, '2026-09-01', '11'],
      [p2, '2026-09-02', '2.5'],
    ]);
    expect(await rows({ by: 'package', from: '2026-09-02', to: '2026-09-03' })).toEqual([
      [p1, '9'],
      [p2, '2.5'],
    ]);
    expect(await rows({ by: 'package', as_of: before })).toEqual([
      [p1, '18'],
      [p2, '7'],
    ]);
    const [row] = await store
      .inTenant({ organizationId }, (client) =>
        client.query<{ account: string }>(
          `select coalesce(c.account ->> 'account_id', coalesce(m.brand ->> 'domain', '') || ' by ' || coalesce(m.operator, '')) as account
           from media_buy m, connection c where c.slug = $1`,
          [buy.seller],
        ),
      )
      .then(({ rows: found }) => found);
    for (const by of ['account', 'account,package', 'account,package,month', 'account,buy,package,day']) {
      const found = await spend({ by });
      const raw = await store.inTenant({ organizationId }, (client) =>
        client.query<{ sum: string }>(
          'select sum(spend_micros)::text as sum from report_version where is_current',
        ),
      );
      const sum = found.reduce((total, one) => total + BigInt(Math.round(Number(one['spend']) * 1e6)), 0n);
      expect([by, sum.toString()]).toEqual([by, raw.rows[0]?.sum]);
      expect(found.every(({ account }) => account === row?.account)).toBe(true);
    }
  });

  it('names client and account beside each entry of a buy', async () => {
    const { anna, call, buy, organizationId } = await finance(1);
    const clientId = await withClient(organizationId, buy.mediaBuyId, {});
    const read = await call(anna, 'ledger_entries', { params: { id: buy.mediaBuyId } });
    expect(read).toMatchObject({
      ok: true,
      value: {
        entries: [{ client_id: clientId, client: expect.any(String), campaign: null, account: null }],
      },
    });
  });

  it('puts late figures of a closed month on the first open day, as their postings', async () => {
    const { anna, call, bring, buy, report, reconcile, organizationId } = await finance(1, ['p1', 'p2']);
    await bring('INV-1', '10');
    await reconcile();
    expect(await call(anna, 'close_period', { params: { period: '2026-09' }, body: {} })).toMatchObject({
      ok: true,
    });
    await report(0, 1, ['7', '6'], 'pull');
    const answer = await call(anna, 'ledger_spend', { query: { by: 'package,day' } });
    const posted = await store.inTenant({ organizationId }, (client) =>
      client.query<{ day: string; sum: string }>(
        `select day, sum(amount_micros)::text as sum from ledger_posting where account = 'media_spend' group by 1 order by 1`,
      ),
    );
    const found = answer.ok ? (answer.value['spend'] as readonly JsonObject[]) : [];
    const byDay = posted.rows.map(({ day }) =>
      found.filter((one) => one['day'] === day).reduce((sum, one) => sum + Number(one['spend']) * 1e6, 0),
    );
    expect(byDay.map(String)).toEqual(posted.rows.map(({ sum }) => sum));
    expect(posted.rows.length).toBe(2);
    expect(found.map((one) => one['package_id'])).toContain(`${buy.seller}:${buy.packages[1] ?? ''}`);
  });
});

describe('a journal for the books', () => {
  const accounts = ['media_spend', 'seller_payable', 'seller_invoiced'];
  const mapped = async () => {
    const made = await finance(2);
    const clientId = await withClient(made.organizationId, made.buy.mediaBuyId, { sap: '+C-7' });
    const run = async (format: string) => {
      const answer = await made.call(made.anna, 'export_journal', { body: { period: '2026-09', format } });
      return answer.ok
        ? (answer.value as unknown as { batch: JsonObject | null; already: readonly JsonObject[] })
        : answer.error;
    };
    const map = () =>
      Promise.all(
        accounts.map((account, at) =>
          made.call(made.anna, 'set_book_code', { body: { account, code: `=${at}` } }),
        ),
      );
    return { ...made, clientId, run, map };
  };
  /** Of `createBookedBuy`. */
  const account = ' by agency.example';
  const linesOf = (batch: JsonObject | null) => textIn(batch, 'file').trimEnd().split('\r\n');

  it('gives spend as a CSV file, in which no name is a formula, under the names that it is asked for by', async () => {
    const { anna, call, buy } = await mapped();
    const query = { by: 'client,account,buy' };
    const answer = await call(anna, 'export_spend', { query });
    const text = answer.ok ? textIn(answer.value, 'file') : '';
    const [head = [], row = [], ...more] = text.split('\n').map((line) => line.split(','));
    expect(Object.fromEntries(head.map((name, at) => [name, row[at]]))).toMatchObject({
      ...{ client: "'=Nova", account, media_buy_id: buy.mediaBuyId, spend: '20', currency: 'EUR' },
    });
    expect(more).toEqual([['']]);
    expect(await call(anna, 'ledger_spend', { query })).toMatchObject({
      value: { spend: [{ client: '=Nova', buy: buy.mediaBuyId, spend: '20' }] },
    });
  });

  it('exports each entry once, balanced, with codes, and gives the same bytes again', async () => {
    const { anna, call, run, map, bring, report, organizationId } = await mapped();
    expect(await run('csv')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/media_spend, seller_payable/),
    });
    await map();
    const first = await run('csv');
    if ('code' in first) throw new Error(first.message);
    expect(first).toMatchObject({ batch: { number: 1, entries: 2, lines: 4 }, already: [] });
    const rows = linesOf(first.batch)
      .slice(1)
      .map((line) => line.split(','));
    const sum = (at: number) => rows.reduce((total, row) => total + Number(row[at]), 0);
    expect([sum(11), sum(12)]).toEqual([20, 20]);
    expect(rows.map((row) => row[13])).toEqual(rows.map(() => account));
    // What a spreadsheet would run is text.
    expect(rows[0]?.slice(6, 10)).toEqual(["'=Nova", "'=Nova", 'media_spend', "'=0"]);

    expect(await run('netsuite')).toMatchObject({ batch: null, already: [{ number: 1, entries: 2 }] });
    await report(1, 2, '12', 'pull');
    await bring('INV-1', '22');
    const second = await run('sap');
    if ('code' in second) throw new Error(second.message);
    expect(second).toMatchObject({ batch: { number: 2, entries: 2, lines: 4 }, already: [{ number: 1 }] });
    const posted = linesOf(second.batch)
      .slice(1)
      .map((line) => line.split(','));
    expect(posted.map((row) => [row[0], row[2], row[6], row[8], row[10]])).toEqual([
      ['SW00002-00001', '20260902', '40', '2.00', "'+C-7"],
      ['SW00002-00001', '20260902', '50', '2.00', "'+C-7"],
      ['SW00002-00002', '20260930', '50', '22.00', ''],
      ['SW00002-00002', '20260930', '40', '22.00', ''],
    ]);
    for (const [named, one] of [
      ['1', first.batch],
      [textIn(second.batch, 'batch_id'), second.batch],
    ] as const)
      expect(await call(anna, 'show_journal_batch', { params: { id: named } })).toEqual(ok(one));
    const counted = await store.inTenant({ organizationId }, (client) =>
      client.query('select entry_id from journal_batch_entry'),
    );
    expect(counted.rowCount).toBe(4);
  });

  it('is one of two that ask at once, and nothing where its file cannot be made', async () => {
    const { run, map, organizationId } = await mapped();
    const left = () =>
      store.inTenant({ organizationId }, (client) => client.query('select 1 from journal_batch_entry'));
    await run('csv');
    expect((await left()).rowCount).toBe(0);
    await map();
    const both = await Promise.all([run('csv'), run('csv')]);
    const batches = both.flatMap((one) =>
      'batch' in one && one.batch !== null ? [one.batch['entries']] : [],
    );
    expect(batches).toEqual([2]);
    expect((await left()).rowCount).toBe(2);
  });
});

describe('pacing', () => {
  it('compares delivery with the plan by then, shows each caller his campaigns alone, and raises what is wrong', async () => {
    const { anna, call, buy, organizationId } = await finance(10);
    const clientId = await withClient(organizationId, buy.mediaBuyId);
    const campaignId = randomUUID();
    await store.inTenant({ organizationId }, async (client) => {
      await client.query(
        `insert into campaign (id, organization_id, client_id, brand_domain, name, currency, budget_micros, plan, starts_on,
           ends_on, created_at, updated_at)
         values ($1, $2, $3, 'nova.example', 'Autumn', 'EUR', 1000000000, '{"2026-09": "600000000"}', '2026-09-01',
           '2026-10-10', now(), now())`,
        [campaignId, organizationId, clientId],
      );
      await client.query('update media_buy set campaign_id = $2 where id = $1', [buy.mediaBuyId, campaignId]);
    });
    const pacing = async (query: Record<string, string>, caller = anna) => {
      const answer = await call(caller, 'list_pacing', { query });
      return answer.ok ? (answer.value['pacing'] as readonly JsonObject[]) : [];
    };
    const [row] = await pacing({ campaign_id: campaignId, days: 'true' });
    // 20 a day in September, 40 a day in October; ten a day were delivered for ten days.
    expect(row).toMatchObject({
      campaign: 'Autumn',
      through: '2026-09-10',
      planned: '1000',
      planned_through: '200',
      delivered: '100',
      difference_percent: '-50',
      forecast: '400',
    });
    expect((row?.['alerts'] as readonly JsonObject[]).map(({ code }) => code)).toEqual([
      'behind',
      'no_report_for_days',
    ]);
    const days = row?.['days'] as readonly JsonObject[];
    expect([days.length, days[0], days.at(-1)]).toEqual([
      40,
      { day: '2026-09-01', planned: '20', delivered: '10' },
      { day: '2026-10-10', planned: '40', delivered: '0' },
    ]);
    expect(await pacing({ by: 'buy', campaign_id: campaignId })).toMatchObject([
      { media_buy_id: buy.mediaBuyId, planned: '1000', delivered: '100' },
    ]);
    const narrow = (id: string) => ({
      ...anna,
      grants: [{ permissions: { ledger: ['read'] }, scope: { kind: 'client', id } }] as const,
    });
    for (const by of ['campaign', 'buy']) {
      expect(await pacing({ by }, narrow(clientId))).toHaveLength(1);
      expect(await pacing({ by }, narrow(randomUUID()))).toEqual([]);
    }
  });
});

const wrong: readonly [what: string, text: string, reason: RegExp][] = [
  ['an amount that no ledger holds', 'Net\n1e400\n', /too_large/],
  ['an amount that is none', 'Net\nten\n', /not_a_number/],
  ['a negative amount', 'Net\n-5\n', /negative/],
];

describe('an invoice file', () => {
  it.each(wrong)('with %s books nothing and names the row', async (_, text, reason) => {
    const { anna, call, buy } = await finance(0);
    const defaults = { invoice_number: 'I', issued_on: '2026-10-02', period: '2026-09', currency: 'EUR' };
    const body = { seller: buy.seller, file: { name: 'i.csv', text }, mapping: { amount: 'Net' }, defaults };
    const read = await call(anna, 'import_invoice', { body });
    expect(read).toMatchObject({
      ok: true,
      value: { invoice_id: null, refused: [{ row: 1, reason: expect.stringMatching(reason) }] },
    });
  });

  it('that names a column twice is refused, and one that is cut books nothing and names the row', async () => {
    const { anna, call, buy } = await finance(0);
    const bring = (text: string) =>
      call(anna, 'import_invoice', { body: { seller: buy.seller, file: { name: 'i.csv', text } } });
    expect(await bring('amount,amount\n1,2\n')).toMatchObject({ ok: false, error: { field: 'file' } });
    for (const cut of ['amount,currency\n1,EUR\n2', 'amount,currency\n1,EUR\n2,"EU'])
      expect(await bring(cut)).toMatchObject({
        ok: true,
        value: {
          invoice_id: null,
          refused: expect.arrayContaining([{ row: 2, reason: expect.any(String) }]),
        },
      });
    expect(await call(anna, 'list_invoices')).toEqual(ok({ invoices: [] }));
  });

  it('that was announced is read once every byte is here and is what was announced, and is kept', async () => {
    const { anna, call, buy } = await finance(0);
    const defaults = { invoice_number: 'I-2', issued_on: '2026-10-02', period: '2026-09', currency: 'EUR' };
    const row = `${buy.sellerMediaBuyId ?? ''},${buy.packages[0] ?? ''},1.5,${'x'.repeat(1_000)}\n`;
    const bytes = Buffer.from(`Buy,Package,Net,Text\n${row.repeat(6_000)}`);
    const mapping = { media_buy_id: 'Buy', package_id: 'Package', amount: 'Net' };
    const { id, parts, size } = await announced(call, anna, 'big.csv', bytes);
    const put = (part: number, content: Buffer) =>
      call(anna, 'put_file_part', { params: { id, part: String(part) }, bytes: content });
    const read = (more: JsonObject = {}) =>
      call(anna, 'import_invoice', {
        body: { seller: buy.seller, file_id: id, defaults, mapping, ...more },
      });
    expect(parts).toBe(2);
    expect(await put(0, bytes.subarray(0, size))).toMatchObject({ ok: true });
    expect(await put(1, bytes.subarray(size, size + 9))).toMatchObject({ ok: false });
    expect(await read()).toMatchObject({ ok: false, error: { message: expect.stringMatching(/cut off/) } });
    await put(1, Buffer.alloc(bytes.length - size, row));
    expect(await read()).toMatchObject({ ok: true, value: { invoice_id: null, refused: [{}] } });
    await put(1, bytes.subarray(size));
    expect(await read({ dry_run: true })).toMatchObject({
      ok: true,
      value: {
        invoice_id: null,
        preview: {
          columns: expect.arrayContaining([
            { column: 'Net', field: 'amount' },
            { column: 'Text', field: null },
          ]),
        },
      },
    });
    const booked = await read();
    expect(booked).toMatchObject({ ok: true, value: { lines: 6_000, total: '9000' } });
    const shown = await call(anna, 'show_invoice', { params: { id: idIn(booked, 'invoice_id') } });
    expect(shown).toMatchObject({
      ok: true,
      value: {
        file: 'big.csv',
        original_sha256: createHash('sha256').update(bytes).digest('hex'),
        line_total: 6_000,
      },
    });
    // What an invoice was made of is not written over, and the mapping is remembered.
    expect(await put(0, bytes.subarray(0, size))).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    const again = await call(anna, 'import_invoice', {
      body: {
        seller: buy.seller,
        file_id: id,
        defaults: { ...defaults, invoice_number: 'I-3' },
        dry_run: true,
      },
    });
    expect(again).toMatchObject({ ok: true, value: { total: '9000' } });
    const other = await finance(0);
    expect(
      await other.call(other.anna, 'import_invoice', { body: { seller: other.buy.seller, file_id: id } }),
    ).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });

  it('as a workbook is read in a thread of its own, and its PDF stands beside the invoice', async () => {
    const { anna, call, bring, buy } = await finance(0);
    const document = {
      title: 't',
      madeAt: '2026-10-05T00:00:00.000Z',
      sections: [
        {
          name: 's',
          columns: ['Buy', 'Net'],
          rows: [
            [buy.sellerMediaBuyId ?? '', '12.5'],
            ['b', '1e400'],
          ],
        },
      ],
    };
    const defaults = { invoice_number: 'I-9', issued_on: '2026-10-02', currency: 'EUR', period: '2026-09' };
    const id = await brought(call, anna, 'i.xlsx', await writeTable(document, 'xlsx'));
    const mapping = { media_buy_id: 'Buy', amount: 'Net' };
    const body = { seller: buy.seller, file_id: id, defaults, mapping };
    expect(await call(anna, 'import_invoice', { body })).toMatchObject({
      ok: true,
      value: { invoice_id: null, refused: [{ row: 2, reason: expect.stringMatching(/too_large/) }] },
    });
    const bomb = Buffer.from('PK\u0003\u0004 no workbook');
    const hostile = await brought(call, anna, 'bomb.xlsx', bomb);
    expect(await call(anna, 'import_invoice', { body: { ...body, file_id: hostile } })).toMatchObject({
      ok: false,
      error: { field: 'file', message: expect.stringMatching(/damaged/) },
    });
    const invoiceId = idIn(await bring('INV-1', '300'), 'invoice_id');
    const attach = async (bytes: Buffer) =>
      call(anna, 'attach_to_invoice', {
        params: { id: invoiceId },
        body: { file_id: await brought(call, anna, 'i.pdf', bytes) },
      });
    expect(await attach(Buffer.from('MZ'))).toMatchObject({
      ok: false,
      error: { message: 'The file is no PDF.' },
    });
    const pdf = await writeTable(document, 'pdf');
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    expect(await attach(pdf)).toMatchObject({
      ok: true,
      value: { attachments: [{ name: 'i.pdf', sha256, bytes: pdf.length }] },
    });
  });
});

describe('figures of a third party', () => {
  it('stand beside the others in a break; a later file replaces them and is not added to them', async () => {
    const { anna, call, bring, reconcile, buy } = await finance();
    const rows = (spend: string) => `Placement,Buy,Day,Cost\np1,${buy.mediaBuyId},2026-09-03,${spend}\n`;
    const add = (text: string, more: JsonObject = {}) =>
      call(anna, 'import_figures', {
        body: {
          source: 'adserver',
          file: { name: 'f.csv', text: text.replaceAll('p1', buy.packages[0] ?? '') },
          mapping: { package_id: 'Placement', media_buy_id: 'Buy', day: 'Day', spend: 'Cost' },
          defaults: { currency: 'EUR' },
          ...more,
        },
      });
    expect(await add(rows('400'), { dry_run: true })).toMatchObject({
      ok: true,
      value: { import_id: null, lines: 1 },
    });
    expect(await add(rows('400'))).toMatchObject({ ok: true, value: { version: 1, lines: 1 } });
    expect(await add(`${rows('340')}p1,${buy.mediaBuyId},2026-09-04,5.5\n`)).toMatchObject({
      ok: true,
      value: { version: 2, lines: 2 },
    });
    await bring('INV-1', '350');
    expect(found(await reconcile())).toMatchObject([
      { reported: '300', invoiced: '350', third_party: '345.5', third_party_source: 'adserver' },
    ]);
  });

  it.each([
    ['another currency', '{buy},2026-09-03,1,USD\n', /currency is USD, and the buy is in EUR/],
    ['swapped day and month', '{buy},2026-30-09,1,EUR\n', /not a day as YYYY-MM-DD/],
    ['a negative spend', '{buy},2026-09-03,-1,EUR\n', /negative/],
    ['1e400', '{buy},2026-09-03,1e400,EUR\n', /too_large/],
    ['a buy that nobody knows', 'x,2026-09-03,1,EUR\n', /No buy of yours/],
  ])('with %s are refused with the row, and nothing is stored', async (_, row, reason) => {
    const { anna, call, buy } = await finance(0);
    const text = `media_buy_id,day,spend,currency\n{buy},2026-09-02,1,EUR\n${row}`.replaceAll(
      '{buy}',
      buy.mediaBuyId,
    );
    const done = await call(anna, 'import_figures', { body: { source: 'a', file: { name: 'f.csv', text } } });
    expect(done).toMatchObject({
      ok: true,
      value: { import_id: null, refused: [{ row: 2, reason: expect.stringMatching(reason) }] },
    });
  });

  it('that name a package and day twice are refused whole, and no version is used up', async () => {
    const { anna, call, buy } = await finance(0);
    const add = (rows: string) =>
      call(anna, 'import_figures', {
        body: { source: 'a', file: { name: 'f.csv', text: `media_buy_id,day,spend,currency\n${rows}` } },
      });
    const row = `${buy.mediaBuyId},2026-09-02,1,EUR\n`;
    expect(await add(row + row)).toMatchObject({
      ok: true,
      value: { import_id: null, refused: [{ row: 2, reason: expect.stringMatching(/row 1/) }] },
    });
    expect(await add(row)).toMatchObject({ ok: true, value: { version: 1 } });
  });
});

describe('what a seller says of an account', () => {
  const account = {
    account: { account_id: 'acc-1' },
    currency: 'EUR',
    period: { start: '2026-09-01', end: '2026-09-30' },
    timezone: 'UTC',
  };
  const listed = (invoice_id: string, amount: number, status: string) => ({
    invoice_id,
    amount,
    status,
    period: account.period,
  });
  const wanted = (seller: string) => ({ body: { seller, period: '2026-09', account_id: 'acc-1' } });

  it('R33: is held against all that was delivered and invoiced, and kept as it came', async () => {
    const { anna, call, bring, buy, reconcile, organizationId } = await finance();
    await bring('INV-1', '300');
    expect(await reconcile()).toEqual({ matched: 1, breaks: [] });
    const invoices = [
      listed('INV-1', 300, 'issued'),
      listed('INV-2', 20.5, 'past_due'),
      listed('INV-3', 1, 'draft'),
    ];
    told.financials = { ...account, spend: { total_spend: 290.25 }, invoices };
    const pulled = await call(anna, 'pull_figures', wanted(buy.seller));
    expect(pulled).toMatchObject({ ok: true, value: { currency: 'EUR', total_spend: '290.25' } });
    expect(told.asked).toMatchObject({ account: { account_id: 'acc-1' }, period: account.period });
    if (!pulled.ok) throw new Error(pulled.error.message);
    const { event_id: eventId, answer_sha256: hash } = pulled.value as Record<
      'event_id' | 'answer_sha256',
      string
    >;
    const kept = await eventLog(store).show({ organizationId }, eventId);
    expect(JSON.parse(kept?.body?.toString() ?? '')).toEqual(told.financials);
    expect([kept?.kind, kept?.bodyHash]).toEqual(['pulled_financials', hash]);
    expect(
      createHash('sha256')
        .update(kept?.body ?? '')
        .digest('hex'),
    ).toBe(hash);

    const found = (await reconcile()) as { matched: number; breaks: JsonObject[] };
    expect(found.matched).toBe(2);
    expect(found.breaks.map(({ kind, polled, difference }) => [kind, polled, difference]).sort()).toEqual([
      ['missing_invoice', '20.5', '20.5'],
      ['unknown', '290.25', '-9.75'],
    ]);
    told.financials = { ...account, spend: { total_spend: 300 }, invoices: invoices.slice(0, 1) };
    clock.advance(1);
    await call(anna, 'pull_figures', wanted(buy.seller));
    expect(await reconcile()).toEqual({ matched: 3, breaks: [] });
  });

  it('is not stored where the seller does not answer, or answers otherwise', async () => {
    const { anna, call, buy } = await finance(0);
    delete told.financials;
    expect(await call(anna, 'pull_figures', wanted(buy.seller))).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE' },
    });
    told.financials = { ...account, currency: 'euro' };
    expect(await call(anna, 'pull_figures', wanted(buy.seller))).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE' },
    });
    expect(await call(anna, 'pull_figures', wanted('nobody'))).toMatchObject({
      ok: false,
      error: { code: 'NOT_FOUND' },
    });
    const { account_id: _none, ...unnamed } = wanted(buy.seller).body;
    expect(await call(anna, 'pull_figures', { body: unnamed })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_REQUEST', field: 'account_id' },
    });
  });
});

describe('a statement as a file', () => {
  it.each(['csv', 'xlsx', 'pdf'])('%s is signed over its digest', async (format) => {
    const { anna, call } = await finance(2);
    const made = await call(anna, 'make_statement', { body: { period: '2026-09', format } });
    if (!made.ok) throw new Error(made.error.message);
    const { file, jws, digest } = made.value as {
      file: { content: string; sha256: string };
      jws: string;
      digest: string;
    };
    const bytes = Buffer.from(file.content, 'base64');
    const [head = '', payload = '', signature = ''] = jws.split('.');
    const { publicKey } = pair;
    expect(
      verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url')),
    ).toBe(true);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).toMatchObject({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      statement_digest: digest,
    });
  });
});
