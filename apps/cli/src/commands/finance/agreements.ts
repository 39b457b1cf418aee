import { Option, type Command } from 'commander';
import { defined } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SetOptions extends TargetOptions {
  readonly buy?: string;
  readonly order?: string;
  readonly commission?: string;
  readonly bills?: string;
  readonly capped?: boolean;
  readonly fees?: string;
  readonly countedBy?: string;
  readonly variance?: string;
  readonly from: string;
  readonly until?: string;
  readonly reason: string;
}

/** `agreements set|end`: what was agreed with a seller about how it bills. */
export function registerAgreements(program: Command, deps: CliDeps): void {
  const agreements = program.command('agreements').description('agreements: how sellers bill');
  withTarget(agreements.command('set'))
    .description('say what was agreed with a seller: a request, which another person approves')
    .argument('<seller>', 'slug or id of the seller')
    .option('--buy <id>', 'only this media buy')
    .option('--order <number>', 'only buys of this insertion order')
    .option('--commission <percent>', 'of the agency; needs --bills')
    .addOption(
      new Option('--bills <how>', 'invoices with the commission, or without it').choices(['gross', 'net']),
    )
    .option('--capped', 'nothing above the order has to be paid')
    .option('--no-capped', 'what is delivered above the order has to be paid')
    .option('--fees <percent>', 'fees up to this part of the media of a document')
    .addOption(
      new Option('--counted-by <who>', 'whose count has to be paid').choices(['seller', 'third_party']),
    )
    .option('--variance <percent>', 'how far two counts may differ')
    .requiredOption('--from <month>', 'first month, YYYY-MM')
    .option('--until <month>', 'last month')
    .requiredOption('--reason <text>', 'where it is written')
    .action(atInstance(deps, set));
  withTarget(agreements.command('end'))
    .description('end an agreement with a month: a request, which another person approves')
    .argument('<agreement>', 'id of the agreement')
    .requiredOption('--until <month>', 'the last month that it holds, YYYY-MM')
    .action(
      atInstance(
        deps,
        ({ instance, options: { until } }: At<TargetOptions & { readonly until: string }>, id: string) =>
          shown(
            instance.post(`/v1/agreements/${encodeURIComponent(id)}/end`, { last_month: until }),
            () => `The agreement ends with ${until}.`,
          ),
      ),
    );
}

function set({ instance, options }: At<SetOptions>, seller: string): Promise<Outcome> {
  const { buy, order, commission, bills, capped, fees, countedBy, variance, from, until, reason } = options;
  const said = { commission, bills, capped, fees, variance, counted_by: countedBy, last_month: until };
  return shown(
    instance.post('/v1/agreements', {
      ...{ seller, first_month: from, reason },
      ...defined({ media_buy_id: buy, insertion_order: order, ...said }),
    }),
    () => 'The agreement is set.',
  );
}
