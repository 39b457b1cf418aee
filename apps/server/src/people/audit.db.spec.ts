import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditLog, credentialStore, openStore } from '@switchyard/store';
import { permissionTable } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { must, ok, type JsonObject } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { openHttpHarness, type HttpHarness } from '../main/testkit/http-harness.js';
import { auditRoutes } from './audit.routes.js';
import { actRecorder } from '../platform/routes/record-act.js';
import { adminRoutes } from '../main/routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const { store, stop } = await openTestStore(openStore);
const audit = auditLog(store);
const clock = testClock();
const dayMs = 24 * 3_600_000;
/** Of the principals of `specDoors`. */
const organizationId = '00000000-0000-4000-8000-000000000002';
const local = { scope: { organizationId } };
const unexpected: unknown[] = [];
const onUnexpected = (error: unknown): void => void unexpected.push(error);

let http: HttpHarness;
beforeAll(async () => {
  const recordAct = actRecorder({ audit, clock, local, onUnexpected });
  http = await openHttpHarness({}, { recordAct });
});
afterAll(async () => {
  await http.close();
  await stop();
});

const acts = (limit = 500) => audit.list({ organizationId }, { kind: 'act', limit });

const send = (method: string, path: string, body?: unknown, token = http.token) =>
  fetch(http.url + path, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${token}`,
      'x-request-id': 'from-the-spec',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** What a token cannot do at all is no act of one, nor is what changes nothing. */
const changing = adminRoutes.filter(
  ({ method, needs, readsOnly }) => method !== 'get' && needs !== 'own_session' && readsOnly !== true,
);

/** The newest act, after a request that makes one. */
async function actOf(method: string, path: string, body?: unknown) {
  const answer = await send(method, path, body);
  const [newest] = await acts(1);
  if (newest?.kind !== 'act') throw new Error('There is no act.');
  return { status: answer.status, act: newest };
}

describe('the record of acts', () => {
  it.each(changing.map((route) => [route.id, route] as const))(
    'has exactly one row of %s, with its outcome, and none without the permission',
    async (id, { method, path, needs }) => {
      const before = await acts();
      const address = path.replaceAll(/\{\w+\}/g, 'nobody');
      const answer = await send(method, address, method === 'post' ? {} : undefined);
      expect([400, 403]).not.toContain(answer.status);
      // Whoever has a credential may do what asks for no more.
      if (needs !== 'a_credential')
        await send(method, address, method === 'post' ? {} : undefined, http.readerToken);
      const rows = (await acts()).slice(0, (await acts()).length - before.length);
      expect(rows).toMatchObject([
        {
          action: id,
          actorName: 'principal 1',
          outcome: answer.ok ? 'ok' : 'refused',
          requestId: 'from-the-spec',
        },
      ]);
      if (!answer.ok && answer.status < 500) expect(rows[0]).toHaveProperty('code');
    },
  );

  it('has no row of reads', async () => {
    const before = await acts();
    await send('get', '/v1/principals');
    await send('post', '/v1/buys/dry-run', {});
    expect(await acts()).toHaveLength(before.length);
  });

  it('names created objects by id and name, with the request as the schema reads it', async () => {
    const { status, act } = await actOf('post', '/v1/principals', { name: 'agency', kind: 'buyer' });
    expect([status, act]).toMatchObject([
      200,
      {
        outcome: 'ok',
        objectKind: 'principal',
        objectId: 'p1',
        objectName: 'agency',
        detail: { body: { name: 'agency', kind: 'buyer', scheme: 'bearer' } },
      },
    ]);
    expect(act.detail).not.toHaveProperty('left_out');
  });

  it.each([
    ['import_invoice', { invoice_id: 'i1', number: 'INV-9', seller: 'prompt' }, 'invoice', 'i1', 'INV-9'],
    ['resolve_break', { break_id: 'b1', seller: 'prompt', period: '2026-10' }, 'break', 'b1', 'prompt'],
    [
      'add_invitation',
      { invitation_id: 'n1', email: 'ann@agency.example' },
      'invitation',
      'n1',
      'ann@agency.example',
    ],
  ])('names the object of %s as people call it, beside its id', async (id, answer, kind, objectId, name) => {
    const route = adminRoutes.find((adminRoute) => adminRoute.id === id);
    if (route === undefined) throw new Error(`There is no route ${id}.`);
    const record = actRecorder({ audit, clock, local, onUnexpected });
    await record(route, { caller: 'local', params: {} }, () => Promise.resolve(ok(answer)));
    expect((await acts(1))[0]).toMatchObject({ objectKind: kind, objectId, objectName: name });
  });

  it.each<[string, string, JsonObject, readonly string[]]>([
    ['a secret', '/v1/credentials/c1/rotate', { secret: 'hunter2hunter2' }, ['secret']],
    [
      'a token of a seller',
      '/v1/sellers',
      {
        slug: 'acme',
        agent_url: 'https://acme.example/mcp',
        protocol: 'mcp',
        dialect: 'ads',
        token: 'hunter2hunter2',
      },
      ['token'],
    ],
    [
      'a token of an issuer',
      '/v1/principals/agency/identities',
      { kind: 'jwt', issuer: 'https://id.example', subject: 'a', proof: 'hunter2hunter2' },
      ['proof'],
    ],
    [
      'a secret in a text that is none',
      '/v1/accounts/a1/status',
      { status: 'active', reason: 'Bearer hunter2hunter2' },
      ['reason'],
    ],
  ])('never holds %s', async (_what, path, body, leftOut) => {
    const { act } = await actOf('post', path, body);
    expect(act.detail).toMatchObject({ left_out: leftOut });
    expect(JSON.stringify(act)).not.toContain('hunter2');
  });

  it('stores nothing of an invalid request, because its content is undeclared', async () => {
    const { status, act } = await actOf('post', '/v1/principals', { name: 'x', pasword: 'hunter2hunter2' });
    expect([status, act]).toMatchObject([422, { outcome: 'refused', code: 'VALIDATION_ERROR', detail: {} }]);
    expect(JSON.stringify(act)).not.toContain('hunter2');
  });

  it('is written first: what cannot be recorded is not done', async () => {
    let calls = 0;
    const down = { ...audit, begin: () => Promise.reject(new Error('The disk is full.')) };
    const other = await openHttpHarness(
      {},
      {
        runRoute: () => Promise.resolve(ok({ done: (calls += 1) })),
        recordAct: actRecorder({ audit: down, clock, local, onUnexpected }),
      },
    );
    const answer = await fetch(`${other.url}/v1/tokens/t1`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${other.token}` },
    });
    await other.close();
    expect([answer.status, calls]).toEqual([500, 0]);
  });

  it('is answered with the result if its end cannot be written, and then stays begun', async () => {
    const lost = { ...audit, end: () => Promise.reject(new Error('The disk is full.')) };
    const record = actRecorder({ audit: lost, clock, local, onUnexpected });
    const route = changing.find(({ id }) => id === 'revoke_token');
    if (route === undefined) throw new Error('There is no such route.');
    const done = await record(route, { caller: 'local', params: { id: 't1' } }, () =>
      Promise.resolve(ok({ revoked: true })),
    );
    expect(done).toEqual(ok({ revoked: true }));
    expect(await acts(1)).toMatchObject([{ actorName: 'local', outcome: 'begun', objectId: 't1' }]);
    expect(unexpected).toHaveLength(1);
  });

  it('ends once, and cannot be changed or removed', async () => {
    const [row] = await acts(1);
    const end = { outcome: 'ok', endedAt: clock.now() } as const;
    await audit.end({ organizationId }, row?.id ?? 0, end);
    await expect(audit.end({ organizationId }, row?.id ?? 0, end)).rejects.toThrow();
    const change = (text: string) => store.inTenant({ organizationId }, (client) => client.query(text));
    await expect(change(`update audit_event set outcome = 'refused'`)).rejects.toThrow(/written once/);
    await expect(change(`update audit_event set actor_name = 'x'`)).rejects.toThrow(/permission denied/);
    await expect(change('delete from audit_event')).rejects.toThrow(/permission denied/);
  });
});

/** An organization with an admin, its acts and its uses of one credential. */
async function world() {
  const { id } = await createOrganization(store);
  const scope = { organizationId: id };
  const caller = principalCaller(await createPrincipal(store, id, { permissions: permissionTable }));
  const credentialId = randomUUID();
  const act = async (action: string, objectId: string, at = clock.now()) => {
    const act = { at, actorId: caller.principalId, actorName: caller.name, action, detail: {} };
    await audit.end(scope, await audit.begin(scope, { ...act, objectKind: 'principal', objectId }), {
      outcome: 'ok',
      endedAt: at,
    });
  };
  const use = (purpose: string, usedAt = clock.now(), actor = 'fanout') =>
    credentialStore(store).recordUses(scope, [
      { credentialId, credentialVersion: 1, purpose, actor, usedAt },
    ]);
  const call = callRoutes(auditRoutes, { audit });
  const list = async (query: Record<string, string> = {}) => {
    const page = must(await call(caller, 'list_audit', { query }));
    return {
      actions: (page['events'] as JsonObject[]).map(({ action }) => action),
      next: page['next_cursor'],
    };
  };
  return { caller, scope, credentialId, act, use, list, call };
}

describe('the list of acts and uses', () => {
  it('is complete, newest or oldest first, in one page or several', async () => {
    const { act, use, list } = await world();
    await act('add_principal', 'nova');
    await use('get_products');
    clock.advance(1);
    await use('create_media_buy');
    await act('revoke_principal', 'nova');
    await use('sync_creatives');
    const all = ['revoke_principal', 'sync_creatives', 'create_media_buy', 'add_principal', 'get_products'];
    expect((await list()).actions).toEqual(all);
    for (const sort of ['newest', 'oldest']) {
      const seen: unknown[] = [];
      let cursor: unknown;
      do {
        const page = await list({ sort, limit: '1', ...(typeof cursor === 'string' && { cursor }) });
        seen.push(...page.actions);
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen).toEqual(sort === 'newest' ? all : all.toReversed());
    }
  });

  it('is narrowed by each filter', async () => {
    const { caller, credentialId, act, use, list } = await world();
    const since = new Date(clock.now()).toISOString();
    await act('add_principal', 'nova');
    await use('get_products');
    clock.advance(1000);
    const until = new Date(clock.now()).toISOString();
    await act('revoke_principal', 'acme');
    const found = async (query: Record<string, string>) => (await list(query)).actions;
    expect(await found({ kind: 'act' })).toEqual(['revoke_principal', 'add_principal']);
    expect(await found({ kind: 'credential_use' })).toEqual(['get_products']);
    expect(await found({ since, until })).toEqual(['add_principal', 'get_products']);
    expect(await found({ actor: caller.principalId })).toEqual(['revoke_principal', 'add_principal']);
    expect(await found({ actor: caller.name })).toEqual(['revoke_principal', 'add_principal']);
    expect(await found({ actor: 'fanout' })).toEqual(['get_products']);
    await use('evidence', clock.now(), caller.principalId);
    expect(await found({ actor: caller.principalId, kind: 'credential_use' })).toEqual(['evidence']);
    expect(await found({ object: 'acme' })).toEqual(['revoke_principal']);
    expect(await found({ object: credentialId })).toEqual(['evidence', 'get_products']);
    expect(await found({ action: 'add_principal' })).toEqual(['add_principal']);
  });

  it('shows nothing of another organization, even to its cursor', async () => {
    const [one, other] = [await world(), await world()];
    await one.act('add_principal', 'nova');
    await one.use('get_products');
    expect((await other.list()).actions).toEqual([]);
    expect((await other.list({ object: one.credentialId })).actions).toEqual([]);
    const { next } = await one.list({ limit: '1' });
    const answer = await other.call(other.caller, 'list_audit', {
      query: { limit: '1', cursor: typeof next === 'string' ? next : '' },
    });
    expect(answer).toMatchObject({ error: { code: 'INVALID_REQUEST', field: 'cursor' } });
  });

  it('deletes what is beyond the retention, and nothing younger than 30 days', async () => {
    const { act, use, list } = await world();
    const now = Date.now();
    await act('add_principal', 'nova', now - 40 * dayMs);
    await use('get_products', now - 40 * dayMs);
    await act('revoke_principal', 'nova', now - 20 * dayMs);
    await use('create_media_buy', now - 20 * dayMs);
    await audit.forget(now - 50 * dayMs);
    expect((await list()).actions).toHaveLength(4);
    await audit.forget(now);
    expect((await list()).actions).toEqual(['revoke_principal', 'create_media_buy']);
  });
});
