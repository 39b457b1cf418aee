import { Option, type Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { rowsText } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { sendFile } from '../../send-file.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';

interface ExportOptions extends TargetOptions {
  readonly format?: string;
  readonly out: string;
}

/** `payments propose|show|approve|withdraw|export|record|void|import|entries|set-aside|bring-back` and `payments accounts set|list`. */
export function registerPayments(program: Command, deps: CliDeps): void {
  const payments = program
    .command('payments')
    .description('proposals of payments to sellers, files for the bank, and bank statements');
  request(payments, deps, 'propose', {
    describe: 'propose to pay the approved invoices that are due until a day',
    options: {
      '--until <day>': needed('due until this day, YYYY-MM-DD', 'due_until'),
      '--pay-on <day>': 'when the bank is asked to pay (default: today)',
      '--seller <slug>': 'only invoices of one seller',
      '--currency <code>': 'only invoices in one currency',
    },
    route: 'POST /v1/payments',
    text: (answer) => runText(deps, answer),
  });
  const of = 'id or number of the proposal, for example P-3';
  request(payments, deps, 'show <id>', {
    describe: 'show a proposal with its transfers, and what it holds back',
    of,
    route: 'GET /v1/payments/{id}',
    text: (answer) => runText(deps, answer),
  });
  request(payments, deps, 'approve <id>', {
    describe: 'approve a proposal; another person than its maker does that',
    of,
    route: 'POST /v1/payments/{id}/approve',
    text: (answer) => runText(deps, answer),
  });
  request(payments, deps, 'withdraw <id>', {
    describe: 'take a proposal back that was not given to the bank',
    of,
    route: 'POST /v1/payments/{id}/withdraw',
    text: (answer) => runText(deps, answer),
  });
  withTarget(payments.command('export'))
    .argument('<id>', of)
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
  request(payments, deps, 'record <payment>', {
    describe: 'record that the bank has booked a transfer, where no statement is imported',
    of: 'id of the transfer',
    options: { '--date <day>': needed('day of the booking, YYYY-MM-DD') },
    route: 'POST /v1/payments/{id}/record',
    text: (_, { payment }) => `The payment ${payment} is booked.`,
  });
  request(payments, deps, 'void <payment>', {
    describe: 'take a transfer or a payment back: the bank returned it, or never made it',
    of: 'id of the transfer or of the payment',
    options: { '--reason <text>': needed('why') },
    route: 'POST /v1/payments/{id}/void',
    text: (_, { payment }) => `The payment ${payment} is taken back.`,
  });
  withTarget(payments.command('import'))
    .description('match a bank statement, camt.053 or MT940, with payments; each transaction counts once')
    .argument('<file>', 'the bank statement')
    .action(printing(deps, importStatement));
  request(payments, deps, 'entries', {
    describe: 'list transactions of bank statements that are matched with nothing',
    options: { '--aside': 'those that were set aside' },
    route: 'GET /v1/payments/entries',
    members: ({ aside }) => ({ state: aside === true ? 'aside' : 'open' }),
    text: (answer, { aside }) =>
      rowsText(
        deps,
        'entries',
        {
          Booked: 'booked_on',
          Amount: 'amount',
          Currency: 'currency',
          Text: 'text',
          Reason: 'reason',
          Id: 'entry_id',
        },
        aside === '' ? 'Every transaction is matched.' : 'Nothing was set aside.',
      )(answer),
  });
  request(payments, deps, 'set-aside <entry>', {
    describe: 'set a transaction aside that is no payment, such as a fee of the bank',
    of: 'id of the transaction',
    options: { '--reason <text>': needed('why') },
    route: 'POST /v1/payments/entries/{id}/set-aside',
    text: (_, { entry }) => `Set aside. Bring it back with: switchyard payments bring-back ${entry}`,
  });
  request(payments, deps, 'bring-back <entry>', {
    describe: 'bring a transaction back that was set aside',
    of: 'id of the transaction',
    route: 'POST /v1/payments/entries/{id}/bring-back',
    text: 'It is open again.',
  });
}

function registerAccounts(payments: Command, deps: CliDeps): void {
  const accounts = payments.command('accounts').description('bank accounts of sellers, and our own');
  request(accounts, deps, 'list', {
    describe: 'list bank accounts',
    route: 'GET /v1/bank-accounts',
    text: rowsText(
      deps,
      'bank_accounts',
      {
        Account: ({ seller, currency }) => seller ?? `ours, ${cell(currency)}`,
        Holder: 'name',
        IBAN: 'iban',
        BIC: 'bic',
        From: 'usable_from',
      },
      'No bank account is set.',
    ),
  });
  request(accounts, deps, 'set', {
    describe: 'set a bank account: a request, which another person approves',
    options: {
      '--seller <slug>': 'of a seller; it can be used a day after the approval',
      '--currency <code>': 'our own for a currency',
      '--name <name>': needed('name of the holder'),
      '--iban <iban>': needed('IBAN'),
      '--bic <bic>': 'BIC of the bank',
    },
    route: 'POST /v1/bank-accounts',
    text: 'The bank account is set.',
  });
}

async function exportFile(
  { deps, instance, options: { format, out } }: At<ExportOptions>,
  id: string,
): Promise<Outcome> {
  const answer = await instance.post(`/v1/payments/${encodeURIComponent(id)}/export`, defined({ format }));
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
