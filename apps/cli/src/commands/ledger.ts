import type { Command } from 'commander';
import { isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

/** `ledger spend`, `ledger entries`, `ledger export`, `ledger verify`. */
export function registerLedger(program: Command, deps: CliDeps): void {
  const ledger = program.command('ledger').description('what was spent, and whether the books hold');
  withTarget(ledger.command('spend'))
    .description('spend by seller and currency')
    .action(async (options: TargetOptions) => finish(deps, options, await spend(deps, options)));
  withTarget(ledger.command('entries'))
    .description('what the chain holds of one media buy: bought, changed, canceled, delivered')
    .argument('<media-buy>', 'id of a media buy')
    .action(async (id: string, options: TargetOptions) =>
      finish(deps, options, await entries(deps, id, options)),
    );
  withTarget(ledger.command('export'))
    .description('print the whole chain as one document that verifies by itself')
    .action(async (options: TargetOptions) => finish(deps, options, await exported(deps, options)));
  withTarget(ledger.command('verify'))
    .description(
      'recompute the chain and its sums since the last checkpoint, or of an export without any server',
    )
    .option('--from-start', 'read everything from the first entry, and not from the last checkpoint')
    .argument('[file]', 'an export (- for standard input); without it the instance is asked')
    .action(async (file: string | undefined, options: TargetOptions & { fromStart?: boolean }) =>
      finish(deps, options, await (file === undefined ? verify(deps, options) : verifyThat(deps, file))),
    );
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

function entries(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get(`/v1/ledger/entries/${encodeURIComponent(id)}`);
    if (!answer.ok) return answer;
    const found = objectsIn(answer.value['entries']);
    const rows = found.map((one) => {
      const facts = isJsonObject(one['facts']) ? one['facts'] : {};
      const spend = objectsIn(one['postings']).find(({ account }) => account === 'media_spend');
      return [
        one['occurred_at'],
        one['kind'],
        one['seller'],
        facts['action'],
        spend?.['amount'],
        one['entry_id'],
      ];
    });
    const head = ['Occurred', 'Kind', 'Seller', 'Action', 'Spend', 'Entry'];
    return ok({ json: found, text: rows.length === 0 ? 'There are no entries.' : table(deps, head, rows) });
  });
}

function exported(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get('/v1/ledger/export');
    return answer.ok ? ok({ json: answer.value, text: JSON.stringify(answer.value) }) : answer;
  });
}

async function verifyThat(deps: CliDeps, file: string): Promise<Outcome> {
  // The verifier is loaded for this command alone: the others answer at once.
  const { verifyLedgerFile } = await import('../verify-ledger-file.js');
  return verifyLedgerFile(deps, file);
}

function verify(deps: CliDeps, options: TargetOptions & { readonly fromStart?: boolean }): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get(
      `/v1/ledger/verify${options.fromStart === true ? '?from_start=true' : ''}`,
    );
    if (!answer.ok) return answer;
    const { ok: holds, entries, head, since } = answer.value;
    if (holds === true) {
      const text = `The ledger is intact: ${cell(entries)} entries, head ${cell(head)}.`;
      if (!isJsonObject(since)) return ok({ json: { ok: holds, entries, head }, text });
      const { entries: before, whole_at: wholeAt } = since;
      const where = `Read from entry ${Number(before) + 1} on; everything was last read at ${cell(wholeAt)} (--from-start).`;
      return ok({ json: { ok: holds, entries, head, since }, text: `${text}\n${where}` });
    }
    const reason = cell(answer.value['reason']) || 'no reason given';
    const failed = `The ledger is not intact: ${reason}`;
    return ok({ json: answer.value, text: problemsIn(answer.value), failed });
  });
}

/** Every problem that the server names, each on a line of its own with its place, and how many more there are. */
function problemsIn({ problems, problem_total: total }: JsonObject): string {
  const named = Array.isArray(problems) ? problems.filter(isJsonObject) : [];
  const lines = named.map(({ code, message, at }) => `${cell(code)} at ${cell(at)}: ${cell(message)}`);
  const more = typeof total === 'number' ? total - named.length : 0;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
