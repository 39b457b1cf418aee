import type { Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { InstanceClient } from './instance-client.js';
import type { CliDeps } from './deps.js';
import { objectsIn } from './objects-in.js';
import type { CliFailure, Outcome, Shown } from './outcome.js';
import { queryFrom } from './list-query.js';
import { queryOf } from './query-of.js';
import { spokenRelease } from './read-options.js';
import { sellerProgress } from './seller-progress.js';
import { table } from './table.js';
import type { At, TargetOptions } from './target.js';

/** The options of every command that prints a list in pages. */
export interface PageOptions extends TargetOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
}

export function withPages(command: Command): Command {
  return command
    .option('--limit <count>', 'rows per page')
    .option('--cursor <cursor>', 'cursor of the next page, from the output of the page before')
    .option('--all', 'every page, one after another');
}

/** By title: the member of a row that the column shows, or a function that makes it from the row. */
export type Columns = Readonly<Record<string, string | ((row: JsonObject) => unknown)>>;

/** The printed form of a list. */
interface PrintedList {
  /** The member of the answer that holds the rows. */
  readonly name: string;
  readonly columns: Columns;
  /** Printed if there are no rows; if absent, the empty table. */
  readonly none?: string;
  /** True if `--json` without `--all` prints the answer of the server: scripts read its members. */
  readonly isAnswer?: true;
}

/** A list of a route. */
interface List extends PrintedList {
  /** Path of its route, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** A list that a task of the caller answers. */
interface TaskList extends PrintedList {
  readonly task: string;
  readonly args: JsonObject;
}

/**
 * Prints a list: one page, or all pages with `--all`. With `--json` and `--all` every list is an array of its rows; without
 * `--all` most are too.
 */
export async function listed(at: At<PageOptions>, list: List): Promise<Outcome> {
  const page = await getPages(at.instance, list, list.query ?? {}, at.options);
  return page.ok ? printed(at, list, page.value) : page;
}

/** The same for a list that a task answers. */
export async function listedByTask(at: At<PageOptions>, list: TaskList): Promise<Outcome> {
  const { deps, instance, options } = at;
  const { limit } = options;
  const page = await everyPageOf(list.name, options, async (cursor) => {
    const pagination = {
      ...(limit !== undefined && { max_results: Number(limit) }),
      ...(cursor !== undefined && { cursor }),
    };
    const args = {
      adcp_version: spokenRelease,
      ...list.args,
      ...(Object.keys(pagination).length > 0 && { pagination }),
    };
    const answer = await instance.task(list.task, args, sellerProgress(deps));
    return answer.ok ? ok(answer.value.body) : answer;
  });
  return page.ok ? printed(at, list, page.value) : page;
}

function printed(
  { deps, options }: At<PageOptions>,
  { columns, none, isAnswer }: PrintedList,
  page: Page,
): Result<Shown, never> {
  const { rows } = page;
  const shown = isAnswer === true && options.all !== true ? shownAnswer : shownPage;
  if (rows.length === 0 && none !== undefined) return shown(page, none);
  return shown(page, tableOf(deps, columns, rows));
}

/** The rows as a table with these columns. */
export function tableOf(deps: CliDeps, columns: Columns, rows: readonly JsonObject[]): string {
  const cells = Object.values(columns);
  const cellsOf = (row: JsonObject) => cells.map((of) => (typeof of === 'string' ? row[of] : of(row)));
  return table(deps, Object.keys(columns), rows.map(cellsOf));
}

/** Shows the rows of an answer as a table; `none` is printed if there are none. */
export const rowsText =
  (deps: CliDeps, name: string, columns: Columns, none: string) =>
  (answer: JsonObject): string => {
    const rows = objectsIn(answer[name]);
    return rows.length === 0 ? none : tableOf(deps, columns, rows);
  };

/** For a list whose command always prints all pages. */
export function everyPage(at: At): At<PageOptions> {
  return { ...at, options: { ...at.options, all: true } };
}

interface Page {
  readonly rows: readonly JsonObject[];
  /** How to get the next page; empty on the last page. */
  readonly more: string;
  /** The answer that brought the last of the rows. */
  readonly answer: JsonObject;
}

/**
 * Rows of a list: one page, or all of them with `--all`. `name` is the member of the answer that holds them, and `route` the
 * path as the description of the routes has it, where that is another. Options that the query does not name are members
 * of it under their own names.
 */
export async function getPages(
  instance: InstanceClient,
  { path, name, route = path }: { readonly path: string; readonly name: string; readonly route?: string },
  query: Readonly<Record<string, string | undefined>>,
  { limit, ...options }: PageOptions,
): Promise<Result<Page, CliFailure>> {
  const members = { ...queryFrom(options, route), ...defined(query) };
  return everyPageOf(name, options, (cursor) => instance.get(path + queryOf({ ...members, limit, cursor })));
}

/** The same for a list in the answer of a task: its cursors are under `pagination`. */
async function everyPageOf(
  name: string,
  { cursor: first, all = false }: Pick<PageOptions, 'cursor' | 'all'>,
  read: (cursor: string | undefined) => Promise<Result<JsonObject, CliFailure>>,
): Promise<Result<Page, CliFailure>> {
  const rows: JsonObject[] = [];
  let cursor = first;
  for (;;) {
    const found = await read(cursor);
    if (!found.ok) return found;
    const answer = found.value;
    rows.push(...objectsIn(answer[name]));
    const { pagination } = answer;
    const next = isJsonObject(pagination) ? pagination['cursor'] : answer['next_cursor'];
    if (typeof next !== 'string') return ok({ rows, more: '', answer });
    if (!all) return ok({ rows, more: `More rows: add --cursor ${next}, or --all.`, answer });
    cursor = next;
  }
}

/** The output of a list: only the rows with `--json`, and how to get the next page. */
export function shownPage({ rows, more }: Omit<Page, 'answer'>, text: string): Result<Shown, never> {
  return more === '' ? ok({ json: rows, text }) : ok({ json: rows, text: `${text}\n\n${more}`, note: more });
}

/** The same where `--json` prints the whole answer. */
function shownAnswer({ answer, more }: Page, text: string): Result<Shown, never> {
  return ok({ json: answer, text: more === '' ? text : `${text}\n\n${more}` });
}
