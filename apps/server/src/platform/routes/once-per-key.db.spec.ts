import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminAnswers, auditLog, openStore } from '@switchyard/store';
import { openTestStore, testClock } from '@switchyard/testing';
import { ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import { adminRoutes } from '../../main/routes.js';
import { answersKeptMs, oncePerKey, takesKey } from './once-per-key.js';
import { actRecorder } from './record-act.js';
import type { RouteAnswer } from './route.js';

const { store, database, stop } = await openTestStore(openStore);
const other = openStore(database.appUrl);
const clock = testClock();
/** Of the principals of the harness. */
const organizationId = '00000000-0000-4000-8000-000000000002';
const local = { scope: { organizationId } };
const unexpected: string[] = [];
const onUnexpected = (_error: unknown, where: string): void => void unexpected.push(where);

/** What the acts did: one item for each act that was done. */
const done: string[] = [];
let act: () => Promise<RouteAnswer>;
const counted = (id: string): RouteAnswer => {
  done.push(id);
  return ok({ client_id: id, name: 'Roaster', ordinal: done.length });
};

/** Two processes: each has its own server and its own connections to the database. */
const processes: HttpHarness[] = [];
beforeAll(async () => {
  for (const own of [store, other])
    processes.push(
      await openHttpHarness(
        {},
        {
          recordAct: actRecorder({ audit: auditLog(own), clock, local, onUnexpected }),
          oncePerKey: oncePerKey({ answers: adminAnswers(own), clock, local, onUnexpected }),
          runRoute: () => act(),
        },
      ),
    );
});
afterAll(async () => {
  for (const one of processes) await one.close();
  await other.close();
  await stop();
});

interface Sent {
  readonly key?: string;
  readonly body?: object;
  readonly at?: number;
  readonly path?: string;
  readonly token?: 'token' | 'readerToken';
}

async function send({
  key,
  body = { name: 'Roaster' },
  at = 0,
  path = '/v1/clients',
  token = 'token',
}: Sent) {
  const answer = await fetch(processes[at]!.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${processes[at]![token]}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as JsonObject };
}

const acts = async () => (await auditLog(store).list(local.scope, { kind: 'act', limit: 500 })).length;

describe('an act with an Idempotency-Key', () => {
  it('is done once among two processes that get it at the same time, and answered alike afterwards', async () => {
    const key = randomUUID();
    const before = done.length;
    const gate = new EventEmitter();
    act = async () => {
      await once(gate, 'open');
      return counted(key);
    };
    const recorded = await acts();
    const first = [0, 1, 0, 1].map((at) => send({ key, at }));
    const refused: Awaited<ReturnType<typeof send>>[] = [];
    await new Promise<void>((resolve) => {
      for (const one of first)
        void one.then((answer) => {
          if (answer.status === 409) refused.push(answer);
          if (refused.length === first.length - 1) resolve();
        });
    });
    gate.emit('open');
    const answers = await Promise.all(first);
    expect(done.slice(before)).toEqual([key]);
    expect(await acts()).toBe(recorded + 1);
    for (const one of refused) {
      expect(one.body['code']).toBe('IDEMPOTENCY_IN_FLIGHT');
      expect(one.headers.get('retry-after')).toBe('2');
    }
    const [answered] = answers.filter(({ status }) => status === 201);
    const again = await Promise.all([0, 1].map((at) => send({ key, at })));
    for (const one of again) {
      expect(one).toMatchObject({ status: 201, body: answered!.body });
      expect(one.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(answered!.headers.get('idempotency-replayed')).toBeNull();
    expect(done.slice(before)).toEqual([key]);
    expect(await acts()).toBe(recorded + 1);
  });

  it('refuses another request under its key, and is free of the keys of other principals', async () => {
    const key = randomUUID();
    act = () => Promise.resolve(counted(key));
    expect(await send({ key })).toMatchObject({ status: 201 });
    const before = done.length;
    expect(await send({ key, body: { name: 'Other' } })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    expect(await send({ key, path: '/v1/clients/c1' })).toMatchObject({ status: 422 });
    expect(done.length).toBe(before);
    expect(await send({ key, token: 'readerToken' })).toMatchObject({ status: 403 });
  });

  it('is free again after a refusal, and after 24 hours', async () => {
    const key = randomUUID();
    act = () =>
      Promise.resolve({ ok: false, error: { code: 'CONFLICT', message: 'This name is taken.' } } as const);
    expect(await send({ key })).toMatchObject({ status: 409, body: { detail: 'This name is taken.' } });
    act = () => Promise.resolve(counted(key));
    expect(await send({ key })).toMatchObject({ status: 201 });
    clock.advance(answersKeptMs - 1);
    const before = done.length;
    expect(await adminAnswers(store).forget(clock.now())).toBeGreaterThanOrEqual(0);
    expect(await send({ key })).toMatchObject({ status: 201 });
    expect(done.length).toBe(before);
    clock.advance(1);
    expect(await adminAnswers(other).forget(clock.now())).toBeGreaterThan(0);
    const left = await store.inTenant(local.scope, (client) =>
      client.query('select 1 from admin_answer where key = $1', [key]),
    );
    expect(left.rows).toEqual([]);
    expect(await send({ key, body: { name: 'Other' } })).toMatchObject({ status: 201 });
    expect(done.length).toBe(before + 1);
  });

  it('is not done a second time if the process died between the act and its answer, and says so', async () => {
    const key = randomUUID();
    const before = done.length;
    const died = openStore(database.appUrl);
    const crashing = oncePerKey({
      answers: { ...adminAnswers(died), keep: () => Promise.reject(new Error('The process is gone.')) },
      clock,
      local,
      onUnexpected,
    });
    const server = await openHttpHarness({}, { oncePerKey: crashing, runRoute: () => act() });
    act = () => Promise.resolve(counted(key));
    const lost = fetch(`${server.url}/v1/clients`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ name: 'Roaster' }),
    });
    expect((await lost).status).toBe(201);
    expect(unexpected.at(-1)).toContain('add_client');
    await server.close();
    await died.close();
    expect(await send({ key })).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_FLIGHT' } });
    clock.advance(121_000);
    const told = await send({ key, at: 1 });
    expect(told).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(told.body['detail']).toMatch(/not known whether it was done/);
    expect(done.slice(before)).toEqual([key]);
  });

  it('that throws leaves its key claimed, because part of it may be done', async () => {
    const key = randomUUID();
    act = () => Promise.reject(new Error('The database went away.'));
    expect(await send({ key })).toMatchObject({ status: 500 });
    act = () => Promise.resolve(counted(key));
    expect(await send({ key })).toMatchObject({ status: 409 });
    expect(done).not.toContain(key);
  });

  it('keeps no secret: a repetition is refused with the ids of what was made', async () => {
    const key = randomUUID();
    const sent = { key, path: '/v1/principals', body: { name: 'agent', kind: 'buyer' } };
    act = () => Promise.resolve(ok({ principal_id: 'p-17', token: 'sy_secret-of-the-spec' }));
    expect(await send(sent)).toMatchObject({ status: 200, body: { token: 'sy_secret-of-the-spec' } });
    const again = await send(sent);
    expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(again.body['detail']).toContain('principal_id p-17');
    const { rows } = await store.inTenant(local.scope, (client) =>
      client.query('select 1 from admin_answer where body like $1', ['%sy_secret%']),
    );
    expect(rows).toEqual([]);
  });

  it('does everything as before without a key, and refuses one that is malformed', async () => {
    act = () => Promise.resolve(counted('unkeyed'));
    const before = done.length;
    expect(await send({})).toMatchObject({ status: 201, body: { ordinal: before + 1 } });
    expect(await send({})).toMatchObject({ status: 201, body: { ordinal: before + 2 } });
    for (const key of ['short', 'with space in the middle', 'a'.repeat(256)])
      expect(await send({ key })).toMatchObject({
        status: 400,
        body: { error: { field: 'Idempotency-Key' } },
      });
    expect(done.length).toBe(before + 2);
    const quoted = randomUUID();
    await send({ key: `"${quoted}"` });
    expect((await send({ key: quoted })).headers.get('idempotency-replayed')).toBe('true');
  });
});

it('says of every route that changes something whether its answer shows a secret', () => {
  const secret = /^(token|secret|signing_key|recovery_codes|link)$/;
  const shows = (schema: object): boolean => {
    let found = false;
    JSON.stringify(schema, (name: string, value: unknown) => {
      if (name === 'properties' && typeof value === 'object' && value !== null)
        found ||= Object.keys(value).some((member) => secret.test(member));
      if (name === 'description') found ||= /^Shown (this )?once/.test(String(value));
      return value;
    });
    return found;
  };
  const showing = adminRoutes
    .filter(takesKey)
    .filter(({ answer }) => shows(z.toJSONSchema(answer, { io: 'output' })));
  expect(showing.length).toBeGreaterThan(9);
  expect(
    adminRoutes
      .filter(({ showsOnce }) => showsOnce === true)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(showing.map(({ id }) => id).toSorted());
});
