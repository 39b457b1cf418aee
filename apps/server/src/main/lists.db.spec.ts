import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountRepository,
  approvalStore,
  clientRepository,
  delegations,
  eventLog,
  inboxWork,
  jobRepository,
  principalDirectory,
  internalApprovals,
  ledgerStore,
  nameReader,
  openStore,
  outboxLog,
  relayLog,
  sellerLife,
  setUpLists,
  teamDirectory,
  type TenantClient,
  controlRequests,
  listReader,
} from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { allPermissions, type Grant } from '@switchyard/tenancy';
import { canonicalJson, must } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { accountRoutes } from '../business/accounts.routes.js';
import { brandRoutes } from '../business/brands.routes.js';
import { clientRoutes } from '../business/clients.routes.js';
import { approvalRoutes } from '../buys/approvals.routes.js';
import { custodyRoutes } from '../relay/custody/custody.routes.js';
import { delegationRoutes } from '../relay/delegations/delegations.routes.js';
import { eventRoutes } from '../webhooks/in/events.routes.js';
import { outgoingRoutes } from '../webhooks/out/outgoing.routes.js';
import { keyRoutes } from '../keys/keys.routes.js';
import { jobRoutes } from '../platform/jobs/jobs.routes.js';
import { jobKinds } from './job-kinds.js';
import { principalRoutes } from '../people/principals.routes.js';
import { signerRoutes } from '../people/signers.routes.js';
import { teamRoutes } from '../people/teams.routes.js';
import type { Route } from '../platform/routes/route.js';
import { credentialRoutes } from '../sellers/credentials.routes.js';
import { sellerRoutes } from '../sellers/sellers.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const deps = {
  accounts: accountRepository(store),
  clients: clientRepository(store),
  controls: controlRequests(store),
  approvalPorts: {
    approvals: approvalStore(store),
    internal: internalApprovals(store),
    connections: { list: () => Promise.resolve([]) },
  },
  clock,
  delegations: delegations(store),
  events: eventLog(store),
  inbox: inboxWork(store),
  jobKinds,
  jobs: jobRepository(store),
  principals: principalDirectory(store),
  ledger: ledgerStore(store),
  lists: listReader(store),
  life: sellerLife(store),
  log: relayLog(store),
  names: nameReader(store),
  outgoing: outboxLog(store),
  setUp: setUpLists(store),
  startedAt: clock.now(),
  version: '0.1.0',
  teams: teamDirectory(store),
};
const routes = [
  ...accountRoutes,
  ...brandRoutes,
  ...clientRoutes,
  ...approvalRoutes,
  ...custodyRoutes,
  ...delegationRoutes,
  ...eventRoutes,
  ...outgoingRoutes,
  ...jobRoutes,
  ...[...credentialRoutes, ...keyRoutes, ...principalRoutes, ...sellerRoutes, ...signerRoutes, ...teamRoutes],
] as unknown as readonly Route<typeof deps>[];
const call = callRoutes(routes, deps);

interface Noun {
  readonly route: string;
  readonly rows: string;
  readonly id: string;
  readonly add: (client: TenantClient, of: Belonging, at: Date) => Promise<string>;
}

/** What a row hangs on. */
interface Belonging {
  readonly principalId: string;
  readonly brand: string;
  readonly operationId: string;
  readonly legId: string;
  readonly connectionId: string;
  readonly registrationId: string;
  readonly buyerRegistrationId: string;
}

const insert =
  (statement: string, values: (of: Belonging) => readonly unknown[]) =>
  async (client: TenantClient, of: Belonging, at: Date): Promise<string> => {
    const id = randomUUID();
    await client.query(statement, [id, client.organizationId, at, ...values(of)]);
    return id;
  };

const nouns: readonly Noun[] = [
  {
    route: 'list_events',
    rows: 'events',
    id: 'event_id',
    add: insert(
      `insert into inbox_event (id, organization_id, received_at, registration_id, connection_id, sender, kind, headers,
         body, body_hash, verdict, state)
       values ($1, $2, $3, $4, $5, 'https://s.example', 'delivery_report', '[]', '', '', '{"steps": []}', 'applied')`,
      ({ registrationId, connectionId }) => [registrationId, connectionId],
    ),
  },
  {
    route: 'list_approvals',
    rows: 'approvals',
    id: 'approval_id',
    add: insert(
      `insert into approval (id, organization_id, requested_at, operation_id, leg_id, connection_id, seller, task, round,
         question_hash, reason, question, errors, state)
       values ($1, $2, $3, $4, gen_random_uuid(), $5, 'acme', 'create_media_buy', 1, '', '', '{}', '[]', 'open')`,
      ({ operationId, connectionId }) => [operationId, connectionId],
    ),
  },
  {
    route: 'list_custody',
    rows: 'records',
    id: 'record_id',
    add: insert(
      `insert into relay_request (id, organization_id, arrived_at, principal_id, operation_id, seller, way, body_hash, state)
       values ($1, $2, $3, $4, $5, 'acme', 'sealed', '', 'sealed')`,
      ({ principalId, operationId }) => [principalId, operationId],
    ),
  },
  {
    route: 'list_delegations',
    rows: 'delegations',
    id: 'delegation_id',
    add: insert(
      `insert into delegation (id, organization_id, granted_at, principal_id, seller, tasks, expires_at, granted_by)
       values ($1, $2, $3, $4, 'acme', '{get_products}', '2027-12-01Z', $4)`,
      ({ principalId }) => [principalId],
    ),
  },
  {
    route: 'list_all_accounts',
    rows: 'accounts',
    id: 'account_id',
    add: insert(
      `insert into principal_account (id, organization_id, created_at, principal_id, brand_domain, operator)
       values ($1, $2, $3, $4, $5, gen_random_uuid()::text)`,
      ({ principalId, brand }) => [principalId, brand],
    ),
  },
  {
    route: 'list_outgoing_events',
    rows: 'events',
    id: 'event_id',
    add: insert(
      `insert into outbox_event (id, organization_id, created_at, registration_id, principal_id, operation_id, stream, kind,
         idempotency_key, body, state, due_at)
       values ($1, $2, $3, $4, $5, $6, 's', 'task', gen_random_uuid()::text, '', 'delivered', $3)`,
      ({ buyerRegistrationId, principalId, operationId }) => [buyerRegistrationId, principalId, operationId],
    ),
  },
  {
    route: 'list_jobs',
    rows: 'jobs',
    id: 'job_id',
    add: insert(
      `insert into job (id, organization_id, created_at, due_at, ended_at, principal_id, brand_domain, kind, waits_for,
         state, input, permissions, cursor)
       values ($1, $2, $3, $3, $3, $4, $5, 'import_sellers', 'sellers', 'succeeded', '{}', '{}', '{}')`,
      ({ principalId, brand }) => [principalId, brand],
    ),
  },
];

async function belonging(client: TenantClient, principalId: string, brand: string): Promise<Belonging> {
  const [operationId, legId, connectionId] = [randomUUID(), randomUUID(), randomUUID()];
  const registrationId = randomUUID();
  const own = [client.organizationId, operationId];
  await client.query(
    `insert into operation (organization_id, id, principal_id, brand_domain, task, task_id, request_hash, dialect, form,
       request, status, created_at, updated_at)
     values ($1, $2, $3, $4, 'create_media_buy', $5, '', 'ads', 'service', '{}', 'completed', now(), now())`,
    [...own, principalId, brand, `task_${operationId}`],
  );
  await client.query(
    `insert into connection (organization_id, id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
       state, created_at, updated_at)
     values ($1, $2, $3, 'Acme', 'https://s.example', 'mcp', 'ads', 'auto', 'service', '{sales}', 'live', now(), now())`,
    [client.organizationId, connectionId, `acme-${connectionId.slice(0, 8)}`],
  );
  await client.query(
    `insert into webhook_registration (organization_id, operation_id, id, connection_id, leg_id, kind, mode,
       seller_operation_id, created_at)
     values ($1, $2, $3, $4, $5, 'report', 'signed', '', now())`,
    [...own, registrationId, connectionId, legId],
  );
  return {
    ...{ principalId, brand, operationId, legId, connectionId, registrationId },
    buyerRegistrationId: randomUUID(),
  };
}

const brands = ['one.example', 'two.example'] as const;

/** An organization with two brands, each with a principal of its own, and nine rows of each noun per brand. */
async function organization() {
  const { id: organizationId } = await createOrganization(store);
  const permissions = allPermissions;
  const operator = principalCaller(await createPrincipal(store, organizationId, { permissions }));
  const added = new Map<string, Map<string, string[]>>();
  const of = new Map<string, Belonging>();
  await store.inTenant({ organizationId }, async (client) => {
    for (const brand of brands) {
      const { principalId } = principalCaller(await createPrincipal(store, organizationId, { name: brand }));
      await client.query('update principal set brand_domain = $2 where id = $1', [principalId, brand]);
      of.set(brand, await belonging(client, principalId, brand));
    }
    for (const noun of nouns) {
      const ids = new Map<string, string[]>(brands.map((brand) => [brand, []]));
      // Three rows share each instant, so that the order within one is tried as well.
      for (let at = 0; at < 18; at += 1) {
        const brand = brands[at % 2]!;
        ids.get(brand)?.push(await noun.add(client, of.get(brand)!, momentOf(Math.floor(at / 3))));
      }
      added.set(noun.route, ids);
    }
  });
  const idsOf = (noun: Noun, brand?: string): readonly string[] =>
    [...(added.get(noun.route) ?? [])].flatMap(([name, ids]) =>
      brand === undefined || name === brand ? ids : [],
    );
  return { scope: { organizationId }, operator, of, idsOf };
}

function momentOf(at: number): Date {
  return new Date(Date.parse('2026-11-01T00:00:00Z') + at * 60_000);
}

const brandGrant = (caller: PrincipalCaller, id: string): Grant => ({
  permissions: caller.permissions,
  scope: { kind: 'brand', id },
});

function withGrants(caller: PrincipalCaller, ...grants: readonly Grant[]): PrincipalCaller {
  return { ...caller, grants };
}

/** Every page, with what is done between two of them. */
async function walk(
  caller: PrincipalCaller,
  noun: Noun,
  query: Readonly<Record<string, string>> = {},
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const found = must(
      await call(caller, noun.route, {
        query: { ...query, limit: '4', ...(cursor !== undefined && { cursor }) },
      }),
    );
    ids.push(...(found[noun.rows] as Record<string, string>[]).map((row) => row[noun.id]!));
    cursor = found['next_cursor'] as string | undefined;
    if (cursor !== undefined) await between();
  } while (cursor !== undefined);
  return ids;
}

type Spec = Awaited<ReturnType<typeof organization>>;
let ours: Spec;
let theirs: Spec;
beforeAll(async () => {
  [ours, theirs] = [await organization(), await organization()];
});

const sorted = (ids: readonly string[]) => [...ids].sort();

describe.each(nouns)('$route', (noun) => {
  it('shows each row once by pages, while rows are added, and none of another organization', async () => {
    const before = ours.idsOf(noun);
    const added: string[] = [];
    const seen = await walk(ours.operator, noun, {}, () =>
      store.inTenant(ours.scope, async (client) => {
        const at = momentOf(added.length);
        added.push(await noun.add(client, ours.of.get(brands[0])!, at));
      }),
    );
    expect(new Set(seen).size).toBe(seen.length);
    expect(sorted(seen.filter((id) => before.includes(id)))).toEqual(sorted(before));
    expect(seen.filter((id) => !before.includes(id) && !added.includes(id))).toEqual([]);
    const again = await walk(ours.operator, noun);
    expect(sorted(again)).toEqual(sorted([...before, ...added]));

    await store.inTenant(ours.scope, async (client) => {
      await client.query(`delete from ${tableOf[noun.route]} where id = any($1::uuid[])`, [added]);
    });
  });

  it('is the same in both orders, if it has them', async () => {
    const { query } = routes.find(({ id }) => id === noun.route)!;
    if (query === undefined || !('sort' in query.shape)) return;
    const newest = await walk(ours.operator, noun, { sort: 'newest' });
    expect(await walk(ours.operator, noun, { sort: 'oldest' })).toEqual(newest.toReversed());
  });

  it('shows a reader of one brand only the rows of that brand, and a reader of none no rows', async () => {
    const inOne = withGrants(ours.operator, brandGrant(ours.operator, brands[0]));
    const inNone = withGrants(ours.operator, brandGrant(ours.operator, 'nobody.example'));
    expect(sorted(await walk(inOne, noun))).toEqual(sorted(ours.idsOf(noun, brands[0])));
    expect(await walk(inNone, noun)).toEqual([]);
    const own = withGrants(
      { ...ours.operator, principalId: ours.of.get(brands[1])!.principalId },
      { permissions: ours.operator.permissions, scope: { kind: 'own' } },
    );
    expect(sorted(await walk(own, noun))).toEqual(sorted(ours.idsOf(noun, brands[1])));
    expect(sorted(await walk(theirs.operator, noun))).toEqual(sorted(theirs.idsOf(noun)));
  });

  it('refuses a cursor of another filter, and of another caller', async () => {
    const first = await call(ours.operator, noun.route, { query: { limit: '3' } });
    const cursor = first.ok ? (first.value['next_cursor'] as string) : '';
    const refused = { ok: false, error: { code: 'INVALID_REQUEST', field: 'cursor' } };
    expect(await call(ours.operator, noun.route, { query: { limit: '3', cursor } })).toMatchObject({
      ok: true,
    });
    expect(await call(theirs.operator, noun.route, { query: { limit: '3', cursor } })).toMatchObject(refused);
    for (const other of nouns.filter(({ route }) => route !== noun.route))
      expect(await call(ours.operator, other.route, { query: { limit: '3', cursor } })).toMatchObject(
        refused,
      );
  });

  it('shows nothing more for a forged cursor with a valid checksum: the reach is in the SQL', async () => {
    const first = await call(ours.operator, noun.route, { query: { limit: '1' } });
    const cursor = first.ok ? (first.value['next_cursor'] as string) : '';
    const { k } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as {
      k: readonly (string | number)[];
    };
    const inOne = withGrants(ours.operator, brandGrant(ours.operator, brands[1]));
    for (const caller of [inOne, { ...theirs.operator }]) {
      const text = canonicalJson([[...k], [noun.route, caller.organizationId, caller.principalId, {}]]);
      const h = createHash('sha256').update(text).digest('base64url').slice(0, 22);
      const made = Buffer.from(JSON.stringify({ k, h })).toString('base64url');
      const found = must(await call(caller, noun.route, { query: { limit: '50', cursor: made } }));
      const ids = (found[noun.rows] as Record<string, string>[]).map((row) => row[noun.id]!);
      const own = caller === inOne ? ours.idsOf(noun, brands[1]) : theirs.idsOf(noun);
      expect(ids.filter((id) => !own.includes(id))).toEqual([]);
    }
  });
});

const tableOf: Readonly<Record<string, string>> = {
  list_events: 'inbox_event',
  list_approvals: 'approval',
  list_custody: 'relay_request',
  list_delegations: 'delegation',
  list_all_accounts: 'principal_account',
  list_outgoing_events: 'outbox_event',
  list_jobs: 'job',
};

const events = nouns[0]!;

describe('filters of lists', () => {
  it.each(['newest', 'oldest'])('sort the %s first, also if a filter leaves few', async (sort) => {
    const of = ours.of.get(brands[0])!;
    for (const filter of [{}, { brand: brands[0] }, { operation_id: of.operationId }]) {
      const found = await call(ours.operator, 'list_events', { query: { ...filter, sort } });
      const times = found.ok
        ? (found.value['events'] as { received_at: string }[]).map((event) => event.received_at)
        : [];
      expect(times.length).toBeGreaterThanOrEqual(9);
      expect(times).toEqual(sort === 'oldest' ? sorted(times) : sorted(times).reverse());
    }
  });

  it('return only matching rows, and never rows out of reach', async () => {
    const [one, two] = brands.map((brand) => ours.of.get(brand)!);
    const narrow = withGrants(ours.operator, brandGrant(ours.operator, brands[0]));
    const ids = (query: Readonly<Record<string, string>>, caller = ours.operator) =>
      walk(caller, events, query);
    expect(sorted(await ids({ operation_id: one!.operationId }))).toEqual(
      sorted(ours.idsOf(events, brands[0])),
    );
    expect(sorted(await ids({ brand: brands[1] }))).toEqual(sorted(ours.idsOf(events, brands[1])));
    expect(await ids({ brand: brands[1] }, narrow)).toEqual([]);
    expect(await ids({ operation_id: two!.operationId }, narrow)).toEqual([]);
    expect(await ids({ kind: 'impairment' })).toEqual([]);
    expect(await ids({ state: 'quarantined' })).toEqual([]);
    expect(await ids({ since: '2026-11-01T00:05:00Z' })).toHaveLength(3);
    expect(await ids({ until: '2026-11-01T00:01:00+00:00' })).toHaveLength(3);
  });

  it('answer not found for an event and a question out of reach', async () => {
    const narrow = withGrants(ours.operator, brandGrant(ours.operator, brands[0]));
    const [inReach] = ours.idsOf(events, brands[0]);
    const [outside] = ours.idsOf(events, brands[1]);
    const show = (caller: PrincipalCaller, id: string) => call(caller, 'show_event', { params: { id } });
    expect(await show(narrow, inReach!)).toMatchObject({ ok: true });
    const missing = await show(narrow, randomUUID());
    expect(await show(narrow, outside!)).toEqual(missing);
    const body = { reason: 'it is right' };
    expect(await call(narrow, 'admit_event', { params: { id: outside! }, body })).toEqual(missing);
    expect(await call(narrow, 'dismiss_event', { params: { id: outside! }, body })).toEqual(missing);
    const [question] = ours.idsOf(nouns[1]!, brands[1]);
    const dismissed = (id: string) => call(narrow, 'dismiss_approval', { params: { id }, body });
    expect(await dismissed(question!)).toEqual(await dismissed(randomUUID()));
    expect(await call(ours.operator, 'list_approvals', { query: { state: 'dismissed' } })).toMatchObject({
      value: { approvals: [] },
    });
  });

  it('count the events in reach', async () => {
    const narrow = withGrants(ours.operator, brandGrant(ours.operator, brands[0]));
    expect(await call(narrow, 'list_events')).toMatchObject({ value: { received: 9, applied: 9 } });
    expect(await call(ours.operator, 'list_events')).toMatchObject({ value: { received: 18, applied: 18 } });
  });

  it('take a month for quarantined events alone: the days of others would be searched in all their texts', async () => {
    const of = (state?: string) =>
      call(ours.operator, 'list_events', { query: { period: '2026-10', ...(state && { state }) } });
    for (const state of [undefined, 'applied'])
      expect(await of(state)).toMatchObject({ error: { code: 'INVALID_REQUEST', field: 'period' } });
    expect(await of('quarantined')).toMatchObject({ value: { events: [] } });
  });

  it('say if they count only the newest events of a large reach', async () => {
    const narrow = withGrants(ours.operator, brandGrant(ours.operator, brands[0]));
    const list = () => call(narrow, 'list_events');
    expect(await list()).not.toMatchObject({ value: { counted_newest: expect.anything() } });
    await store.inTenant(ours.scope, (client) =>
      client.query(
        `insert into operation (organization_id, id, principal_id, brand_domain, task, task_id, request_hash, dialect, form,
           request, status, created_at, updated_at)
         select $1, gen_random_uuid(), $2, $3, 'create_media_buy', 'many_' || i, '', 'ads', 'service', '{}', 'completed', now(), now()
         from generate_series(1, 1001) i`,
        [client.organizationId, ours.operator.principalId, brands[0]],
      ),
    );
    expect(await list()).toMatchObject({ value: { counted_newest: 500 } });
  });
});

/** What people set up: each list has rows of the fixture, and some more that share an instant. */
const setUp = [
  ['list_sellers', 'sellers', 'slug', ['name', 'newest', 'oldest']],
  ['list_principals', 'principals', 'name', ['name', 'newest', 'oldest']],
  ['list_credentials', 'credentials', 'credential_id', ['newest', 'oldest']],
  ['list_keys', 'keys', 'kid', ['newest', 'oldest']],
  ['list_signers', 'signers', 'signer_id', ['newest', 'oldest']],
  ['list_teams', 'teams', 'team_id', ['newest', 'oldest']],
  ['list_clients', 'clients', 'client_id', ['name', 'newest', 'oldest']],
  ['list_brands', 'brands', 'brand_id', ['domain', 'newest', 'oldest']],
] as const;

async function addSetUp({ scope, of }: Spec): Promise<void> {
  await store.inTenant(scope, async (client) => {
    for (let at = 0; at < 11; at += 1) {
      const own = [client.organizationId, randomUUID(), momentOf(Math.floor(at / 3))];
      const { principalId } = of.get(brands[at % 2]!)!;
      await client.query(
        `insert into connection (organization_id, id, created_at, slug, name, agent_url, protocol, dialect, configured_form,
           form, kinds, state, updated_at)
         values ($1, $2, $3, 's' || substr(gen_random_uuid()::text, 1, 8), 'Acme', 'https://s.example', 'mcp', 'ads', 'auto', 'service',
           array[$4], 'live', $3)`,
        [...own, at % 2 === 0 ? 'sales' : 'signals'],
      );
      await client.query(
        `insert into principal (organization_id, id, created_at, name, kind, permissions)
         values ($1, $2, $3, 'p ' || gen_random_uuid()::text, 'person', '{}')`,
        own,
      );
      await client.query(
        `insert into credential (organization_id, credential_id, created_at, version, seller, kind, scheme, kms_key_id,
           wrapped_key, nonce, ciphertext, tag, commitment)
         values ($1, $2, $3, 1, $4, 'bearer', 'x', 'k', '', '', '', '', '')`,
        [...own, at % 2 === 0 ? 'acme' : 'other'],
      );
      await client.query(
        `insert into signing_key (organization_id, kid, created_at, principal_id, kms_key_id, public_jwk, state)
         values ($1, 'kid-' || $2, $3, $4, 'arn', '{"alg": "ES256"}', 'retired')`,
        [...own, principalId],
      );
      await client.query(
        `insert into principal_signer (organization_id, id, created_at, principal_id, agent_url, jwks, dialect, allows_rsa_pss)
         values ($1, $2, $3, $4, 'https://a.example', '{"keys": []}', 'ads', false)`,
        [...own, principalId],
      );
      await client.query(
        `insert into team (organization_id, id, created_at, name) values ($1, $2, $3, 't ' || gen_random_uuid()::text)`,
        own,
      );
      await client.query(
        `insert into client (organization_id, id, created_at, updated_at, name) values ($1, $2, $3, $3, 'c ' || gen_random_uuid()::text)`,
        own,
      );
      await client.query(
        `insert into brand (organization_id, id, client_id, created_at, updated_at, domain, name)
         values ($1, $2, $2, $3, $3, gen_random_uuid()::text || '.example', '')`,
        own,
      );
    }
  });
}

describe.each(setUp)('%s', (route, rows, id, sorts) => {
  beforeAll(async () => {
    if (route !== 'list_sellers') return;
    await addSetUp(ours);
    await addSetUp(theirs);
  });
  const pages = (query: Readonly<Record<string, string>> = {}, caller = ours.operator) =>
    walk(caller, { route, rows, id, add: () => Promise.resolve('') }, query);

  it('shows each row once by pages in every order, and none of another organization', async () => {
    const first = await pages();
    expect(first.length).toBeGreaterThanOrEqual(11);
    expect(new Set(first).size).toBe(first.length);
    for (const sort of sorts) expect(sorted(await pages({ sort }))).toEqual(sorted(first));
    if (sorts.length > 0)
      expect(await pages({ sort: 'newest' })).toEqual([...(await pages({ sort: 'oldest' }))].reverse());
    const others = await pages({}, theirs.operator);
    expect(first.filter((text) => others.includes(text) && text.includes('-'))).toEqual([]);
  });
});

describe('list_sellers', () => {
  it('has the figures of each seller of a page on request, with the cursors of the list without them', async () => {
    const page = async (query: Readonly<Record<string, string>>) => {
      const answer = must(await call(ours.operator, 'list_sellers', { query: { limit: '6', ...query } }));
      return answer as { sellers: { slug: string; figures?: object }[]; next_cursor: string };
    };
    const first = await page({});
    expect(first.sellers.every((seller) => !('figures' in seller))).toBe(true);
    const { sellers } = await page({ cursor: first.next_cursor });
    const figures = { calls: 0, failed: 0, events: {}, restated: { days: 0, net: [] }, delivered: [] };
    expect(await page({ cursor: first.next_cursor, figures: 'yes' })).toMatchObject({
      sellers: sellers.map((seller) => ({ ...seller, figures })),
    });
    // What was delivered is money of all clients: it takes the right to read the whole ledger.
    const { ledger: _, ...permissions } = ours.operator.permissions;
    const withoutLedger = withGrants(ours.operator, { permissions, scope: { kind: 'organization' } });
    const query = { limit: '6', figures: 'yes' };
    const shown = must(await call(withoutLedger, 'list_sellers', { query }));
    expect(JSON.stringify(shown)).toContain('"running":');
    expect(JSON.stringify(shown)).not.toContain('"delivered":');
    expect(
      await call(ours.operator, 'list_sellers', { query: { limit: '101', figures: 'yes' } }),
    ).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'limit' },
    });
  });
});

describe('filters of configured objects', () => {
  const count = async (route: string, query: Readonly<Record<string, string>>) => {
    const noun = setUp.find(([text]) => text === route)!;
    const all = { route, rows: noun[1], id: noun[2], add: () => Promise.resolve('') };
    return (await walk(ours.operator, all, query)).length;
  };

  it('return only matching rows', async () => {
    expect(await count('list_sellers', { kind: 'signals' })).toBe(5);
    expect(await count('list_sellers', { state: 'suspended' })).toBe(0);
    expect(await count('list_credentials', { seller: 'acme' })).toBe(6);
    expect(await count('list_credentials', { has_error: 'true' })).toBe(0);
    await store.inTenant(ours.scope, (client) =>
      client.query(
        `update credential set retired_at = '2098-01-01' where (credential_id, version) in (
           select credential_id, version from credential where seller = 'acme' limit 1)`,
      ),
    );
    for (const none of ['1970-01-01', '2097-01-01'])
      expect(await count('list_credentials', { retires_before: none })).toBe(0);
    expect(await count('list_credentials', { retires_before: '2099-01-01' })).toBe(1);
    expect(await count('list_principals', { kind: 'person', revoked: 'false' })).toBe(11);
    expect(await count('list_keys', { state: 'live' })).toBe(0);
    expect(await count('list_keys', { principal: brands[0] })).toBe(6);
    expect(await count('list_signers', { principal: brands[1] })).toBe(5);
  });
});

describe('sellers that fail', () => {
  it('are found by what is wrong: the state, a breaker, the newest version of the credential, or a stop', async () => {
    const find = async (query: Readonly<Record<string, string>>) =>
      must(await call(ours.operator, 'list_sellers', { query })) as {
        sellers: { slug: string; breaker?: string; credential_fault?: string }[];
      };
    const every = (await find({})).sellers.map(({ slug }) => slug);
    const [suspended, open, refused, revoked, stopped, rotated] = every;
    const credential = `
      with used as (
        update connection set credential_id = gen_random_uuid() where slug = $1
        returning organization_id, id, credential_id)
      insert into credential (organization_id, connection_id, credential_id, created_at, version, kind, scheme, kms_key_id,
        wrapped_key, nonce, ciphertext, tag, commitment, last_error_at, last_error_code, retired_at)
      select organization_id, id, credential_id, now(), one.version, 'bearer', 'x', 'k', '', '', '', '', '',
        one.last_error_at, 'http_401', one.retired_at
      from used, (values (1, $2::timestamptz, $3::timestamptz), (2, $4, $5)) one (version, last_error_at, retired_at)`;
    const past = new Date('2020-01-01');
    await store.inTenant(ours.scope, async (client) => {
      await client.query(`update connection set state = 'suspended' where slug = $1`, [suspended]);
      await client.query(
        `insert into connection_health (connection_id, organization_id, breaker, failures, updated_at)
         select id, organization_id, 'open', 3, now() from connection where slug = $1`,
        [open],
      );
      await client.query(credential, [refused, null, past, past, null]);
      await client.query(credential, [revoked, null, past, past, past]);
      await client.query(credential, [rotated, past, past, null, null]);
      await client.query(
        `insert into emergency_stop (organization_id, kind, subject, target, stopped_by, stopped_at)
         select organization_id, 'seller', id, 'seller:' || slug, 'ada', now() from connection where slug = $1`,
        [stopped],
      );
    });
    const failing = [suspended, open, refused, revoked, stopped];
    const { sellers } = await find({ failing: 'true' });
    expect(sellers.map(({ slug }) => slug)).toEqual(failing);
    expect(sellers.map(({ breaker, credential_fault: fault }) => breaker ?? fault)).toEqual([
      undefined,
      'open',
      'refused',
      'revoked',
      undefined,
    ]);
    const others = (await find({ failing: 'false' })).sellers.map(({ slug }) => slug);
    expect(others).toEqual(every.filter((slug) => !failing.includes(slug)));
    expect(await call(ours.operator, 'instance', {})).toMatchObject({
      value: { sellers: every.length, sellers_live: others.length },
    });
  });
});

describe('a webhook to a caller', () => {
  it('is sent again on request with the same key, while its receiver still knows it', async () => {
    const noun = nouns.find(({ route }) => route === 'list_outgoing_events')!;
    const [recent, old] = await store.inTenant(ours.scope, async (client) => {
      const of = ours.of.get(brands[0])!;
      const add = (at: number) => noun.add(client, of, new Date(at));
      return [await add(clock.now() - 1_000), await add(clock.now() - 86_400_000)];
    });
    const resend = (id: string, caller = ours.operator) =>
      call(caller, 'resend_outgoing_event', { params: { id } });
    const before = await call(ours.operator, 'show_outgoing_event', { params: { id: recent } });
    expect(before).toMatchObject({ value: { state: 'delivered', brand: brands[0], client: null } });
    expect(await resend(old)).toMatchObject({ error: { code: 'CONFLICT', field: 'id' } });
    const narrow = withGrants(ours.operator, brandGrant(ours.operator, brands[1]));
    expect(await resend(recent, narrow)).toEqual(await resend(randomUUID(), narrow));
    const { idempotency_key: key } = (before.ok ? before.value : {}) as Record<string, string>;
    expect(await resend(recent)).toMatchObject({
      value: { state: 'waiting', next_attempt_at: expect.any(String), idempotency_key: key },
    });
  });

  it('is sent again with all that failed since a time, in reach and not a day old', async () => {
    const noun = nouns.find(({ route }) => route === 'list_outgoing_events')!;
    const since = clock.now() - 7_200_000;
    const add = (brand: string, age: number, state: string, endedAt: number | undefined) =>
      store.inTenant(ours.scope, async (client) => {
        const id = await noun.add(client, ours.of.get(brand)!, new Date(clock.now() - age));
        const ended = endedAt === undefined ? null : new Date(endedAt);
        await client.query('update outbox_event set state = $2, ended_at = $3 where id = $1', [
          ...[id, state, ended],
        ]);
        return id;
      });
    const [first, second] = [brands[0], brands[1]] as [string, string];
    const failed = [
      await add(first, 10_000_000, 'refused', since),
      await add(first, 9_000_000, 'expired', since + 1),
    ];
    const others = [
      await add(first, 10_000_000, 'refused', since - 1),
      await add(first, 86_400_000, 'expired', since + 1),
      await add(first, 1_000, 'delivered', since + 1),
    ];
    const colleagues = await add(second, 1_000, 'refused', since + 1);
    const resend = (caller = ours.operator) =>
      call(caller, 'resend_failed_events', { body: { since: new Date(since).toISOString() } });
    const stateOf = async (id: string) => {
      const shown = await call(ours.operator, 'show_outgoing_event', { params: { id } });
      return shown.ok ? (shown.value as Record<string, unknown>)['state'] : shown.error;
    };
    const narrow = withGrants(ours.operator, brandGrant(ours.operator, first));
    expect(await resend(narrow)).toMatchObject({ value: { resent: 2, has_more: false } });
    for (const id of failed) expect(await stateOf(id)).toBe('waiting');
    for (const id of others) expect(await stateOf(id)).not.toBe('waiting');
    expect(await stateOf(colleagues)).toBe('refused');
    expect(await resend()).toMatchObject({ value: { resent: 1, has_more: false } });
  });
});
