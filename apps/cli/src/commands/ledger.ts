import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

/** `ledger spend`, `ledger verify`. */
export function registerLedger(program: Command, deps: CliDeps): void {
  const ledger = program.command('ledger').description('what was spent, and whether the books hold');
  withTarget(ledger.command('spend'))
    .description('spend by seller and currency')
    .action(async (options: TargetOptions) => finish(deps, options, await spend(deps, options)));
  withTarget(ledger.command('verify'))
    .description('recompute the chain and all sums')
    .action(async (options: TargetOptions) => finish(deps, options, await verify(deps, options)));
}

function spend(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get('/v1/ledger/spend');
    if (!answer.ok) return answer;
    const rows = objectsIn(answer.value['spend']);
    const json = rows.map(({ seller, currency, spend: amount }) => ({ seller, currency, spend: amount }));
    const text =
      rows.length === 0
        ? 'Nothing was spent yet.'
        : table(
            deps,
            ['Seller', 'Spend', 'Currency'],
            rows.map((row) => [row['seller'], row['spend'], row['currency']]),
          );
    return ok({ json, text });
  });
}

function verify(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get('/v1/ledger/verify');
    if (!answer.ok) return answer;
    const { ok: holds, entries, head, reason } = answer.value;
    const json = { ok: holds, entries, head, ...(reason === undefined ? {} : { reason }) };
    if (holds === true) {
      return ok({ json, text: `The ledger holds: ${cell(entries)} entries, head ${cell(head)}.` });
    }
    return ok({ json, text: '', failed: `The ledger does not hold: ${cell(reason) || 'no reason given'}` });
  });
}
