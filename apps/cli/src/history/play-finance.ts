import { isJsonObject, type JsonObject } from '@switchyard/values';
import { InstanceClient } from '../instance-client.js';
import { objectsIn } from '../objects-in.js';
import { countedKey, dayAfterMonth, type Months } from './history-requests.js';
import * as script from './history-script.js';
import { done, fromMarket, HistoryFailure, notTrue, textAt, type HistoryStage } from './history-stage.js';

/** `instance` is that of the first person of finance, who acts. */
export interface FinanceStage extends HistoryStage {
  /** The second person, who agrees. */
  readonly colleague: InstanceClient;
}

const tokenSeconds = 3600;

/** Makes the people of finance, and once by them what was agreed with sellers, and how clients are billed. */
export async function asFinance(given: HistoryStage, months: Months): Promise<FinanceStage> {
  const [instance, colleague] = [await signIn(given, script.finance), await signIn(given, script.colleague)];
  const stage = { ...given, instance, colleague };
  const entities = objectsIn((await done(instance.get('/v1/billing/entities')))['entities']);
  if (entities.length === 0) await agreeOnFinance(stage, months.closed[0] ?? months.due);
  return stage;
}

async function signIn({ instance }: HistoryStage, name: string): Promise<InstanceClient> {
  const grants = [{ role: 'finance', scope: 'organization' }];
  const person = { name, kind: 'person', grants, ttl_seconds: tokenSeconds };
  const added = await instance.post('/v1/principals', person);
  // There since an earlier run: a new token.
  const known = { principal: name, ttl_seconds: tokenSeconds };
  const answer = added.ok ? added.value : await done(instance.post('/v1/tokens', known));
  return new InstanceClient(instance.url, textAt(answer, 'token'));
}

/** The legal entity is the last: where it is there, the rest is too. */
async function agreeOnFinance(stage: FinanceStage, first: string): Promise<void> {
  const { instance } = stage;
  for (const { seller, ...calendar } of script.calendars)
    await done(instance.post(`/v1/sellers/${seller}/calendar`, calendar));
  for (const agreement of script.agreements)
    await agreed(stage, '/v1/agreements', { ...agreement, first_month: first });
  for (const [owner, accounts] of Object.entries(script.bankAccounts))
    for (const [of, iban] of Object.entries(accounts))
      await agreed(stage, '/v1/bank-accounts', { [owner]: of, name: of, iban });
  const clients = await clientIds(stage);
  for (const { client, rule } of script.billedClients) {
    const client_id = clients.get(client) ?? '';
    await agreed(stage, '/v1/billing/rules', { ...rule, client_id, starts_on: `${first}-01` });
  }
  await agreed(stage, '/v1/billing/entities', script.legalEntity);
  const [entity] = objectsIn((await done(instance.get('/v1/billing/entities')))['entities']);
  for (const { client, billing } of script.billedClients) {
    const about = { client_id: clients.get(client) ?? '', entity_id: textAt(entity, 'entity_id') };
    await done(instance.post('/v1/billing/clients', { ...billing, ...about }));
  }
}

/** Asks for what takes two people, and has the other one approve it. */
async function agreed({ instance, colleague }: FinanceStage, path: string, body: JsonObject): Promise<void> {
  const approval = textAt(await done(instance.post(path, body)), 'approval_id');
  if (approval !== '') await done(colleague.post(`/v1/approvals/${approval}/approve`, {}));
}

export async function clientIds({ instance }: HistoryStage): Promise<Map<string, string>> {
  const clients = objectsIn((await done(instance.get('/v1/clients?limit=200')))['clients']);
  return new Map(clients.map((client) => [textAt(client, 'name'), textAt(client, 'client_id')]));
}

/** Imports the sellers' invoices of one month, with answers to what their files leave open. Answers how many there were. */
export async function importInvoices(stage: HistoryStage, period: string): Promise<number> {
  let count = 0;
  for (const agent of await fromMarket(stage, '/agents')) {
    const files = await fromMarket(stage, `?period=${period}`, textAt(agent, 'invoices_url'));
    for (const file of files) await importFile(stage, textAt(agent, 'slug'), file, period);
    count += files.length;
  }
  return count;
}

/** Answers the ids of its documents; none if an earlier run has booked it. */
async function importFile(
  { instance }: HistoryStage,
  seller: string,
  file: JsonObject,
  period: string,
): Promise<readonly string[]> {
  const name = textAt(file, 'file');
  const body = { seller, file: { name, text: textAt(file, 'text') } };
  let answer = await instance.post('/v1/invoices/import', body);
  const questions = answer.ok ? objectsIn(answer.value['questions']) : [];
  if (questions.length > 0) {
    const answers = Object.fromEntries(questions.map((question) => answerTo(question, period)));
    answer = await instance.post('/v1/invoices/import', { ...body, answers });
  }
  if (!answer.ok && !answer.error.message.includes('CONFLICT')) throw new HistoryFailure(answer.error);
  const booked = answer.ok ? objectsIn(answer.value['invoices']) : [];
  if (answer.ok && booked.length === 0) notTrue(`The invoice ${name} cannot be read.`);
  return booked.map((invoice) => textAt(invoice, 'invoice_id'));
}

/** Of the days that may be billed, those that end in the month. */
function answerTo(question: JsonObject, period: string): readonly [id: string, option: string] {
  const id = textAt(question, 'id');
  const options = objectsIn(question['options']).map((option) => textAt(option, 'option'));
  const days = options.find((option) => option.includes(`..${period}`));
  return [id, script.answers[id] ?? days ?? options[0] ?? ''];
}

/** What a third party has counted of the one buy whose terms name it: less than its seller, on the same days. */
export async function countByThirdParty(stage: HistoryStage, months: Months): Promise<void> {
  if (await isClosed(stage, months.due)) return;
  const { countedBy = '', parts } = script.countedBuy;
  const agent = (await fromMarket(stage, '/agents')).find(({ slug }) => slug === parts[0]?.seller);
  const books = await fromMarket(stage, '', textAt(agent, 'books_url'));
  const rows = books.flatMap((buy) =>
    objectsIn(buy['packages'])
      .filter(
        ({ context }) => isJsonObject(context) && textAt(context, 'buyer_ref').startsWith(countedKey(months)),
      )
      .flatMap((part) => objectsIn(part['days']).map((day) => countedRow(buy, part, day))),
  );
  const text = ['Media buy,Placement ID,Day,Impressions,Media cost', ...rows].join('\n');
  const file = { name: `${months.due}-counted.csv`, text: `${text}\n` };
  const defaults = { currency: 'USD' };
  await done(stage.instance.post('/v1/figures/import', { source: countedBy, file, defaults }));
}

function countedRow(buy: JsonObject, part: JsonObject, day: JsonObject): string {
  const share = script.countedPercent / 100;
  const impressions = Math.floor(Number(day['impressions']) * share);
  const cost = ((Number(day['spend_micros']) * share) / 1_000_000).toFixed(2);
  return [
    textAt(buy, 'media_buy_id'),
    textAt(part, 'package_id'),
    textAt(day, 'day'),
    impressions,
    cost,
  ].join(',');
}

export async function isClosed({ instance }: HistoryStage, period: string): Promise<boolean> {
  const states = objectsIn((await done(instance.get('/v1/periods')))['periods']);
  return states.some((state) => state['period'] === period && state['state'] === 'closed');
}

export const reconcile = ({ instance }: HistoryStage, period: string) =>
  instance.post('/v1/reconciliations', { period });

/**
 * Reconciles a month, resolves its breaks, bills the clients, and has the colleague close it.
 * If a figure arrives meanwhile, it starts again.
 */
export async function settle(stage: FinanceStage, period: string): Promise<void> {
  for (let turn = 0; turn < turnsAtMost; turn += 1) {
    if (await isClosed(stage, period)) return;
    const found = objectsIn((await done(reconcile(stage, period)))['breaks']);
    for (const difference of found) await resolve(stage, difference, period);
    await billClients(stage, period);
    const closed = await stage.colleague.post(`/v1/periods/${period}/close`, {});
    if (closed.ok) return;
    if (turn + 1 === turnsAtMost) throw new HistoryFailure(closed.error);
  }
}

const turnsAtMost = 4;

async function resolve(stage: FinanceStage, difference: JsonObject, period: string): Promise<void> {
  const { instance } = stage;
  const [break_id = '', kind = '', seller = ''] = ['break_id', 'kind', 'seller'].map((name) =>
    textAt(difference, name),
  );
  if (kind === script.duplicate.kind) return endDuplicate(stage, { break_id, seller, period });
  const how = script.settlements[kind] ?? script.usualSettlement;
  if (kind === script.overDelivery) {
    const [invoice] = objectsIn(
      (await done(instance.get(`/v1/invoices?seller=${seller}&period=${period}`)))['invoices'],
    );
    const amount = Number(difference['difference']).toFixed(2);
    const invoice_id = textAt(invoice, 'invoice_id');
    await done(instance.post('/v1/disputes', { invoice_id, amount, reason: how.reason }));
  }
  await done(instance.post(`/v1/breaks/${break_id}/resolve`, { ...how }));
}

/** It is disputed, and the case ends with the credit note of its seller. */
async function endDuplicate(
  stage: FinanceStage,
  { break_id, seller, period }: Readonly<Record<'break_id' | 'seller' | 'period', string>>,
): Promise<void> {
  const { instance } = stage;
  const { reason, answer, end } = script.duplicate;
  const dispute = await done(instance.post('/v1/disputes', { break_id, reason }));
  const path = `/v1/disputes/${textAt(dispute, 'dispute_id')}`;
  await done(instance.post(`${path}/answer`, { text: answer }));
  const agent = (await fromMarket(stage, '/agents')).find(({ slug }) => slug === seller);
  const credited = `?period=${period}&credits=${textAt(dispute, 'invoice')}`;
  const [file = {}] = await fromMarket(stage, credited, textAt(agent, 'invoices_url'));
  const [credit_id = ''] = await importFile(stage, seller, file, period);
  await done(instance.post(`${path}/close`, { outcome: 'credited', credit_id, reason: end }));
}

/** The colleague issues what clients owe for a month, some days after its end. */
async function billClients(stage: FinanceStage, period: string): Promise<void> {
  const date = dayAfterMonth(period, 6);
  for (const client_id of (await clientIds(stage)).values()) {
    const run = await done(stage.instance.post('/v1/billing/run', { client_id, period }));
    for (const draft of objectsIn(run['invoices']))
      await done(stage.colleague.post(`/v1/billing/${textAt(draft, 'client_invoice_id')}/issue`, { date }));
  }
}

/** Sellers are paid for the first month, once the colleague has approved their invoices, and so are we by the client. */
export async function pay({ instance, colleague }: FinanceStage, { closed, due }: Months): Promise<void> {
  const date = `${due}-05`;
  const of = `period=${closed[0] ?? due}&limit=200`;
  const invoices = objectsIn((await done(instance.get(`/v1/invoices?${of}`)))['invoices']);
  for (const invoice of invoices) {
    if (!script.paidSellers.includes(textAt(invoice, 'seller')) || invoice['paid'] !== '0') continue;
    const path = `/v1/invoices/${textAt(invoice, 'invoice_id')}`;
    await done(colleague.post(`${path}/approve`, {}));
    await done(instance.post(`${path}/pay`, { date, reference: `bank ${textAt(invoice, 'number')}` }));
  }
  const issued = objectsIn((await done(instance.get(`/v1/billing?${of}&state=issued`)))['billing']);
  for (const invoice of issued)
    await done(instance.post(`/v1/billing/${textAt(invoice, 'client_invoice_id')}/pay`, { date }));
}
