import { describe, expect, it } from '@jest/globals';
import { syncCreatives as task, type Form } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import type { Placement } from '../model/creative-library.js';
import { previewSync } from './preview-sync.js';
import type { CreativePorts } from '../model/creative-ports.js';

const format = { agent_url: 'https://formats.example', id: 'banner' };
const banner = { creative_id: 'c1', name: 'One', format_id: format, assets: {} };
const profile = { dialect: 'adcp' as const, form: '3.1' as Form };
const knowing = {
  sync_creatives: ['creatives', 'dry_run', 'delete_missing', 'assignments', 'idempotency_key'],
};
const says = (rows: JsonObject[]): { says: JsonObject } => ({ says: { dry_run: true, creatives: rows } });

/** What must not be called in a preview: whoever writes anything fails the test that does. */
function never(name: string): () => never {
  return () => {
    throw new Error(`A preview must not call ${name}.`);
  };
}

interface World {
  readonly harness: BuyingHarness;
  readonly leased: string[][];
  readonly preview: (more?: JsonObject) => Promise<JsonObject>;
}

/** Sellers `acme` (MCP, knows the word), `plain` (MCP, does not), `agent` (A2A): all of them list the format. */
async function world(taken: (harness: BuyingHarness) => readonly Placement[] = () => []): Promise<World> {
  const harness = await openBuyingHarness({
    acme: { isIdempotent: true },
    plain: { isIdempotent: true },
    agent: { isIdempotent: true },
  });
  const leased: string[][] = [];
  const as = (connection: Connection): Connection => {
    if (connection.slug === 'agent') return { ...connection, protocol: 'a2a' };
    return { ...connection, tools: connection.slug === 'acme' ? knowing : { sync_creatives: ['creatives'] } };
  };
  const list: CreativePorts['connections']['list'] = async (scope) =>
    (await harness.ports.connections.list(scope)).map(as);
  const store = harness.ports.store;
  const ports: CreativePorts = {
    ...harness.ports,
    connections: { ...harness.ports.connections, list },
    store: { ...store, begin: never('begin'), change: never('change'), saveAnswer: never('saveAnswer') },
    lease: (scope, connections, use) => {
      leased.push(connections.map(({ slug }) => slug));
      return harness.ports.lease(scope, connections, use);
    },
    creatives: {
      byIds: () => Promise.resolve(new Map()),
      acceptedPlacements: () => Promise.resolve(taken(harness)),
      active: () => Promise.resolve(['c1', 'old']),
      packages: () => Promise.resolve(new Map()),
      sharedConnections: () => Promise.resolve(new Set()),
      sharesAccount: () => Promise.resolve(false),
      list: never('list'),
      observe: never('observe'),
      due: never('due'),
      markPolled: never('markPolled'),
    },
  };
  return {
    harness,
    leased,
    preview: async (more = {}) => {
      const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
      const key = { idempotency_key: 'the-buyers-own-key-1' };
      const ext = {
        switchyard: {
          sellers: (await harness.ports.connections.list(harness.scope)).map(({ slug }) => slug),
        },
      };
      const args: JsonObject = { ...key, account, creatives: [banner], dry_run: true, ext, ...more };
      const read = must(task.readRequest(args, profile, new Map()));
      const { scope, principalId } = harness;
      const mutation = { scope, principalId, profile, request: read, args, deadlineMs: 5_000 };
      const done = must(await previewSync(ports, mutation));
      return task.projectAnswer(done, profile);
    },
  };
}

const received = (answer: JsonObject, seller: string): readonly unknown[] => {
  const ext = answer['ext'] as
    | { readonly switchyard?: { readonly findings?: readonly JsonObject[] } }
    | undefined;
  return (ext?.switchyard?.findings ?? [])
    .filter((finding) => finding['seller'] === seller)
    .map(({ code }) => code);
};

describe('a preview of a sync', () => {
  it('calls only the sellers whose tool supports a dry run, and reports the others as not called', async () => {
    const { harness, leased, preview } = await world();
    harness.seller('acme').fate('sync_creatives', says([{ creative_id: 'c1', action: 'created' }]));
    const answer = await preview();
    expect(harness.seller('acme').received.map(({ tool, args }) => [tool, args['dry_run']])).toEqual([
      ['sync_creatives', true],
    ]);
    for (const seller of ['plain', 'agent']) {
      expect(harness.seller(seller).received).toEqual([]);
      expect(received(answer, seller)).toEqual(['DRY_RUN_NOT_ASKED']);
    }
    expect(answer).toMatchObject({ dry_run: true, creatives: [{ creative_id: 'c1', action: 'created' }] });
    // No secret leaves the vault for a seller that is not called.
    expect(leased).toEqual([['acme']]);
  });

  it('ignores what a seller reports about our library, and shows what each would do', async () => {
    const { harness, preview } = await world();
    const errors = [{ code: 'CREATIVE_REJECTED', message: 'Too loud.' }];
    harness.seller('acme').fate('sync_creatives', says([{ creative_id: 'c1', action: 'failed', errors }]));
    const [row] = (await preview())['creatives'] as JsonObject[];
    expect(row).toMatchObject({
      action: 'created',
      ext: {
        switchyard: {
          sellers: expect.arrayContaining([
            { seller: 'acme', status: 'not_synced', action: 'failed', reason: 'Too loud.' },
            { seller: 'plain', status: 'not_synced' },
          ]),
        },
      },
    });
  });

  it('never sends delete_missing: what would be removed is read from our own library', async () => {
    const { harness, preview } = await world((at) => [
      {
        creativeId: 'old',
        connectionId: at.connection('acme').id,
        seller: 'acme',
        status: 'approved',
        syncedAt: 1,
      },
    ]);
    harness.seller('acme').fate('sync_creatives', says([{ creative_id: 'c1', action: 'created' }]));
    const answer = await preview({ delete_missing: true });
    expect(harness.seller('acme').received[0]?.args).not.toHaveProperty('delete_missing');
    expect(answer['creatives']).toMatchObject([
      { creative_id: 'c1', action: 'created' },
      { creative_id: 'old', action: 'deleted' },
    ]);
  });

  it.each([
    ['does not answer', 'drop' as const],
    ['answers in no form', { says: { creatives: 'none' } }],
    ['fails', { says: { errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'Busy.' }] } }],
  ])('is answered from our own plan if the seller %s', async (_what, fate) => {
    const { harness, preview } = await world();
    harness.seller('acme').fate('sync_creatives', fate);
    const answer = await preview();
    expect(received(answer, 'acme')).toEqual(['DRY_RUN_NOT_ASKED']);
    expect(answer).toMatchObject({ creatives: [{ creative_id: 'c1', action: 'created' }] });
  });

  it('has its own key: the following sync under the buyer’s key is no repetition of it', async () => {
    const { harness, preview } = await world();
    for (let time = 0; time < 2; time += 1) {
      harness.seller('acme').fate('sync_creatives', says([]));
      await preview();
    }
    const keys = harness.seller('acme').received.map(({ args }) => args['idempotency_key']);
    expect(new Set(keys).size).toBe(2);
    expect(keys).not.toContain('the-buyers-own-key-1');
  });
});
