import type { Command } from 'commander';
import { isJsonObject, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import type { Outcome } from '../outcome.js';
import { queryOf } from '../query-of.js';
import { table } from '../table.js';
import { atInstance, withTarget, type At } from '../target.js';

/** `search TEXT`: objects with this id, or with a name that begins so. */
export function registerSearch(program: Command, deps: CliDeps): void {
  withTarget(program.command('search'))
    .description('find objects by id, or by the beginning of a name')
    .argument('<text>', 'an id from any answer, or the beginning of a name')
    .action(atInstance(deps, search));
}

async function search({ deps, instance }: At, text: string): Promise<Outcome> {
  const answer = await instance.get(`/v1/search${queryOf({ q: text })}`);
  if (!answer.ok) return answer;
  const results = objectsIn(answer.value['results']);
  const nameOf = (value: unknown): unknown => (isJsonObject(value) ? value['name'] : undefined);
  const rows = results.map((one) => [
    one['kind'],
    one['id'],
    one['name'],
    one['matched'],
    nameOf(one['client']),
    one['brand'],
    nameOf(one['campaign']),
  ]);
  const head = ['Kind', 'Id', 'Name', 'Found by', 'Client', 'Brand', 'Campaign'];
  return ok({ json: results, text: rows.length === 0 ? 'Nothing was found.' : table(deps, head, rows) });
}
