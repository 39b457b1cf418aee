import { createHash, randomUUID, sign } from 'node:crypto';
import { afterAll } from '@jest/globals';
import type { ReadPorts } from '@switchyard/buys';
import type { Observation } from '@switchyard/ledger';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { microsOf, microsToDecimal } from '@switchyard/money';
import type { PackageDelivery } from '@switchyard/protocol';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import {
  anchorStore,
  senderKeys,
  bookRepository,
  bankAccounts,
  billingSettings,
  clientInvoices,
  clientNames,
  clientReports,
  madeDocuments,
  sharedDocuments,
  breakRepository,
  disputeRepository,
  clientRepository,
  connectionDirectory,
  grantDirectory,
  figureRepository,
  financeFiles,
  invoiceLife,
  invoiceRepository,
  ledgerStore,
  nameReader,
  openStore,
  operationStore,
  organizations,
  paymentRepository,
  paymentRuns,
  periodRepository,
  principalDirectory,
  readFigures,
  readPacing,
  sellerCalendars,
  spendBy,
  spendInReporting,
  spendingLimits,
  insertionOrders,
  toleranceRepository,
  type Store,
  controlRequests,
  listReader,
} from '@switchyard/store';
import { allPermissions, type TenantScope } from '@switchyard/tenancy';
import {
  createBookedBuy,
  createOrganization,
  createPrincipal,
  openTestStore,
  testClock,
  type TestClock,
  withoutPauses,
  type BookedBuyRows,
} from '@switchyard/testing';
import { err, must, ok, type JsonObject } from '@switchyard/values';
import { noJobStarter } from '../../platform/jobs/testkit/no-job-starter.js';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { brandRoutes } from '../../business/brands.routes.js';
import { campaignRoutes } from '../../business/campaigns.routes.js';
import { clientRoutes } from '../../business/clients.routes.js';
import { rateRoutes } from '../../business/rates.routes.js';
import type { Route } from '../../platform/routes/route.js';
import { createLedgerAnchors } from '../../ledger/anchor-ledger.js';
import { callRoutes } from '../../platform/routes/testkit/call-route.js';
import { billingRoutes } from '../billing.routes.js';
import { billingSettingsRoutes } from '../billing-settings.routes.js';
import { bookRoutes } from '../books.routes.js';
import { disputeRoutes } from '../disputes.routes.js';
import { breakEvidenceRoutes } from '../break-evidence.routes.js';
import { figureRoutes } from '../figures.routes.js';
import { fileRoutes } from '../files.routes.js';
import { invoiceLifeRoutes } from '../invoice-life.routes.js';
import { invoiceRoutes } from '../invoices.routes.js';
import { ledgerAnchorRoutes } from '../../ledger/ledger-anchors.routes.js';
import { ledgerRoutes } from '../../ledger/ledger.routes.js';
import { pacingRoutes } from '../pacing.routes.js';
import { payableRoutes } from '../payables.routes.js';
import { paymentRoutes } from '../payments.routes.js';
import { periodRoutes } from '../periods.routes.js';
import { readingGate } from '../../platform/routes/read-file.js';
import { reconciliationRoutes } from '../reconciliation.routes.js';
import { sellerCalendarRoutes } from '../seller-calendars.routes.js';
import { statementRoutes } from '../statements.routes.js';
import { shareRoutes } from '../documents/shares.routes.js';
import { insertionOrderRoutes } from '../insertion-orders.routes.js';
import { agreementRoutes } from '../agreements.routes.js';
import { toleranceRoutes } from '../tolerances.routes.js';

/** The sellers' answer about an account, and the request that they got; absent: no seller answers. */
interface SellerAccount {
  financials?: JsonObject;
  request?: JsonObject;
}

/** The routes of finance on a database of the suite. */
export async function openFinanceRoutes(now: number) {
  const clock = testClock(now);
  const { store, database, stop } = await openTestStore(openStore);
  afterAll(stop);
  const pair = generateSigningKey('k1');
  const account: SellerAccount = {};
  const ledger = ledgerStore(store);
  const deps = {
    ports: readPorts(store, account, clock),
    files: financeFiles(store),
    bookLayouts: [],
    fileLimits: { bytes: 20_000_000, rows: 100_000 },
    fileReads: readingGate(2),
    jobStarter: noJobStarter,
    thirdParties: figureRepository(store),
    breaks: breakRepository(store),
    disputes: disputeRepository(store),
    invoices: invoiceRepository(store),
    invoiceLife: invoiceLife(store),
    periods: periodRepository(store),
    calendars: sellerCalendars(store),
    ledger,
    operations: operationStore(store),
    names: nameReader(store),
    spendingLimits: spendingLimits(store),
    tolerances: toleranceRepository(store),
    payments: paymentRepository(store),
    runs: paymentRuns(store),
    accounts: bankAccounts(store),
    billing: billingSettings(store),
    clientInvoices: clientInvoices(store),
    clientReports: clientReports(store),
    clientNames: (scope: TenantScope, of: Parameters<typeof clientNames>[2]) => clientNames(store, scope, of),
    shares: sharedDocuments(store),
    madeDocuments: madeDocuments(store),
    books: bookRepository(store),
    orders: insertionOrders(store),
    clients: clientRepository(store),
    lists: listReader(store),
    controls: controlRequests(store),
    grants: grantDirectory(store),
    organizations: organizations(store),
    principals: principalDirectory(store),
    connections: connectionDirectory(store),
    pacing: (scope: TenantScope, wanted: Parameters<typeof readPacing>[2]) =>
      readPacing(store, scope, wanted),
    figures: (scope: TenantScope, wanted: Parameters<typeof readFigures>[2]) =>
      readFigures(store, scope, wanted),
    spendBy: (scope: TenantScope, query: Parameters<typeof spendBy>[2]) => spendBy(store, scope, query),
    spendInReporting: (scope: TenantScope, query: Parameters<typeof spendBy>[2]) =>
      spendInReporting(store, scope, query),
    verifier: { verify: () => Promise.reject(new Error('not asked here')) },
    clock,
    newId: randomUUID,
    baseUrl: () => 'https://agency.example',
    domainOf: () => Promise.resolve('agency.example'),
    documentKeys: {
      signDocument: (
        _scope: unknown,
        _use: unknown,
        bytesFor: (kid: string, alg: 'EdDSA' | 'ES256') => Buffer,
      ) => {
        const bytes = bytesFor('k1', 'EdDSA');
        const signature = sign(null, bytes, pair.privateKey);
        return Promise.resolve(ok({ bytes, signature, publicJwk: publicJwk(pair, []) }));
      },
    },
  };
  const anchors = createLedgerAnchors({
    store: anchorStore(store),
    keys: deps.documentKeys,
    organizations: organizations(store),
    head: (scope) => ledger.head(scope),
    domainOf: deps.domainOf,
    clock,
  });
  const provenDeps = { ...deps, anchors, senderKeys: senderKeys(store, clock) };
  const routes = [
    ...billingSettingsRoutes,
    ...billingRoutes,
    ...bookRoutes,
    ...breakEvidenceRoutes,
    ...brandRoutes,
    ...campaignRoutes,
    ...clientRoutes,
    ...fileRoutes,
    ...disputeRoutes,
    ...figureRoutes,
    ...invoiceRoutes,
    ...invoiceLifeRoutes,
    ...ledgerAnchorRoutes,
    ...ledgerRoutes,
    ...pacingRoutes,
    ...payableRoutes,
    ...paymentRoutes,
    ...periodRoutes,
    ...rateRoutes,
    ...reconciliationRoutes,
    ...sellerCalendarRoutes,
    ...shareRoutes,
    ...statementRoutes,
    ...toleranceRoutes,
    ...agreementRoutes,
    ...insertionOrderRoutes,
  ];
  const call = callRoutes(routes as unknown as readonly Route<typeof provenDeps>[], provenDeps);
  /** Calls a route as one caller. Returns the answer, which must be a success. */
  const callAs =
    (caller: PrincipalCaller) =>
    async (id: string, request: Parameters<typeof call>[2] = {}): Promise<JsonObject> => {
      return must(await call(caller, id, request));
    };
  const createCaller = async (organizationId: string): Promise<PrincipalCaller> =>
    principalCaller({ ...(await createPrincipal(store, organizationId)), permissions: allPermissions });
  return { store, database, clock, deps, ledger, pair, sellerAccount: account, call, callAs, createCaller };
}

function readPorts(store: Store, account: SellerAccount, clock: TestClock): ReadPorts {
  return {
    store: operationStore(store),
    connections: connectionDirectory(store),
    transport: {
      call: (_target, { args }) => {
        account.request = args;
        return Promise.resolve(
          account.financials === undefined
            ? err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const)
            : ok({ payload: account.financials, isError: false, text: JSON.stringify(account.financials) }),
        );
      },
      listTools: () => Promise.resolve(ok({})),
      forget: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    lease: () => Promise.resolve(ok(new Map())),
    // A seller that does not answer is called again after a pause.
    clock: withoutPauses(clock),
    ids: { uuid: () => randomUUID(), token: (prefix) => `${prefix}_${randomUUID()}` },
    callbackBase: () => 'http://127.0.0.1',
    notice: () => undefined,
    breakers: new BreakerBoard(defaultBreakerPolicy, { changed: () => undefined }),
    bulkhead: new Bulkhead(16),
  };
}

/** The same, with finance departments. */
export async function openFinance() {
  const opened = await openFinanceRoutes(Date.UTC(2026, 9, 5));
  const { store, clock, ledger, call, callAs, createCaller } = opened;

  /** A finance department with one buy at one seller, whose package delivers ten a day in September. */
  const finance = async (days = 30, packages: readonly string[] = ['p1']) => {
    const { id: organizationId } = await createOrganization(store);
    const buy = await createBookedBuy(store, organizationId, { packages: [...packages] });
    const report = async (
      from: number,
      to: number,
      spend: string | readonly string[],
      source: Observation['source'] = 'webhook',
    ) => {
      const delivered = [spend]
        .flat()
        .map((text, at) => ({ packageId: buy.packages[at] ?? '', spend: text }));
      const now = clock.now();
      return ledger.applyReports(buy, [observation(buy, now, { from, to }, delivered, source)], { now });
    };
    for (let day = 0; day < days; day += 1) await report(day, day + 1, '10');
    const anna = await createCaller(organizationId);
    const read = callAs(anna);
    const run = (id: string, request?: Parameters<typeof call>[2]) => call(anna, id, request);
    const bring = (number: string, amount: string, more: JsonObject = {}) =>
      run('import_invoice', {
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
    const select = <Row extends object>(statement: string, values: readonly unknown[] = []) =>
      store.inTenant(
        { organizationId },
        async (client) => (await client.query<Row>(statement, [...values])).rows,
      );
    /** Assigns the buy to a new client. */
    const addClient = async (codes: JsonObject = {}) => {
      const clientId = randomUUID();
      await select(
        `insert into client (id, organization_id, name, codes, created_at, updated_at) values ($1, $2, '=Nova', $3, now(), now())`,
        [clientId, organizationId, JSON.stringify(codes)],
      );
      await select('update media_buy set client_id = $2 where id = $1', [buy.mediaBuyId, clientId]);
      return clientId;
    };
    const announce = (name: string, bytes: Buffer) =>
      read('announce_file', {
        body: { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
      });
    const upload = async (name: string, bytes: Buffer): Promise<string> => {
      const id = textIn(await announce(name, bytes), 'file_id');
      await run('put_file_part', { params: { id, part: '0' }, bytes });
      return id;
    };
    return {
      organizationId,
      anna,
      berta: await createCaller(organizationId),
      buy,
      /** Without a caller, as anna, and as anna with a required success. */
      ...{ call, run, read },
      bring,
      reconcile: () => read('reconcile', { body: { period: '2026-09' } }),
      close: () => run('close_period', { params: { period: '2026-09' }, body: {} }),
      verify: () => ledger.verify({ organizationId }),
      report,
      select,
      addClient,
      announce,
      upload,
    };
  };
  return { ...opened, finance };
}

interface Delivered extends Omit<PackageDelivery, 'original'> {
  readonly spend: string;
}

/** Returns a seller's figures at one time, as the transport's reader returns them. */
export function observation(
  buy: BookedBuyRows,
  now: number,
  {
    from,
    to,
    ...described
  }: {
    readonly from: number;
    readonly to: number;
    readonly notificationType?: 'scheduled' | 'adjusted';
    readonly sequenceNumber?: number;
    readonly currency?: string;
  },
  delivered: readonly Delivered[],
  source: Observation['source'],
): Observation {
  const isAdjusted = described.notificationType === 'adjusted';
  return {
    connectionId: buy.connectionId,
    source,
    stream: source === 'pull' ? 'pulled' : `address of ${buy.legId}`,
    report: {
      notificationType: 'scheduled',
      sequenceNumber: from + 1,
      period: { start: instantOf(from), end: instantOf(to) },
      currency: 'EUR',
      partialData: false,
      ...described,
      deliveries: [
        {
          mediaBuyId: buy.sellerMediaBuyId ?? '',
          status: 'active',
          isAdjusted,
          totals: {
            spend: microsToDecimal(delivered.reduce((sum, { spend }) => sum + microsOf(spend), 0n)),
            original: {},
          },
          byPackage: delivered.map((item) => ({ impressions: 1_000, ...item, original: {} })),
        },
      ],
    },
    reportedAt: now,
    receivedAt: now,
    eventId: randomUUID(),
    legId: buy.legId,
  };
}

/** Days of September, counted from 0. */
const instantOf = (day: number): string => new Date(Date.UTC(2026, 8, 1) + day * 86_400_000).toISOString();

export const textIn = (value: unknown, name: string): string => {
  const text = (value as JsonObject | null)?.[name];
  return typeof text === 'string' ? text : '';
};

export const breaksIn = (value: unknown): readonly JsonObject[] =>
  (value as { readonly breaks: readonly JsonObject[] }).breaks;
