import { Option, type Command } from 'commander';
import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';
import { writeDocument, type DocumentOptions } from './write-document.js';

interface AddressOptions {
  readonly street: string;
  readonly postCode?: string;
  readonly city: string;
  readonly country: string;
}

interface EntityOptions extends TargetOptions, AddressOptions {
  readonly id?: string;
  readonly name: string;
  readonly taxId: string;
  readonly series: string;
  readonly currency: string;
  readonly iban?: string;
  readonly bic?: string;
}

interface ClientOptions extends TargetOptions, AddressOptions {
  readonly entity: string;
  readonly name: string;
  readonly taxId?: string;
  readonly reference?: string;
  readonly email?: string;
  readonly days?: number;
  readonly detail?: string;
  readonly tax?: string;
  readonly taxCategory?: string;
}

interface RuleOptions extends TargetOptions {
  readonly kind: string;
  readonly client?: string;
  readonly campaign?: string;
  readonly seller?: string;
  readonly basis?: string;
  readonly percent?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly cap?: string;
  readonly tax?: string;
  readonly taxCategory?: string;
  readonly from: string;
  readonly until?: string;
}

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
  const named = (command: Command): Command =>
    withTarget(command).argument('<id>', 'id or number of the document');
  named(billing.command('show'))
    .description('show an invoice or credit note to a client with its lines')
    .action(
      atInstance(deps, ({ deps: own, instance }: At, id: string) =>
        shown(instance.get(path(id)), (answer) => detailText(own, answer)),
      ),
    );
  named(billing.command('issue'))
    .description('issue a draft under the next number; another person than its maker does that')
    .option('--date <day>', 'day of issue, YYYY-MM-DD (default: today)')
    .action(
      atInstance(
        deps,
        ({ deps: own, instance, options }: At<TargetOptions & { readonly date?: string }>, id: string) =>
          shown(instance.post(path(id, '/issue'), defined({ date: options.date })), (answer) =>
            detailText(own, answer),
          ),
      ),
    );
  named(billing.command('withdraw'))
    .description('remove a draft')
    .action(
      atInstance(deps, ({ instance }: At, id: string) =>
        shown(instance.post(path(id, '/withdraw'), {}), () => 'The draft is removed.'),
      ),
    );
  named(billing.command('credit'))
    .description('draft a credit note for an issued invoice')
    .requiredOption('--reason <text>', 'why; the credit note says it')
    .option('--amount <amount>', 'without tax (default: all that is left of it)')
    .action(
      atInstance(
        deps,
        (
          {
            deps: own,
            instance,
            options,
          }: At<TargetOptions & { readonly reason: string; readonly amount?: string }>,
          id: string,
        ) => {
          const { reason, amount } = options;
          return shown(instance.post(path(id, '/credit'), { reason, ...defined({ amount }) }), (answer) =>
            detailText(own, answer),
          );
        },
      ),
    );
  named(billing.command('document'))
    .description('write a document as a file: PDF, e-invoice (UBL), workbook or page')
    .addOption(
      new Option('--format <format>', 'of the file (default: pdf)').choices(['pdf', 'ubl', 'xlsx', 'html']),
    )
    .requiredOption('--out <file>', 'where to write it')
    .action(atInstance(deps, (at: At<DocumentOptions>, id: string) => writeDocument(at, path(id))));
  registerReceived(billing, deps, named);
  registerShares(program, deps);
}

interface ShareOptions extends TargetOptions {
  readonly invoice?: string;
  readonly order?: string;
  readonly period?: string;
  readonly scope?: string;
  readonly days?: number;
}

/** `shares list|make|revoke`: links to documents for people who do not sign in. */
function registerShares(program: Command, deps: CliDeps): void {
  const shares = program.command('shares').description('links to documents, for people who do not sign in');
  withTarget(shares.command('list'))
    .description('list links, newest first')
    .action(
      atInstance(deps, ({ deps: own, instance }: At) =>
        shown(instance.get('/v1/shares'), (answer) => sharesText(own, answer)),
      ),
    );
  withTarget(shares.command('make'))
    .description(
      'make a link to a statement, a document of a client or an insertion order; it is printed once',
    )
    .option('--invoice <id>', 'id of a document to a client')
    .option('--order <id>', 'id of a version of an insertion order')
    .option('--period <month>', 'month of a statement, YYYY-MM')
    .option('--scope <scope>', 'of a statement: organization, client:ID, campaign:ID (default: organization)')
    .option('--days <number>', 'days until it expires (default: 30)', Number)
    .action(
      atInstance(deps, ({ instance, options: { invoice, order, period, scope, days } }: At<ShareOptions>) => {
        const statement = period === undefined ? undefined : { period, ...defined({ scope }) };
        const body = defined({
          client_invoice_id: invoice,
          insertion_order_id: order,
          statement,
          days,
        });
        return shown(
          instance.post('/v1/shares', body),
          ({ url, title, expires_at: expires }) =>
            `${cell(title)}, until ${cell(expires)}:\n${cell(url)}\nWhoever has this address may open it.`,
        );
      }),
    );
  withTarget(shares.command('revoke'))
    .description('end a link at once')
    .argument('<share>', 'id of the link')
    .action(
      atInstance(deps, ({ instance }: At, id: string) =>
        shown(
          instance.post(`/v1/shares/${encodeURIComponent(id)}/revoke`, {}),
          () => 'The link opens nothing any more.',
        ),
      ),
    );
}

function sharesText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['shares']).map((row) => [
    ...[row['title'], row['state'], row['expires_at'], row['opens'], row['made_by'] ?? '', row['share_id']],
  ]);
  return rows.length === 0
    ? 'No link was made yet.'
    : table(deps, ['Document', 'State', 'Until', 'Opened', 'By', 'Id'], rows);
}

const path = (id: string, act = ''): string => `/v1/billing/${encodeURIComponent(id)}${act}`;

function withAddress(command: Command): Command {
  return command
    .requiredOption('--street <text>', 'street and number')
    .option('--post-code <code>', 'post code')
    .requiredOption('--city <name>', 'city')
    .requiredOption('--country <code>', 'country, ISO 3166-1, for example DE');
}

const addressOf = ({ street, postCode = '', city, country }: AddressOptions): JsonObject => ({
  address: { street, post_code: postCode, city, country },
});

const withTax = (command: Command): Command =>
  command
    .option('--tax <percent>', 'tax in percent, for example 19')
    .addOption(
      new Option(
        '--tax-category <category>',
        'S standard, Z zero, E exempt, AE reverse charge, O outside',
      ).choices([...['S', 'Z', 'E', 'AE', 'O']]),
    );

function registerSettings(billing: Command, deps: CliDeps): void {
  const entities = billing.command('entities').description('companies of yours that bill clients');
  withTarget(entities.command('list', { isDefault: true }))
    .description('list legal entities')
    .action(
      atInstance(deps, ({ deps: own, instance }: At) =>
        shown(instance.get('/v1/billing/entities'), (answer) => entitiesText(own, answer)),
      ),
    );
  withAddress(withTarget(entities.command('set')))
    .description('add or change a legal entity: a request, which another person approves')
    .option('--id <id>', 'the one to change')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--tax-id <id>', 'its tax number')
    .requiredOption('--series <text>', 'what its numbers begin with, for example NW-')
    .requiredOption('--currency <code>', 'its currency')
    .option('--iban <iban>', 'where clients pay')
    .option('--bic <bic>', 'BIC of the bank')
    .action(
      atInstance(deps, ({ instance, options }: At<EntityOptions>) => {
        const { id, name, taxId, series, currency, iban, bic } = options;
        const more = defined({ entity_id: id, iban, bic });
        const body = { name, tax_id: taxId, series, currency, ...addressOf(options), ...more };
        return shown(instance.post('/v1/billing/entities', body), () => 'The legal entity is set.');
      }),
    );
  const clients = billing.command('clients').description('how each client is billed');
  withTarget(clients.command('list', { isDefault: true }))
    .description('list how each client is billed')
    .action(
      atInstance(deps, ({ deps: own, instance }: At) =>
        shown(instance.get('/v1/billing/clients'), (answer) => clientsText(own, answer)),
      ),
    );
  withTax(withAddress(withTarget(clients.command('set'))))
    .description('say how a client is billed')
    .argument('<client>', 'id of the client')
    .requiredOption('--entity <id>', 'who bills it')
    .requiredOption('--name <name>', 'as its documents name it')
    .option('--tax-id <id>', 'its tax number')
    .option('--reference <text>', 'what it asks us to name')
    .option('--email <address>', 'where reminders go')
    .option('--days <number>', 'days until an invoice is due (default: 30)', Number)
    .addOption(
      new Option('--detail <detail>', 'closed: media and markup as one amount (default: open)').choices([
        ...['open', 'closed'],
      ]),
    )
    .action(
      atInstance(deps, ({ instance, options }: At<ClientOptions>, client: string) => {
        const { entity, name, taxId, reference, email, days, detail, tax, taxCategory } = options;
        const more = { tax_id: taxId, reference, email, term_days: days, detail };
        const rate = { tax_percent: tax, tax_category: taxCategory };
        const body = {
          client_id: client,
          entity_id: entity,
          name,
          ...addressOf(options),
          ...defined({ ...more, ...rate }),
        };
        return shown(instance.post('/v1/billing/clients', body), () => 'It is set.');
      }),
    );
}

function registerRules(billing: Command, deps: CliDeps): void {
  const rules = billing.command('rules').description('rules of what clients pay');
  withTarget(rules.command('list', { isDefault: true }))
    .description('list rules, the newest first; the most specific one of a kind holds')
    .option('--client <id>', 'only those that can hold for a client')
    .action(
      atInstance(
        deps,
        ({ deps: own, instance, options }: At<TargetOptions & { readonly client?: string }>) => {
          const query =
            options.client === undefined ? '' : `?client_id=${encodeURIComponent(options.client)}`;
          return shown(instance.get(`/v1/billing/rules${query}`), (answer) => rulesText(own, answer));
        },
      ),
    );
  withTax(withTarget(rules.command('set')))
    .description('add a rule: a request, which another person approves')
    .addOption(
      new Option('--kind <kind>', 'what is paid')
        .choices(['cost_plus', 'commission', 'fixed_month', 'fixed_campaign', 'cpm'])
        .makeOptionMandatory(),
    )
    .option('--client <id>', 'only this client')
    .option('--campaign <id>', 'only this campaign')
    .option('--seller <slug>', 'only this seller')
    .addOption(
      new Option('--basis <basis>', 'which media is billed (default: delivered)').choices([
        ...['delivered', 'third_party', 'invoiced', 'planned'],
      ]),
    )
    .option('--percent <percent>', 'of cost_plus and commission')
    .option('--amount <amount>', 'of fees')
    .option('--currency <code>', 'of the amount')
    .option('--cap <amount>', 'the most media of a campaign that is billed')
    .requiredOption('--from <day>', 'first day, YYYY-MM-DD')
    .option('--until <day>', 'last day')
    .action(
      atInstance(deps, ({ instance, options }: At<RuleOptions>) => {
        const { kind, client, campaign, seller, basis, percent, amount, currency, cap, from, until } =
          options;
        const of = {
          client_id: client,
          campaign_id: campaign,
          seller,
          basis,
          percent,
          amount,
          currency,
          cap,
        };
        const more = { ends_on: until, tax_percent: options.tax, tax_category: options.taxCategory };
        const body = { kind, starts_on: from, ...defined({ ...of, ...more }) };
        return shown(instance.post('/v1/billing/rules', body), () => 'The rule is set.');
      }),
    );
  withTarget(rules.command('end'))
    .description('end a rule on a day: a request, which another person approves')
    .argument('<rule>', 'id of the rule')
    .requiredOption('--until <day>', 'the last day that it holds, YYYY-MM-DD')
    .action(
      atInstance(deps, ({ instance, options }: At<TargetOptions & { readonly until: string }>, id: string) =>
        shown(
          instance.post(`/v1/billing/rules/${encodeURIComponent(id)}/end`, { ends_on: options.until }),
          () => `The rule ends on ${options.until}.`,
        ),
      ),
    );
}

function registerReceived(billing: Command, deps: CliDeps, named: (command: Command) => Command): void {
  named(billing.command('pay'))
    .description('record what a client has paid of an invoice')
    .requiredOption('--date <day>', 'day of the payment, YYYY-MM-DD')
    .option('--amount <amount>', 'what was paid (default: all that is open)')
    .option('--reference <text>', 'the same one is booked once')
    .action(
      atInstance(
        deps,
        (
          {
            deps: own,
            instance,
            options: { date, amount, reference },
          }: At<
            TargetOptions & { readonly date: string; readonly amount?: string; readonly reference?: string }
          >,
          id: string,
        ) =>
          shown(instance.post(path(id, '/pay'), { date, ...defined({ amount, reference }) }), (answer) =>
            detailText(own, answer),
          ),
      ),
    );
  withTarget(billing.command('unpay'))
    .description('take a payment of a client back once another person approves it')
    .argument('<payment>', 'id of the payment')
    .requiredOption('--reason <text>', 'why')
    .action(
      atInstance(deps, ({ instance, options }: At<TargetOptions & { readonly reason: string }>, id: string) =>
        shown(
          instance.post(`/v1/billing/payments/${encodeURIComponent(id)}/void`, { reason: options.reason }),
          () => 'The payment is taken back. What it paid is open again.',
        ),
      ),
    );
  named(billing.command('remind'))
    .description('print the next of three reminders of an overdue invoice')
    .action(
      atInstance(deps, ({ instance }: At, id: string) =>
        shown(
          instance.post(path(id, '/remind'), {}),
          ({ to = '', subject, text }) =>
            `To: ${cell(to)}\nSubject: ${cell(subject)}\n\n${typeof text === 'string' ? text : ''}`,
        ),
      ),
    );
  withTarget(billing.command('aging'))
    .description('what clients owe by the days that it is overdue')
    .action(
      atInstance(deps, ({ deps: own, instance }: At) =>
        shown(instance.get('/v1/billing/aging'), (answer) => agingText(own, answer)),
      ),
    );
  withTarget(billing.command('margin'))
    .description('what a month brought by client or campaign')
    .requiredOption('--period <month>', 'month as YYYY-MM')
    .addOption(
      new Option('--by <part>', 'by client or campaign (default: client)').choices(['client', 'campaign']),
    )
    .option('--client <id>', 'of one client')
    .action(
      atInstance(
        deps,
        ({
          deps: own,
          instance,
          options: { period, by, client },
        }: At<
          TargetOptions & { readonly period: string; readonly by?: string; readonly client?: string }
        >) => {
          const query = new URLSearchParams({ period, ...defined({ by, client_id: client }) });
          return shown(instance.get(`/v1/billing/margin?${query.toString()}`), (answer) =>
            marginText(own, answer),
          );
        },
      ),
    );
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

function entitiesText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['entities']).map((row) => [
    ...[row['name'], row['series'], row['next_number'], row['currency'], row['iban'] ?? '', row['entity_id']],
  ]);
  return rows.length === 0
    ? 'No legal entity is set.'
    : table(deps, ['Entity', 'Series', 'Next', 'Currency', 'IBAN', 'Id'], rows);
}

function clientsText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['clients']).map((row) => [
    ...[row['client'], row['entity'], row['name'], row['term_days'], row['detail']],
    `${cell(row['tax_percent'])} % ${cell(row['tax_category'])}`,
  ]);
  return rows.length === 0
    ? 'No client is billed yet.'
    : table(deps, ['Client', 'By', 'Named', 'Days', 'Books', 'Tax'], rows);
}

function rulesText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['rules']).map((row) => [
    ...[row['client'] ?? 'every client', row['campaign'] ?? '', row['seller'] ?? '', row['kind']],
    row['percent'] === undefined
      ? `${cell(row['amount'])} ${cell(row['currency'])}`
      : `${cell(row['percent'])} %`,
    ...[row['basis'], row['starts_on'], row['ends_on'] ?? '', row['rule_id']],
  ]);
  return rows.length === 0
    ? 'No rule is set.'
    : table(deps, ['Client', 'Campaign', 'Seller', 'Kind', 'Pays', 'Basis', 'From', 'Until', 'Id'], rows);
}

function agingText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['clients']).map((row) => [
    ...[row['client'], row['currency'], row['current'], row['days_1_30'], row['days_31_60']],
    ...[row['days_61_90'], row['over_90'], row['total']],
  ]);
  return rows.length === 0
    ? 'No client owes anything.'
    : table(deps, ['Client', 'Currency', 'Current', '1-30', '31-60', '61-90', 'Over 90', 'Total'], rows);
}

function marginText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['margins']).map((row) => [
    ...[row['client'] ?? 'no client', row['campaign'] ?? '', row['currency'], row['media'], row['markup']],
    ...[
      row['fees'],
      row['media_spend'],
      row['margin'],
      row['percent'] === undefined ? '' : `${cell(row['percent'])} %`,
    ],
  ]);
  return rows.length === 0
    ? 'Nothing was spent or billed.'
    : table(deps, ['Client', 'Campaign', 'Currency', 'Media', 'Markup', 'Fees', 'Cost', 'Margin', ''], rows);
}
