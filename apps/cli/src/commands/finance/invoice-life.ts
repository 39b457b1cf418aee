import type { Command } from 'commander';
import { defined } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface ReasonOptions extends TargetOptions {
  readonly reason: string;
}

interface ApplyOptions extends TargetOptions {
  readonly to: string;
  readonly amount?: string;
}

interface UnapplyOptions extends TargetOptions {
  readonly from: string;
}

/** `invoices void|write-off|hold|release|approve|unapprove ID` and `credits apply|unapply ID`. */
export function registerInvoiceLife(program: Command, invoices: Command, deps: CliDeps): void {
  withTarget(invoices.command('void'))
    .description('take an invoice back: a request, which another person approves')
    .argument('<id>', 'invoice id')
    .requiredOption('--reason <text>', 'why')
    .action(atInstance(deps, voidInvoice));
  withTarget(invoices.command('write-off'))
    .description('write off what is left of an invoice: a request, which another person approves')
    .argument('<id>', 'invoice id')
    .requiredOption('--reason <text>', 'why')
    .action(atInstance(deps, writeOff));
  withTarget(invoices.command('hold'))
    .description('hold an invoice: it is not paid until it is released')
    .argument('<id>', 'invoice id')
    .requiredOption('--reason <text>', 'why')
    .action(atInstance(deps, hold));
  withTarget(invoices.command('release'))
    .description('release an invoice that is held')
    .argument('<id>', 'invoice id')
    .action(atInstance(deps, release));
  withTarget(invoices.command('approve'))
    .description('approve an invoice; another person than its importer does that')
    .argument('<id>', 'invoice id')
    .action(atInstance(deps, approve));
  withTarget(invoices.command('unapprove'))
    .description('take the approval of an invoice back')
    .argument('<id>', 'invoice id')
    .action(atInstance(deps, unapprove));
  const credits = program.command('credits').description('credit notes of sellers');
  withTarget(credits.command('apply'))
    .description('use a credit note for an invoice of the same seller')
    .argument('<id>', 'id of the credit note')
    .requiredOption('--to <invoice>', 'id of the invoice')
    .option('--amount <amount>', 'how much of it (default: as much as both leave open)')
    .action(atInstance(deps, apply));
  withTarget(credits.command('unapply'))
    .description('take back what was used of a credit note for an invoice')
    .argument('<id>', 'id of the credit note')
    .requiredOption('--from <invoice>', 'id of the invoice')
    .action(atInstance(deps, unapply));
}

function voidInvoice({ instance, options: { reason } }: At<ReasonOptions>, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/invoices/${encodeURIComponent(id)}/void`, { reason }),
    () => `Invoice ${id} is voided. Its number is free again.`,
  );
}

function writeOff({ instance, options: { reason } }: At<ReasonOptions>, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/invoices/${encodeURIComponent(id)}/write-off`, { reason }),
    ({ amount, currency, payment_id: payment }) =>
      `Wrote off ${cell(amount)} ${cell(currency)} of the invoice ${id}. Take it back with: switchyard payments void ${cell(payment)} --reason TEXT`,
  );
}

function hold({ instance, options: { reason } }: At<ReasonOptions>, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/invoices/${encodeURIComponent(id)}/hold`, { reason }),
    () => `Invoice ${id} is held.`,
  );
}

function release({ instance }: At, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/invoices/${encodeURIComponent(id)}/release`, {}),
    () => `Invoice ${id} is released.`,
  );
}

function approve({ instance }: At, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/invoices/${encodeURIComponent(id)}/approve`, {}),
    () => `Invoice ${id} is approved.`,
  );
}

function unapprove({ instance }: At, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/invoices/${encodeURIComponent(id)}/unapprove`, {}),
    () => `Invoice ${id} is approved no more.`,
  );
}

function apply({ instance, options: { to, amount } }: At<ApplyOptions>, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/credits/${encodeURIComponent(id)}/apply`, { invoice: to, ...defined({ amount }) }),
    (answer) => `Used ${cell(answer['amount'])} ${cell(answer['currency'])} of ${id} for ${to}.`,
  );
}

function unapply({ instance, options: { from } }: At<UnapplyOptions>, id: string): Promise<Outcome> {
  return shown(
    instance.post(`/v1/credits/${encodeURIComponent(id)}/unapply`, { invoice: from }),
    (answer) => `Took back ${cell(answer['amount'])} ${cell(answer['currency'])} of ${id} from ${from}.`,
  );
}
