import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { taskTable } from '@switchyard/protocol';
import { openStore } from '@switchyard/store';
import {
  createOrganization,
  createPrincipal,
  createToken,
  isWholeMatrix,
  sampled,
  tellLeftOut,
} from '@switchyard/testing';
import { adminRequests, namelessRequests, type AdminRequest } from './harness/admin-requests.js';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { colleaguesOf, ownOfColleague, type Colleague } from './harness/colleagues.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask, endpointNames, type Send } from './harness/call-task.js';
import { generousRates } from './harness/generous-rates.js';
import { idsInRows } from './harness/ids-in-rows.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { nobodys, ownEverything, type Owned } from './harness/own-everything.js';
import { namesNothing, namesNothingAt } from './harness/names-nothing.js';
import { permissionSets } from './harness/colleagues.js';
import { routesOfEndpoints, routesWithNames } from './harness/routes-of-endpoints.js';
import { bare, type HttpAnswer, send } from './harness/http-answer.js';
import { taskRequestsOf } from './harness/task-requests.js';
import { placesWith, standsIn, textPlaces } from './harness/text-places.js';
import { thingsOfTables } from './harness/things-of-tables.js';

/*
 * Other owners' items do not exist for a caller: with any permissions of another organization, for any task or route,
 * by any name, at any endpoint. The answer about another owner's id equals the answer about an unknown id: code, message,
 * body and status. Nothing is written and no seller is called. The same holds between two principals of one
 * organization, unless the caller is an operator.
 */

const folder = dataFolder();
let instance: Instance;
let database: OwnerView;
/** All items of the first organization that a request can name. */
let owned: Owned;
let owner: string;
/** All ids in its rows. */
let ids: readonly string[];
/** Another organization, and tokens of its principals by permissions. */
let stranger: string;
const strangers = new Map<string, string>();
/** Principals of the owner's organization that are no operators, and a caller without a credential. */
let colleagues: readonly Colleague[];

const sets = permissionSets.map(([name]) => name);
/** Which permission a route needs is tested for each of them by `operations-matrix.spec.ts`: one guard asks for all. */
const partOfSets = 10;
/** The permissions with which the gate tries a request: all, none, and a part of the others. */
const setsFor = (request: string): readonly string[] => {
  const [everything = '', nothing = '', ...others] = sets;
  return [everything, nothing, ...sampled(others, request, partOfSets)];
};
/** The colleague with the most permissions. */
const isStrongest = ({ kind, name }: Colleague): boolean => kind === 'whole' && name.startsWith('a service');
/** The colleagues with whom the gate tries a request: the strongest, and a part of the others and of the narrow tokens. */
const colleaguesFor = (request: string): readonly Colleague[] => [
  ...colleagues.filter(isStrongest),
  ...sampled(
    colleagues.filter((of) => of.kind !== 'narrow' && !isStrongest(of)),
    request,
    2,
  ),
  ...sampled(
    colleagues.filter(({ kind }) => kind === 'narrow'),
    request,
    partOfSets,
  ),
];

beforeAll(async () => {
  instance = await startInstance(folder.path, [], generousRates);
  database = await ownerView(folder.path);
  owned = await ownEverything(instance);
  const [first] = await database.rows<{ id: string }>('select id from organization order by created_at');
  owner = first?.id ?? '';
  ids = await idsInRows(database, owner);
  colleagues = await colleaguesOf(folder.path, owner);
  const store = openStore(ownerUrlOf(folder.path));
  stranger = (await createOrganization(store)).id;
  for (const [name, permissions] of permissionSets) {
    const principal = await createPrincipal(store, stranger, { permissions, transitional: true });
    strangers.set(name, await createToken(store, principal));
  }
  await store.close();
});

afterAll(tellLeftOut);
afterAll(async () => {
  await database.close();
  await instance.stop();
  await folder.remove();
});

const as = (set: string): Send => ({ url: instance.url, token: strangers.get(set) ?? '' });

async function tenantTables(): Promise<readonly string[]> {
  const found = await database.rows<{ name: string }>(
    "select table_name as name from information_schema.columns where column_name = 'organization_id' and table_schema = 'public'",
  );
  return found.map(({ name }) => name);
}

let tables: readonly string[] | undefined;
/** Numbers of the strangers' rows, by table. */
async function strangersRows(): Promise<Readonly<Record<string, number>>> {
  tables ??= await tenantTables();
  const counts = tables.map(
    (table) => `(select count(*)::int from "${table}" where organization_id = $1) as "${table}"`,
  );
  const [row] = await database.rows<Record<string, number>>(`select ${counts.join(', ')}`, [stranger]);
  return row ?? {};
}

type Counted = Awaited<ReturnType<typeof strangersRows>>;

const gained = (before: Counted, after: Counted) =>
  Object.entries(after).flatMap(([table, count]) =>
    count === before[table] ? [] : [`${table} ${String(count - (before[table] ?? 0))}`],
  );

/** Rows, or columns, that only the owner changes and that time does not change. */
const steady: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['principal', 'principal_identity', 'principal_signer', 'delegation', 'signing_key'].map((table) => [
      table,
      't',
    ]),
  ),
  approval: 't',
  alarm: 't',
  connection: '(t.id, t.slug, t.state)',
  // Its uses are counted.
  credential: '(t.credential_id, t.version, t.ciphertext, t.state, t.retired_at)',
  creative: '(t.id, t.creative_id, t.operation_id, t.name)',
  operation: '(t.id, t.task, t.request_hash)',
  media_buy: '(t.id, t.buyer_ref, t.end_time)',
  buy_package: '(t.id, t.budget_micros, t.canceled_at, t.paused)',
  principal_account: '(t.id, t.closed_at)',
};

async function ownersThings(except: readonly string[] = []): Promise<unknown> {
  const tables = Object.entries(steady).filter(([table]) => !except.includes(table));
  const hashes = await Promise.all(
    tables.map(async ([table, what]) => {
      const [row] = await database.rows<{ hash: string | null }>(
        `select md5(string_agg(${what}::text, '' order by ${what}::text)) as hash from "${table}" t where organization_id = $1`,
        [owner],
      );
      return [table, row?.hash ?? null] as const;
    }),
  );
  return Object.fromEntries(hashes);
}

/** A tool call whose answer is an event stream, because the caller requests progress. */
async function callStreaming(to: Send, task: string, args: Json): Promise<HttpAnswer> {
  const answer = await fetch(`${to.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${to.token ?? ''}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: task, arguments: args, _meta: { progressToken: 'p' } },
    }),
  });
  return { status: answer.status, text: await answer.text() };
}

const http = [...endpointNames, 'MCP as a stream'] as const;

async function callAt(
  endpoint: (typeof http)[number],
  to: Send,
  task: string,
  args: Json,
): Promise<HttpAnswer> {
  if (endpoint === 'MCP as a stream') return callStreaming(to, task, args);
  const { httpStatus, body } = await callTask(endpoint, to, task, args);
  return { status: httpStatus, text: JSON.stringify(body) };
}

/** Ids of the owner that an answer contains and its request does not. */
const leaked = (reported: HttpAnswer, requested: unknown): readonly string[] => {
  const sent = JSON.stringify(requested);
  return ids.filter((id) => reported.text.includes(id) && !sent.includes(id));
};

const without = (request: Json, member: string | undefined): Json =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== member));

/**
 * Refusals for a missing permission, word for word, that were equal for an unknown item: a caller that gets the same
 * one was refused before any name was read, and is not tested a second time.
 */
class Refusals {
  readonly #seen = new Set<string>();

  has({ status, text }: HttpAnswer): boolean {
    return status === 403 && this.#seen.has(text);
  }

  add({ text }: HttpAnswer): void {
    this.#seen.add(text);
  }
}

const rows = Object.keys(taskTable) as (keyof typeof taskTable)[];

/**
 * Once with the account, which is looked up first, and with the session; and once without the account, so that the
 * other names are reached.
 */
const manners = ['with an account', 'without'] as const;
/** Both where the gate tries most; elsewhere, where names are read by the same code, they alternate over the requests. */
const mannersOf = (tries: 'both' | 'one', turn: number): readonly (typeof manners)[number][] =>
  isWholeMatrix || tries === 'both' ? manners : manners.filter((_, at) => at === turn % manners.length);

function mannered(request: Json, { accountId, contextId }: Owned, manner: (typeof manners)[number]): Json {
  return manner === 'without'
    ? without(request, 'account')
    : { account: { account_id: accountId }, context_id: contextId, ...request };
}

let called: Readonly<Record<string, number>>;
let things: unknown;
beforeAll(async () => {
  called = await Market.of(folder.path).mutations();
  things = await ownersThings();
});

describe.each(rows)("another organization's things through %s", (row) => {
  const refusals = new Refusals();
  it.each(setsFor(row))('get the answer of missing objects, for a principal with %s', async (set) => {
    const task = taskTable[row].names.adcp[0];
    const isWhole = set === 'everything';
    for (const endpoint of isWhole ? http : (['REST'] as const)) {
      const missing = nobodys();
      const missingRequests = taskRequestsOf(row, missing);
      for (const [at, request] of taskRequestsOf(row, owned).entries())
        for (const manner of isWhole
          ? mannersOf(endpoint === 'REST' ? 'both' : 'one', http.indexOf(endpoint) + at)
          : (['without'] as const)) {
          const requested = mannered(request, owned, manner);
          const theirs = await callAt(endpoint, as(set), task, requested);
          if (refusals.has(theirs)) continue;
          const nothing = await callAt(
            endpoint,
            as(set),
            task,
            mannered(missingRequests[at] ?? {}, missing, manner),
          );
          expect([endpoint, requested, theirs.status, bare(theirs.text, owned)]).toEqual([
            endpoint,
            requested,
            nothing.status,
            bare(nothing.text, missing),
          ]);
          expect(leaked(theirs, requested)).toEqual([]);
          refusals.add(theirs);
        }
    }
  });

  it('leave the same rows behind as missing objects', async () => {
    const task = taskTable[row].names.adcp[0];
    const missing = nobodys();
    const missingRequests = taskRequestsOf(row, missing);
    let before = await strangersRows();
    for (const [at, request] of taskRequestsOf(row, owned).entries()) {
      await callAt('REST', as('everything'), task, request);
      const between = await strangersRows();
      await callAt('REST', as('everything'), task, missingRequests[at] ?? {});
      const after = await strangersRows();
      expect(gained(before, between)).toEqual(gained(between, after));
      before = after;
    }
  });
});

/** Unique names, so that a place in a request shows which name it contains. */
const marks = Object.fromEntries(
  Object.keys(nobodys()).map((member) => [member, `mark-${member}-${randomUUID()}`]),
) as unknown as Owned;
const markedPlaces = (row: keyof typeof taskTable): readonly string[] => {
  const cursors = Object.fromEntries(rows.map((name) => [name, `mark-cursor-${randomUUID()}`]));
  const texts = [
    ...Object.values(marks).filter((text) => typeof text === 'string'),
    ...Object.values(cursors),
  ];
  const named = { ...marks, cursors };
  return taskRequestsOf(row, named).flatMap((request) =>
    manners.flatMap((manner) => placesWith(texts, mannered(request, named, manner))),
  );
};

describe('every text of a request', () => {
  it.each(rows)(
    "of %s is sent as another organization's name, or is listed as no name with the reason",
    (row) => {
      const found = markedPlaces(row);
      const undecided = textPlaces(taskTable[row].inputSchema()).filter((place) => {
        const isNamed = found.some((text) => standsIn(place, text));
        return isNamed === namesNothingAt(row, place).length > 0;
      });
      expect(undecided).toEqual([]);
    },
  );

  it('has no unused reason', () => {
    const used = new Set(
      rows.flatMap((row) =>
        textPlaces(taskTable[row].inputSchema()).flatMap((place) => namesNothingAt(row, place)),
      ),
    );
    expect(namesNothing.filter((item) => !used.has(item))).toEqual([]);
  });
});

describe('objects missing from a sync', () => {
  it('are never another organization’s', async () => {
    const { httpStatus } = await callTask('REST', as('everything'), 'sync_creatives', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: { brand: { domain: 'other.example' }, operator: 'agency.example' },
      delete_missing: true,
      creatives: [
        {
          creative_id: 'mine',
          name: 'Mine',
          format_id: { agent_url: 'https://creative.example/', id: 'display_300x250' },
          assets: {},
        },
      ],
    });
    expect(httpStatus).toBe(200);
    expect(await ownersThings()).toEqual(things);
  });
});

describe('a key of another organization', () => {
  it('neither finds nor blocks anything', async () => {
    const [kept] = await database.rows<{ key: string }>(
      "select idempotency_key as key from operation where task = 'create_media_buy' and organization_id = $1",
      [owner],
    );
    const body = (key: string) => ({
      ...buyRequest([{ product_id: 'nobody:x', pricing_option_id: 'cpm', budget: 1 }]),
      idempotency_key: key,
    });
    const theirs = await callAt('REST', as('everything'), 'create_media_buy', body(kept?.key ?? ''));
    const fresh = await callAt('REST', as('everything'), 'create_media_buy', body(randomUUID()));
    expect([theirs.status, bare(theirs.text, owned)]).toEqual([fresh.status, bare(fresh.text, owned)]);
    expect(theirs.text).not.toContain('replayed');
  });
});

/** Native A2A: a task is read, canceled, continued and subscribed to by its id only. */
const nativeCalls: readonly (readonly [string, (named: Owned) => Json])[] = [
  ['tasks/get', ({ taskId }) => ({ id: taskId })],
  ['tasks/cancel', ({ taskId }) => ({ id: taskId })],
  ['tasks/resubscribe', ({ taskId }) => ({ id: taskId })],
  ['tasks/pushNotificationConfig/get', ({ taskId }) => ({ id: taskId })],
  ['tasks/pushNotificationConfig/list', ({ taskId }) => ({ id: taskId })],
  [
    'tasks/pushNotificationConfig/set',
    ({ taskId }) => ({ taskId, pushNotificationConfig: { url: 'http://127.0.0.1:9/news' } }),
  ],
  ['tasks/pushNotificationConfig/delete', ({ taskId }) => ({ id: taskId, pushNotificationConfigId: 'x' })],
  [
    'message/send',
    ({ taskId, contextId }) => ({
      message: {
        kind: 'message',
        messageId: 'm',
        role: 'user',
        taskId,
        contextId,
        parts: [{ kind: 'data', data: { skill: 'tasks/get', parameters: { task_id: taskId } } }],
      },
    }),
  ],
];

describe('native A2A', () => {
  it.each(nativeCalls)('finds no task of another organization at %s', async (method, params) => {
    const missing = nobodys();
    for (const set of setsFor(method)) {
      const [theirs, nothing] = await Promise.all(
        [owned, missing].map((named) => {
          const call = { jsonrpc: '2.0', id: 1, method, params: params(named) };
          return send(as(set), 'POST', '/a2a', call);
        }),
      );
      expect([set, theirs?.status, bare(theirs?.text ?? '', owned)]).toEqual([
        set,
        nothing?.status,
        bare(nothing?.text ?? '', missing),
      ]);
      expect(leaked(theirs ?? { status: 0, text: '' }, params(owned))).toEqual([]);
    }
  });
});

const query = (to: Send, { method, path, body }: AdminRequest, named: Owned): Promise<HttpAnswer> =>
  send(to, method, path(named), body?.(named));

describe.each(adminRequests)('$method $route', (request) => {
  it("answers for another organization's objects as for missing ones, with any permission", async () => {
    const refusals = new Refusals();
    for (const set of setsFor(`${request.method} ${request.route}`)) {
      const missing = nobodys();
      const theirs = await query(as(set), request, owned);
      if (refusals.has(theirs)) continue;
      const nothing = await query(as(set), request, missing);
      expect([set, theirs.status, bare(theirs.text, owned)]).toEqual([
        set,
        nothing.status,
        bare(nothing.text, missing),
      ]);
      expect(leaked(theirs, [request.path(owned), request.body?.(owned)])).toEqual([]);
      refusals.add(theirs);
    }
  });
});

/** A brand's request as it is sent through the relay, to any seller. */
const relayed = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_products', arguments: { brief: 'x' } },
});

async function relay(to: Send, protocol: string, seller: string): Promise<HttpAnswer> {
  const answer = await fetch(`${to.url}/relay/${encodeURIComponent(seller)}/${protocol}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.token ?? ''}`, 'content-type': 'application/json' },
    body: relayed,
  });
  const headers = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, text: JSON.stringify([headers, await answer.text()]) };
}

const relayEndpoints = ['mcp', 'a2a'] as const;

describe.each(relayEndpoints)('POST /relay/{seller}/%s', (protocol) => {
  it('answers for a seller of another organization as for an unknown one, with any permission', async () => {
    for (const set of setsFor(`relay ${protocol}`)) {
      const missing = nobodys();
      const theirs = await relay(as(set), protocol, owned.seller);
      const nothing = await relay(as(set), protocol, missing.seller);
      expect([set, theirs.status, bare(theirs.text, owned)]).toEqual([
        set,
        nothing.status,
        bare(nothing.text, missing),
      ]);
      expect(theirs.text).toContain('RELAY_SELLER_NOT_FOUND');
      expect(leaked(theirs, owned.seller)).toEqual([]);
    }
  });

  it('leaves the same rows behind for both, among those of its caller', async () => {
    const before = await strangersRows();
    await relay(as('everything'), protocol, owned.seller);
    const between = await strangersRows();
    await relay(as('everything'), protocol, nobodys().seller);
    // Records are chained later, in batches.
    const atOnce = (left: Counted, right: Counted) =>
      gained(left, right).filter((text) => !/^(journal_|custody_)/.test(text));
    expect(atOnce(before, between)).toEqual(['relay_request 1']);
    expect(atOnce(between, await strangersRows())).toEqual(['relay_request 1']);
  });
});

/** Does not end until its caller disconnects. Its visibility has its own tests (`src/changes` of the server). */
const streamOfChanges = '/v1/changes';

describe('lists', () => {
  it('contain nothing of another organization, with any permission', async () => {
    const openapi = (await (await fetch(`${instance.url}/openapi.json`)).json()) as {
      paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const lists = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      'get' in methods && !path.includes('{') && path !== streamOfChanges ? [path] : [],
    );
    expect(lists.length).toBeGreaterThan(10);
    // The audit shows strangers their own requests, with the names that they sent.
    const sent = adminRequests.map(({ path, body }) => [decodeURIComponent(path(owned)), body?.(owned)]);
    // So does the export, of every kind of request that they made: tenants.db.spec.ts tests that it has no row of others.
    for (const path of lists.filter((name) => name !== '/v1/organization-export'))
      for (const set of setsFor(path)) {
        const reported = await send(as(set), 'GET', path);
        const known = path === '/v1/audit' ? [path, sent] : path;
        expect([path, set, leaked(reported, known)]).toEqual([path, set, []]);
      }
  });

  it('cover every route with a name', async () => {
    const openapi = (await (await fetch(`${instance.url}/openapi.json`)).json()) as {
      paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const described = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      path.includes('{')
        ? Object.keys(methods)
            .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
            .map((method) => `${method.toUpperCase()} ${path}`)
        : [],
    );
    const shape = (route: string): string => route.replaceAll(/\{\w+\}/g, '{}');
    const tested = new Set([
      ...adminRequests.map(({ method, route }) => shape(`${method} ${route}`)),
      ...[...namelessRequests].map(shape),
      ...relayEndpoints.map((protocol) => `POST /relay/{}/${protocol}`),
      'POST /webhooks/{}',
      // Each of its tasks is tested above.
      'POST /v1/tasks/{}',
      // Public, and its name is one of our own endpoints.
      'GET /.well-known/oauth-protected-resource/{}',
      // Public too: that is the purpose of signed heads.
      'GET /.well-known/switchyard/heads/{}',
      // Public for whoever has its address: see creative-files.spec.ts of the server's creatives.
      'GET /creative-files/{}/{}',
      // Public for whoever has a link: see documents.db.spec.ts of the server's finance.
      'GET /shared/{}/{}',
      'GET /shared/{}/{}/signed',
      'GET /shared/{}/{}/{}',
      // Public for whoever has the document, whose digest nobody guesses: see there too.
      'GET /verified/{}/{}',
      // Each needs the token of one organization, whose rows alone it reads: see scim.db.spec.ts.
      ...['GET', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [
        `${method} /scim/v2/Users/{}`,
        `${method} /scim/v2/Groups/{}`,
      ]),
      // They describe the protocol, with the names that it gives: no row of anybody.
      'GET /scim/v2/ResourceTypes/{}',
      'GET /scim/v2/Schemas/{}',
      // Needs the state that one browser got for this organization: see organization-sign-in.db.spec.ts.
      'GET /sign-in/oidc/callback/{}',
      // Each needs a secret that one person got, and that person's session: see oauth-sellers.spec.ts.
      'GET /sellers/{}/authorise',
      'GET /sellers/{}/authorised',
      // Public: authorization servers read them, and they hold our address and public keys alone.
      'GET /sellers/{}/signed-client.json',
      'GET /sellers/{}/public-client.json',
    ]);
    const routes = routesWithNames();
    expect(routes.length).toBeGreaterThan(20);
    expect([...routes, ...described].filter((text) => !tested.has(shape(text)))).toEqual([]);
  });

  it('cover every table whose rows a request can name', async () => {
    const tables = await tenantTables();
    expect(tables.toSorted()).toEqual(Object.keys(thingsOfTables).toSorted());
    const sent = JSON.stringify([
      ...rows.flatMap((row) => taskRequestsOf(row, owned)),
      ...adminRequests.flatMap(({ path, body }) => [decodeURIComponent(path(owned)), body?.(owned)]),
      owned.registrationId,
    ]);
    const { cursors, ...names } = owned;
    const texts: Readonly<Record<string, string>> = { ...names, ...cursors };
    const requested = new Set(Object.keys(texts).filter((name) => sent.includes(texts[name] ?? '')));
    if (Object.keys(cursors).every((row) => requested.has(row))) requested.add('cursors');
    const unasked = Object.values(thingsOfTables).filter(
      (thing) => thing !== 'inside' && !requested.has(thing),
    );
    expect(unasked).toEqual([]);
    // And every item is used.
    expect(Object.keys(texts).filter((name) => !requested.has(name))).toEqual([]);
  });
});

describe('all requests of strangers', () => {
  it('call no seller, and change only the stranger’s own objects', async () => {
    expect(await Market.of(folder.path).mutations()).toEqual(called);
    expect(await ownersThings()).toEqual(things);
  });
});

/** As a colleague, who buys the same products from the same sellers. */
const asColleague = ({ token }: Colleague): Send => ({
  url: instance.url,
  ...(token === undefined ? {} : { token }),
});

/** Names of no item, except what all principals of an organization share: sellers and offers. */
function nothingOfColleagues(): Owned {
  const { seller, productId, proposalId, pricingOptionId, signalId } = owned;
  return { ...nobodys(), seller, productId, proposalId, pricingOptionId, signalId };
}

/** The names that all principals of an organization share: offers and signals. */
let common: ReadonlySet<string>;
/** The owner's items, without what a colleague's use changes. */
let ownThings: unknown;
beforeAll(async () => {
  const found = await database.rows<{ id: string }>(
    `select segment_id as id from signal_activation
     union select product_id from offered_product union select proposal_id from offered_proposal
     union select pricing_option_id from buy_package union select id::text from organization
     union select kid from signing_key where signs_proofs and principal_id is null`,
  );
  common = new Set(found.map(({ id }) => id));
  ownThings = await ownersThings(['operation', 'principal_account']);
});
const leakedToColleague = (reported: HttpAnswer, requested: unknown): readonly string[] =>
  leaked(reported, requested).filter((id) => !common.has(id));

describe.each(adminRequests)('$method $route for a colleague', (request) => {
  it('answers for another principal’s objects as for missing ones, unless its caller is an operator', async () => {
    const refusals = new Refusals();
    for (const colleague of colleaguesFor(`${request.method} ${request.route}`)) {
      const missing = nothingOfColleagues();
      const theirs = await query(asColleague(colleague), request, owned);
      if (refusals.has(theirs)) continue;
      const nothing = await query(asColleague(colleague), request, missing);
      expect([colleague.name, theirs.status, bare(theirs.text, owned)]).toEqual([
        colleague.name,
        nothing.status,
        bare(nothing.text, missing),
      ]);
      expect([
        colleague.name,
        leakedToColleague(theirs, [request.path(owned), request.body?.(owned)]),
      ]).toEqual([colleague.name, []]);
      refusals.add(theirs);
    }
  });
});

/** Tasks that buy, or write ids of the caller's choice, if no account of another owner prevents it. */
const changing: ReadonlySet<keyof typeof taskTable> = new Set([
  'createMediaBuy',
  'syncCreatives',
  'activateSignal',
]);
/** Tasks that sellers answer with their common offers: two answers may differ, and take long. */
const ofMarket: ReadonlySet<keyof typeof taskTable> = new Set([
  'getProducts',
  'getSignals',
  'listCreativeFormats',
  'listAuthorizedProperties',
]);

describe.each(rows)("a colleague's things through %s", (row) => {
  it('get the answer of missing objects, for any kind of principal', async () => {
    const task = taskTable[row].names.adcp[0];
    const asking = colleaguesFor(row).filter(({ kind }) => kind !== 'narrow');
    for (const colleague of ofMarket.has(row) ? asking.slice(0, 1) : asking) {
      const missing = nothingOfColleagues();
      const missingRequests = taskRequestsOf(row, missing);
      for (const [at, request] of taskRequestsOf(row, owned).entries())
        for (const manner of mannersOf(isStrongest(colleague) ? 'both' : 'one', at)) {
          if (manner === 'without' && (changing.has(row) || ofMarket.has(row))) continue;
          const requested = mannered(request, owned, manner);
          const theirs = await callAt('REST', asColleague(colleague), task, requested);
          const other = mannered(missingRequests[at] ?? {}, missing, manner);
          const nothing = await callAt('REST', asColleague(colleague), task, other);
          const plain = (reported: HttpAnswer, named: Owned): string =>
            ofMarket.has(row) ? '' : bare(reported.text, named);
          expect([colleague.name, requested, theirs.status, plain(theirs, owned)]).toEqual([
            colleague.name,
            requested,
            nothing.status,
            plain(nothing, missing),
          ]);
          expect([colleague.name, requested, leakedToColleague(theirs, requested)]).toEqual([
            colleague.name,
            requested,
            [],
          ]);
        }
    }
  });
});

/** The answers of all lists that a principal without items may read without being an operator. */
const empty: Readonly<Record<string, Json>> = {
  'GET /v1/brands': { brands: [] },
  'GET /v1/campaigns': { campaigns: [] },
  'GET /v1/clients': { clients: [] },
  'GET /v1/buys': { media_buys: [] },
  'GET /v1/jobs': { jobs: [] },
  'GET /v1/plans': { plans: [] },
  'GET /v1/notices': { notices: [], unread: 0 },
  'GET /v1/needs': { needs: [], counts: {}, reporting_currency: 'USD' },
  'GET /v1/events': { received: 0, applied: 0, quarantined: 0, events: [] },
  'GET /v1/approvals': { approvals: [] },
  'GET /v1/outgoing-events': { events: [] },
  'GET /v1/delegations': { delegations: [] },
  'GET /v1/custody': { records: [] },
};
/** About a whole chain, here the caller's own, which has no records; about the caller itself; and about the instance. */
const ofChain: ReadonlySet<string> = new Set([
  'GET /v1/practice/clock',
  'GET /v1/practice/deeds',
  'GET /v1/custody/verify',
  'GET /v1/custody/export',
  'GET /v1/me',
  'GET /v1/me/sign-in',
  'GET /v1/me/sessions',
  'GET /v1/me/programs',
  'GET /v1/notices/settings',
]);

/** No lists: one does not end, and one is for callers before sign-in. */
const noLists: ReadonlySet<string> = new Set([`GET ${streamOfChanges}`, 'GET /v1/session/provider']);

describe('lists for a colleague', () => {
  it('contain and count nothing of another principal, unless their caller is an operator', async () => {
    const lists = routesOfEndpoints().filter(
      (route) => /^GET \/v1\/[^{]+$/.test(route) && !noLists.has(route),
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const route of lists)
      for (const colleague of colleaguesFor(route)) {
        const path = route.replace('GET ', '');
        const reported = await send(asColleague(colleague), 'GET', path);
        const { status, text } = reported;
        expect([route, colleague.name, leakedToColleague(reported, path)]).toEqual([
          route,
          colleague.name,
          [],
        ]);
        if (colleague.token === undefined) expect([route, status]).toEqual([route, 401]);
        if (status === 200 && !ofChain.has(route))
          expect([route, colleague.name, JSON.parse(text)]).toEqual([route, colleague.name, empty[route]]);
      }
  });

  it('together with routes with a name, cover every route of /v1', () => {
    const shape = (route: string): string => route.replaceAll(/\{\w+\}/g, '{}');
    const tried = new Set([
      ...adminRequests.map(({ method, route }) => shape(`${method} ${route}`)),
      ...[...namelessRequests].map(shape),
      // Each task is tested above.
      'POST /v1/tasks/{}',
    ]);
    const routes = routesOfEndpoints().filter((route) => route.includes(' /v1/'));
    expect(routes.length).toBeGreaterThan(45);
    const untried = routes.filter((route) => !/^GET [^{]+$/.test(route) && !tried.has(shape(route)));
    expect(untried).toEqual([]);
  });
});

describe('all requests of colleagues', () => {
  it('change nothing of the owner’s', async () => {
    expect(await ownersThings(['operation', 'principal_account'])).toEqual(ownThings);
  });
});

describe('a colleague’s own objects', () => {
  /** Routes that their owner may call with a permission that no operator is needed for. */
  const found = new Set([
    'GET /v1/events/{id}',
    'GET /v1/buys/{id}',
    'GET /v1/relay/{name}/address',
    'GET /v1/delegations',
    'POST /v1/approvals/{id}/answer',
    'POST /v1/approvals/{id}/dismiss',
    'POST /v1/legs/{id}/settle',
    'DELETE /v1/delegations/{id}',
  ]);
  let colleague: Colleague;
  let own: Owned;
  beforeAll(async () => {
    const service = colleagues.find(({ name }) => name.startsWith('a service'));
    if (service === undefined) throw new Error('There is no colleague that may do all this.');
    colleague = service;
    own = await ownOfColleague(instance, colleague);
  });

  const read = async (path: string, token = ''): Promise<string> =>
    (await send({ url: instance.url, token }, 'GET', path)).text;

  it.each(['/v1/buys', '/v1/events', '/v1/approvals', '/v1/delegations'])(
    'are all that %s shows to it, and an operator sees them as well',
    async (path) => {
      const ours = { '/v1/buys': own.mediaBuyId, '/v1/events': own.eventId, '/v1/approvals': own.approvalId };
      const id = (ours as Readonly<Record<string, string>>)[path] ?? own.delegationId;
      const shown = await read(path, colleague.token);
      expect(shown).toContain(id);
      expect(leakedToColleague({ status: 200, text: shown }, path)).toEqual([]);
      expect(await read(path, instance.token)).toContain(id);
    },
  );

  it('show it no secret address of a webhook, unlike an operator', async () => {
    const path = `/v1/events/${own.eventId}?raw=true`;
    const shown = await read(path, colleague.token);
    expect(shown).toContain('"raw"');
    expect(shown).not.toContain(own.registrationId);
    expect(await read(path, instance.token)).toContain(own.registrationId);
  });

  // Last, because the requests have effects.
  it.each(adminRequests.filter(({ method, route }) => found.has(`${method} ${route}`)))(
    'are found by it at $method $route',
    async (request) => {
      const missing = nobodys();
      const ours = await query(asColleague(colleague), request, own);
      const nothing = await query(asColleague(colleague), request, missing);
      expect([ours.status, bare(ours.text, own)]).not.toEqual([nothing.status, bare(nothing.text, missing)]);
    },
  );
});

describe('POST /webhooks/{registration}', () => {
  const notify = (registration: string, token?: string): Promise<HttpAnswer> =>
    send(
      { url: instance.url, ...(token !== undefined && { token }) },
      'POST',
      `/webhooks/${encodeURIComponent(registration)}`,
      { operation_id: owned.operationId, task_id: owned.taskId, status: 'completed' },
    );

  /*
   * The URL is the secret here: 144 random bits that only its seller was given. A seller must learn that an address is
   * gone, so an unknown one is 404; the answer never depends on the owner. These tests come last, because a post
   * without proof to a known address raises an alarm of its owner.
   */
  it('reveals nothing about the owner of an address, and accepts no token of ours', async () => {
    const registrations = await database.rows<{ id: string; mode: string }>(
      'select id, mode from webhook_registration where organization_id = $1',
      [owner],
    );
    expect(registrations.map(({ id }) => id)).toContain(owned.registrationId);
    const tokens = [undefined, as('nothing').token, as('everything').token, instance.token];
    for (const token of tokens) {
      const answers = new Map<string, Set<string>>();
      for (const { id, mode } of registrations) {
        const reported = await notify(id, token);
        expect(leaked(reported, [id, owned.operationId, owned.taskId])).toEqual([]);
        answers.set(
          mode,
          (answers.get(mode) ?? new Set()).add(`${String(reported.status)} ${reported.text}`),
        );
      }
      for (const [mode, said] of answers)
        expect([mode, ...said]).toEqual([mode, expect.stringMatching(/^401 /)]);
    }
    const none = await Promise.all(tokens.map((token) => notify(`whr_${randomUUID()}`, token)));
    expect(new Set(none.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
    const stored = await database.rows('select id from inbox_event where organization_id = $1', [stranger]);
    expect(stored).toEqual([]);
  });
});

/** Requests whose answer does not depend on any name in them, even for the owner. */
const nameless: ReadonlySet<keyof typeof taskTable> = new Set([
  'getCapabilities',
  'listAuthorizedProperties',
]);

/*
 * Last, because it has effects: for the owner each request has another result with its own names than with unknown
 * ones. A request with the same result would prove nothing above.
 */
describe('the objects that the isolation tests name', () => {
  it('exist, so that a leak would show', async () => {
    expect(Object.entries(owned).filter(([, value]) => value === '' || value === 'undefined')).toEqual([]);
    expect(ids.length).toBeGreaterThan(100);
    const own = await callTask('REST', instance, 'get_media_buys', {
      adcp_version: '3.1',
      media_buy_ids: [owned.mediaBuyId],
    });
    expect(list(own.body['media_buys'])).toHaveLength(1);
  });

  it.each(adminRequests)('are found by their owner at $method $route', async (request) => {
    const missing = nobodys();
    const own = await query(instance, request, owned);
    const nothing = await query(instance, request, missing);
    expect([own.status, bare(own.text, owned)]).not.toEqual([nothing.status, bare(nothing.text, missing)]);
  });

  it.each(rows.filter((row) => !nameless.has(row)))('are found by their owner through %s', async (row) => {
    const missing = nobodys();
    const missingRequests = taskRequestsOf(row, missing);
    const task = taskTable[row].names.adcp[0];
    const same: Json[] = [];
    for (const [at, request] of taskRequestsOf(row, owned).entries()) {
      const requested = without(request, 'account');
      const own = await callAt('REST', instance, task, requested);
      const nothing = await callAt('REST', instance, task, without(missingRequests[at] ?? {}, 'account'));
      if (own.status === nothing.status && bare(own.text, owned) === bare(nothing.text, missing))
        same.push(requested);
    }
    expect(same).toEqual([]);
  });
});
