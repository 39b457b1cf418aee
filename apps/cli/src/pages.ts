import type { Command } from 'commander';
import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { InstanceClient } from './instance-client.js';
import { objectsIn } from './objects-in.js';
import type { CliFailure, Outcome, Shown } from './outcome.js';
import { queryOf } from './query-of.js';
import { table } from './table.js';
import type { At, TargetOptions } from './target.js';

/** The options of every command that prints a list in pages. */
export interface PageOptions extends TargetOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** Options of a list whose objects belong to operations. */
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
    .option('--limit <count>', 'rows per page')
    .option('--cursor <cursor>', 'cursor of the next page, from the output of the page before')
    .option('--all', 'every page, one after another');
}

export function withObjects(command: Command): Command {
  return withTimes(command)
    .option('--operation <id>', 'only those of this operation')
    .option('--media-buy <id>', 'only those of this media buy')
    .option('--client <id>', 'only those of this client')
    .option('--brand <domain>', 'only those of this brand')
    .option('--campaign <id>', 'only those of this campaign');
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

/** A list of the server and its printed form. */
interface List {
  /** Path of its route, without the query. */
  readonly path: string;
  /** The member of the answer that holds the rows. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** By title: the member of a row that the column shows, or a function that makes it from the row. */
  readonly columns: Readonly<Record<string, string | ((row: JsonObject) => unknown)>>;
  /** Printed if there are no rows; if absent, the empty table. */
  readonly none?: string;
}

/** Prints a list: one page, or all pages with `--all`; with `--json` only the rows. */
export async function listed(
  { deps, instance, options }: At<PageOptions>,
  { path, name, query = {}, columns, none }: List,
): Promise<Outcome> {
  const page = await getPages(instance, { path, name }, query, options);
  if (!page.ok) return page;
  const { rows } = page.value;
  if (rows.length === 0 && none !== undefined) return shownPage(page.value, none);
  const cells = Object.values(columns);
  const shown = rows.map((row) => cells.map((of) => (typeof of === 'string' ? row[of] : of(row))));
  return shownPage(page.value, table(deps, Object.keys(columns), shown));
}

/** For a list whose command always prints all pages. */
export function everyPage(at: At): At<PageOptions> {
  return { ...at, options: { ...at.options, all: true } };
}

interface Page {
  readonly rows: readonly JsonObject[];
  /** How to get the next page; empty on the last page. */
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
    if (!all) return ok({ rows, more: `More rows: add --cursor ${next}, or --all.` });
    cursor = next;
  }
}

/** The output of a list: only the rows with `--json`, and for people how to get the next page. */
export function shownPage({ rows, more }: Page, text: string): Result<Shown, never> {
  return ok({ json: rows, text: more === '' ? text : `${text}\n\n${more}` });
}
