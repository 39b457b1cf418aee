import type { Command } from 'commander';
import { isJsonObject } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { Outcome } from '../outcome.js';
import { everyPage, listed } from '../pages.js';
import { atInstance, withTarget, type At } from '../target.js';

/** `search TEXT`: objects with this id, or with a name that begins so. */
export function registerSearch(program: Command, deps: CliDeps): void {
  withTarget(program.command('search'))
    .description('find objects by id, or by the beginning of a name')
    .argument('<text>', 'an id from any answer, or the beginning of a name')
    .action(atInstance(deps, search));
}

function search(at: At, text: string): Promise<Outcome> {
  const nameOf = (value: unknown): unknown => (isJsonObject(value) ? value['name'] : undefined);
  return listed(everyPage(at), {
    path: '/v1/search',
    name: 'results',
    query: { q: text },
    columns: {
      Kind: 'kind',
      Id: 'id',
      Name: 'name',
      'Found by': 'matched',
      Client: (row) => nameOf(row['client']),
      Brand: 'brand',
      Campaign: (row) => nameOf(row['campaign']),
    },
    none: 'Nothing was found.',
  });
}
