import type { Command } from 'commander';
import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { InstanceClient } from './instance-client.js';
import { objectsIn } from './objects-in.js';
import type { CliFailure, Shown } from './outcome.js';
import { queryOf } from './query-of.js';
import type { TargetOptions } from './target.js';

/** The options of every command that prints a list in pages. */
export interface PageOptions extends TargetOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** Options of a list of what belongs to operations. */
export interface ObjectOptions {
  readonly operation?: string;
  readonly mediaBuy?: string;
  readonly client?: string;
  readonly brand?: string;
  readonly campaign?: string;
  readonly since?: string;
  readonly until?: string;
}

export function withPages(command: Command): Command {
  return command
    .option('--limit <count>', 'rows of a page')
    .option('--cursor <cursor>', 'the next page, as the one before names it')
    .option('--all', 'every page, one after another');
}

export function withObjects(command: Command): Command {
  return withTimes(command)
    .option('--operation <id>', 'only what belongs to this operation')
    .option('--media-buy <id>', 'only what belongs to this media buy')
    .option('--client <id>', 'only what belongs to this client')
    .option('--brand <domain>', 'only what belongs to this brand')
    .option('--campaign <id>', 'only what belongs to this campaign');
}

export function withTimes(command: Command): Command {
  return command
    .option('--since <time>', 'from this date or time on')
    .option('--until <time>', 'before this date or time');
}

/** The members of a query that `withObjects` reads. */
export function objectMembers(options: ObjectOptions): Readonly<Record<string, string | undefined>> {
  const { operation, mediaBuy, client, brand, campaign, since, until } = options;
  return {
    operation_id: operation,
    media_buy_id: mediaBuy,
    client_id: client,
    brand,
    campaign_id: campaign,
    since,
    until,
  };
}

interface Page {
  readonly rows: readonly JsonObject[];
  /** How to get what follows; empty on the last page. */
  readonly more: string;
}

/** Rows of a list: one page, or all of them with `--all`. `name` is the member of the answer that holds them. */
export async function getPages(
  instance: InstanceClient,
  { path, name }: { readonly path: string; readonly name: string },
  query: Readonly<Record<string, string | undefined>>,
  { limit, cursor: first, all = false }: PageOptions,
): Promise<Result<Page, CliFailure>> {
  const rows: JsonObject[] = [];
  let cursor = first;
  for (;;) {
    const answer = await instance.get(path + queryOf({ ...query, limit, cursor }));
    if (!answer.ok) return answer;
    rows.push(...objectsIn(answer.value[name]));
    const next = answer.value['next_cursor'];
    if (typeof next !== 'string') return ok({ rows, more: '' });
    if (!all) return ok({ rows, more: `There is more: add --cursor ${next}, or --all.` });
    cursor = next;
  }
}

/** A list as it is printed: the rows alone with `--json`, and for people how to go on. */
export function shownPage({ rows, more }: Page, text: string): Result<Shown, never> {
  return ok({ json: rows, text: more === '' ? text : `${text}\n\n${more}` });
}
