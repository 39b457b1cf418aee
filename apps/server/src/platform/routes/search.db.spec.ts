import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { objectSearch, openStore, type TenantClient } from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore } from '@switchyard/testing';
import { allPermissions, type Grant } from '@switchyard/tenancy';
import { must } from '@switchyard/values';
import { principalCaller } from '../caller/principal-caller.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { searchRoutes } from './search.routes.js';
import { callRoutes } from './testkit/call-route.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const call = callRoutes(searchRoutes, { search: objectSearch(store) });

const brand = 'nova.example';

/** An organization with one object of each kind, and the texts that each is found by. */
async function organization(word: string) {
  const { id: organizationId } = await createOrganization(store);
  const permissions = allPermissions;
  const caller = principalCaller(
    await createPrincipal(store, organizationId, { name: `Trader ${word}`, permissions }),
  );
  const [clientId, campaignId, operationId, eventId] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  const [connectionId, legId, registrationId, teamId] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  const [invoiceId, paymentId] = [randomUUID(), randomUUID()];
  const count = word.length;
  const own = [organizationId, operationId];
  const insert = (client: TenantClient, text: string, values: readonly unknown[]) =>
    client.query(text, values);
  await store.inTenant({ organizationId }, async (client) => {
    await insert(
      client,
      'insert into team (organization_id, id, name, created_at) values ($1, $2, $3, now())',
      [organizationId, teamId, `Desk of ${word}`],
    );
    await insert(
      client,
      `insert into client (organization_id, id, name, created_at, updated_at, sellers) values ($1, $2, $3, now(), now(), '{}')`,
      [organizationId, clientId, `Nova ${word}`],
    );
    await insert(
      client,
      `insert into brand (organization_id, id, client_id, domain, brand_id, name, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, $3, $4, $5, now(), now())`,
      [organizationId, clientId, brand, `brand-${word}`, `Nova Roasters ${word}`],
    );
    await insert(
      client,
      `insert into campaign (organization_id, id, client_id, brand_domain, name, reference, po_number, currency, starts_on,
         ends_on, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, 'EUR', '2026-11-01', '2026-12-01', now(), now())`,
      [organizationId, campaignId, clientId, brand, `Spring 100%_${word}`, `ref-${word}`, `PO-${word}`],
    );
    await insert(
      client,
      `insert into operation (organization_id, id, principal_id, brand_domain, client_id, campaign_id, task, task_id,
         idempotency_key, request_hash, dialect, form, request, status, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, 'create_media_buy', $7, $8, '', 'ads', 'service', '{}', 'completed', now(), now())`,
      [...own, caller.principalId, brand, clientId, campaignId, `task_${word}`, `key-${word}`],
    );
    await insert(
      client,
      `insert into media_buy (organization_id, operation_id, id, principal_id, brand_domain, client_id, campaign_id,
         buyer_ref, brand, operator, currency, status, start_time, end_time, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '{}', 'agency.example', 'EUR', 'active', 'asap', '2026-12-01T00:00:00Z',
               now(), now())`,
      [...own, `mb_${word}`, caller.principalId, brand, clientId, campaignId, `Launch-${word}`],
    );
    await insert(
      client,
      `insert into connection (organization_id, id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
         state, created_at, updated_at)
       values ($1, $2, $3, $4, 'https://s.example', 'mcp', 'ads', 'auto', 'service', '{sales}', 'live', now(), now())`,
      [organizationId, connectionId, `harbor-${word}`, `Harbor Media ${word}`],
    );
    await insert(
      client,
      `insert into leg (organization_id, operation_id, id, connection_id, seller, task, dialect, form, outbound, status,
         seller_task_id, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'create_media_buy', 'ads', 'service', '{}', 'completed', $6, now(), now())`,
      [...own, legId, connectionId, `harbor-${word}`, `theirs-task-${word}`],
    );
    await insert(
      client,
      `insert into seller_buy (organization_id, id, media_buy_id, leg_id, connection_id, seller, seller_media_buy_id, status,
         created_at, updated_at)
       values ($1, gen_random_uuid(), $2, $3, $4, $5, $6, 'active', now(), now())`,
      [organizationId, `mb_${word}`, legId, connectionId, `harbor-${word}`, `theirs-${word}`],
    );
    await insert(
      client,
      `insert into buy_package (organization_id, id, media_buy_id, leg_id, position, seller, product_id, pricing_option_id,
         currency, budget_micros, seller_package_id)
       values ($1, gen_random_uuid(), $2, $3, 0, $4, 'ctv', 'cpm', 'EUR', 1, $5)`,
      [organizationId, `mb_${word}`, legId, `harbor-${word}`, `p-${word}`],
    );
    await insert(
      client,
      `insert into creative (organization_id, operation_id, id, creative_id, principal_id, name, format_key, format_bare_key,
         format_name, form, body, body_hash, tags, status, created_at, updated_at)
       values ($1, $2, gen_random_uuid(), $3, $4, 'A film', '', '', '', 'service', '{}', '', '{}', 'approved', now(), now())`,
      [...own, `cr-${word}`, caller.principalId],
    );
    await insert(
      client,
      `insert into webhook_registration (organization_id, operation_id, id, connection_id, leg_id, kind, mode,
         seller_operation_id, created_at)
       values ($1, $2, $3, $4, $5, 'report', 'signed', '', now())`,
      [...own, registrationId, connectionId, legId],
    );
    await insert(
      client,
      `insert into inbox_event (organization_id, id, registration_id, connection_id, sender, kind, headers, body, body_hash,
         verdict, state, received_at)
       values ($1, $2, $3, $4, '', 'delivery_report', '[]', '', '', '{}', 'applied', now())`,
      [organizationId, eventId, registrationId, connectionId],
    );
    await insert(
      client,
      `insert into invoice (organization_id, id, connection_id, seller, number, period, issued_on, currency, total_micros,
         file_name, original_hash, imported_by, imported_at, entry_id)
       values ($1, $2, $3, 'harbor', $4, '2026-11', '2026-11-30', 'EUR', 1, 'a.csv', '', $5, now(), $2)`,
      [organizationId, invoiceId, connectionId, `NW-2611-${word}`, caller.principalId],
    );
    await insert(
      client,
      `insert into dispute (organization_id, id, number, connection_id, seller, invoice_id, period, hold_key, currency,
         amount_micros, reason, due_on, state, opened_by, opened_at, entry_id)
       values ($1, $2, $4, $3, 'harbor', $2, '2026-11', '', 'EUR', 1, 'x', '2026-12-30', 'open', $5, now(), $2)`,
      [organizationId, invoiceId, connectionId, count, caller.principalId],
    );
    await insert(
      client,
      `insert into payment_run (organization_id, id, number, due_until, pay_on, state, held, proposed_by, proposed_at)
       values ($1, $2, $3, '2026-12-01', '2026-12-01', 'exported', '[]', $4, now())`,
      [organizationId, invoiceId, count, caller.principalId],
    );
    await insert(
      client,
      `insert into payment_order (organization_id, id, run_id, seller, currency, amount_micros, state)
       values ($1, $2, $3, 'harbor', 'EUR', 1, 'exported')`,
      [organizationId, paymentId, invoiceId],
    );
  });
  /** Text, kind and member. */
  const texts: readonly (readonly [string, string, string])[] = [
    [`mb_${word}`, 'media_buy', 'media_buy_id'],
    [`launch-${word}`, 'media_buy', 'buyer_ref'],
    [`theirs-${word}`, 'media_buy', 'seller_media_buy_id'],
    [operationId, 'media_buy', 'operation_id'],
    [operationId.toUpperCase(), 'operation', 'operation_id'],
    [`task_${word}`, 'operation', 'task_id'],
    [`key-${word}`, 'operation', 'idempotency_key'],
    [`theirs-task-${word}`, 'operation', 'seller_task_id'],
    [`harbor-${word}:p-${word}`, 'package', 'package_id'],
    [`p-${word}`, 'package', 'package_id'],
    [`cr-${word}`, 'creative', 'creative_id'],
    [eventId, 'event', 'event_id'],
    [`nw-2611-${word}`, 'invoice', 'number'],
    [invoiceId, 'invoice', 'invoice_id'],
    [`d-${count}`, 'dispute', 'number'],
    [`P-${count}`, 'payment_run', 'number'],
    [paymentId.replaceAll('-', '').toUpperCase(), 'payment', 'payment_id'],
    [campaignId, 'campaign', 'campaign_id'],
    [`spring 100%_`, 'campaign', 'name'],
    [`ref-${word}`, 'campaign', 'reference'],
    [`po-`, 'campaign', 'po_number'],
    [clientId, 'client', 'client_id'],
    [`nova ${word.slice(0, 2)}`, 'client', 'name'],
    [brand, 'brand', 'domain'],
    [`brand-${word}`, 'brand', 'brand_id'],
    ['NOVA ROAST', 'brand', 'name'],
    [caller.principalId, 'principal', 'principal_id'],
    ['trader', 'principal', 'name'],
    [teamId, 'team', 'team_id'],
    ['desk of', 'team', 'name'],
    [`harbor-${word}`, 'seller', 'slug'],
    ['Harbor Me', 'seller', 'name'],
  ];
  return { caller, texts };
}

type Spec = Awaited<ReturnType<typeof organization>>;
let ours: Spec;
let theirs: Spec;
beforeAll(async () => {
  [ours, theirs] = [await organization('alpha'), await organization('beta')];
});

type Row = Readonly<Record<string, unknown>>;

async function find(caller: PrincipalCaller, q: string): Promise<readonly Row[]> {
  const found = must(await call(caller, 'search', { query: { q } }));
  return found['results'] as unknown as readonly Row[];
}

function within(caller: PrincipalCaller, scope: Grant['scope']): PrincipalCaller {
  return { ...caller, grants: [{ permissions: caller.permissions, scope }] };
}

describe('a search', () => {
  it('finds each kind of object by each of its ids and names, and none of another organization', async () => {
    expect(ours.texts.map(([text]) => text).length).toBeGreaterThan(20);
    for (const [text, kind, matched] of ours.texts) {
      const rows = await find(ours.caller, text);
      expect([text, rows]).toEqual([
        text,
        expect.arrayContaining([expect.objectContaining({ kind, matched })]),
      ]);
      const others = (await find(theirs.caller, text)).filter(({ id }) =>
        rows.some((row) => row['id'] === id),
      );
      // What both have by the same name is theirs, and not ours.
      expect([text, others.filter(({ kind: item }) => item !== 'brand')]).toEqual([text, []]);
    }
  });

  it('names the client, the brand and the campaign of what it finds', async () => {
    expect(await find(ours.caller, 'mb_alpha')).toEqual([
      {
        kind: 'media_buy',
        id: 'mb_alpha',
        name: 'Launch-alpha',
        matched: 'media_buy_id',
        client: { client_id: expect.any(String), name: 'Nova alpha' },
        brand,
        campaign: { campaign_id: expect.any(String), name: 'Spring 100%_alpha' },
      },
    ]);
  });

  it('finds the same for a reader of the brand, except objects of the whole organization', async () => {
    const narrow = within(ours.caller, { kind: 'brand', id: brand });
    for (const [text, kind] of ours.texts) {
      const kinds = (await find(narrow, text)).map((row) => row['kind']);
      const isWide = [
        ...['seller', 'principal', 'team', 'client'],
        ...['invoice', 'dispute', 'payment_run', 'payment'],
      ].includes(kind);
      expect([text, kind, kinds.includes(kind)]).toEqual([text, kind, !isWide]);
    }
  });

  it('finds nothing out of reach, and nothing without the permission of its kind', async () => {
    const outside = within(ours.caller, { kind: 'brand', id: 'other.example' });
    const permissions = { media_buys: ['read'] } as const;
    const reader = {
      ...ours.caller,
      permissions,
      grants: [{ permissions, scope: { kind: 'organization' } }],
    };
    for (const [text] of ours.texts) {
      expect([text, await find(outside, text)]).toEqual([text, []]);
      const kinds = (await find(reader as PrincipalCaller, text)).map((row) => row['kind']);
      for (const kind of [
        'creative',
        'event',
        'principal',
        'seller',
        'team',
        'invoice',
        'dispute',
        'payment',
      ])
        expect(kinds).not.toContain(kind);
    }
  });

  it('treats pattern characters as plain text', async () => {
    for (const text of ['%%', '__', 'Spring 100_', '\\\\'])
      expect([text, await find(ours.caller, text)]).toEqual([text, []]);
  });
});
