import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { table } from '../../table.js';

/** `sellers calendar|set-calendar|unset-calendar|restate SLUG`: in which time zone the days of a seller are. */
export function registerSellerCalendar(sellers: Command, deps: CliDeps): void {
  const of = 'its name here; - is every seller';
  request(sellers, deps, 'calendar <slug>', {
    describe: 'show the time zones of a seller, and what would move to other days',
    of,
    route: 'GET /v1/sellers/{slug}/calendar',
    text: (answer) => textOf(deps, answer),
  });
  request(sellers, deps, 'set-calendar <slug>', {
    describe: 'set the time zone of a seller, and how long figures and bills are cut',
    of,
    options: {
      '--zone <zone>': {
        help: 'IANA name of the time zone, for example Europe/Berlin',
        member: 'time_zone',
      },
      '--overrides': 'the zone holds before what the seller declares',
      '--long-periods <way>': {
        help: 'figures over the end of a month: split by days, or hold for a person',
        words: ['split', 'hold'],
      },
      '--billing-calendar <name>': {
        help: 'proposes the days that its invoices bill',
        words: ['month', 'broadcast', 'issue_day'],
      },
      '--issue-day <day>': { help: 'with issue_day: the first day of its months, 1 to 28', read: Number },
      '--reason <text>': 'why',
    },
    route: 'POST /v1/sellers/{slug}/calendar',
    text: (answer) => textOf(deps, answer),
  });
  request(sellers, deps, 'unset-calendar <slug>', {
    describe: 'remove what was set for a seller',
    of,
    route: 'DELETE /v1/sellers/{slug}/calendar',
    text: (answer) => textOf(deps, answer),
  });
  request(sellers, deps, 'restate <slug>', {
    describe: 'move booked figures of a seller to the days that are known now',
    of,
    options: {
      '--reason <text>': needed('why; it is kept in the entries'),
      '--after <id>': 'go on behind this buy of the seller',
    },
    route: 'POST /v1/sellers/{slug}/calendar/restate',
    text: (answer) =>
      [
        `${cell(answer['figures'])} figures of ${cell(answer['buys'])} buys stand on other days now.`,
        monthsText(deps, answer),
      ].join('\n'),
  });
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
