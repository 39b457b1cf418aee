import { sortKeyOf, type Filter, type Kind, type List, type ListReader } from '@switchyard/store';
import { reachOf, type Reach } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { shownRow, viewSchema, type ViewOf, type Views } from './declared-view.js';
import { organizationWide, timeQuery, uuidText } from './list-filters.js';
import { listPage, nextCursor, pageQuery } from './list-page.js';
import type { ListCommand } from './declared-list.js';
import type { CheckedRequest, ReadableArea, Route } from './route.js';

/** What the routes of a declared list need. */
export interface ListDeps {
  readonly lists: ListReader;
}

/** Reads the value of a query, or of the path, as the id that the list compares with; refuses one that names nothing. */
type ReadId<Deps> = (
  deps: Deps,
  caller: PrincipalCaller,
  text: string,
) => Promise<Result<string, AdminFailure>>;

interface Resource<L extends List, V extends Views, Deps> {
  /** In the singular, as one word: the name of its schema. */
  readonly noun: string;
  /** In the plural: of its path, its command and the member of the answer. */
  readonly plural: string;
  /** Where the path is not `/v1/{plural}`. */
  readonly path?: string;
  /** Where the id of the route is not `list_{plural}`. */
  readonly id?: string;
  /** Of a list with a `parent`: reads the last parameter of the path. */
  readonly parent?: ReadId<Deps>;
  /** Reads the values of filters that name an object. */
  readonly read?: Readonly<Record<string, ReadId<Deps>>>;
  /** Who may read it: the permission `{area}.read`. */
  readonly area: ReadableArea;
  readonly summary: string;
  readonly example: z.output<ViewOf<L, V>>;
  /** Schemas of members of JSON. */
  readonly views?: V;
  /** Schemas of filters that are narrower than what their kind says. */
  readonly query?: Readonly<Record<string, z.ZodType<string>>>;
  /** Rows of a page unless the query says it; 100 unless set. */
  readonly usual?: number;
  /** A route for one row. */
  readonly show?: { readonly summary: string; readonly missing: AdminFailure };
  /** Its group is `plural` unless set. Without it, the command is written by hand. */
  readonly command?: Omit<ListCommand, 'group'> & Partial<Pick<ListCommand, 'group'>>;
}

interface Declared<L extends List, V extends Views, Deps> {
  /** The schema of a row. */
  readonly view: ViewOf<L, V>;
  readonly example: z.output<ViewOf<L, V>>;
  readonly routes: readonly Route<Deps & ListDeps>[];
}

/**
 * The routes of a declared list: `GET /v1/{plural}`, with every order as `sort` and every filter as a member of the query,
 * and with `show` also `GET /v1/{plural}/{id}`.
 */
export function resource<
  const L extends List,
  const V extends Views = Readonly<Record<string, never>>,
  Deps = unknown,
>(list: L, spec: Resource<L, V, Deps>): Declared<L, V, Deps> {
  const view = viewSchema(spec.noun, list, spec.views);
  const show = spec.show && showRoute(list, spec, view, spec.show);
  return {
    view,
    example: spec.example,
    routes: [listRoute(list, spec, view), ...(show ? [show as Route<Deps & ListDeps>] : [])],
  };
}

type Plain<Deps = unknown> = Omit<Resource<List, Views, Deps>, 'example'> & { readonly example: unknown };

/** The members of a query that has passed its schema. */
interface Asked {
  readonly cursor?: string;
  readonly limit?: number;
  readonly sort?: string;
  readonly since?: number;
  readonly until?: number;
  readonly [filter: string]: string | number | undefined;
}

function listRoute<Deps>(list: List, spec: Plain<Deps>, view: z.ZodType): Route<Deps & ListDeps> {
  const { noun, plural, area, summary, example, usual, command } = spec;
  const { id = `list_${plural}`, path = `/v1/${plural}` } = spec;
  return {
    method: 'get',
    path,
    id,
    summary,
    needs: `${area}.read`,
    query: z.strictObject({ ...filterQuery(list, spec.query ?? {}), ...orderQuery(list), ...pageQuery }),
    answer: z.strictObject({ [plural]: z.array(view), next_cursor: nextCursor }),
    example: { [plural]: [example] },
    declared: { noun, rows: plural, list, ...(command && { command: { group: plural, ...command } }) },
    handle: async (deps, request) => {
      const asker = askerOf(list, area, request);
      if (!asker.ok) return asker;
      const { caller, reach } = asker.value;
      const parent = await parentOf(deps, spec, caller, request);
      if (!parent.ok) return parent;
      const query = request.query as Asked;
      const filters = await filtersOf(deps, spec, caller, query);
      if (!filters.ok) return filters;
      const { sort, since, until } = query;
      const wanted = { reach, asker: caller.principalId, parent: parent.value };
      const page = await listPage(
        {
          id: parent.value === undefined ? id : `${id} ${parent.value}`,
          caller,
          query: { ...(usual !== undefined && { limit: usual }), ...query },
        },
        (part) =>
          deps.lists.page(caller, list, { ...wanted, sort, since, until, filters: filters.value, ...part }),
        (row) => sortKeyOf(list, sort, row),
      );
      if (!page.ok) return page;
      return ok({ [plural]: page.value.rows.map((row) => shownRow(list, row)), ...page.value.next });
    },
  };
}

/** The id of the object whose rows are listed: the last parameter of the path, as the noun reads it. */
async function parentOf<Deps>(
  deps: Deps,
  { parent }: Plain<Deps>,
  caller: PrincipalCaller,
  { params }: CheckedRequest,
): Promise<Result<string | undefined, AdminFailure>> {
  return parent === undefined ? ok(undefined) : parent(deps, caller, Object.values(params).at(-1) ?? '');
}

async function filtersOf<Deps>(
  deps: Deps,
  { read = {} }: Plain<Deps>,
  caller: PrincipalCaller,
  query: Asked,
): Promise<Result<Readonly<Record<string, string>>, AdminFailure>> {
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string' || notFilters.has(name)) continue;
    const found = read[name] === undefined ? ok(value) : await read[name](deps, caller, value);
    if (!found.ok) return found;
    filters[name] = found.value;
  }
  return ok(filters);
}

const notFilters = new Set(['cursor', 'sort']);

function showRoute(
  list: List,
  { noun, plural, area, example }: Pick<Plain, 'noun' | 'plural' | 'area' | 'example'>,
  view: z.ZodType,
  { summary, missing }: NonNullable<Plain['show']>,
): Route<ListDeps> {
  return {
    method: 'get',
    path: `/v1/${plural}/{id}`,
    id: `show_${noun}`,
    summary,
    needs: `${area}.read`,
    answer: view,
    example,
    handle: async ({ lists }, request) => {
      const asker = askerOf(list, area, request);
      if (!asker.ok) return asker;
      const { caller, reach } = asker.value;
      const { principalId } = caller;
      const row = await lists.one(caller, list, reach, request.params['id'] ?? '', principalId);
      return row === undefined ? err(missing) : ok(shownRow(list, row));
    },
  };
}

/** The caller and its reach, or the refusal of one that may see a part of the organization only. */
function askerOf(
  list: List,
  area: ReadableArea,
  { caller }: CheckedRequest,
): Result<{ readonly caller: PrincipalCaller; readonly reach: Reach }, AdminFailure> {
  if (caller === 'local') throw new TypeError('A declared list is read by principals.');
  const refused = list.reach === 'organization' ? organizationWide(caller, area, 'read') : undefined;
  return refused === undefined ? ok({ caller, reach: reachOf(caller, area, 'read') }) : err(refused);
}

/** The filters and the bounds of time of a list. */
function filterQuery(
  { fields, filters = {}, time }: List,
  narrower: Readonly<Record<string, z.ZodType<string>>>,
): Record<string, z.ZodType> {
  const compared = Object.entries(fields).flatMap(([name, { filter, kind }]) =>
    filter === undefined ? [] : [[name, { kind, describe: undefined }] as const],
  );
  const members = [...compared, ...Object.entries(filters)].map(([name, { kind, describe }]) => {
    const schema = z.exactOptional(narrower[name] ?? filterSchema(kind));
    return [name, describe === undefined ? schema : schema.describe(describe)] as const;
  });
  return { ...Object.fromEntries(members), ...(time === undefined ? {} : timeQuery) };
}

function filterSchema(kind: Kind | Filter['kind']): z.ZodType<string> {
  if (typeof kind !== 'string') return z.enum(kind);
  if (kind === 'id') return uuidText;
  return kind === 'flag' ? z.enum(['true', 'false']) : z.string().min(1).max(255);
}

function orderQuery({ orders }: List): Record<string, z.ZodType> {
  const [first, ...others] = Object.keys(orders);
  if (first === undefined || others.length === 0) return {};
  const usual = first === 'newest' || first === 'oldest' ? `${first} first` : `By ${first}`;
  return {
    sort: z
      .enum([first, ...others])
      .exactOptional()
      .describe(`${usual} unless set.`),
  };
}
