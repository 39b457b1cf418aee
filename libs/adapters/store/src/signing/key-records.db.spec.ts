import { afterAll, describe, expect, it } from '@jest/globals';
import { createScope, openTestStore, testClock } from '@switchyard/testing';
import type { TenantScope } from '@switchyard/tenancy';
import { listReader } from '../core/list.js';
import { openStore } from '../core/open-store.js';
import { refusedSignatureList } from './refused-signature.list.js';
import { refusedSignatures, type RefusedSignature } from './refused-signatures.js';
import { seenKeys } from './seen-keys.js';
import { trustDocuments } from './trust-documents.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

const tenant = async () => await createScope(store);
const hour = 3_600_000;

describe('a document that trust depends on', () => {
  it('is available after a restart, and an older copy never replaces a newer one', async () => {
    const url = 'https://brand.example/list';
    const at = Date.UTC(2026, 0, 1);
    expect(await trustDocuments(store).read(url)).toBeUndefined();
    await trustDocuments(store).write(url, { content: { kids: ['a'] }, fetchedAt: at });
    const other = openStore(database.appUrl);
    expect(await trustDocuments(other).read(url)).toEqual({ content: { kids: ['a'] }, fetchedAt: at });
    await trustDocuments(other).write(url, { content: { kids: [] }, fetchedAt: at - 1 });
    expect((await trustDocuments(store).read(url))?.content).toEqual({ kids: ['a'] });
    await other.close();
  });
});

describe('an observed key', () => {
  it('is new once over many processes, per organization and surface', async () => {
    const clock = testClock();
    const [ours, theirs] = [await tenant(), await tenant()];
    const key = { surface: 'webhook', agentUrl: 'https://a.example/', keyid: 'k' } as const;
    const received = await Promise.all(
      Array.from({ length: 10 }, () => seenKeys(store, clock).isFirst(ours, key)),
    );
    expect(received.filter(Boolean)).toHaveLength(1);
    expect(await seenKeys(store, clock).isFirst(theirs, key)).toBe(true);
    expect(await seenKeys(store, clock).isFirst(ours, { ...key, surface: 'request' })).toBe(true);
  });

  it('is counted by the time of its first use', async () => {
    const clock = testClock();
    const scope = await tenant();
    const seen = seenKeys(store, clock);
    const start = clock.now();
    let number = 0;
    const some = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        number += 1;
        await seen.isFirst(scope, {
          surface: 'request',
          agentUrl: 'https://a.example/',
          keyid: `k${number}`,
        });
      }
    };
    await some(4);
    clock.advance(40 * 24 * hour);
    await some(3);
    clock.advance(2 * hour);
    await some(2);
    clock.advance(10 * 60_000);
    await some(1);
    expect(await seen.counts(scope)).toEqual({
      lastFiveMinutes: 1,
      lastHour: 3,
      lastDay: 6,
      last30Days: 6,
      hourly: [3],
      daily: [4],
      knownForMs: clock.now() - start,
    });
    expect((await seen.counts(await tenant())).lastDay).toBe(0);
  });
});

describe('a refused signature', () => {
  const refused = (more: Partial<RefusedSignature> = {}): RefusedSignature => ({
    isStranger: false,
    code: 'request_signature_invalid',
    keyid: 'k1',
    agentUrl: 'https://a.example/',
    principalName: 'agency',
    method: 'POST',
    path: '/mcp',
    steps: [{ step: '1', name: 'headers parse', ok: true, seen: 'label sig1' }],
    refusedAt: Date.UTC(2026, 0, 1),
    ...more,
  });

  const listed = (scope: TenantScope) =>
    listReader(store).page(scope, refusedSignatureList, { reach: { kind: 'everything' }, limit: 100 });

  it('is listed with its steps, newest first, only for its tenant', async () => {
    const [scope, other] = [await tenant(), await tenant()];
    const repository = refusedSignatures(store);
    const { keyid: _one, agentUrl: _two, principalName: _three, ...bare } = refused();
    const stranger = { ...bare, isStranger: true, refusedAt: bare.refusedAt + 1, code: 'x' };
    await repository.store(scope, refused());
    await repository.store(scope, stranger);
    expect(await listed(scope)).toMatchObject([
      { code: 'x', is_stranger: true, keyid: null, refused_at: new Date(stranger.refusedAt) },
      { keyid: 'k1', agent_url: 'https://a.example/', principal: 'agency', steps: bare.steps },
    ]);
    expect(await listed(other)).toEqual([]);
  });

  it('of an unknown sender replaces only those of unknown senders; those of known senders are all stored', async () => {
    const scope = await tenant();
    const repository = refusedSignatures(store, 3);
    for (let index = -4; index <= 0; index += 1) {
      await repository.store(scope, refused({ refusedAt: Date.UTC(2026, 0, 1) + index }));
    }
    for (let index = 1; index <= 10; index += 1) {
      await repository.store(scope, refused({ isStranger: true, refusedAt: Date.UTC(2026, 0, 1) + index }));
    }
    const all = await listed(scope);
    expect(all.map((one) => [one['is_stranger'], Number(one['refused_at']) - Date.UTC(2026, 0, 1)])).toEqual([
      [true, 10],
      [true, 9],
      [true, 8],
      [false, 0],
      [false, -1],
      [false, -2],
      [false, -3],
      [false, -4],
    ]);
  });

  it('is deleted after its retention', async () => {
    const scope = await tenant();
    const repository = refusedSignatures(store);
    await repository.store(scope, refused());
    await repository.store(scope, refused({ refusedAt: Date.UTC(2026, 0, 3) }));
    expect(await repository.purge(scope, Date.UTC(2026, 0, 2))).toBe(1);
    expect(await listed(scope)).toHaveLength(1);
  });
});
