import { Option, type Command } from 'commander';
import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type CliFailure, type Outcome } from '../../outcome.js';
import { rowsText } from '../../pages.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { needed, request } from '../../request-command.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';
import { writeDocument, type DocumentOptions } from './write-document.js';

interface RunOptions extends JobOptions {
  readonly client: string;
  readonly period: string;
  readonly line?: readonly string[];
}

/** `billing entities|clients|rules|run|show|issue|withdraw|credit|pay|unpay|remind|aging|margin`. */
export function registerBilling(program: Command, deps: CliDeps): void {
  const billing = program
    .command('billing')
    .description('what clients pay, their invoices, and what they have paid');
  registerSettings(billing, deps);
  registerRules(billing, deps);
  withJob(withTarget(billing.command('run')))
    .description('draft what a client owes for a month and was not billed')
    .requiredOption('--client <id>', 'id of the client')
    .requiredOption('--period <month>', 'month as YYYY-MM')
    .option(
      '--line <line>',
      'a line beside the rules, TEXT=AMOUNT CURRENCY; may be given several times',
      several,
    )
    .action(atInstance(deps, run));
  const of = 'id or number of the document';
  request(billing, deps, 'show <id>', {
    describe: 'show an invoice or credit note to a client with its lines',
    of,
    route: 'GET /v1/billing/{id}',
    text: (answer) => detailText(deps, answer),
  });
  request(billing, deps, 'issue <id>', {
    describe: 'issue a draft under the next number; another person than its maker does that',
    of,
    options: { '--date <day>': 'day of issue, YYYY-MM-DD (default: today)' },
    route: 'POST /v1/billing/{id}/issue',
    text: (answer) => detailText(deps, answer),
  });
  request(billing, deps, 'withdraw <id>', {
    describe: 'remove a draft',
    of,
    route: 'POST /v1/billing/{id}/withdraw',
    text: 'The draft is removed.',
  });
  request(billing, deps, 'credit <id>', {
    describe: 'draft a credit note for an issued invoice',
    of,
    options: {
      '--reason <text>': needed('why; the credit note says it'),
      '--amount <amount>': 'without tax (default: all that is left of it)',
    },
    route: 'POST /v1/billing/{id}/credit',
    text: (answer) => detailText(deps, answer),
  });
  withTarget(billing.command('document'))
    .argument('<id>', of)
    .description('write a document as a file: PDF, e-invoice (UBL), workbook or page')
    .addOption(
      new Option('--format <format>', 'of the file (default: pdf)').choices(['pdf', 'ubl', 'xlsx', 'html']),
    )
    .requiredOption('--out <file>', 'where to write it')
    .action(
      atInstance(deps, (at: At<DocumentOptions>, id: string) =>
        writeDocument(at, `/v1/billing/${encodeURIComponent(id)}`),
      ),
    );
  registerReceived(billing, deps, of);
  registerShares(program, deps);
}

/** `shares list|make|revoke`: links to documents for people who do not sign in. */
function registerShares(program: Command, deps: CliDeps): void {
  const shares = program.command('shares').description('links to documents, for people who do not sign in');
  request(shares, deps, 'list', {
    describe: 'list links, newest first',
    route: 'GET /v1/shares',
    text: rowsText(
      deps,
      'shares',
      {
        Document: 'title',
        State: 'state',
        Until: 'expires_at',
        Opened: 'opens',
        By: 'made_by',
        Id: 'share_id',
      },
      'No link was made yet.',
    ),
  });
  request(shares, deps, 'make', {
    describe: 'make a link to a statement, a document of a client or an insertion order; it is printed once',
    options: {
      '--invoice <id>': 'id of a document to a client',
      '--order <id>': 'id of a version of an insertion order',
      '--period <month>': 'month of a statement, YYYY-MM',
      '--scope <scope>': 'of a statement: organization, client:ID, campaign:ID (default: organization)',
      '--days <number>': { help: 'days until it expires (default: 30)', read: Number },
    },
    route: 'POST /v1/shares',
    members: ({ invoice, order, period, scope, days }) => ({
      ...{ client_invoice_id: invoice, insertion_order_id: order, days },
      statement: period === undefined ? undefined : { period, ...defined({ scope }) },
    }),
    text: ({ url, title, expires_at: expires }) =>
      `${cell(title)}, until ${cell(expires)}:\n${cell(url)}\nWhoever has this address may open it.`,
  });
  request(shares, deps, 'revoke <share>', {
    describe: 'end a link at once',
    of: 'id of the link',
    route: 'POST /v1/shares/{id}/revoke',
    text: 'The link opens nothing any more.',
  });
}

/** Options of an address. */
const address = {
  '--street <text>': needed('street and number'),
  '--post-code <code>': 'post code',
  '--city <name>': needed('city'),
  '--country <code>': needed('country, ISO 3166-1, for example DE'),
};

const addressOf = ({ street, postCode = '', city, country }: Options) => ({
  address: { street, post_code: postCode, city, country },
});

/** Options of a tax rate. */
const tax = {
  '--tax <percent>': { help: 'tax in percent, for example 19', member: 'tax_percent' },
  '--tax-category <category>': {
    help: 'S standard, Z zero, E exempt, AE reverse charge, O outside',
    words: ['S', 'Z', 'E', 'AE', 'O'],
  },
};

type Options = Readonly<Record<string, unknown>>;

function registerSettings(billing: Command, deps: CliDeps): void {
  const entities = billing.command('entities').description('companies of yours that bill clients');
  request(entities, deps, 'list', {
    describe: 'list legal entities',
    isDefault: true,
    route: 'GET /v1/billing/entities',
    text: rowsText(
      deps,
      'entities',
      {
        Entity: 'name',
        Series: 'series',
        Next: 'next_number',
        Currency: 'currency',
        IBAN: 'iban',
        Id: 'entity_id',
      },
      'No legal entity is set.',
    ),
  });
  request(entities, deps, 'set', {
    describe: 'add or change a legal entity: a request, which another person approves',
    options: {
      ...address,
      '--id <id>': 'the one to change',
      '--name <name>': needed('its name'),
      '--tax-id <id>': needed('its tax number'),
      '--series <text>': needed('what its numbers begin with, for example NW-'),
      '--currency <code>': needed('its currency'),
      '--iban <iban>': 'where clients pay',
      '--bic <bic>': 'BIC of the bank',
    },
    route: 'POST /v1/billing/entities',
    members: ({ id, name, taxId, series, currency, iban, bic, ...options }) => ({
      ...{ name, tax_id: taxId, series, currency, ...addressOf(options) },
      ...{ entity_id: id, iban, bic },
    }),
    text: 'The legal entity is set.',
  });
  const clients = billing.command('clients').description('how each client is billed');
  request(clients, deps, 'list', {
    describe: 'list how each client is billed',
    isDefault: true,
    route: 'GET /v1/billing/clients',
    text: rowsText(
      deps,
      'clients',
      {
        Client: 'client',
        By: 'entity',
        Named: 'name',
        Days: 'term_days',
        Books: 'detail',
        Tax: (row) => `${cell(row['tax_percent'])} % ${cell(row['tax_category'])}`,
      },
      'No client is billed yet.',
    ),
  });
  request(clients, deps, 'set <client>', {
    describe: 'say how a client is billed',
    of: 'id of the client',
    options: {
      ...address,
      ...tax,
      '--entity <id>': needed('who bills it'),
      '--name <name>': needed('as its documents name it'),
      '--tax-id <id>': 'its tax number',
      '--reference <text>': 'what it asks us to name',
      '--email <address>': 'where reminders go',
      '--days <number>': { help: 'days until an invoice is due (default: 30)', read: Number },
      '--detail <detail>': {
        help: 'closed: media and markup as one amount (default: open)',
        words: ['open', 'closed'],
      },
    },
    route: 'POST /v1/billing/clients',
    members: ({ client, entity, name, taxId, days, taxCategory, ...options }) => ({
      ...{ client_id: client, entity_id: entity, name, tax_id: taxId, term_days: days },
      ...{ reference: options['reference'], email: options['email'], detail: options['detail'] },
      ...{ tax_percent: options['tax'], tax_category: taxCategory, ...addressOf(options) },
    }),
    text: 'It is set.',
  });
}

function registerRules(billing: Command, deps: CliDeps): void {
  const rules = billing.command('rules').description('rules of what clients pay');
  request(rules, deps, 'list', {
    describe: 'list rules, the newest first; the most specific one of a kind holds',
    isDefault: true,
    options: { '--client <id>': { help: 'only those that can hold for a client', member: 'client_id' } },
    route: 'GET /v1/billing/rules',
    text: rowsText(
      deps,
      'rules',
      {
        Client: (row) => row['client'] ?? 'every client',
        Campaign: 'campaign',
        Seller: 'seller',
        Kind: 'kind',
        Pays: ({ percent, amount, currency }) =>
          percent === undefined ? `${cell(amount)} ${cell(currency)}` : `${cell(percent)} %`,
        Basis: 'basis',
        From: 'starts_on',
        Until: 'ends_on',
        Id: 'rule_id',
      },
      'No rule is set.',
    ),
  });
  request(rules, deps, 'set', {
    describe: 'add a rule: a request, which another person approves',
    options: {
      ...tax,
      '--kind <kind>': {
        help: 'what is paid',
        isNeeded: true,
        words: ['cost_plus', 'commission', 'fixed_month', 'fixed_campaign', 'cpm'],
      },
      '--client <id>': { help: 'only this client', member: 'client_id' },
      '--campaign <id>': { help: 'only this campaign', member: 'campaign_id' },
      '--seller <slug>': 'only this seller',
      '--basis <basis>': {
        help: 'which media is billed (default: delivered)',
        words: ['delivered', 'third_party', 'invoiced', 'planned'],
      },
      '--percent <percent>': 'of cost_plus and commission',
      '--amount <amount>': 'of fees',
      '--currency <code>': 'of the amount',
      '--cap <amount>': 'the most media of a campaign that is billed',
      '--from <day>': needed('first day, YYYY-MM-DD', 'starts_on'),
      '--until <day>': { help: 'last day', member: 'ends_on' },
    },
    route: 'POST /v1/billing/rules',
    text: 'The rule is set.',
  });
  request(rules, deps, 'end <rule>', {
    describe: 'end a rule on a day: a request, which another person approves',
    of: 'id of the rule',
    options: { '--until <day>': needed('the last day that it holds, YYYY-MM-DD', 'ends_on') },
    route: 'POST /v1/billing/rules/{id}/end',
    text: (_, { until }) => `The rule ends on ${until}.`,
  });
}

function registerReceived(billing: Command, deps: CliDeps, of: string): void {
  request(billing, deps, 'pay <id>', {
    describe: 'record what a client has paid of an invoice',
    of,
    options: {
      '--date <day>': needed('day of the payment, YYYY-MM-DD'),
      '--amount <amount>': 'what was paid (default: all that is open)',
      '--reference <text>': 'the same one is booked once',
    },
    route: 'POST /v1/billing/{id}/pay',
    text: (answer) => detailText(deps, answer),
  });
  request(billing, deps, 'unpay <payment>', {
    describe: 'take a payment of a client back once another person approves it',
    of: 'id of the payment',
    options: { '--reason <text>': needed('why') },
    route: 'POST /v1/billing/payments/{id}/void',
    text: 'The payment is taken back. What it paid is open again.',
  });
  request(billing, deps, 'remind <id>', {
    describe: 'print the next of three reminders of an overdue invoice',
    of,
    route: 'POST /v1/billing/{id}/remind',
    text: ({ to = '', subject, text }) =>
      `To: ${cell(to)}\nSubject: ${cell(subject)}\n\n${typeof text === 'string' ? text : ''}`,
  });
  request(billing, deps, 'aging', {
    describe: 'what clients owe by the days that it is overdue',
    route: 'GET /v1/billing/aging',
    text: rowsText(
      deps,
      'clients',
      {
        Client: 'client',
        Currency: 'currency',
        Current: 'current',
        '1-30': 'days_1_30',
        '31-60': 'days_31_60',
        '61-90': 'days_61_90',
        'Over 90': 'over_90',
        Total: 'total',
      },
      'No client owes anything.',
    ),
  });
  request(billing, deps, 'margin', {
    describe: 'what a month brought by client or campaign',
    options: {
      '--period <month>': needed('month as YYYY-MM'),
      '--by <part>': { help: 'by client or campaign (default: client)', words: ['client', 'campaign'] },
      '--client <id>': { help: 'of one client', member: 'client_id' },
    },
    route: 'GET /v1/billing/margin',
    text: rowsText(
      deps,
      'margins',
      {
        Client: (row) => row['client'] ?? 'no client',
        Campaign: 'campaign',
        Currency: 'currency',
        Media: 'media',
        Markup: 'markup',
        Fees: 'fees',
        Cost: 'media_spend',
        Margin: 'margin',
        '': ({ percent }) => (percent === undefined ? '' : `${cell(percent)} %`),
      },
      'Nothing was spent or billed.',
    ),
  });
}

async function run({ deps, instance, options }: At<RunOptions>): Promise<Outcome> {
  const { client, period, line = [] } = options;
  const lines = [];
  for (const text of line) {
    const read = readLine(text);
    if (!read.ok) return read;
    lines.push(read.value);
  }
  const body = { client_id: client, period, ...(lines.length > 0 && { lines }) };
  const run = await answerOrJob(deps, instance, options, { path: '/v1/billing/run', body });
  if (!run.ok) return run;
  if ('shown' in run.value) return run.value.shown;
  return shown(Promise.resolve(ok(run.value.answer)), (answer) => {
    const drafts = objectsIn(answer['invoices']);
    const checks = objectsIn(answer['checks']).map(
      ({ text, amount, currency }) => `Note: ${cell(text)} ${cell(amount)} ${cell(currency)}`,
    );
    return [
      ...(drafts.length === 0
        ? ['Nothing is left to bill.']
        : drafts.map((draft) => detailText(deps, draft))),
      ...(drafts.length === 0 ? checks : []),
    ].join('\n\n');
  });
}

/** `Workshop=500 EUR` as a line. */
function readLine(text: string): Result<JsonObject, CliFailure> {
  const found = /^(.{1,200})=(-?[\d.]{1,40}) ([A-Z]{3})$/.exec(text);
  if (found === null) return err({ message: `--line ${text} is not TEXT=AMOUNT CURRENCY.` });
  const [, description = '', amount = '', currency = ''] = found;
  return ok({ description, amount, currency });
}

function detailText(deps: CliDeps, row: JsonObject): string {
  const { number = 'draft', kind, state, client, entity, period, currency } = row;
  const lines = objectsIn(row['lines']).map(({ description, net, tax_percent: tax }) => [
    description,
    net,
    `${cell(tax)} %`,
  ]);
  const checks = objectsIn(row['checks']).map(
    ({ text, amount, currency: of }) => `Note: ${cell(text)} ${cell(amount)} ${cell(of)}`,
  );
  const payments = objectsIn(row['payments']).map(
    (paid) =>
      `Paid ${cell(paid['amount'])} on ${cell(paid['paid_on'])}, ${cell(paid['payment_id'])}${paid['voided_at'] === undefined ? '' : ', taken back'}`,
  );
  return [
    `${cell(kind)} ${cell(number)}, ${cell(state)}: ${cell(entity)} to ${cell(client)} for ${cell(period)}`,
    table(deps, ['Line', 'Net', 'Tax'], lines),
    `net ${cell(row['net'])}, tax ${cell(row['tax'])}, gross ${cell(row['gross'])} ${cell(currency)}; open ${cell(row['open'])}`,
    ...(row['due_on'] === undefined
      ? []
      : [`issued on ${cell(row['issued_on'])}, due on ${cell(row['due_on'])}`]),
    ...checks,
    ...payments,
    `id ${cell(row['client_invoice_id'])}`,
  ].join('\n');
}
