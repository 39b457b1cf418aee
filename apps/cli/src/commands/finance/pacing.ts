import { Option, type Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { getPages, shownPage, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At } from '../../target.js';

interface PacingOptions extends PageOptions {
  readonly by?: string;
  readonly sort?: string;
  readonly campaign?: string;
  readonly days?: boolean;
  readonly silentDays?: string;
}

/** `pacing`: whether campaigns and buys deliver as planned. */
export function registerPacing(program: Command, deps: CliDeps): void {
  withTarget(withPages(program.command('pacing')))
    .description('plan and delivery, with a forecast to the end of the flight and alerts')
    .option('--campaign <id>', 'only this campaign')
    .addOption(new Option('--by <what>', 'campaign unless given').choices(['campaign', 'buy']))
    .addOption(
      new Option('--sort <order>', 'by the last change of a campaign, or the creation of a buy').choices([
        'newest',
        'oldest',
      ]),
    )
    .option('--days', 'plan and delivery of each day')
    .option('--silent-days <count>', 'days without figures before an alert (default: 2)')
    .action(atInstance(deps, pacing));
}

async function pacing({ deps, instance, options }: At<PacingOptions>): Promise<Outcome> {
  const { by, sort, campaign, days, silentDays } = options;
  const query = {
    by,
    sort,
    campaign_id: campaign,
    silent_days: silentDays,
    days: days === true ? 'true' : undefined,
  };
  const page = await getPages(instance, { path: '/v1/pacing', name: 'pacing' }, query, options);
  if (!page.ok) return page;
  const rows = page.value.rows.map((row) => [
    row['campaign'] ?? row['media_buy_id'] ?? row['campaign_id'],
    `${cell(row['starts_on'])} to ${cell(row['ends_on'])}`,
    row['planned'],
    row['planned_through'],
    row['committed'],
    row['delivered'],
    row['difference_percent'] === undefined ? '' : `${cell(row['difference_percent'])} %`,
    row['forecast'],
    row['currency'],
    objectsIn(row['alerts'])
      .map(({ code }) => cell(code))
      .join(', '),
  ]);
  if (rows.length === 0)
    return shownPage(page.value, by === 'buy' ? 'There are no buys.' : 'There are no campaigns.');
  const head = [
    by === 'buy' ? 'Buy' : 'Campaign',
    'Flight',
    'Planned',
    'By now',
    'Committed',
    'Delivered',
    'Differs',
    'Forecast',
    'Currency',
    'Alerts',
  ];
  const text = [table(deps, head, rows)];
  if (days === true)
    for (const row of page.value.rows) {
      const cells = objectsIn(row['days']).map(({ day, planned, delivered }) => [day, planned, delivered]);
      if (cells.length > 0) text.push(table(deps, ['Day', 'Planned', 'Delivered'], cells));
    }
  return shownPage(page.value, text.join('\n\n'));
}
