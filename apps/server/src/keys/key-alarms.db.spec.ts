import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { defaultAdmissionLimits, type AdmissionLimits } from '@switchyard/sellers';
import {
  alarmRepository,
  connectionDirectory,
  listReader,
  openStore,
  refusedSignatures,
  seenKeys,
  signerDirectory,
} from '@switchyard/store';
import { createTelemetry } from '@switchyard/telemetry';
import {
  createConnection,
  createScope,
  createPrincipal,
  openTestStore,
  testClock,
} from '@switchyard/testing';
import { must } from '@switchyard/values';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { alarmRoutes, type AlarmView, type RefusedSignatureView } from '../sellers/alarms.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { createRefusalLog, type Refusal } from './record-refusals.js';
import { admissionLimits, createKeyAlarms } from './key-alarms.js';
import { readSettings } from '../main/settings/settings.js';

const counted: string[] = [];

const { store, stop } = await openTestStore((url) =>
  openStore(url, { onAlarm: (kind) => counted.push(kind) }),
);
afterAll(stop);

const unexpected = (error: unknown): never => {
  throw error;
};

async function tenant(limits: AdmissionLimits = defaultAdmissionLimits) {
  const clock = testClock();
  const scope = await createScope(store);
  const { metrics } = createTelemetry({ level: 'silent', processFigures: false });
  const connections = connectionDirectory(store);
  const alarms = alarmRepository(store, clock);
  const signers = signerDirectory(store);
  const refusals = refusedSignatures(store);
  const keyAlarms = createKeyAlarms({
    alarms,
    connections,
    signers,
    seenKeys: seenKeys(store, clock),
    limits,
    clock,
    onUnexpected: unexpected,
  });
  const log = createRefusalLog({
    refusals,
    strangersOf: () => scope.organizationId,
    metrics,
    clock,
    onUnexpected: unexpected,
  });
  const caller: PrincipalCaller = {
    kind: 'principal',
    organizationId: scope.organizationId,
    principalId: randomUUID(),
    name: 'ann',
    principalKind: 'person',
    permissions: { sellers: ['read', 'approve'], principals: ['read'] },
    transitional: false,
    legacy: false,
  };
  const call = callRoutes(alarmRoutes, {
    lists: listReader(store),
    alarms,
    refusals,
    connections,
    signers,
    clock,
  });
  const listOf = async <View>(id: string, member: string, query: Record<string, string>) => {
    const listed = must(await call(caller, id, { query }));
    return listed[member] as unknown as readonly View[];
  };
  const admin = {
    acknowledge: (by: PrincipalCaller, id: string, body: { reason: string; accept: boolean }) =>
      call(by, 'acknowledge_alarm', { params: { id }, body }),
    refusedSignatures: (query: Record<string, string> = {}) =>
      listOf<RefusedSignatureView>('list_refused_signatures', 'refused', query),
  };
  const open = async () => listOf<AlarmView>('list_alarms', 'alarms', { state: 'open' });
  return { clock, scope, metrics, connections, signers, keyAlarms, log, caller, admin, open };
}

describe('the address of a key set', () => {
  it('is stored once when it is found, and a change takes effect only after a person accepts it', async () => {
    const { scope, connections, keyAlarms, admin, caller, open } = await tenant();
    const made = await createConnection(store, scope.organizationId);
    const read = async () => {
      const connection = await connections.byId(scope, made.id);
      if (connection === undefined) throw new Error('It was made.');
      return connection;
    };
    keyAlarms.watch.found(await read(), 'https://a.example/jwks.json');
    await keyAlarms.settled();
    keyAlarms.watch.found({ ...(await read()), foundJwksUri: undefined as never }, 'https://evil.example/');
    await keyAlarms.settled();
    expect((await read()).foundJwksUri).toBe('https://a.example/jwks.json');

    keyAlarms.watch.changed(await read(), 'https://a.example/jwks.json', 'https://b.example/jwks.json');
    keyAlarms.watch.changed(await read(), 'https://a.example/jwks.json', 'https://b.example/jwks.json');
    await keyAlarms.settled();
    const [alarm, ...rest] = await open();
    expect(rest).toEqual([]);
    expect(alarm).toMatchObject({ kind: 'jwks_uri_changed', subject: `seller ${made.slug}`, count: 2 });
    expect((await read()).foundJwksUri).toBe('https://a.example/jwks.json');

    const id = alarm?.alarm_id ?? '';
    const received = await admin.acknowledge(caller, id, {
      reason: 'they moved, I called them',
      accept: true,
    });
    expect(received.ok && received.value).toMatchObject({
      acknowledged_by: 'ann',
      reason: 'they moved, I called them',
    });
    expect((await read()).foundJwksUri).toBe('https://b.example/jwks.json');
    const again = await admin.acknowledge(caller, id, { reason: 'x', accept: true });
    expect(!again.ok && again.error.code).toBe('CONFLICT');
  });

  it('is not replaced if it was changed meanwhile, nor by an alarm of another kind or tenant', async () => {
    const [one, other] = [await tenant(), await tenant()];
    const made = await createConnection(store, one.scope.organizationId, {
      foundJwksUri: 'https://now.example/',
    });
    one.keyAlarms.watch.changed(made, 'https://before.example/', 'https://b.example/');
    one.keyAlarms.rateAbused(one.scope.organizationId, 'k1', 'https://a.example/');
    await one.keyAlarms.settled();
    const request = { reason: 'x', accept: true };
    for (const { alarm_id: id, kind } of await one.open()) {
      const received = await one.admin.acknowledge(one.caller, id, request);
      expect([kind, !received.ok && received.error.code]).toEqual([
        kind,
        kind === 'rate_abuse' ? 'INVALID_REQUEST' : 'CONFLICT',
      ]);
      const foreign = await other.admin.acknowledge(other.caller, id, request);
      expect(!foreign.ok && foreign.error.code).toBe('NOT_FOUND');
    }
    expect(await one.open()).toHaveLength(2);
    expect(counted.filter((kind) => kind === 'rate_abuse')).toHaveLength(1);
  });
});

describe('the address of a key set that a signer’s own agent publishes', () => {
  it('is stored when it is found, and a change is reported at intervals and accepted only by a person', async () => {
    const { scope, clock, signers, keyAlarms, admin, caller, open } = await tenant();
    const principal = await createPrincipal(store, scope.organizationId);
    const id = randomUUID();
    const agentUrl = 'https://buyer.example/mcp';
    await signers.add(scope, {
      ...{ id, principalId: principal.id, agentUrl, keys: { kind: 'discovered', protocol: 'mcp' } },
      ...{ dialect: 'ads', allowsRsaPss: false, createdAt: clock.now() },
    });
    const connection = { id, organizationId: scope.organizationId, agentUrl };
    const [a, b] = ['https://a.example/jwks.json', 'https://b.example/jwks.json'] as const;
    const stored = async () => (await signers.find(scope, id))?.keys;
    keyAlarms.signerWatch.found(connection, a);
    await keyAlarms.settled();
    keyAlarms.signerWatch.found(connection, b);
    await keyAlarms.settled();
    expect(await stored()).toMatchObject({ foundJwksUri: a });

    for (const wait of [0, 9_999, 1]) {
      clock.advance(wait);
      keyAlarms.signerWatch.changed(connection, a, b);
      await keyAlarms.settled();
    }
    const [alarm, ...rest] = await open();
    expect(rest).toEqual([]);
    const detail = { signer_id: id, agent_url: agentUrl, known: a, named: b };
    expect(alarm).toMatchObject({ kind: 'jwks_uri_changed', count: 2, detail });
    expect(await stored()).toMatchObject({ foundJwksUri: a });

    const request = { reason: 'they moved, I called them', accept: true };
    const received = await admin.acknowledge(caller, alarm?.alarm_id ?? '', request);
    expect(received.ok && received.value).toMatchObject({ acknowledged_by: 'ann' });
    expect(await stored()).toMatchObject({ foundJwksUri: b });

    keyAlarms.signerWatch.changed(connection, a, 'https://c.example/');
    await keyAlarms.settled();
    const [late] = await open();
    const outrun = await admin.acknowledge(caller, late?.alarm_id ?? '', request);
    expect(!outrun.ok && outrun.error.code).toBe('CONFLICT');
    expect(await stored()).toMatchObject({ foundJwksUri: b });
  });
});

describe('keys that are seen for the first time', () => {
  const sight = (of: Awaited<ReturnType<typeof tenant>>, keyid: string): void =>
    of.keyAlarms.sighted(of.scope.organizationId, {
      surface: 'request',
      agentUrl: 'https://a.example/',
      keyid,
    });

  it('raise no alarm at a first start, when the keys of all sellers are new', async () => {
    const of = await tenant();
    for (let index = 0; index < 12; index += 1) {
      sight(of, `of-seller-${index}`);
      await of.keyAlarms.settled();
    }
    expect(await of.open()).toEqual([]);
  });

  it('raise an alarm with the rule that they break, and known keys never do', async () => {
    const of = await tenant();
    for (let round = 0; round < 30; round += 1) sight(of, 'known');
    await of.keyAlarms.settled();
    expect(await of.open()).toEqual([]);
    of.clock.advance(86_400_000);
    for (let index = 0; index < 21; index += 1) {
      sight(of, `new-${index}`);
      await of.keyAlarms.settled();
    }
    const open = await of.open();
    expect(open.map(({ kind }) => kind)).toEqual(open.map(() => 'keyids_surge'));
    expect(open.map(({ detail }) => detail['clause']).sort()).toEqual([
      'floor_and_share',
      'long_ratio',
      'medium_ratio',
      'short_ratio',
    ]);
  });

  it('raise a notice after 30 days that the limits were never tuned, unless they were', async () => {
    for (const [env, expected] of [
      [{}, ['threshold_tuning_overdue']],
      [{ SWITCHYARD_KEYIDS_FLOOR: '50' }, []],
    ] as const) {
      const of = await tenant(admissionLimits(readSettings(env).settings));
      sight(of, 'first');
      await of.keyAlarms.settled();
      of.clock.advance(31 * 24 * 3_600_000);
      sight(of, 'second');
      await of.keyAlarms.settled();
      expect((await of.open()).map(({ kind }) => kind)).toEqual(expected);
    }
  });
});

describe('a verdict on a refused signature', () => {
  const refusal: Refusal = {
    isStranger: true,
    code: 'request_signature_invalid',
    keyid: 'k\u001b[2J1',
    method: 'POST',
    url: 'https://us.example/mcp?token=secret#x',
    steps: [{ step: '10', name: 'signature', ok: false, seen: 'not by this key' }],
  };

  it('is stored step by step without query and control characters, for the tenant that unknown senders belong to', async () => {
    const { log, admin } = await tenant();
    log.note(refusal);
    await log.settled();
    expect(await admin.refusedSignatures()).toMatchObject([
      {
        code: 'request_signature_invalid',
        keyid: 'k?[2J1',
        path: '/mcp',
        is_stranger: true,
        steps: refusal.steps,
      },
    ]);
  });

  it('is stored for every known sender each time, and at most 60 times in a minute for unknown ones', async () => {
    const { log, admin, scope, clock, metrics } = await tenant();
    for (let index = 0; index < 500; index += 1) log.note(refusal);
    const known = { ...refusal, isStranger: false, organizationId: scope.organizationId };
    for (let index = 0; index < 100; index += 1) log.note(known);
    await log.settled();
    const stored = await admin.refusedSignatures({ limit: '500' });
    expect(stored.filter((item) => item.is_stranger)).toHaveLength(60);
    expect(stored.filter((item) => !item.is_stranger)).toHaveLength(100);
    expect(await metrics.exposition()).toContain(
      'switchyard_refused_signatures_total{outcome="counted"} 440',
    );
    clock.advance(60_000);
    log.note(refusal);
    await log.settled();
    expect(await admin.refusedSignatures({ limit: '500' })).toHaveLength(161);
  });
});
