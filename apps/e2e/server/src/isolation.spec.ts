import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { taskTable } from '@switchyard/protocol';
import { openStore } from '@switchyard/store';
import { allPermissions, permissionTable, type Permissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask, doorNames } from './harness/doors.js';
import { startInstance, type Instance } from './harness/instance.js';
import { taskRequest, taskRequests, type Named } from './harness/task-requests.js';

const folder = dataFolder();
let instance: Instance;
let database: OwnerView;
/** Everything that the first organization owns and that a request can name. */
let owned: Named;
/** Every id that stands in its rows. */
let ids: readonly string[];
/** Tokens of principals of another organization, by what each may do. */
const strangers = new Map<string, string>();

/** All, nothing, and each area alone. */
const permissionSets: readonly (readonly [string, Permissions])[] = [
  ['everything', allPermissions],
  ['nothing', {}],
  ...Object.entries(permissionTable).map(([area, kinds]) => [area, { [area]: kinds }] as const),
];

beforeAll(async () => {
  instance = await startInstance(folder.path);
  database = await ownerView(folder.path);
  owned = await ownSomething();
  ids = await idsInRows();
  const store = openStore(ownerUrlOf(folder.path));
  const { id } = await createOrganization(store);
  for (const [name, permissions] of permissionSets) {
    const principal = await createPrincipal(store, id, { permissions, transitional: true });
    strangers.set(name, await createToken(store, principal));
  }
  await store.close();
}, 180_000);

afterAll(async () => {
  await database.close();
  await instance.stop();
  await folder.remove();
});

async function ownSomething(): Promise<Named> {
  const catalogue = await Catalogue.read(instance);
  const wanted = catalogue.packageOf('prompt');
  // Longer than the hours that the practice market lets pass while the tests run.
  const month = { end_time: new Date(Date.now() + 30 * 86_400_000).toISOString() };
  const { body } = await callTask('REST', instance, 'create_media_buy', buyRequest([wanted], month));
  const signals = await callTask('REST', instance, 'get_signals', taskRequests.getSignals(nobodys()));
  const [account] = await database.rows<{ id: string }>('select id from principal_account');
  const [operation] = await database.rows<{ task_id: string; buyer_ref: string | null }>(
    "select task_id, buyer_ref from operation where task = 'create_media_buy'",
  );
  const [bought] = await database.rows<{ id: string }>('select id from buy_package');
  return {
    ...nobodys(),
    mediaBuyId: String(body['media_buy_id']),
    packageId: bought?.id ?? '',
    taskId: operation?.task_id ?? '',
    productId: String(wanted['product_id']),
    pricingOptionId: String(wanted['pricing_option_id']),
    signalId: textOf(list(signals.body['signals'])[0]?.['signal_agent_segment_id']),
    accountId: account?.id ?? '',
    buyerRef: operation?.buyer_ref ?? 'ref',
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The same names, of nothing that there is. */
function nobodys(): Named {
  return {
    mediaBuyId: randomUUID(),
    packageId: randomUUID(),
    taskId: `task_${randomUUID()}`,
    productId: `nobody:${randomUUID()}`,
    pricingOptionId: 'cpm',
    signalId: `nobody:${randomUUID()}`,
    creativeId: `creative-${randomUUID()}`,
    accountId: randomUUID(),
    buyerRef: `ref-${randomUUID()}`,
  };
}

async function idsInRows(): Promise<readonly string[]> {
  const tables = ['operation', 'leg', 'media_buy', 'seller_buy', 'buy_package', 'connection', 'principal'];
  const found = await Promise.all(
    tables.map((table) => database.rows<{ id: string }>(`select id::text from "${table}"`)),
  );
  const remote = await database.rows<{ id: string }>(
    'select seller_media_buy_id as id from seller_buy where seller_media_buy_id is not null',
  );
  return [...found.flat(), ...remote].map(({ id }) => id);
}

/** An answer without what differs between any two answers: the names that were sent, fresh ids, and times. */
function bare(text: string, named: Named): string {
  const sent = Object.entries(named).sort((one, other) => other[1].length - one[1].length);
  return sent
    .reduce((left, [member, value]) => left.replaceAll(value, `<${member}>`), text)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/(?:op|task)_[A-Za-z0-9_-]+/g, '<id>')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replaceAll(/"elapsed_ms":\d+/g, '"elapsed_ms":0');
}

const rows = Object.keys(taskTable) as (keyof typeof taskTable)[];

describe.each(rows)("another organization's things through %s", (row) => {
  it.each(permissionSets.map(([name]) => name))(
    'are as if they were not there, to a principal with %s',
    async (set) => {
      const stranger = { url: instance.url, token: strangers.get(set) ?? '' };
      const task = taskTable[row].names.adcp[0];
      for (const door of set === 'everything' ? doorNames : (['REST'] as const)) {
        // Once with the account, which is looked for first, and once without it, so that the other names are reached.
        for (const without of [undefined, 'account']) {
          const missing = nobodys();
          const [asked, asIfNothing] = [taskRequest(row, owned), taskRequest(row, missing)].map((request) =>
            Object.fromEntries(Object.entries(request).filter(([member]) => member !== without)),
          ) as [Json, Json];
          const theirs = await callTask(door, stranger, task, asked);
          const nothing = await callTask(door, stranger, task, asIfNothing);
          const said = JSON.stringify(theirs.body);
          expect([door, theirs.httpStatus, bare(said, owned)]).toEqual([
            door,
            nothing.httpStatus,
            bare(JSON.stringify(nothing.body), missing),
          ]);
          const sent = JSON.stringify(asked);
          expect(ids.filter((id) => said.includes(id) && !sent.includes(id))).toEqual([]);
        }
      }
    },
  );
});

describe('what the tests of isolation name', () => {
  it('is really there, so that a leak would show', async () => {
    expect(owned.mediaBuyId).toMatch(/\w/);
    const own = await callTask('REST', instance, 'get_media_buys', taskRequests.getMediaBuys(owned));
    expect(list(own.body['media_buys'])).toHaveLength(1);
    const task = await callTask('REST', instance, 'tasks/get', taskRequests.getTask(owned));
    expect(task.errors).toEqual([]);
    expect(ids.length).toBeGreaterThan(10);
    expect(Object.values(owned)).not.toContain('');
  });
});
