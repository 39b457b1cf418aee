import { Option, type Command } from 'commander';
import { defined, isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SetOptions extends TargetOptions {
  readonly zone?: string;
  readonly overrides?: boolean;
  readonly longPeriods?: string;
  readonly billingCalendar?: string;
  readonly issueDay?: string;
  readonly reason?: string;
}

interface RestateOptions extends TargetOptions {
  readonly reason: string;
  readonly after?: string;
}

/** `sellers calendar|set-calendar|unset-calendar|restate SLUG`: in which time zone the days of a seller are. */
export function registerSellerCalendar(sellers: Command, deps: CliDeps): void {
  const subcommand = (name: string, description: string): Command =>
    withTarget(sellers.command(name))
      .description(description)
      .argument('<slug>', 'its name here; - is every seller');
  subcommand('calendar', 'show the time zones of a seller, and what would move to other days').action(
    atInstance(deps, show),
  );
  subcommand('set-calendar', 'set the time zone of a seller, and how long figures and bills are cut')
    .option('--zone <zone>', 'IANA name of the time zone, for example Europe/Berlin')
    .option('--overrides', 'the zone holds before what the seller declares')
    .addOption(
      new Option(
        '--long-periods <way>',
        'figures over the end of a month: split by days, or hold for a person',
      ).choices(['split', 'hold']),
    )
    .addOption(
      new Option('--billing-calendar <name>', 'proposes the days that its invoices bill').choices([
        'month',
        'broadcast',
        'issue_day',
      ]),
    )
    .option('--issue-day <day>', 'with issue_day: the first day of its months, 1 to 28')
    .option('--reason <text>', 'why')
    .action(atInstance(deps, set));
  subcommand('unset-calendar', 'remove what was set for a seller').action(atInstance(deps, unset));
  subcommand('restate', 'move booked figures of a seller to the days that are known now')
    .requiredOption('--reason <text>', 'why; it is kept in the entries')
    .option('--after <id>', 'go on behind this buy of the seller')
    .action(atInstance(deps, restate));
}

const pathOf = (slug: string, act = ''): string => `/v1/sellers/${encodeURIComponent(slug)}/calendar${act}`;

function show({ deps, instance }: At, slug: string): Promise<Outcome> {
  return shown(instance.get(pathOf(slug)), (answer) => textOf(deps, answer));
}

function set({ deps, instance, options }: At<SetOptions>, slug: string): Promise<Outcome> {
  const { zone, overrides, longPeriods, billingCalendar, issueDay, reason } = options;
  const wanted = defined({
    time_zone: zone,
    overrides,
    long_periods: longPeriods,
    billing_calendar: billingCalendar,
    issue_day: issueDay === undefined ? undefined : Number(issueDay),
    reason,
  });
  return shown(instance.post(pathOf(slug), wanted), (answer) => textOf(deps, answer));
}

function unset({ deps, instance }: At, slug: string): Promise<Outcome> {
  return shown(instance.remove(pathOf(slug)), (answer) => textOf(deps, answer));
}

function restate({ deps, instance, options }: At<RestateOptions>, slug: string): Promise<Outcome> {
  const { reason, after } = options;
  return shown(instance.post(pathOf(slug, '/restate'), defined({ reason, after })), (answer) =>
    [
      `${cell(answer['figures'])} figures of ${cell(answer['buys'])} buys stand on other days now.`,
      monthsText(deps, answer),
    ].join('\n'),
  );
}

const sources: Readonly<Record<string, string>> = {
  person: 'set by a person',
  account: 'named by the seller for our account',
  product: 'declared by a product',
};

function textOf(deps: CliDeps, answer: JsonObject): string {
  const { seller, long_periods: long, billing_calendar: billing, issue_day: day, proposal, moves } = answer;
  const zones = objectsIn(answer['zones']).map(
    ({ time_zone: zone, by }) => `${cell(zone)} (${sources[cell(by)] ?? cell(by)})`,
  );
  const name = seller === '-' ? 'every seller' : cell(seller);
  return [
    zones.length === 0
      ? seller === '-'
        ? 'No time zone is set for every seller.'
        : `The time zone of ${name} is not known.`
      : `Time zones of ${name}, by weight: ${zones.join(', ')}.`,
    ...(long === undefined ? [] : [`Figures over the end of a month: ${cell(long)}.`]),
    ...(billing === undefined
      ? []
      : [`Its invoices bill by: ${cell(billing)}${day === undefined ? '' : ` ${cell(day)}`}.`]),
    ...(isJsonObject(proposal)
      ? [
          `All ${cell(proposal['bounds'])} bounds of its newest periods begin a day in ${cell(proposal['time_zone'])}. ` +
            `Confirm it with: switchyard sellers set-calendar ${cell(seller)} --zone ${cell(proposal['time_zone'])}`,
        ]
      : []),
    ...(isJsonObject(moves)
      ? [
          `${cell(moves['figures'])} booked figures stand on other days than the zones say. Move them with: switchyard sellers restate ${cell(seller)} --reason "..."`,
          monthsText(deps, moves),
        ]
      : []),
  ].join('\n');
}

function monthsText(deps: CliDeps, { months, next }: JsonObject): string {
  const rows = objectsIn(months).map(({ month, currency, amount }) => [
    cell(month),
    cell(currency),
    cell(amount),
  ]);
  const text = rows.length === 0 ? 'No month changes.' : table(deps, ['Month', 'Currency', 'Change'], rows);
  return next === undefined ? text : `${text}\nMore buys follow: go on with --after ${cell(next)}`;
}
