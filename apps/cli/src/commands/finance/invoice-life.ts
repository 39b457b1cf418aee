import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';

/** `invoices void|write-off|hold|release|approve|unapprove ID` and `credits apply|unapply ID`. */
export function registerInvoiceLife(program: Command, invoices: Command, deps: CliDeps): void {
  const of = 'invoice id';
  const reason = { '--reason <text>': needed('why') };
  request(invoices, deps, 'void <id>', {
    describe: 'take an invoice back: a request, which another person approves',
    of,
    options: reason,
    route: 'POST /v1/invoices/{id}/void',
    text: (_, { id }) => `Invoice ${id} is voided. Its number is free again.`,
  });
  request(invoices, deps, 'write-off <id>', {
    describe: 'write off what is left of an invoice: a request, which another person approves',
    of,
    options: reason,
    route: 'POST /v1/invoices/{id}/write-off',
    text: ({ amount, currency, payment_id: payment }, { id }) =>
      `Wrote off ${cell(amount)} ${cell(currency)} of the invoice ${id}. Take it back with: switchyard payments void ${cell(payment)} --reason TEXT`,
  });
  request(invoices, deps, 'hold <id>', {
    describe: 'hold an invoice: it is not paid until it is released',
    of,
    options: reason,
    route: 'POST /v1/invoices/{id}/hold',
    text: (_, { id }) => `Invoice ${id} is held.`,
  });
  request(invoices, deps, 'release <id>', {
    describe: 'release an invoice that is held',
    of,
    route: 'POST /v1/invoices/{id}/release',
    text: (_, { id }) => `Invoice ${id} is released.`,
  });
  request(invoices, deps, 'approve <id>', {
    describe: 'approve an invoice; another person than its importer does that',
    of,
    route: 'POST /v1/invoices/{id}/approve',
    text: (_, { id }) => `Invoice ${id} is approved.`,
  });
  request(invoices, deps, 'unapprove <id>', {
    describe: 'take the approval of an invoice back',
    of,
    route: 'POST /v1/invoices/{id}/unapprove',
    text: (_, { id }) => `Invoice ${id} is approved no more.`,
  });
  const credits = program.command('credits').description('credit notes of sellers');
  request(credits, deps, 'apply <id>', {
    describe: 'use a credit note for an invoice of the same seller',
    of: 'id of the credit note',
    options: {
      '--to <invoice>': needed('id of the invoice', 'invoice'),
      '--amount <amount>': 'how much of it (default: as much as both leave open)',
    },
    route: 'POST /v1/credits/{id}/apply',
    text: ({ amount, currency }, { id, to }) => `Used ${cell(amount)} ${cell(currency)} of ${id} for ${to}.`,
  });
  request(credits, deps, 'unapply <id>', {
    describe: 'take back what was used of a credit note for an invoice',
    of: 'id of the credit note',
    options: { '--from <invoice>': needed('id of the invoice', 'invoice') },
    route: 'POST /v1/credits/{id}/unapply',
    text: ({ amount, currency }, { id, from }) =>
      `Took back ${cell(amount)} ${cell(currency)} of ${id} from ${from}.`,
  });
}
