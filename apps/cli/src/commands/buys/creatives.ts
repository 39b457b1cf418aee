import type { Command } from 'commander';
import { isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { spokenRelease } from '../../read-options.js';

interface ListOptions extends TargetOptions {
  readonly seller?: string;
}

/** The size of a page of the library. */
const pageSize = 100;

/** `creatives list`: the library, and the state of each creative at its sellers. */
export function registerCreatives(program: Command, deps: CliDeps): void {
  const creatives = program.command('creatives').description('the creatives in your library');
  withTarget(creatives.command('list'))
    .description('list the library, with the state of each creative at its sellers')
    .option('--seller <slug>', 'only those that went to this seller')
    .action(atInstance(deps, list));
}

async function list({ deps, instance, options }: At<ListOptions>): Promise<Outcome> {
  const found: JsonObject[] = [];
  let cursor: unknown;
  do {
    const pagination = { max_results: pageSize, ...(typeof cursor === 'string' ? { cursor } : {}) };
    const args = { ads_version: spokenRelease, pagination };
    const answer = await instance.post('/v1/tasks/list_creatives', args);
    if (!answer.ok) return answer;
    found.push(...objectsIn(answer.value['creatives']));
    const page = answer.value['pagination'];
    cursor = isJsonObject(page) ? page['cursor'] : undefined;
  } while (typeof cursor === 'string');
  const { seller } = options;
  const shown = found.filter(
    (creative) => seller === undefined || sellersOf(creative).some((at) => at['seller'] === seller),
  );
  const rows = shown.map((creative) => [
    creative['creative_id'],
    creative['name'],
    creative['status'],
    sellersOf(creative)
      .filter((at) => seller === undefined || at['seller'] === seller)
      .map(wordOf)
      .join(', '),
  ]);
  const text =
    rows.length === 0
      ? 'There are no creatives.'
      : table(deps, ['Creative', 'Name', 'Status', 'At the sellers'], rows);
  return ok({ json: shown, text });
}

function sellersOf(creative: JsonObject): readonly JsonObject[] {
  const { ext } = creative;
  const ours = isJsonObject(ext) ? ext['switchyard'] : undefined;
  return objectsIn(isJsonObject(ours) ? ours['sellers'] : undefined);
}

function wordOf({ seller, status, reason }: JsonObject): string {
  const why = reason === undefined ? '' : ` (${cell(reason)})`;
  return `${cell(seller)} ${cell(status)}${why}`;
}
