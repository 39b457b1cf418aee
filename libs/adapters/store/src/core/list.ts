import type { LimitedReach, Reach, TenantScope } from '@switchyard/tenancy';
import { defined, isUuid, type Clock, type PageRead, type SortKey } from '@switchyard/values';
import { given, listStatement, within, type KeyColumn, type Part } from './list-statement.js';
import type { Store } from './open-store.js';
import type { Statement } from './tenant-client.js';

/**
 * What a member holds: an id or other text, an instant (timestamptz), an amount in micros (numeric or bigint), a percent
 * in hundredths, a number, true or false, JSON, or one word of a list.
 */
export type Kind =
  | 'id'
  | 'text'
  | 'instant'
  | 'micros'
  | 'hundredths'
  | 'count'
  | 'flag'
  | 'json'
  | readonly [string, ...string[]];

/** A member of the rows of a list. */
export interface Field {
  /** An expression over the tables of `from`; `:now` in it is the instant of the request. */
  readonly sql: string;
  readonly kind: Kind;
  /** How NULL and empty text are shown: the member is left out, or is null. Without it, there is always a value. */
  readonly none?: 'absent' | 'null';
  readonly describe?: string;
  /** `eq`: a query may ask for the rows where it has one value. */
  readonly filter?: 'eq';
}

/** A filter that is no comparison with one member. */
export interface Filter {
  readonly kind: 'id' | 'text' | 'flag' | readonly [string, ...string[]];
  readonly describe?: string;
  /** The condition for a value as text. */
  readonly where: (value: string) => Part;
}

/** One declaration of a list: its statements, and what its route, its command and its tests are made of. */
export interface List<
  Fields extends Readonly<Record<string, Field>> = Readonly<Record<string, Field>>,
  Order extends string = string,
> {
  /** The table, with an alias, and its joins. */
  readonly from: string;
  /** The member that names a row; without it, a row is known by the columns of its orders. */
  readonly id?: string & keyof Fields;
  /** The column of the id that rows belong to, where each list is of one object. */
  readonly parent?: string;
  /** Members by the names that callers see. */
  readonly fields: Fields;
  /**
   * Orders by their names; the first is the usual one. An index has each of them, and the last column is unique. A
   * column's direction is part of the cursors that callers hold.
   */
  readonly orders: Readonly<Record<Order, readonly KeyColumn[]>>;
  readonly filters?: Readonly<Record<string, Filter>>;
  /** The column that `since` and `until` bound. */
  readonly time?: string;
  /** Holds for every row of the list. */
  readonly where?: Part;
  /**
   * The rows that a caller with a limited reach is shown; `asker` is its id. `organization`: none; such a caller is
   * refused. Without it, the permission alone decides.
   */
  readonly reach?: 'organization' | ((reach: LimitedReach, asker: string | null) => Part);
  /** Narrows the rows, whatever the reach, to those that this caller is shown. The id of a principal; null: of nobody. */
  readonly shownTo?: (principalId: string | null) => Part;
}

/** Declares a list. */
export function list<const Fields extends Readonly<Record<string, Field>>, const Order extends string>(
  declared: List<Fields, Order>,
): List<Fields, Order> {
  return declared;
}

/** Which rows of a list. */
export interface ListRequest {
  readonly reach: Reach;
  /** Id of the caller, for a list that shows some rows to their owners alone. */
  readonly asker?: string | undefined;
  /** The name of an order; the first unless set. */
  readonly sort?: string | undefined;
  /** Values by the names of filters. */
  readonly filters?: Readonly<Record<string, string | undefined>>;
  /** The id of the object that the rows belong to; for a list that has a `parent`. */
  readonly parent?: string | undefined;
  /** Instants in milliseconds. */
  readonly now?: number;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A row as PostgreSQL returns it, by the names of the list's members. */
export type ListedRow = Readonly<Record<string, unknown>>;

/** Reads declared lists. */
export interface ListReader {
  /** The rows of one page. */
  page(scope: TenantScope, list: List, request: ListRequest & PageRead): Promise<readonly ListedRow[]>;
  /** One row by its id, if it is in reach. */
  one(
    scope: TenantScope,
    list: List,
    reach: Reach,
    id: string,
    asker?: string,
  ): Promise<ListedRow | undefined>;
}

/** The clock is that of the machine unless set. */
export function listReader(store: Store, clock: Pick<Clock, 'now'> = { now: Date.now }): ListReader {
  const read = (
    scope: TenantScope,
    list: List,
    request: ListRequest & PageRead,
  ): Promise<readonly ListedRow[]> =>
    store.inTenant(
      scope,
      async (client) => (await client.query(pageStatement(list, { now: clock.now(), ...request }))).rows,
    );
  return {
    page: read,
    one: async (scope, declared, reach, id, asker) => {
      const { sql, kind } = fieldNamed(declared, declared.id ?? '');
      if (kind === 'id' && !isUuid(id)) return undefined;
      const all = { ...declared, where: both(declared.where, [`${sql} = ?`, id]) };
      return (await read(scope, all, { reach, asker, limit: 1 }))[0];
    },
  };
}

/** The statement of one page. */
export function pageStatement(declared: List, request: ListRequest & PageRead): Statement {
  const { from, fields, filters, time, where, reach, shownTo, parent } = declared;
  const { after, limit, asker = null } = request;
  const wanted = Object.entries(request.filters ?? {}).map(([name, value]): Part | undefined => {
    const filter = filters?.[name];
    if (value === undefined || filter === undefined)
      return given(`${fieldNamed(declared, name).sql} = ?`, value);
    return filter.where(value);
  });
  const bounds = defined({ since: request.since, until: request.until });
  const shown = Object.entries(fields).map(([name, { sql }]) => `${sql} as "${name}"`);
  const keys = keyPlaces(declared, request.sort).flatMap(({ member, column }) =>
    member.startsWith('key_') ? [`${column.column} as ${member}`] : [],
  );
  const statement = listStatement(
    {
      columns: [...shown, ...keys].join(', '),
      from,
      where: [
        parent === undefined ? undefined : [`${parent} = ?`, request.parent],
        where,
        shownTo?.(asker),
        request.reach.kind === 'limited' && typeof reach === 'function'
          ? reach(request.reach, asker)
          : undefined,
        ...wanted,
        ...(time === undefined ? [] : within(time, bounds)),
      ],
      order: orderNamed(declared, request.sort),
    },
    { limit, ...(after && { after }) },
  );
  return atInstant(statement, request.now);
}

/** The statement with the instant of the request as its last value, if it names `:now`. */
function atInstant(statement: Statement, now = 0): Statement {
  const { text, values = [] } = statement;
  if (!text.includes(':now')) return statement;
  const place = `$${String(values.length + 1)}::timestamptz`;
  return { ...statement, text: text.replaceAll(':now', place), values: [...values, new Date(now)] };
}

/** The sort key of a row, for the cursor of the next page. */
export function sortKeyOf(declared: List, sort: string | undefined, row: ListedRow): SortKey {
  return keyPlaces(declared, sort).map(({ member }) => {
    const value = row[member];
    if (value instanceof Date) return value.getTime();
    return typeof value === 'number' ? value : String(value);
  });
}

/** Where the columns of an order are in a row: in the member with that expression, or in a column of their own. */
function keyPlaces(declared: List, sort: string | undefined) {
  return orderNamed(declared, sort).map((column, at) => {
    const member = Object.entries(declared.fields).find(([, { sql }]) => sql === column.column)?.[0];
    return { column, member: member ?? `key_${String(at)}` };
  });
}

function orderNamed({ orders }: List, sort: string | undefined): readonly KeyColumn[] {
  const order = sort === undefined ? Object.values(orders)[0] : orders[sort];
  if (order === undefined) throw new TypeError('There is no such order.');
  return order;
}

function fieldNamed({ fields }: List, name: string): Field {
  const field = fields[name];
  if (field === undefined) throw new TypeError(`The list has no member ${name}.`);
  return field;
}

function both(one: Part | undefined, [text, ...values]: Part): Part {
  if (one === undefined) return [text, ...values];
  const [first, ...others] = one;
  return [`(${first}) and ${text}`, ...others, ...values];
}

/**
 * Every statement that a list can send, but for combinations of filters: each order from its beginning and after a key, for
 * both kinds of reach, with no filter, with each, and with all.
 */
export function statementsOf(declared: List): readonly Statement[] {
  const { fields, filters = {}, orders, time, parent } = declared;
  const named = [
    ...Object.entries(fields).filter(([, { filter }]) => filter !== undefined),
    ...Object.entries(filters),
  ].map(([name, { kind }]) => [name, sampleOf(kind)] as const);
  const of = parent === undefined ? {} : { parent: sampleId };
  const requests: readonly Omit<ListRequest, 'reach'>[] = [
    {},
    ...named.map(([name, value]) => ({ filters: { [name]: value } })),
    { filters: Object.fromEntries(named), ...(time === undefined ? {} : { since: 1, until: 2 }) },
  ];
  return Object.entries(orders).flatMap(([sort, order]) =>
    requests.flatMap((request) =>
      reaches.flatMap((reach) =>
        [undefined, order.map(({ type }) => sampleKeys[type])].map((after) =>
          pageStatement(declared, { ...request, ...of, sort, reach, limit: 100, ...(after && { after }) }),
        ),
      ),
    ),
  );
}

const sampleId = '00000000-0000-4000-8000-000000000001';
const sampleKeys = { timestamptz: 1, uuid: sampleId, text: 'a', int: 1 } as const;
const reaches = [
  { kind: 'everything' },
  {
    kind: 'limited',
    principalId: sampleId,
    clientIds: [sampleId],
    brandDomains: ['a.example'],
    campaignIds: [sampleId],
  },
] as const;

function sampleOf(kind: Kind): string {
  if (typeof kind !== 'string') return kind[0];
  return kind === 'id' ? sampleId : kind === 'flag' ? 'true' : 'a';
}
