import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listReader, openStore, type ListReader, type TenantClient } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import type { Route } from '../platform/routes/route.js';
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

/** How a row of each declared list is made; three rows share an instant. */
const fixtures: Readonly<Record<string, (client: TenantClient, row: Row) => Promise<unknown>>> = {
  list_alarms: (client, { organizationId, id, at, number }) =>
    client.query(
      `insert into alarm (organization_id, id, kind, subject, detail, first_at, last_at, acknowledged_at)
       values ($1, $2, $3, $4, '{"seller": "acme"}', $5, $5, $6)`,
      [
        ...[organizationId, id, number % 2 === 0 ? 'keyids_surge' : 'jwks_uri_changed', `alarm ${number}`],
        ...[at, number % 3 === 0 ? at : null],
      ],
    ),
  list_signers: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into principal_signer (organization_id, id, created_at, principal_id, agent_url, jwks, agent_protocol, dialect, allows_rsa_pss)
       values ($1, $2, $3, $4, 'https://a.example', $5, $6, 'ads', false)`,
      [
        ...[organizationId, id, at, principalId],
        ...(number % 2 === 0 ? ['{"keys": [{"kid": "one"}]}', null] : [null, 'mcp']),
      ],
    ),
  list_clients: (client, { organizationId, id, at, number }) =>
    client.query(
      `insert into client (organization_id, id, created_at, updated_at, name, status)
       values ($1, $2, $3, $3, $4, $5)`,
      [organizationId, id, at, `client ${number}`, number % 2 === 0 ? 'active' : 'archived'],
    ),
  list_brands: (client, { organizationId, id, at, number }) =>
    client.query(
      `insert into brand (organization_id, id, client_id, domain, brand_id, name, created_at, updated_at)
       values ($1, $2, (select id from client order by id limit 1), $4, $5, 'Nova', $3, $3)`,
      [organizationId, id, at, `b${number % 4}.example`, number < 4 ? '' : String(number)],
    ),
  list_cases: (client, { organizationId, id, at, number }) =>
    client.query(
      `insert into governance_case (organization_id, id, kind, subject, connection_id, owner, event_id, state, reason,
         deadline, created_at, updated_at)
       values ($1, $2, 'rights_revoked', $3, $2, $4, $2, $5, 'A test.', $6, $6, $6)`,
      [
        ...[organizationId, id, `grant ${number}`, number % 2 === 0 ? 'voices' : 'faces'],
        ...[number % 3 === 0 ? 'done' : 'open', at],
      ],
    ),
  list_declarations: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `with seller as (
         insert into connection (organization_id, id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds, state, created_at, updated_at)
         values ($1, $2, $3, 'A seller', 'https://seller.example', 'mcp', 'adcp', 'auto', '3.1', '{}', 'live', $4, $4))
       insert into account_declaration (organization_id, id, connection_id, state, account, preview, made_by, made_at)
       values ($1, $2, $2, $5, '{"brand_domain": "nova.example", "operator": "a.example", "billing": "agent"}',
         '{"effect": "created", "status": "active", "is_trial": true, "errors": [], "warnings": []}', $6, $4)`,
      [
        ...[organizationId, id, `seller-${number}`, at],
        ...[number % 2 === 0 ? 'waiting' : 'withdrawn', principalId],
      ],
    ),
  list_invoices: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into invoice (organization_id, id, connection_id, seller, number, period, issued_on, currency, total_micros,
         file_name, original_hash, imported_by, imported_at, entry_id)
       values ($1, $2, $2, $3, $4, '2026-11', '2026-11-30', 'EUR', 5000000, 'a.csv', '', $5, $6, $2)`,
      [organizationId, id, number % 2 === 0 ? 'harbor' : 'acme', `I-${number}`, principalId, at],
    ),
  list_disputes: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into dispute (organization_id, id, number, connection_id, seller, invoice_id, period, hold_key, currency,
         amount_micros, reason, due_on, state, opened_by, opened_at, entry_id)
       values ($1, $2, $3::int + 1, $2, 'harbor', (select id from invoice where number = 'I-' || $3::int), '2026-11',
         $2::uuid::text, 'EUR', 1000000, 'A test.', '2026-12-30', $4, $5, $6, $2)`,
      [organizationId, id, number, number % 2 === 0 ? 'open' : 'closed', principalId, at],
    ),
  list_endpoints: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into notice_endpoint (organization_id, id, created_at, name, channel, origin, credential_id, state, created_by)
       values ($1, $2, $3, $4, $5, 'https://hooks.example', $2, $6, $7)`,
      [
        ...[organizationId, id, at, `endpoint ${number}`, number % 2 === 0 ? 'slack' : 'webhook'],
        ...[number % 3 === 0 ? 'paused' : 'active', principalId],
      ],
    ),
  list_billing: async (client, { organizationId, principalId, id, at, number }) => {
    const entityId = '11111111-1111-4111-8111-111111111111';
    await client.query(
      `insert into legal_entity (organization_id, id, name, address, tax_id, series, currency, set_by, set_at)
       values ($1, $2, 'A', '{}', 'X', 'A-', 'EUR', $3, now()) on conflict do nothing`,
      [organizationId, entityId, principalId],
    );
    return client.query(
      `insert into client_invoice (organization_id, id, entity_id, client_id, run_id, kind, state, period, currency,
         net_micros, tax_micros, gross_micros, checks, issued_before, made_by, made_at)
       values ($1, $2, $3, (select id from client order by id limit 1), $2, $4, 'draft', '2026-11', 'EUR', 1, 0, 1, '[]',
         0, $5, $6)`,
      [...[organizationId, id, entityId, number % 3 === 0 ? 'credit_note' : 'invoice'], ...[principalId, at]],
    );
  },
  list_notes: async (client, { organizationId, principalId, id, at, number }) => {
    const campaignId = '33333333-3333-4333-8333-333333333333';
    await client.query(
      `insert into campaign (id, organization_id, client_id, brand_domain, name, currency, starts_on, ends_on, created_at,
         updated_at)
       values ($1, $2, $1, 'nova.example', 'C', 'USD', '2026-11-01', '2026-11-30', now(), now()) on conflict do nothing`,
      [campaignId, organizationId],
    );
    return client.query(
      `insert into campaign_note (organization_id, id, campaign_id, text, written_by, created_at, changed_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[organizationId, id, campaignId, `note ${number}`, principalId, at],
        ...[number % 3 === 0 ? at : null],
      ],
    );
  },
  list_payments: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into payment_run (organization_id, id, number, due_until, pay_on, state, held, proposed_by, proposed_at)
       values ($1, $2, $3, '2026-12-01', '2026-12-01', 'proposed', '[]', $4, $5)`,
      [organizationId, id, number + 1, principalId, at],
    ),
  list_plans: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into buy_plan (organization_id, id, created_at, updated_at, name, brand_domain, campaign_id, shared, content,
         totals, lines, version, media_buy_id, made_by, changed_by)
       values ($1, $2, $3, $3, $4, 'nova.example', $5, true, '{}', '{}', 0, 1, $6, $7, $7)`,
      [
        ...[organizationId, id, at, `plan ${number}`, number % 2 === 0 ? id : null],
        ...[number % 3 === 0 ? `mb_${number}` : null, principalId],
      ],
    ),
  list_teams: (client, { organizationId, id, at, number }) =>
    client.query('insert into team (organization_id, id, created_at, name) values ($1, $2, $3, $4)', [
      ...[organizationId, id, at, `team ${number}`],
    ]),
  list_orders: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into insertion_order (organization_id, id, media_buy_id, seller_buy_id, seller, serial, version, title,
         document, digest, changes, made_by, made_at)
       values ($1, $2, 'mb_1', $2, $3, $4, 1, 'Insertion order', '{"currency":"EUR","total":"2.5"}', repeat('0', 64), '{}', $5, $6)`,
      [organizationId, id, `s${number % 3}`, number, principalId, at],
    ),
  list_agreements: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into agreement (organization_id, id, seller, commission_hundredths, bills, is_capped, first_month, set_by, set_at)
       values ($1, $2, $3, 1500, 'net', true, '2026-11', $4, $5)`,
      [organizationId, id, `s${number % 3}`, principalId, at],
    ),
  list_tolerances: (client, { organizationId, principalId, id, at, number }) =>
    client.query(
      `insert into tolerance (organization_id, id, set_at, seller, client, absolute_micros, percent_hundredths, set_by)
       values ($1, $2, $3, $4, $5, 1500000, 125, $6)`,
      [organizationId, id, at, `s${number}`, number % 2 === 0 ? '' : randomUUID(), principalId],
    ),
};

const declared = adminRoutes.filter(
  (row) => row.declared !== undefined && 'cursor' in (row.query?.shape ?? {}),
);
const call = callRoutes(declared as unknown as readonly Route<{ lists: ListReader }>[], {
  lists: listReader(store),
});
const made = 11;
let ours: PrincipalCaller;
let theirs: PrincipalCaller;

beforeAll(async () => {
  const caller = async (): Promise<PrincipalCaller> => {
    const { id } = await createOrganization(store);
    return principalCaller(await createPrincipal(store, id, { permissions: allPermissions }));
  };
  [ours, theirs] = [await caller(), await caller()];
  for (const { organizationId, principalId } of [ours, theirs])
    await store.inTenant({ organizationId }, async (client) => {
      for (const add of Object.values(fixtures))
        for (let number = 0; number < made; number += 1) {
          const at = new Date(Date.UTC(2026, 10, 1 + Math.floor(number / 3)));
          await add(client, { organizationId, principalId, id: randomUUID(), at, number });
        }
    });
});

it('every declared list has rows to be tried with', () => {
  expect(declared.map(({ id }) => id).sort()).toEqual(Object.keys(fixtures).sort());
});

it('no two declared lists name their rows alike: one schema would replace the other in /openapi.json', () => {
  const nouns = declared.map(({ declared: one }) => one?.noun);
  expect(new Set(nouns).size).toBe(nouns.length);
});

describe.each(declared.map((row) => [row.id, row] as const))('%s', (route, row) => {
  const { list, rows: member } = row.declared!;
  const rowsOf = async (query: Readonly<Record<string, string>>, caller = ours) => {
    const rows: Readonly<Record<string, unknown>>[] = [];
    let cursor: string | undefined;
    do {
      const page = must(
        await call(caller, route, {
          query: { limit: '3', ...query, ...(cursor !== undefined && { cursor }) },
        }),
      );
      rows.push(...(page[member] as typeof rows));
      cursor = page['next_cursor'] as string | undefined;
    } while (cursor !== undefined);
    return rows;
  };
  const idsOf = async (query: Readonly<Record<string, string>>, caller = ours) =>
    (await rowsOf(query, caller)).map((one) => String(one[list.id]));
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

  it('takes no cursor of another order', async () => {
    if (sorts.length < 2) return;
    const page = must(await call(ours, route, { query: { limit: '3' } }));
    const query = { limit: '3', sort: sorts[1]!, cursor: page['next_cursor'] as string };
    expect(await call(ours, route, { query })).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'cursor' },
    });
  });
});
