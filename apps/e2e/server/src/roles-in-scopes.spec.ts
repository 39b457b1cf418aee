import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { taskTable } from '@switchyard/protocol';
import { openStore } from '@switchyard/store';
import { allPermissions, builtInRoles } from '@switchyard/tenancy';
import {
  createOrganization,
  createPrincipal,
  createToken,
  inTurn,
  isWholeMatrix,
  sampled,
  tellLeftOut,
} from '@switchyard/testing';
import { adminRequests, type AdminRequest } from './harness/admin-requests.js';
import { buyRequest, Catalogue, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask, endpointNames, type Send } from './harness/call-task.js';
import { generousRates } from './harness/generous-rates.js';
import { idsInRows } from './harness/ids-in-rows.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin, nobodys, ownEverything, type Owned } from './harness/own-everything.js';
import { bare, type HttpAnswer, send } from './harness/http-answer.js';
import { routesOfEndpoints } from './harness/routes-of-endpoints.js';
import { taskRequestsOf } from './harness/task-requests.js';

/*
 * Every role in every scope, at a real instance's endpoints, for every route and task. The requests are those of the
 * isolation tests, which fail for a route or task without one. Out of scope, items do not exist for the role; in scope,
 * the role reads what its row permits.
 */

const folder = dataFolder();
let instance: Instance;
let database: OwnerView;
let owned: Owned;
let ids: readonly string[];
/** A person with a role in a scope. */
interface Holder {
  readonly role: string;
  readonly scope: string;
  readonly token: string;
}
const inside: Holder[] = [];
const outside: Holder[] = [];
let foreigner: Holder;
/** The campaign of the owner's buys. */
let campaign: string;

const roles = Object.keys(builtInRoles);

beforeAll(async () => {
  instance = await startInstance(folder.path, [], generousRates);
  database = await ownerView(folder.path);
  owned = await ownEverything(instance);
  const whole = await business('Roaster Group', 'roaster.example');
  const other = await business('Somebody else', 'elsewhere.example');
  ({ campaign } = whole);
  await post(`/v1/campaigns/${campaign}/assign`, { media_buy_id: owned.mediaBuyId });
  const scopesOf = ({ client, brand, campaign }: typeof whole) => [
    `client:${client}`,
    `brand:${brand}`,
    `campaign:${campaign}`,
  ];
  for (const role of roles) {
    for (const scope of ['organization', ...scopesOf(whole)]) inside.push(await holder(role, scope));
    for (const scope of [...scopesOf(other), 'own']) outside.push(await holder(role, scope));
    inside.push(await member(role, `client:${whole.client}`));
    outside.push(await member(role, `client:${other.client}`));
  }
  const [first] = await database.rows<{ id: string }>('select id from organization order by created_at');
  ids = await idsInRows(database, first?.id ?? '');
  const store = openStore(ownerUrlOf(folder.path));
  const stranger = await createPrincipal(store, (await createOrganization(store)).id, {
    permissions: allPermissions,
    transitional: true,
  });
  foreigner = {
    role: 'admin',
    scope: 'another organization',
    token: await createToken(store, stranger),
  };
  await store.close();
});

afterAll(tellLeftOut);
afterAll(async () => {
  await database.close();
  await instance.stop();
  await folder.remove();
});

const post = (path: string, body: Json) => admin(instance, 'POST', path, body);

async function business(name: string, brand: string) {
  const client = String((await post('/v1/clients', { name }))['client_id']);
  await post('/v1/brands', { domain: brand, client_id: client });
  const campaign = await post('/v1/campaigns', {
    ...{ name: `campaign of ${name}`, client_id: client, brand },
    ...{ budget: '1000000', currency: 'USD', from: '2026-01-01', to: '2099-12-31' },
  });
  return { client, brand, campaign: String(campaign['campaign_id']) };
}

async function holder(role: string, scope: string): Promise<Holder> {
  const name = `${role} ${randomUUID()}`;
  const grants = [{ role, scope }];
  const made = await post('/v1/principals', { name, kind: 'person', transitional: true, grants });
  return { role, scope, token: String(made['token']) };
}

/** Creates a person who has the role only through a team. */
async function member(role: string, scope: string): Promise<Holder> {
  const name = `team member ${randomUUID()}`;
  const made = await post('/v1/principals', { name, kind: 'person', transitional: true, permissions: {} });
  await post('/v1/teams', { name });
  await post(`/v1/teams/${encodeURIComponent(name)}/members`, { principal: name });
  await post('/v1/grants', { team: name, role, scope });
  return { role, scope: `${scope} by a team`, token: String(made['token']) };
}

const as = ({ token }: Holder): Send => ({ url: instance.url, token });

const query = (of: Holder, { method, path, body }: AdminRequest, named: Owned): Promise<HttpAnswer> =>
  send(as(of), method, path(named), body?.(named));

/** Names of no item, except what all principals of an organization share: sellers and offers. */
function nothing(): Owned {
  const { seller, productId, proposalId, pricingOptionId, signalId } = owned;
  return { ...nobodys(), seller, productId, proposalId, pricingOptionId, signalId };
}

/** Ids of the organization's rows that an answer contains, its request does not, and that are not shared. */
function leaked({ text }: HttpAnswer, request: unknown): readonly string[] {
  const sent = JSON.stringify(request);
  const offers = JSON.stringify(nothing());
  return ids.filter((id) => text.includes(id) && !sent.includes(id) && !offers.includes(id));
}

const isAdmin = ({ role }: Holder): boolean => role === 'admin';

/** Of the role with the most permissions the gate tries a request in a part of the scopes. */
const adminsOf = (holders: readonly Holder[], request: string): readonly Holder[] =>
  sampled(holders.filter(isAdmin), request, 2);

/** The holders with whom the gate tries a request: the role with the most permissions, and a part of the others. */
const triedWith = (holders: readonly Holder[], request: string): readonly Holder[] => [
  ...adminsOf(holders, request),
  ...sampled(
    holders.filter((of) => !isAdmin(of)),
    request,
    10,
  ),
];

/**
 * Persons out of scope: of the roles for reads, and the role with the most permissions for changes. Persons of another
 * organization try every request in `isolation.spec.ts`, and here in the whole matrix.
 */
const strangersTo = (changes: boolean, request: string): readonly Holder[] => [
  ...(changes ? adminsOf(outside, request) : triedWith(outside, request)),
  ...(isWholeMatrix ? [foreigner] : []),
];

describe.each(adminRequests)('$method $route out of scope', (request) => {
  it('gets the answer of a missing object', async () => {
    for (const of of strangersTo(request.method !== 'GET', `${request.method} ${request.route}`)) {
      const missing = of === foreigner ? nobodys() : nothing();
      const theirs = await query(of, request, owned);
      const none = await query(of, request, missing);
      expect([of.role, of.scope, theirs.status, bare(theirs.text, owned)]).toEqual([
        ...[of.role, of.scope, none.status, bare(none.text, missing)],
      ]);
      const leaks = of === foreigner ? [] : leaked(theirs, [request.path(owned), request.body?.(owned)]);
      expect([of.role, of.scope, leaks]).toEqual([of.role, of.scope, []]);
    }
  });
});

/** Tasks that buy, or write ids and brands of the caller's choice, and tasks that sellers answer equally for all callers. */
const shared: ReadonlySet<keyof typeof taskTable> = new Set([
  ...(['createMediaBuy', 'syncCreatives', 'activateSignal', 'syncAccounts'] as const),
  ...(['getProducts', 'getSignals', 'listCreativeFormats', 'listAuthorizedProperties'] as const),
]);
const rows = (Object.keys(taskTable) as (keyof typeof taskTable)[]).filter((row) => !shared.has(row));

/**
 * The persons with the most permissions with whom the gate sends one request of a task to one endpoint: every request
 * goes to every endpoint, and the scopes take turns, so that each meets every endpoint, and every task at least three.
 */
function takingTurns(of: readonly Holder[], row: keyof typeof taskTable, endpoint: number, request: number) {
  const turn = Object.keys(taskTable).indexOf(row) + endpoint + request * endpointNames.length;
  return inTurn(of.filter(isAdmin), turn);
}

describe.each(rows)('%s out of scope', (row) => {
  it.each(endpointNames)('gets over %s the answer of a missing object', async (endpoint) => {
    const task = taskTable[row].names.adcp[0];
    const missing = nothing();
    const missingRequests = taskRequestsOf(row, missing);
    for (const [at, { account: _account, ...request }] of taskRequestsOf(row, owned).entries()) {
      const { account: _other, ...other } = missingRequests[at] ?? {};
      for (const of of [
        ...takingTurns(outside, row, endpointNames.indexOf(endpoint), at),
        ...(isWholeMatrix ? [foreigner] : []),
      ]) {
        const theirs = await callTask(endpoint, as(of), task, request);
        const none = await callTask(endpoint, as(of), task, other);
        expect([of.scope, request, theirs.httpStatus, bare(JSON.stringify(theirs.body), owned)]).toEqual([
          ...[of.scope, request, none.httpStatus, bare(JSON.stringify(none.body), missing)],
        ]);
        const response = { status: theirs.httpStatus, text: theirs.text };
        expect([of.scope, request, leaked(response, request)]).toEqual([of.scope, request, []]);
      }
    }
  });
});

describe('a creative out of scope', () => {
  const stored = () =>
    database.rows(
      `select c.creative_id, c.name, c.operation_id, c.archived_at, count(a.id)::int as assigned from creative c
       left join creative_assignment a on a.creative_id = c.creative_id and a.organization_id = c.organization_id
       group by c.id order by c.creative_id`,
    );
  it.each(endpointNames)('cannot be overwritten, deleted or assigned over %s', async (endpoint) => {
    const before = await stored();
    for (const of of outside.filter(({ role }) => role === 'admin')) {
      const [dry] = taskRequestsOf('syncCreatives', owned).filter((request) => request['dry_run'] === true);
      for (const request of [dry, { ...dry, dry_run: false }]) {
        const { httpStatus, errors } = await callTask(endpoint, as(of), 'sync_creatives', {
          ...request,
          adcp_version: '3.1',
          idempotency_key: randomUUID(),
        });
        expect([of.scope, httpStatus >= 400 || endpoint !== 'REST', errors[0]?.code]).toEqual([
          of.scope,
          true,
          'PERMISSION_DENIED',
        ]);
      }
    }
    const own = outside.find(({ role, scope }) => role === 'admin' && scope === 'own')!;
    const ours = {
      ...{ adcp_version: '3.1', idempotency_key: randomUUID(), delete_missing: true },
      account: { brand: { domain: 'not-entered.example' }, operator: 'agency.example' },
      creatives: [
        {
          ...{ creative_id: `mine-${randomUUID()}`, name: 'Mine', assets: {} },
          format_id: { agent_url: 'https://creative.example/', id: 'display_300x250' },
        },
      ],
    };
    const { body, errors } = await callTask(endpoint, as(own), 'sync_creatives', ours);
    expect([errors, JSON.stringify(body)]).toEqual([[], expect.not.stringContaining('of-the-owner')]);
    expect((await stored()).filter((item) => JSON.stringify(item).includes('of-the-owner'))).toEqual(
      before.filter((item) => JSON.stringify(item).includes('of-the-owner')),
    );
  });
});

/** The tasks of each role in its scope. Only changes that can be repeated with the same result. */
const acts: readonly (readonly [
  task: string,
  needs: readonly [area: string, kind: string],
  request: (named: Owned) => Json,
  shows: (named: Owned) => string,
])[] = [
  [
    'get_media_buys',
    ['media_buys', 'read'],
    ({ mediaBuyId }) => ({ media_buy_ids: [mediaBuyId] }),
    ({ mediaBuyId }) => mediaBuyId,
  ],
  [
    'get_media_buy_delivery',
    ['reports', 'read'],
    ({ mediaBuyId }) => ({ media_buy_ids: [mediaBuyId] }),
    ({ mediaBuyId }) => mediaBuyId,
  ],
  [
    'list_creatives',
    ['creatives', 'read'],
    ({ creativeId }) => ({ filters: { creative_ids: [creativeId] } }),
    ({ creativeId }) => creativeId,
  ],
  ['tasks/get', ['media_buys', 'read'], () => ({ task_id: taskOfBuy }), () => taskOfBuy],
  [
    'update_media_buy',
    ['media_buys', 'write'],
    ({ mediaBuyId }) => ({
      media_buy_id: mediaBuyId,
      idempotency_key: randomUUID(),
      end_time: `2099-02-01T00:00:${String((second += 1) % 60).padStart(2, '0')}Z`,
    }),
    ({ mediaBuyId }) => mediaBuyId,
  ],
];
let second = 0;
let taskOfBuy: string;
/** With a buy whose flight does not end during the test: an ended buy cannot be changed. */
let running: Owned;
beforeAll(async () => {
  const catalogue = await Catalogue.read(instance);
  const { body } = await callTask(
    'REST',
    instance,
    'create_media_buy',
    buyRequest([catalogue.packageOf('prompt')], {
      end_time: '2099-01-01T00:00:00Z',
      ext: { switchyard: { campaign_id: campaign } },
    }),
  );
  running = { ...owned, mediaBuyId: String(body['media_buy_id']) };
  const [made] = await database.rows<{ task_id: string }>(
    `select o.task_id from media_buy b join operation o on o.id = b.operation_id where b.id = '${owned.mediaBuyId}'`,
  );
  taskOfBuy = made?.task_id ?? '';
});

/**
 * The holders with whom the gate tries an act at an endpoint: they alternate, so that each role and each scope meets
 * every endpoint, and each role does every act in each scope.
 */
const actingAt = (endpoint: (typeof endpointNames)[number]): readonly Holder[] =>
  inside.filter((_, at) => isWholeMatrix || at % endpointNames.length === endpointNames.indexOf(endpoint));

describe.each(acts)('%s in scope', (task, [area, kind], request, shows) => {
  it.each(endpointNames)('is done over %s if the role allows it', async (endpoint) => {
    for (const of of actingAt(endpoint)) {
      const held = (builtInRoles[of.role] as Readonly<Record<string, readonly string[]>>)[area] ?? [];
      const named = task === 'update_media_buy' ? running : owned;
      const answer = await callTask(endpoint, as(of), task, { adcp_version: '3.1', ...request(named) });
      const done = answer.errors.length === 0 && answer.text.includes(shows(named));
      expect([of.role, of.scope, done, done ? '' : answer.errors[0]?.code]).toEqual([
        ...[of.role, of.scope, held.includes(kind)],
        held.includes(kind) ? '' : 'PERMISSION_DENIED',
      ]);
    }
  });
});

describe('an agent that trades for one brand', () => {
  it('does not buy for a brand of another client, and buys for its own and for one that nobody entered', async () => {
    const bolt = await business('Bolt', 'bolt.example');
    const made = await post('/v1/principals', { name: randomUUID(), kind: 'buyer', transitional: true });
    await post('/v1/grants', {
      ...{ principal: made['principal_id'], role: 'trader', scope: `brand:${bolt.brand}` },
    });
    const agent = as({ role: 'trader', scope: bolt.brand, token: String(made['token']) });
    const catalogue = await Catalogue.read(agent);
    for (const [domain, expected] of [
      ['roaster.example', 'PERMISSION_DENIED'],
      ['Roaster.EXAMPLE', 'PERMISSION_DENIED'],
      [bolt.brand, undefined],
      ['nobody-entered.example', undefined],
    ] as const)
      for (const endpoint of endpointNames) {
        const account = { brand: { domain }, operator: 'agency.example' };
        const request = buyRequest([catalogue.packageOf('prompt')], { brand: { domain }, account });
        const { errors } = await callTask(endpoint, agent, 'create_media_buy', request);
        expect([domain, endpoint, errors[0]?.code]).toEqual([domain, endpoint, expected]);
      }
  });
});

/** Routes about the buy, and the permission for each. Each may be called repeatedly. */
const about: readonly (readonly [
  method: string,
  path: (named: Owned) => string,
  area: string,
  kind: string,
])[] = [
  ['GET', ({ mediaBuyId }) => `/v1/buys/${mediaBuyId}`, 'media_buys', 'read'],
  ['GET', ({ mediaBuyId }) => `/v1/ledger/entries/${mediaBuyId}`, 'ledger', 'read'],
  ['GET', ({ mediaBuyId }) => `/v1/events?media_buy_id=${mediaBuyId}`, 'reports', 'read'],
  ['GET', ({ mediaBuyId }) => `/v1/outgoing-events?media_buy_id=${mediaBuyId}`, 'reports', 'read'],
];

describe('routes to objects in scope', () => {
  it.each(about)('%s %s answers each role as its row declares', async (method, path, area, kind) => {
    for (const of of inside) {
      const held = (builtInRoles[of.role] as Readonly<Record<string, readonly string[]>>)[area] ?? [];
      const { status } = await send(as(of), method, path(owned));
      expect([of.role, of.scope, status]).toEqual([of.role, of.scope, held.includes(kind) ? 200 : 403]);
    }
  });
});

describe('a seller, to a role in a narrower scope than its organization', () => {
  const narrow = (): readonly Holder[] => inside.filter(({ scope }) => scope !== 'organization');
  const name = 'A Seller With A Name';
  let hidden: readonly string[];
  const shown = ({ text }: Pick<HttpAnswer, 'text'>): readonly string[] =>
    hidden.filter((item) => text.toLowerCase().includes(item.toLowerCase()));

  beforeAll(async () => {
    const { sellers } = await admin(instance, 'GET', '/v1/sellers');
    const all = sellers as readonly { readonly slug: string; readonly agent_url: string }[];
    for (const { slug } of all) await post(`/v1/sellers/${slug}/edit`, { name: `${name} ${slug}` });
    hidden = [name, ...new Set(all.map(({ agent_url }) => new URL(agent_url).host))];
    const known = JSON.stringify(await admin(instance, 'GET', '/v1/sellers'));
    expect(shown({ text: known })).toEqual(hidden);
  });

  it('has neither its name nor its address in a list', async () => {
    const lists = routesOfEndpoints().filter(
      (endpoint) => /^GET \/v1\/[^{]+$/.test(endpoint) && !except.has(endpoint),
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const route of lists)
      for (const of of triedWith(narrow(), route)) {
        const answer = await send(as(of), 'GET', route.replace('GET ', ''));
        expect([route, of.role, of.scope, shown(answer)]).toEqual([route, of.role, of.scope, []]);
      }
  });

  it.each(adminRequests.filter(({ method }) => method === 'GET'))(
    'has neither at $method $route',
    async (request) => {
      for (const of of triedWith(narrow(), request.route))
        expect([of.role, of.scope, shown(await query(of, request, owned))]).toEqual([of.role, of.scope, []]);
    },
  );

  it('has no address in the custody record of a colleague', async () => {
    let found = 0;
    for (const of of narrow()) {
      const list = await send(as(of), 'GET', '/v1/custody?outcome=answered');
      const { records = [] } = JSON.parse(list.text) as { readonly records?: readonly Json[] };
      const { principal_id: own } = JSON.parse((await send(as(of), 'GET', '/v1/me')).text) as Json;
      for (const { record_id: id } of records
        .filter((record) => record['principal_id'] !== own)
        .slice(0, 3)) {
        found += 1;
        const answer = await send(as(of), 'GET', `/v1/custody/${String(id)}`);
        expect([of.role, of.scope, answer.status, shown(answer)]).toEqual([of.role, of.scope, 200, []]);
      }
    }
    expect(found).toBeGreaterThan(0);
  });

  it.each(Object.keys(taskTable) as (keyof typeof taskTable)[])('has neither in %s', async (row) => {
    const task = taskTable[row].names.adcp[0];
    for (const [place, endpoint] of endpointNames.entries())
      for (const [at, request] of taskRequestsOf(row, owned).entries())
        for (const of of takingTurns(narrow(), row, place, at)) {
          const answer = await callTask(endpoint, as(of), task, request);
          expect([of.scope, request, shown(answer)]).toEqual([of.scope, request, []]);
        }
  });

  it.each(adminRequests.filter(({ method }) => method !== 'GET'))(
    'has neither at $method $route',
    async (request) => {
      for (const of of adminsOf(narrow(), `${request.method} ${request.route}`))
        expect([of.scope, shown(await query(of, request, owned))]).toEqual([of.scope, []]);
    },
  );
});

/** One does not end, and has tests of its own beside its code. One proves to the caller where its requests were sent. */
const except: ReadonlySet<string> = new Set(['GET /v1/changes', 'GET /v1/custody/export']);
