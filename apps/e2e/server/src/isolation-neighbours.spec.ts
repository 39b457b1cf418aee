import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions, usualPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken, sampled, tellLeftOut } from '@switchyard/testing';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask, endpointNames, post, type EndpointName, type Send } from './harness/call-task.js';
import { generousRates } from './harness/generous-rates.js';
import { idsInRows } from './harness/ids-in-rows.js';
import { startInstance, type Instance } from './harness/instance.js';
import { neighbourChanges } from './harness/neighbour-changes.js';
import { neighbourRequests, type Neighbour } from './harness/neighbour-requests.js';
import { nobodys } from './harness/own-everything.js';
import { permissionSets } from './harness/colleagues.js';
import { sandboxMarket, type SandboxMarket } from './harness/sandbox-market.js';
import { bare, type HttpAnswer } from './harness/http-answer.js';
import { settleBuyer } from './harness/settle-buyer.js';
import type { Named } from './harness/task-requests.js';

/*
 * A stranger without items is refused at the first name. A neighbour has a running buy, creatives and an account at the
 * same seller, with the same account there, so that each name is looked up at its own depth among existing items. The
 * neighbour requests another organization's items and unknown items, at every endpoint, and at one endpoint with every set of
 * permissions, and must get equal answers. A day of this market takes an hour, so nothing changes by itself.
 */

const folder = dataFolder();
let sandbox: SandboxMarket;
let instance: Instance;
let database: OwnerView;
let owned: Neighbour;
let neighbour: Neighbour;
/** Another principal of the owner's organization. */
let colleague: Neighbour;
let colleagueToken: string;
/** All ids in the owner's rows. */
let ids: readonly string[];
/** Tokens of the neighbour's principal, by permissions. */
const tokens = new Map<string, string>();
const narrow = permissionSets
  .map(([name]) => name)
  .filter((name) => !['everything', 'nothing'].includes(name));
/** Permissions are checked behind the endpoints, so one endpoint is enough for each single set. */
const setsAt = (endpoint: EndpointName, request: string): readonly string[] =>
  endpoint === 'REST' ? ['everything', 'nothing', ...sampled(narrow, request, 10)] : ['everything'];
const as = (set: string): Send => ({ url: instance.url, token: tokens.get(set) ?? '' });

beforeAll(async () => {
  sandbox = await sandboxMarket(join(folder.path, 'market'), ['prompt']);
  instance = await startInstance(folder.path, ['--no-sandbox'], generousRates);
  database = await ownerView(folder.path);
  await sandbox.onboardAt(instance);
  owned = await settleBuyer(instance, 'the-owner', database);
  const [first] = await database.rows<{ id: string }>('select id from organization order by created_at');
  const store = openStore(ownerUrlOf(folder.path));
  ids = await idsInRows(database, first?.id ?? '');
  const wanted = { permissions: allPermissions, transitional: true };
  // An operator may see the items of its colleagues: this principal is none.
  const alike = { ...wanted, permissions: usualPermissions.brand };
  colleagueToken = await createToken(store, await createPrincipal(store, first?.id ?? '', alike));
  const principal = await createPrincipal(store, (await createOrganization(store)).id, wanted);
  for (const [name, permissions] of permissionSets)
    tokens.set(name, await createToken(store, principal, permissions));
  await store.close();
  await post('REST', as('everything'), '/v1/sellers/import', JSON.stringify(sandbox.agents));
  neighbour = await settleBuyer(as('everything'), 'the-neighbour', database);
  colleague = await settleBuyer({ url: instance.url, token: colleagueToken }, 'the-colleague', database);
});

afterAll(tellLeftOut);
afterAll(async () => {
  await database.close();
  await instance.stop();
  await sandbox.stop();
  await folder.remove();
});

/** Also removes what differs between two calls at a seller: its ids and its figures. */
const plain = (reported: HttpAnswer, named: Named): string =>
  bare(reported.text, named)
    .replaceAll(/(?:mb|pkg)_[A-Za-z0-9_-]+/g, '<id>')
    .replaceAll(/\d+(?:\.\d+)?/g, '0');

/** Ids of the owner that an answer contains, but not its request nor the answer about an unknown item. */
const leaked = (reported: HttpAnswer, received: unknown): readonly string[] => {
  const known = JSON.stringify(received);
  return ids.filter((id) => reported.text.includes(id) && !known.includes(id));
};

/** The seller's own ids, equal for all its buyers. */
const shared = (): Pick<Named, 'productId' | 'pricingOptionId'> => ({
  productId: owned.productId,
  pricingOptionId: owned.pricingOptionId,
});

type Request = (typeof neighbourRequests)[string];

async function query(
  endpoint: EndpointName,
  set: string,
  make: Request,
  named: Named,
): Promise<readonly [HttpAnswer, Json]> {
  const [task, request] = make(neighbour, named);
  const { httpStatus, text } = await callTask(endpoint, as(set), task, request);
  return [{ status: httpStatus, text }, request];
}

/** The owner's items, here and at the seller, without what our own reads change. */
async function ownersThings(): Promise<unknown> {
  const { body } = await callTask('REST', instance, 'get_media_buys', {
    adcp_version: '3.1',
    media_buy_ids: [owned.mediaBuyId],
  });
  const creatives = await callTask('REST', instance, 'list_creatives', { adcp_version: '3.1' });
  const books = await sandbox.market.booksOf('prompt');
  return {
    buys: list(body['media_buys']).map(({ media_buy_id, status, revision, packages }) => [
      media_buy_id,
      status,
      revision,
      packages,
    ]),
    creatives: list(creatives.body['creatives']).map(({ creative_id, name, assignments }) => [
      creative_id,
      name,
      assignments,
    ]),
    books: books.slice(0, 2),
  };
}

let things: unknown;
/** Numbers of mutations at the seller before the requests for other owners' items. */
let called: Readonly<Record<string, number>>;
beforeAll(async () => {
  things = await ownersThings();
  called = await sandbox.market.mutations();
});

describe.each(endpointNames)('a neighbour with a running buy at the same seller, over %s', (endpoint) => {
  it.each(Object.entries({ ...neighbourRequests, ...neighbourChanges }))(
    'gets the same answer for %s as for ids that do not exist, with any permission',
    async (request, make) => {
      const missing = { ...nobodys(), ...shared() };
      const there = { ...owned, ...shared() };
      for (const set of setsAt(endpoint, request)) {
        const [nothing] = await query(endpoint, set, make, missing);
        const [theirs, requested] = await query(endpoint, set, make, there);
        expect([set, theirs.status, plain(theirs, there)]).toEqual([
          set,
          nothing.status,
          plain(nothing, missing),
        ]);
        expect([set, leaked(theirs, [requested, nothing.text])]).toEqual([set, []]);
      }
    },
  );
});

/*
 * Creatives and quotes belong to the organization. Buys, packages, accounts and tasks belong to the principal that they
 * were made for, and to its colleagues they do not exist.
 */
const ofPrincipals = Object.entries({ ...neighbourRequests, ...neighbourChanges }).filter(([, make]) => {
  const marked = nobodys();
  const [task, request] = make({ ...nobodys(), wanted: { creatives: [{}] } }, marked);
  const { creativeId, creativeName } = marked;
  return (
    task !== 'list_creatives' &&
    ![creativeId, creativeName].some((name) => JSON.stringify(request).includes(name))
  );
});

describe.each(endpointNames)('a colleague with a running buy at the same seller, over %s', (endpoint) => {
  it.each(ofPrincipals)('gets the same answer for %s as for ids that do not exist', async (_, make) => {
    const reported = async (named: Named): Promise<readonly [HttpAnswer, Json]> => {
      const [task, request] = make(colleague, named);
      const to = { url: instance.url, token: colleagueToken };
      const { httpStatus, text } = await callTask(endpoint, to, task, request);
      return [{ status: httpStatus, text }, request];
    };
    const missing = { ...nobodys(), ...shared() };
    const there = { ...owned, ...shared() };
    const [nothing] = await reported(missing);
    const [theirs, requested] = await reported(there);
    expect([theirs.status, plain(theirs, there)]).toEqual([nothing.status, plain(nothing, missing)]);
    expect(leaked(theirs, [requested, nothing.text])).toEqual([]);
  });

  it('is tested with the same kinds of objects as a neighbour', () => {
    expect(ofPrincipals.length).toBeGreaterThan(20);
  });
});

describe('the requests of a neighbour about another organization’s objects', () => {
  it('change nothing, here or at the seller, and send no update of a buy', async () => {
    expect(await ownersThings()).toEqual(things);
    const { 'prompt update_media_buy': updates, 'prompt create_media_buy': creates } =
      await sandbox.market.mutations();
    expect([creates, updates]).toEqual([
      called['prompt create_media_buy'],
      called['prompt update_media_buy'],
    ]);
  });
});

/** Requests, each sent once, that send a creative with an id of the caller: of another owner, or of none. */
const bringing: Readonly<Record<string, (creative: Json, own: Neighbour) => readonly [string, Json]>> = {
  'a preview': (creative) => ['sync_creatives', { ...toPrompt(), dry_run: true, creatives: [creative] }],
  'a sync': (creative) => ['sync_creatives', { ...toPrompt(), creatives: [creative] }],
  'the same sync once more': (creative) => ['sync_creatives', { ...toPrompt(), creatives: [creative] }],
  'a change of its buy': (creative, { mediaBuyId, packageId }) => [
    'update_media_buy',
    { ...keyed(), media_buy_id: mediaBuyId, packages: [{ package_id: packageId, creatives: [creative] }] },
  ],
  'a new buy': (creative, { wanted }) => [
    'create_media_buy',
    { ...buyRequest([{ ...wanted, creatives: [creative] }], { end_time: '2099-01-01T00:00:00Z' }) },
  ],
  'a question for it': ({ creative_id: id }) => [
    'list_creatives',
    { adcp_version: '3.1', filters: { creative_ids: [String(id)] } },
  ],
};
const keyed = (): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
});
/** Unassigned creatives are sent only to sellers that the request names. */
const toPrompt = (): Json => ({ ...keyed(), ext: { switchyard: { sellers: ['prompt'] } } });
/** The status of the seller's review depends on time; the existence of the creative does not. */
const undecided = (text: string): string =>
  text.replaceAll(/"(?:processing|pending_review|approved)"/g, '"<seen>"');
/** One for each first use of an id, because a second use is another request. */
const firstUses = ['synced', 'changed', 'bought'] as const;
const usesOf: Readonly<Record<(typeof firstUses)[number], readonly string[]>> = {
  synced: ['a preview', 'a sync', 'the same sync once more', 'a question for it'],
  changed: ['a change of its buy', 'a question for it', 'the same sync once more'],
  bought: ['a new buy', 'a question for it', 'the same sync once more'],
};

describe.each(endpointNames)(
  'a neighbour that sends creatives under ids of its own choice, over %s',
  (endpoint) => {
    it.each(firstUses)(
      'gets the same answer whether or not another organization has the id at the seller, where it is first %s',
      async (use) => {
        const [brought] = list(neighbour.wanted['creatives']);
        const idIn = (set: string, whose: string): string =>
          `${use}-${endpoint}-${set.replaceAll(' ', '-')}-${whose}`;
        const owners = setsAt(endpoint, use).map((set) => ({
          ...brought,
          creative_id: idIn(set, 'theirs'),
          name: 'The owner’s',
        }));
        const synced = await callTask('REST', instance, 'sync_creatives', {
          ...toPrompt(),
          creatives: owners,
        });
        expect(synced.errors).toEqual([]);
        for (const set of setsAt(endpoint, use)) {
          const answers = async (whose: string): Promise<readonly unknown[]> => {
            const id = idIn(set, whose);
            const received: unknown[] = [];
            for (const name of usesOf[use]) {
              const make = bringing[name];
              if (make === undefined) throw new Error(`Nothing is brought by ${name}.`);
              const [task, request] = make(
                { ...brought, creative_id: id, name: 'The neighbour’s' },
                neighbour,
              );
              const { httpStatus, body, text } = await callTask(endpoint, as(set), task, request);
              const reported = { status: httpStatus, text };
              expect([set, name, leaked(reported, [request, neighbour])]).toEqual([set, name, []]);
              expect(text).not.toMatch(new RegExp(`${id}-[0-9a-f]{24}`));
              // The list has the seller's current decisions; whose creatives it contains does not depend on time.
              const rows = list(body['creatives']).map((row) => [row['creative_id'] === id, row['name']]);
              const shown = undecided(plain(reported, { ...nobodys(), creativeId: id }));
              received.push([set, name, httpStatus, task === 'list_creatives' ? rows : shown]);
            }
            return received;
          };
          expect(await answers('theirs')).toEqual(await answers('nobodys'));
        }
        const stored = await callTask('REST', instance, 'list_creatives', {
          adcp_version: '3.1',
          filters: { creative_ids: owners.map(({ creative_id: id }) => id) },
        });
        expect(list(stored.body['creatives']).map(({ name }) => name)).toEqual(
          owners.map(({ name }) => name),
        );
        // At the seller each has its own creative, and none was overwritten.
        const books = (await sandbox.market.books()) as readonly Json[];
        const library = list(books.find(({ slug }) => slug === 'prompt')?.['creatives']);
        for (const { creative_id: id, name } of owners) {
          const under = library.filter(
            ({ creative_id: at }) => /^(.+)-[0-9a-f]{24}$/.exec(String(at))?.[1] === id,
          );
          expect(under.filter((row) => row['name'] === name)).toHaveLength(1);
        }
      },
    );
  },
);

/* Last, because it has effects. A request with the same meaning for all names would prove nothing above. */
describe('a neighbour’s requests about its own objects', () => {
  it.each(Object.entries({ ...neighbourRequests, ...neighbourChanges }))(
    'get a different answer for %s, so the name is really looked up',
    async (_, make) => {
      const own = { ...neighbour, ...shared() };
      const missing = { ...nobodys(), ...shared() };
      const [nothing] = await query('REST', 'everything', make, missing);
      const [mine, requested] = await query('REST', 'everything', make, own);
      expect([requested, mine.status, plain(mine, own)]).not.toEqual([
        requested,
        nothing.status,
        plain(nothing, missing),
      ]);
      // An update of its own buy is applied: the buy is running.
      if (make(neighbour, own)[0] === 'update_media_buy')
        expect([requested, mine]).toMatchObject([requested, { status: 200 }]);
    },
  );
});
