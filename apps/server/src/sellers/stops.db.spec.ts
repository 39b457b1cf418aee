import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  alarmRepository,
  connectionDirectory,
  listReader,
  openStore,
  principalDirectory,
  seenKeys,
  signerDirectory,
  stopRepository,
} from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { currentStops } from '../main/open-adapters.js';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { stopRoutes } from './stops.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

async function organization(permissions?: Parameters<typeof createPrincipal>[2]) {
  const { id: organizationId } = await createOrganization(store);
  const caller = principalCaller(await createPrincipal(store, organizationId, permissions));
  const call = callRoutes(stopRoutes, {
    lists: listReader(store),
    stops: stopRepository(store, clock),
    connections: connectionDirectory(store),
    principals: principalDirectory(store),
    clock,
  });
  const set = async (target: string, reason?: string) => {
    const body = { target, ...(reason === undefined ? {} : { reason }) };
    const answer = await call(caller, 'set_stop', { body });
    return answer.ok ? answer.value : answer.error.code;
  };
  return { organizationId, caller, call, set };
}

const all = {
  sellers: ['read', 'write', 'delete', 'approve'],
  principals: ['read', 'write', 'delete'],
} as const;

describe('an emergency stop', () => {
  it('applies only in its own organization, and a second process sees it after half a second', async () => {
    const [ours, theirs] = [
      await organization({ permissions: all }),
      await organization({ permissions: all }),
    ];
    const another = currentStops(stopRepository(store, clock), clock);
    expect(await another(ours.organizationId, 'seller', 'any')).toBe(false);
    await ours.set('all', 'A test.');
    clock.advance(500);
    expect(await another(ours.organizationId, 'seller', 'any')).toBe(true);
    expect(await another(theirs.organizationId, 'seller', 'any')).toBe(false);
    expect(await theirs.call(theirs.caller, 'list_stops')).toMatchObject({ value: { stops: [] } });
    const ended = await theirs.call(theirs.caller, 'end_stop', { params: { target: 'all' } });
    expect(ended).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(await ours.set(`principal:${theirs.caller.principalId}`)).toBe('NOT_FOUND');
  });

  it('is listed newest or oldest first, page by page', async () => {
    const { caller, call, set } = await organization({ permissions: all });
    for (const key of ['k1', 'k2', 'k3', 'k4']) {
      if (key !== 'k2') clock.advance(1_000);
      await set(`key:${key}`);
    }
    const walk = async (sort: string, of: Record<string, string> = {}): Promise<readonly unknown[]> => {
      const query = { sort, limit: '1', ...of };
      const { stops, next_cursor: cursor } = must(await call(caller, 'list_stops', { query }));
      const targets = (stops as JsonObject[]).map((row) => row['target']);
      return typeof cursor !== 'string' ? targets : [...targets, ...(await walk(sort, { cursor }))];
    };
    expect(await walk('oldest')).toEqual(['key:k1', 'key:k2', 'key:k3', 'key:k4']);
    expect(await walk('newest')).toEqual(['key:k4', 'key:k3', 'key:k2', 'key:k1']);
  });

  it('that is set twice stays the first one, and its alarm ends with it', async () => {
    const { caller, call, set, organizationId } = await organization({ permissions: all });
    await set('key:k1', 'First.');
    expect(await set('key:k1', 'Second.')).toMatchObject({ target: 'key:k1', reason: 'First.' });
    const alarms = alarmRepository(store, clock);
    const open = () => alarms.list({ organizationId }, { isOpen: true });
    expect(await open()).toMatchObject([{ kind: 'emergency_stop', subject: 'key:k1' }]);
    expect(await call(caller, 'end_stop', { params: { target: 'key:k1' } })).toMatchObject({ ok: true });
    expect(await open()).toEqual([]);
  });

  it('of a principal or a key needs a separate permission, and nobody stops themselves', async () => {
    const few = await organization({ permissions: { sellers: ['approve'] } });
    expect(await few.set('key:k1')).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await few.set(`principal:${few.caller.principalId}`)).toBe('INSUFFICIENT_PERMISSIONS');
    const many = await organization({ permissions: all });
    expect(await many.set(`principal:${many.caller.principalId}`)).toBe('CONFLICT');
  });

  it('applies to an unknown key, with a note in the answer; for a known key there is no note', async () => {
    const { organizationId, caller, set } = await organization({ permissions: all });
    const { organizationId: others, caller: stranger } = await organization({ permissions: all });
    await seenKeys(store, clock).isFirst(
      { organizationId },
      { surface: 'request', agentUrl: 'https://agent.example/mcp', keyid: 'seen-1' },
    );
    const registers = (to: string, principalId: string, kid: string) =>
      signerDirectory(store).add(
        { organizationId: to },
        {
          id: randomUUID(),
          principalId,
          agentUrl: 'https://agent.example/mcp',
          keys: { kind: 'document', jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA', kid }] } },
          dialect: 'ads',
          allowsRsaPss: false,
          createdAt: clock.now(),
        },
      );
    await registers(organizationId, caller.principalId, 'registered-1');
    await registers(others, stranger.principalId, 'of-others-1');
    for (const kid of ['seen-1', 'registered-1']) expect(await set(`key:${kid}`)).not.toHaveProperty('note');
    for (const kid of ['never-seen', 'of-others-1'])
      expect(await set(`key:${kid}`)).toMatchObject({
        target: `key:${kid}`,
        note: expect.stringContaining('holds from its first use on'),
      });
  });

  it('fails the check if the database does not answer', async () => {
    const broken = currentStops({ list: () => Promise.reject(new Error('down')) }, clock);
    await expect(broken('o', 'seller', 'c')).rejects.toThrow('down');
  });
});
