import { Option, type Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { sendFile } from '../../send-file.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';

interface ProposeOptions extends TargetOptions {
  readonly until: string;
  readonly payOn?: string;
  readonly seller?: string;
  readonly currency?: string;
}

interface ExportOptions extends TargetOptions {
  readonly format?: string;
  readonly out: string;
}

interface AccountOptions extends TargetOptions {
  readonly seller?: string;
  readonly currency?: string;
  readonly name: string;
  readonly iban: string;
  readonly bic?: string;
}

/** `payments propose|show|approve|withdraw|export|record|void|import|entries|set-aside|bring-back` and `payments accounts set|list`. */
export function registerPayments(program: Command, deps: CliDeps): void {
  const payments = program
    .command('payments')
    .description('proposals of payments to sellers, files for the bank, and bank statements');
  withTarget(payments.command('propose'))
    .description('propose to pay the approved invoices that are due until a day')
    .requiredOption('--until <day>', 'due until this day, YYYY-MM-DD')
    .option('--pay-on <day>', 'when the bank is asked to pay (default: today)')
    .option('--seller <slug>', 'only invoices of one seller')
    .option('--currency <code>', 'only invoices in one currency')
    .action(
      atInstance(deps, ({ deps: own, instance, options }: At<ProposeOptions>) => {
        const { until, payOn, seller, currency } = options;
        const body = { due_until: until, ...defined({ pay_on: payOn, seller, currency }) };
        return shown(instance.post('/v1/payments', body), (answer) => runText(own, answer));
      }),
    );
  const named = (command: Command): Command =>
    withTarget(command).argument('<id>', 'id or number of the proposal, for example P-3');
  named(payments.command('show'))
    .description('show a proposal with its transfers, and what it holds back')
    .action(
      atInstance(deps, ({ deps: own, instance }: At, id: string) =>
        shown(instance.get(path(id)), (answer) => runText(own, answer)),
      ),
    );
  const steps = [
    ['approve', 'approve a proposal; another person than its maker does that'],
    ['withdraw', 'take a proposal back that was not given to the bank'],
  ] as const;
  for (const [step, text] of steps)
    named(payments.command(step))
      .description(text)
      .action(
        atInstance(deps, ({ deps: own, instance }: At, id: string) =>
          shown(instance.post(path(id, `/${step}`), {}), (answer) => runText(own, answer)),
        ),
      );
  named(payments.command('export'))
    .description('write the file of an approved proposal for the bank')
    .addOption(
      new Option('--format <format>', 'of the file (default: pain.001)').choices(['pain.001', 'csv']),
    )
    .requiredOption('--out <file>', 'where to write it')
    .action(atInstance(deps, exportFile));
  registerBooking(payments, deps);
  registerAccounts(payments, deps);
}

function registerBooking(payments: Command, deps: CliDeps): void {
  withTarget(payments.command('record'))
    .description('record that the bank has booked a transfer, where no statement is imported')
    .argument('<payment>', 'id of the transfer')
    .requiredOption('--date <day>', 'day of the booking, YYYY-MM-DD')
    .action(
      atInstance(deps, ({ instance, options }: At<TargetOptions & { readonly date: string }>, id: string) =>
        shown(
          instance.post(path(id, '/record'), { date: options.date }),
          () => `The payment ${id} is booked.`,
        ),
      ),
    );
  withTarget(payments.command('void'))
    .description('take a transfer or a payment back: the bank returned it, or never made it')
    .argument('<payment>', 'id of the transfer or of the payment')
    .requiredOption('--reason <text>', 'why')
    .action(
      atInstance(deps, ({ instance, options }: At<TargetOptions & { readonly reason: string }>, id: string) =>
        shown(
          instance.post(path(id, '/void'), { reason: options.reason }),
          () => `The payment ${id} is taken back.`,
        ),
      ),
    );
  withTarget(payments.command('import'))
    .description('match a bank statement, camt.053 or MT940, with payments; each transaction counts once')
    .argument('<file>', 'the bank statement')
    .action(printing(deps, importStatement));
  withTarget(payments.command('entries'))
    .description('list transactions of bank statements that are matched with nothing')
    .option('--aside', 'those that were set aside')
    .action(atInstance(deps, entries));
  withTarget(payments.command('set-aside'))
    .description('set a transaction aside that is no payment, such as a fee of the bank')
    .argument('<entry>', 'id of the transaction')
    .requiredOption('--reason <text>', 'why')
    .action(
      atInstance(deps, ({ instance, options }: At<TargetOptions & { readonly reason: string }>, id: string) =>
        shown(
          instance.post(entryPath(id, 'set-aside'), { reason: options.reason }),
          () => `Set aside. Bring it back with: switchyard payments bring-back ${id}`,
        ),
      ),
    );
  withTarget(payments.command('bring-back'))
    .description('bring a transaction back that was set aside')
    .argument('<entry>', 'id of the transaction')
    .action(
      atInstance(deps, ({ instance }: At, id: string) =>
        shown(instance.post(entryPath(id, 'bring-back'), {}), () => 'It is open again.'),
      ),
    );
}

function entries({
  deps,
  instance,
  options,
}: At<TargetOptions & { readonly aside?: boolean }>): Promise<Outcome> {
  const state = options.aside === true ? 'aside' : 'open';
  return shown(instance.get(`/v1/payments/entries?state=${state}`), (answer) => {
    const rows = objectsIn(answer['entries']).map((row) => [
      ...[row['booked_on'], row['amount'], row['currency'], row['text'], row['reason'], row['entry_id']],
    ]);
    const none = state === 'open' ? 'Every transaction is matched.' : 'Nothing was set aside.';
    return rows.length === 0
      ? none
      : table(deps, ['Booked', 'Amount', 'Currency', 'Text', 'Reason', 'Id'], rows);
  });
}

function registerAccounts(payments: Command, deps: CliDeps): void {
  const accounts = payments.command('accounts').description('bank accounts of sellers, and our own');
  withTarget(accounts.command('list'))
    .description('list bank accounts')
    .action(
      atInstance(deps, ({ deps: own, instance }: At) =>
        shown(instance.get('/v1/bank-accounts'), (answer) => accountsText(own, answer)),
      ),
    );
  withTarget(accounts.command('set'))
    .description('set a bank account: a request, which another person approves')
    .option('--seller <slug>', 'of a seller; it can be used a day after the approval')
    .option('--currency <code>', 'our own for a currency')
    .requiredOption('--name <name>', 'name of the holder')
    .requiredOption('--iban <iban>', 'IBAN')
    .option('--bic <bic>', 'BIC of the bank')
    .action(
      atInstance(deps, ({ instance, options }: At<AccountOptions>) => {
        const { seller, currency, name, iban, bic } = options;
        const body = { name, iban, ...defined({ seller, currency, bic }) };
        return shown(instance.post('/v1/bank-accounts', body), () => 'The bank account is set.');
      }),
    );
}

const path = (id: string, act = ''): string => `/v1/payments/${encodeURIComponent(id)}${act}`;

const entryPath = (id: string, act: string): string =>
  `/v1/payments/entries/${encodeURIComponent(id)}/${act}`;

async function exportFile(
  { deps, instance, options: { format, out } }: At<ExportOptions>,
  id: string,
): Promise<Outcome> {
  const answer = await instance.post(path(id, '/export'), { ...defined({ format }) });
  if (!answer.ok) return answer;
  const { file, ...about } = answer.value;
  const written = writeFiles(deps, [{ name: out, content: typeof file === 'string' ? file : '' }]);
  return written.ok ? ok({ json: { ...about, out }, text: `Wrote ${out}` }) : written;
}

function importStatement(deps: CliDeps, file: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const sent = await sendFile(deps, instance, file);
    if (!sent.ok) return sent;
    return shown(instance.post('/v1/payments/import', { file_id: sent.value }), (answer) => {
      const rows = objectsIn(answer['entries']).map((row) => [
        row['booked_on'],
        row['amount'],
        row['currency'],
        row['state'],
        row['by'] ?? row['reason'] ?? '',
        row['payment_id'] ??
          row['invoice_id'] ??
          objectsIn(row['proposals'])
            .map(({ number }) => `${cell(number)}?`)
            .join(' '),
      ]);
      return table(deps, ['Booked', 'Amount', 'Currency', 'State', 'By', 'Payment'], rows);
    });
  });
}

function runText(deps: CliDeps, run: JsonObject): string {
  const transfers = objectsIn(run['orders']).map((order) => [
    order['payment_id'],
    order['seller'],
    order['amount'],
    order['currency'],
    order['state'],
    objectsIn(order['invoices'])
      .map(({ number }) => cell(number))
      .join(' '),
  ]);
  const held = objectsIn(run['held']).map(
    ({ number, seller, amount, currency, reason }) =>
      `held  ${cell(number)} of ${cell(seller)}, ${cell(amount)} ${cell(currency)}: ${cell(reason)}`,
  );
  const saved = objectsIn(run['orders']).flatMap((order) =>
    objectsIn(order['invoices']).flatMap(({ number, discount }) =>
      discount === undefined
        ? []
        : [`saved ${cell(discount)} ${cell(order['currency'])} of ${cell(number)} by early payment`],
    ),
  );
  const sums = isJsonObject(run['amounts'])
    ? Object.entries(run['amounts']).map(([currency, amount]) => `${cell(amount)} ${currency}`)
    : [];
  return [
    `${cell(run['number'])}, ${cell(run['state'])}: ${sums.join(', ') || 'nothing'}, paid on ${cell(run['pay_on'])}`,
    ...(transfers.length === 0
      ? []
      : [table(deps, ['Payment', 'Seller', 'Amount', 'Currency', 'State', 'Invoices'], transfers)]),
    ...saved,
    ...held,
  ].join('\n');
}

function accountsText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['bank_accounts']).map((row) => [
    row['seller'] ?? `ours, ${cell(row['currency'])}`,
    row['name'],
    row['iban'],
    row['bic'] ?? '',
    row['usable_from'],
  ]);
  return rows.length === 0
    ? 'No bank account is set.'
    : table(deps, ['Account', 'Holder', 'IBAN', 'BIC', 'From'], rows);
}
