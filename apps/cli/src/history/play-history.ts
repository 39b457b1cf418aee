import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import { objectsIn } from '../objects-in.js';
import type { CliFailure } from '../outcome.js';
import { waitFor } from '../up/wait-for.js';
import {
  clientIds,
  countByThirdParty,
  importInvoices,
  isClosed,
  pay,
  reconcile,
  settle,
  asFinance,
} from './play-finance.js';
import * as script from './history-script.js';
import { done, fromMarket, HistoryFailure, notTrue, textAt, type HistoryStage } from './history-stage.js';
import {
  buyRequestOf,
  campaignMonths,
  countedKey,
  everyMonth,
  monthsOf,
  type Months,
  type Product,
} from './history-requests.js';
import { spokenRelease } from '../read-options.js';

interface HistoryPlayed {
  readonly closed: readonly string[];
  /** The month that finance has to close; one of `closed` once that is done. */
  readonly due: string;
  readonly open: string;
  readonly buys: number;
  readonly reports: number;
  readonly invoices: number;
  /** Open differences of the month to close, and of the open one. */
  readonly dueBreaks: number;
  readonly openBreaks: number;
  readonly quarantined: number;
  /** Buys of the open month without a campaign. */
  readonly unassigned: number;
}

/** How long the market may take to answer, to report, and until its reports are booked, in milliseconds. */
const longestWaitMs = 180_000;
const marketSeconds = 4;

/**
 * Plays two closed months, one that is over and has to be closed, and the open one: real buys at the sandbox market with
 * flights in the past, its signed reports, its invoices, and in the closed months the work of a finance department.
 * Started again, it continues where it stopped: existing objects are not changed.
 */
export async function playHistory(stage: HistoryStage): Promise<Result<HistoryPlayed, CliFailure>> {
  const months = monthsOf(stage.now);
  const { closed, due, open } = months;
  try {
    const business = await makeBusiness(stage, months);
    stage.log(`${business} campaigns of three clients`);
    const finance = await asFinance(stage, months);
    stage.log(`What was agreed with sellers and clients, by ${script.finance} and ${script.colleague}`);
    const buys = await buyAll(stage, months);
    stage.log(`${buys} buys with flights from ${closed[0] ?? ''} to ${open}`);
    const reports = await allReported(stage, partsOf(months));
    stage.log(`${reports} signed reports, all booked`);
    await admitRestatements(stage, months);
    await countByThirdParty(finance, months);
    let invoices = 0;
    for (const period of everyMonth(months)) {
      invoices += await importInvoices(finance, period);
      if (!closed.includes(period)) continue;
      await settle(finance, period);
      stage.log(`${period}: reconciled, differences resolved, clients billed, closed`);
    }
    await pay(finance, months);
    const dueBreaks = await breaksOf(finance, due);
    const openBreaks = await breaksOf(finance, open);
    const checklist = await done(stage.instance.get(`/v1/periods/${open}/checklist`));
    const quarantined = Number(checklist['quarantined_events']);
    const unassigned = Number(checklist['unassigned_buys']);
    const counts = { unassigned, buys, reports, invoices, dueBreaks, openBreaks, quarantined };
    const isClosedNow = await isClosed(stage, due);
    return ok({ ...months, ...counts, closed: isClosedNow ? [...closed, due] : closed });
  } catch (error) {
    if (error instanceof HistoryFailure) return err(error.failure);
    throw error;
  }
}

/** Makes clients, brands, campaigns, a limit and rates. Answers the number of campaigns. */
async function makeBusiness(stage: HistoryStage, months: Months): Promise<number> {
  const { instance, now } = stage;
  const listed = async (path: string, name: string) => objectsIn((await done(instance.get(path)))[name]);
  const clients = await clientIds(stage);
  const brands = new Set(
    (await listed('/v1/brands?limit=200', 'brands')).map((brand) => textAt(brand, 'domain')),
  );
  const known = new Set(
    (await listed('/v1/campaigns?limit=200', 'campaigns')).map((campaign) => textAt(campaign, 'po_number')),
  );
  for (const { client, brand, name, po, budget, currency } of script.campaigns) {
    const clientId =
      clients.get(client) ?? textAt(await done(instance.post('/v1/clients', { name: client })), 'client_id');
    clients.set(client, clientId);
    if (!brands.has(brand.domain)) await done(instance.post('/v1/brands', { ...brand, client_id: clientId }));
    brands.add(brand.domain);
    if (known.has(po)) continue;
    const { all, to } = campaignMonths(months, now);
    const flight = { from: `${all[0] ?? ''}-01`, to };
    const plan = Object.fromEntries(all.map((month) => [month, String(Number(budget) / all.length)]));
    const campaign = { name, client_id: clientId, brand: brand.domain, budget, currency, po_number: po };
    // A request cannot begin in the past: it says other days than its seller then answers with.
    await done(instance.post('/v1/campaigns', { ...campaign, ...flight, plan, outside_flight: 'warn' }));
  }
  await done(instance.post('/v1/limits', { ...script.limit }));
  for (const [at, month] of everyMonth(months).entries()) {
    const rate = { from: 'EUR', to: 'USD', rate: script.euroRates[at] ?? '1.1', date: `${month}-01` };
    await done(instance.post('/v1/rates', { ...rate, source: 'practice rate' }));
  }
  return script.campaigns.length;
}

/** Makes the buys of all months concurrently, and one more that waits for an approval. */
async function buyAll(stage: HistoryStage, months: Months): Promise<number> {
  const products = await offers(stage);
  const wanted = everyMonth(months).flatMap((month) => script.buysOfMonth.map((buy) => ({ month, buy })));
  const requests = [...wanted, { month: months.open, buy: script.runningBuy }];
  const bought = requests.map(
    ({ month, buy }, at) =>
      () =>
        buyOne(stage, buyRequestOf(products, buy, { month, key: `history-${month}-${at}`, now: stage.now })),
  );
  for (let at = 0; at < bought.length; at += buysAtOnce)
    await Promise.all(bought.slice(at, at + buysAtOnce).map((buy) => buy()));
  const counted = { month: months.due, key: countedKey(months), now: stage.now };
  await buyOne(stage, buyRequestOf(products, script.countedBuy, counted));
  const large = { month: months.open, key: `history-${months.open}-large`, now: stage.now };
  await buyOne(stage, buyRequestOf(products, script.largeBuy, large));
  return requests.length + 1;
}

const partsOf = (months: Months): number =>
  everyMonth(months).length * script.buysOfMonth.reduce((sum, { parts }) => sum + parts.length, 0) + 2;

const buysAtOnce = 4;

async function buyOne({ instance }: HistoryStage, request: JsonObject): Promise<void> {
  // Sent again with its key if the server is too busy: nothing is bought twice.
  const made = await waitFor(
    async () => {
      const sent = await instance.task('create_media_buy', request, () => undefined);
      return !sent.ok && sent.error.message.includes('SERVICE_UNAVAILABLE') ? undefined : sent;
    },
    longestWaitMs,
    500,
  );
  if (made === undefined) return notTrue('The server is too busy.');
  if (!made.ok) throw new HistoryFailure(made.error);
  if (made.value.failed) notTrue(`A buy failed: ${JSON.stringify(made.value.body['errors'])}`);
}

async function offers({ instance }: HistoryStage): Promise<readonly Product[]> {
  const requested = await instance.task(
    'get_products',
    {
      adcp_version: spokenRelease,
      buying_mode: 'brief',
      brief: 'everything there is',
      brand: { domain: 'nova.example' },
      time_budget: { interval: marketSeconds, unit: 'seconds' },
    },
    () => undefined,
  );
  if (!requested.ok) throw new HistoryFailure(requested.error);
  const products = objectsIn(requested.value.body['products']);
  const needed = [...script.buysOfMonth, script.countedBuy, script.runningBuy, script.largeBuy].flatMap(
    ({ parts }) => parts,
  );
  const silent = [...new Set(needed.map(({ seller }) => seller))].filter(
    (seller) => !products.some(({ product_id: id }) => typeof id === 'string' && id.startsWith(`${seller}:`)),
  );
  if (silent.length > 0)
    throw new HistoryFailure({
      message: `No products came from ${silent.join(', ')}, where the past quarter is bought.`,
      hint: 'Start the sandbox market with all its agents (`up` without --market), and run it again.',
    });
  return products;
}

/** Waits until every seller has reported what is over, and every report is booked. Returns the number of reports. */
async function allReported(stage: HistoryStage, parts: number): Promise<number> {
  const ended = await waitFor(
    async () => {
      const books = (await fromMarket(stage, '/books')).flatMap(({ buys }) => objectsIn(buys));
      const past = books.filter((book) => book['reported_so_far'] !== undefined);
      if (past.length < parts || past.some((book) => book['reported_so_far'] !== true)) return undefined;
      const waiting = await done(stage.instance.get('/v1/events?state=received&limit=1'));
      if (objectsIn(waiting['events']).length > 0) return undefined;
      return past.reduce((sum, row) => sum + Number(row['reports']), 0);
    },
    longestWaitMs,
    300,
  );
  return ended ?? notTrue('Not every seller has reported in time.');
}

/**
 * A correction after a final report waits in quarantine. Those of closed months are admitted, and of any month those that
 * only came late, because the instance was busy; the habit of `human` is left to finance.
 */
async function admitRestatements({ instance }: HistoryStage, { due }: Months): Promise<void> {
  const waiting = await done(instance.get('/v1/events?state=quarantined&limit=200'));
  for (const event of objectsIn(waiting['events'])) {
    const path = `/v1/events/${textAt(event, 'event_id')}`;
    const { raw } = await done(instance.get(`${path}?raw=true`));
    const body = isJsonObject(raw) ? textAt(raw, 'body_text') : '';
    const month = /"reporting_period":\{"start":"(\d{4}-\d{2})/.exec(body)?.[1];
    if (month === undefined || (month >= due && event['seller'] === script.restatingSeller)) continue;
    await done(instance.post(`${path}/admit`, { reason: 'The seller has confirmed its correction.' }));
  }
}

/** Reconciles an open month. Returns the number of open differences. */
async function breaksOf(stage: HistoryStage, period: string): Promise<number> {
  if (await isClosed(stage, period)) return 0;
  return objectsIn((await done(reconcile(stage, period)))['breaks']).length;
}

/** The result, as text; `data` is the option that names the data folder, if one is needed. */
export function historyText(played: HistoryPlayed, data = ''): string {
  const { closed, due, open, dueBreaks, openBreaks, quarantined, unassigned, invoices } = played;
  return [
    `Closed: ${closed.join(', ')}. ${closed.includes(due) ? '' : `To close: ${due}. `}Open: ${open}. Invoices: ${invoices}.`,
    `Open differences: ${dueBreaks} in ${due}, ${openBreaks} in ${open}. Quarantined reports: ${quarantined}.`,
    `Buys without a campaign: ${unassigned}. One approval, and one impaired buy.`,
    `Finance is ${script.finance} and ${script.colleague}; one signs in with: npx switchyard principals link ${script.finance}${data}`,
    'Begin with:',
    `npx switchyard breaks list --period ${due}${data}`,
    `npx switchyard approvals list --state open${data}`,
  ].join('\n');
}
