import type { Command } from 'commander';
import { isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At } from '../../target.js';

/** `sellers find INPUT`. */
export function registerFindSellers(sellers: Command, deps: CliDeps): void {
  withTarget(sellers.command('find'))
    .description('find the agents that may sell for a domain; stores nothing')
    .argument('<input>', 'a domain, or the address of an adagents.json, of a brand.json or of an agent')
    .action(atInstance(deps, find));
}

async function find({ deps, instance }: At, input: string): Promise<Outcome> {
  const answer = await instance.post('/v1/sellers/find', { input });
  if (!answer.ok) return answer;
  const { candidates, not_offered: others, advice } = answer.value;
  const found = objectsIn(candidates);
  const parts = [
    ...(found.length === 0 ? [] : [candidateTable(deps, found)]),
    ...objectsIn(others).map(({ agent_url: url, why }) => `Not offered: ${cell(url)}: ${cell(why)}`),
    ...objectsIn(answer.value['documents']).map(
      ({ url, state, why }) => `${cell(url)}: ${cell(state)}${why === undefined ? '' : ` (${cell(why)})`}`,
    ),
    ...(typeof advice === 'string' ? [cell(advice)] : []),
  ];
  return ok({
    json: answer.value,
    text: parts.join('\n'),
    ...(found.length === 0 ? { exit: 4 as const } : {}),
  });
}

/** The agents of a publisher, one row each. */
export function candidateTable(deps: CliDeps, found: readonly JsonObject[]): string {
  const rows = found.map(({ agent_url: url, kinds, agrees, says, problems }) => [
    url,
    Array.isArray(kinds) ? kinds.map(cell).join(', ') : '',
    cell(agrees).replace('_', ' '),
    termsOf(says),
    objectsIn(problems)
      .map(({ why }) => cell(why))
      .join(' '),
  ]);
  return table(deps, ['Agent', 'Kind', 'Confirmed by', 'How it sells', 'Mind'], rows);
}

function termsOf(says: JsonValue | undefined): string {
  const [first] = objectsIn(says);
  if (!isJsonObject(first)) return '';
  const { delegation_type: delegation, exclusive, countries } = first;
  return [
    cell(delegation).replace('_', ' '),
    exclusive === true ? 'exclusive' : '',
    Array.isArray(countries) ? countries.map(cell).join(' ') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
