import type { Command } from 'commander';
import { defined, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { type Outcome, shown } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At } from '../../target.js';

interface TermOptions extends PageOptions {
  readonly discount?: string;
  readonly within?: string;
}

/** `invoices pay ID`, `invoices terms`, `aging`. */
export function registerPayables(program: Command, invoices: Command, deps: CliDeps): void {
  request(invoices, deps, 'pay <id>', {
    describe: 'record that an invoice was paid, with an entry in the ledger',
    of: 'invoice id',
    options: {
      '--date <day>': needed('day of the payment, YYYY-MM-DD'),
      '--amount <amount>': "in the invoice's currency (default: all that is open)",
      '--reporting-amount <amount>':
        'amount that the bank charged, in the reporting currency (default: by the rate of the day)',
      '--reference <text>': 'reference of the payment; each reference is booked once',
    },
    route: 'POST /v1/invoices/{id}/pay',
    text: paidText,
  });
  withTarget(withPages(invoices.command('terms')))
    .description('list the days until invoices are due, by seller; or set those of one seller')
    .argument('[seller]', 'slug')
    .argument('[days]', 'days after the day of issue')
    .option(
      '--discount <percent>',
      'what the seller allows for early payment, with --within; none: nothing any more (default: as it was)',
    )
    .option('--within <days>', 'days after the issue in which it allows that')
    .action(
      atInstance(deps, (at: At<TermOptions>, seller?: string, days?: string) =>
        seller === undefined ? terms(at) : setTerm(at, seller, days),
      ),
    );
  request(program, deps, 'aging', {
    describe: 'open amounts of invoices, by age',
    options: { '--by <names>': 'client, seller, or both, by comma (default: seller)' },
    route: 'GET /v1/aging',
    text: (answer, { by }) => agingText(deps, answer, by),
  });
}

function paidText(paid: JsonObject): string {
  const { amount, currency, open, reporting_currency: code, reporting_amount: took, difference } = paid;
  const lines = [`Paid ${cell(amount)} ${cell(currency)}; ${cell(open)} ${cell(currency)} is open.`];
  if (code !== undefined)
    lines.push(`It took ${cell(took)} ${cell(code)}; realised difference ${cell(difference)} ${cell(code)}.`);
  return lines.join('\n');
}

function terms(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/terms',
    name: 'terms',
    columns: { Seller: 'seller', Days: 'days', Discount: 'discount', Within: 'discount_days' },
    none: 'No days are set: invoices are due after 30 days.',
  });
}

function setTerm(
  { instance, options: { discount, within } }: At<TermOptions>,
  seller: string,
  days: string | undefined,
): Promise<Outcome> {
  const terms = defined({
    discount: discount === 'none' ? null : discount,
    discount_days: within === undefined ? undefined : Number(within),
  });
  return shown(
    instance.post('/v1/terms', { seller, days: Number(days), ...terms }),
    ({ days: due, discount: percent, discount_days: early }) =>
      `Invoices of ${seller} are due ${cell(due)} days after their issue${percent === undefined ? '' : `, with ${cell(percent)} % off within ${cell(early)} days`}.`,
  );
}

function agingText(deps: CliDeps, answer: JsonObject, by: string): string {
  const found = objectsIn(answer['aging']);
  if (found.length === 0) return 'Every invoice is paid.';
  const named = (by === '' ? 'seller' : by).split(',').map((name) => name.trim());
  const names = ['client', 'seller'].filter((name) => named.includes(name));
  const rows = found.map((invoice) => [
    ...names.map((name) => invoice[name] ?? ''),
    invoice['current'],
    invoice['days_1_30'],
    invoice['days_31_60'],
    invoice['days_61_90'],
    invoice['over_90'],
    invoice['total'],
    invoice['currency'],
  ]);
  const titles = names.map((name) => (name === 'client' ? 'Client' : 'Seller'));
  const head = [...titles, 'Current', '1-30', '31-60', '61-90', 'Over 90', 'Total', 'Currency'];
  return table(deps, head, rows);
}
