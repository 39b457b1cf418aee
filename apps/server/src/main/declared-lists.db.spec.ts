import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  endpointRepository,
  listReader,
  openStore,
  type List,
  type ListReader,
  type TenantClient,
} from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import type { AnyRoute, Route } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { adminRoutes } from './routes.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

interface Row {
  readonly organizationId: string;
  readonly principalId: string;
  readonly id: string;
  readonly at: Date;
  readonly number: number;
}

/** The seller that a row names by its own id. */
const ownSeller = (client: TenantClient, { organizationId, id, at }: Row) =>
  client.query(
    `insert into connection (organization_id, id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds, state, created_at, updated_at)
     values ($1, $2::uuid, 'seller-' || $2::uuid, 'A seller', 'https://seller.example', 'mcp', 'adcp', 'auto', '3.1', '{}', 'live', $3, $3)
     on conflict do nothing`,
    [organizationId, id, at],
  );

/** What a row of a list needs that its declaration and its table do not say. */
interface Fixture {
  /** Where `from` does not begin with it. */
  readonly table?: string;
  /** Columns that no rule of `valueOf` fills, or that a row may leave empty. */
  readonly more?: (row: Row) => Readonly<Record<string, unknown>>;
  /** Rows of other tables that its joins find. */
  readonly first?: (client: TenantClient, row: Row) => Promise<unknown>;
}

const every = (many: number, { number }: Row) => number % many === 0;

const fixtures: Readonly<Record<string, Fixture>> = {
  list_alarms: {
    more: (row) => ({
      kind: every(2, row) ? 'keyids_surge' : 'jwks_uri_changed',
      detail: '{"seller": "acme"}',
      acknowledged_at: every(3, row) ? row.at : null,
    }),
  },
  list_signers: {
    more: (row) => ({
      agent_url: 'https://a.example',
      ...(every(2, row) ? { jwks: '{"keys": [{"kid": "one"}]}' } : { agent_protocol: 'mcp' }),
    }),
  },
  list_brands: {
    more: ({ organizationId, number }) => ({
      client_id: organizationId,
      domain: `b${number % 4}.example`,
      brand_id: number < 4 ? '' : number,
    }),
  },
  list_cases: { more: () => ({ kind: 'rights_revoked', buys: '[]', actions: '[]' }) },
  list_contacts: { first: ownSeller, more: () => ({}) },
  list_declarations: {
    first: ownSeller,
    more: () => ({
      account: '{"brand_domain": "nova.example", "operator": "a.example", "billing": "agent"}',
      preview: '{"effect": "created", "status": "active", "is_trial": true, "errors": [], "warnings": []}',
    }),
  },
  list_disputes: { more: ({ organizationId, id }) => ({ invoice_id: organizationId, hold_key: id }) },
  list_billing: {
    first: (client, { organizationId, principalId }) =>
      client.query(
        `insert into legal_entity (organization_id, id, name, address, tax_id, series, currency, set_by, set_at)
         values ($1, $1, 'A', '{}', 'X', 'A-', 'EUR', $2, now()) on conflict do nothing`,
        [organizationId, principalId],
      ),
    more: ({ organizationId }) => ({
      entity_id: organizationId,
      client_id: organizationId,
      state: 'draft',
      checks: '[]',
    }),
  },
  list_notes: {
    first: (client, { organizationId }) =>
      client.query(
        `insert into campaign (id, organization_id, client_id, brand_domain, name, currency, starts_on, ends_on, created_at,
           updated_at)
         values ($1, $1, $1, 'nova.example', 'C', 'USD', '2026-11-01', '2026-11-30', now(), now()) on conflict do nothing`,
        [organizationId],
      ),
    more: (row) => ({ campaign_id: row.organizationId, changed_at: every(3, row) ? row.at : null }),
  },
  list_plans: {
    more: (row) => ({
      shared: true,
      lines: 0,
      campaign_id: every(2, row) ? row.id : null,
      media_buy_id: every(3, row) ? `mb_${row.number}` : null,
    }),
  },
  list_orders: {
    more: ({ id }) => ({ seller_buy_id: id, version: 1, document: '{"currency":"EUR","total":"2.5"}' }),
  },
  list_endpoint_deliveries: {
    first: (client, { organizationId, id, at }) =>
      client.query(
        `insert into notice (organization_id, id, kind, object_kind, object_id, data, dedupe_key, at)
         values ($1, $2::uuid, 'month.due', 'period', '2026-11', '{}', $2::uuid::text, $3)`,
        [organizationId, id, at],
      ),
    more: ({ organizationId }) => ({ recipient_id: organizationId }),
  },
  list_delegations: { more: () => ({ tasks: ['create_media_buy'] }) },
  list_grants: { more: () => ({ scope_kind: 'organization' }) },
  list_invitations: { more: () => ({ scope_kind: 'organization' }) },
  list_journal_batches: { more: () => ({ file: Buffer.from('a') }) },
  list_refused_signatures: { more: () => ({ steps: '[]' }) },
  list_stops: {
    table: 'emergency_stop',
    more: ({ organizationId, number }) => ({ target: `seller:${number}-${organizationId}` }),
  },
  list_tolerances: {
    more: (row) => ({ seller: `s${row.number}`, client: every(2, row) ? '' : randomUUID() }),
  },
};

/** Rows of these lists come first, because rows of others name them. */
const named: readonly string[] = ['list_clients', 'list_invoices'];
const namedFirst = (a: AnyRoute, b: AnyRoute): number =>
  Number(named.includes(b.id)) - Number(named.includes(a.id));

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly must: boolean;
}

/** Adds a row: what must have a value gets one by its type and name, a word of its list where there is one. */
async function insert(
  client: TenantClient,
  table: string,
  row: Row,
  words: Readonly<Record<string, readonly string[]>>,
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const values = new Map<string, unknown>();
  for (const { name, type, must } of columns.filter((column) => column.table === table)) {
    const word = words[name];
    if (Object.hasOwn(more, name)) values.set(name, more[name]);
    else if (word !== undefined) values.set(name, word[row.number % word.length]);
    else if (must) values.set(name, valueOf(name, type, row));
  }
  const names = [...values.keys()];
  await client.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_name, at) => `$${at + 1}`).join(', ')})`,
    [...values.values()],
  );
}

function valueOf(name: string, type: string, { organizationId, principalId, id, at, number }: Row): unknown {
  if (name === 'organization_id') return organizationId;
  if (type === 'uuid') return name.endsWith('_by') || name === 'principal_id' ? principalId : id;
  if (type.startsWith('timestamp')) return at;
  if (type === 'boolean') return false;
  if (type === 'jsonb') return '{}';
  if (type === 'ARRAY') return [];
  if (type === 'bytea') return Buffer.from(id);
  if (type !== 'text') return number + 1;
  if (name.endsWith('_on')) return '2026-11-30';
  if (/period|month/.test(name)) return '2026-11';
  return name.includes('currency') ? 'EUR' : `${name}_${number}_${organizationId.slice(0, 8)}`;
}

/** The words that columns of a list hold, by their names. */
const wordsOf = ({ fields }: List) =>
  Object.fromEntries(
    Object.values(fields).flatMap(({ sql, kind }) => {
      const column = /^\w+\.(\w+)$/.exec(sql)?.[1];
      return column === undefined || typeof kind === 'string' ? [] : [[column, kind] as const];
    }),
  );

const declared = adminRoutes.filter(
  (row) => row.declared !== undefined && 'cursor' in (row.query?.shape ?? {}),
);
/** What the lists of the rows of one object find it by. */
const finders = { endpoints: endpointRepository(store) };
const call = callRoutes(declared as unknown as readonly Route<{ lists: ListReader }>[], {
  ...{ ...finders, lists: listReader(store) },
});
const made = 11;
let columns: readonly Column[] = [];
let ours: PrincipalCaller;
let theirs: PrincipalCaller;

beforeAll(async () => {
  const caller = async (): Promise<PrincipalCaller> => {
    const { id } = await createOrganization(store);
    return principalCaller(await createPrincipal(store, id, { permissions: allPermissions }));
  };
  [ours, theirs] = [await caller(), await caller()];
  columns = await store.inTenant(ours, async (client) => {
    const { rows } = await client.query<Column>(
      `select table_name as table, column_name as name, data_type as type,
         is_nullable = 'NO' and column_default is null as must
       from information_schema.columns where table_schema = current_schema()`,
      [],
    );
    return rows;
  });
  for (const { organizationId, principalId } of [ours, theirs])
    await store.inTenant({ organizationId }, async (client) => {
      for (const { id: route, declared: one } of declared.toSorted(namedFirst))
        for (let number = 0; number < made; number += 1) {
          const at = new Date(Date.UTC(2026, 10, 1 + Math.floor(number / 3)));
          // The first row has the id of the organization, so that rows of other lists belong to it.
          const id = number === 0 ? organizationId : randomUUID();
          const row = { organizationId, principalId, id, at, number };
          const { first, more, table = /^\w+/.exec(one!.list.from)![0] } = fixtures[route] ?? {};
          await first?.(client, row);
          await insert(client, table, row, wordsOf(one!.list), more?.(row) ?? {});
        }
    });
});

it('no two declared lists name their rows alike: one schema would replace the other in /openapi.json', () => {
  const nouns = declared.map(({ declared: one }) => one?.noun);
  expect(new Set(nouns).size).toBe(nouns.length);
});

describe.each(declared.map((row) => [row.id, row] as const))('%s', (route, row) => {
  const { list, rows: member } = row.declared!;
  const nameOf = (one: Readonly<Record<string, unknown>>) =>
    list.id === undefined ? JSON.stringify(one) : String(one[list.id]);
  const rowsOf = async (query: Readonly<Record<string, string>>, caller = ours) => {
    const rows: Readonly<Record<string, unknown>>[] = [];
    let cursor: string | undefined;
    do {
      const page = must(
        await call(caller, route, {
          // Of a list of the rows of one object: that has the id of the organization.
          params: { id: caller.organizationId },
          query: { limit: '3', ...query, ...(cursor !== undefined && { cursor }) },
        }),
      );
      rows.push(...(page[member] as typeof rows));
      cursor = page['next_cursor'] as string | undefined;
    } while (cursor !== undefined);
    return rows;
  };
  const idsOf = async (query: Readonly<Record<string, string>>, caller = ours) =>
    (await rowsOf(query, caller)).map(nameOf);
  const sorts = Object.keys(list.orders);
  const bySort = (sort: string) => (sorts.length > 1 ? { sort } : {});

  it('shows each row once by pages in every order, the first order by default, and none of another organization', async () => {
    const first = await idsOf({});
    expect(first).toHaveLength(made);
    expect(new Set(first).size).toBe(made);
    expect(await idsOf(bySort(sorts[0]!))).toEqual(first);
    for (const sort of sorts) expect([...(await idsOf(bySort(sort)))].sort()).toEqual([...first].sort());
    if (sorts.includes('newest') && sorts.includes('oldest'))
      expect(await idsOf(bySort('newest'))).toEqual([...(await idsOf(bySort('oldest')))].reverse());
    const others = await idsOf({}, theirs);
    expect(first.filter((id) => others.includes(id))).toEqual([]);
  });

  it('shows by each filter on a member the rows with the value, and no others', async () => {
    const all = await rowsOf({});
    for (const [name] of Object.entries(list.fields).filter(([, { filter }]) => filter !== undefined)) {
      const value = String(all.find((one) => (one[name] ?? null) !== null)![name]);
      expect(await rowsOf({ [name]: value })).toEqual(all.filter((one) => one[name] === value));
    }
  });

  it('refuses who may see a part of the organization, where a row is of all of it', async () => {
    if (list.reach !== 'organization') return;
    const scope = { kind: 'brand', id: 'nova.example' } as const;
    const ofOneBrand = { ...ours, grants: [{ permissions: ours.permissions, scope }] };
    expect(await call(ofOneBrand, route)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
  });

  it('takes no cursor of another order', async () => {
    if (sorts.length < 2) return;
    const page = must(await call(ours, route, { query: { limit: '3' } }));
    const query = { limit: '3', sort: sorts[1]!, cursor: page['next_cursor'] as string };
    expect(await call(ours, route, { query })).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'cursor' },
    });
  });
});
