import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { changeLog, openStore, principalDirectory } from '@switchyard/store';
import type { Permissions, Principal } from '@switchyard/tenancy';
import {
  createBookedBuy,
  createOrganization,
  createPrincipal,
  createToken,
  openTestStore,
  seededRandom,
  testClock,
} from '@switchyard/testing';
import type { Clock } from '@switchyard/values';
import { systemClock } from '../clock.js';
import { faultOf, openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import { ChangeStreams } from './change-streams.js';

const { store, stop } = await openTestStore(openStore);
const unexpected: unknown[] = [];
/** How far the clock of the server is ahead of the time, in milliseconds. */
let ahead = 0;
const newStreams = (clock: Clock = systemClock): ChangeStreams =>
  new ChangeStreams({
    log: changeLog(store),
    clock,
    onUnexpected: (error) => unexpected.push(error),
    most: 6,
    mostPerPrincipal: 3,
  });
let streams: ChangeStreams;
let http: HttpHarness;
let organizationId: string;

beforeAll(async () => {
  http = await openHttpHarness(
    {},
    {
      clock: { ...systemClock, now: () => systemClock.now() + ahead },
      principals: principalDirectory(store),
      changes: { open: (request, sink) => streams.open(request, sink) },
    },
  );
});
beforeEach(async () => {
  streams = newStreams();
  organizationId = (await createOrganization(store)).id;
});
afterAll(async () => {
  streams.close();
  await http.close();
  await stop();
  expect(unexpected).toEqual([]);
});

interface Read {
  readonly event: string;
  readonly id: string;
  readonly data: Readonly<Record<string, string>>;
}

/** A client of the stream: what it has read, and what it does with the connection. */
class Client {
  readonly events: Read[] = [];
  readonly ended: Promise<void>;
  #wake = (): void => undefined;

  constructor(readonly answer: IncomingMessage) {
    let rest = '';
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      rest += chunk;
      for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
        const lines = rest.slice(0, at).split('\n');
        rest = rest.slice(at + 2);
        const of = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = of('data');
        if (data !== undefined)
          this.events.push({
            event: of('event') ?? '',
            id: of('id') ?? '',
            data: JSON.parse(data) as Read['data'],
          });
      }
      this.#wake();
    });
    answer.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      answer.on('close', () => {
        resolve();
        this.#wake();
      });
    });
  }

  async until(isThere: (events: readonly Read[]) => boolean): Promise<readonly Read[]> {
    while (!isThere(this.events)) {
      if (this.answer.destroyed) throw new Error(`It ended: ${JSON.stringify(this.events)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.events;
  }

  changed(): string[] {
    return this.events
      .filter(({ event }) => event === 'change')
      .map(({ data }) => `${data['kind']} ${data['id']}`);
  }

  cut(): Promise<void> {
    this.answer.destroy();
    return this.ended;
  }
}

/** Opens a stream that is told from then on. */
async function listen(token: string, query = '', headers: Record<string, string> = {}): Promise<Client> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = `${http.url}/v1/changes${query}`;
    get(url, { agent: false, headers: { authorization: `Bearer ${token}`, ...headers } }, resolve).on(
      'error',
      reject,
    );
  });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  const client = new Client(answer);
  if (query === '' && headers['last-event-id'] === undefined)
    await client.until((events) => events.length > 0);
  return client;
}

const refusedWith = async (token: string, query = ''): Promise<unknown> => {
  const answer = await fetch(`${http.url}/v1/changes${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return [answer.status, (await faultOf(answer))['code']];
};

async function principalWith(
  permissions: Permissions,
  organization = organizationId,
): Promise<Principal & { token: string }> {
  const principal = await createPrincipal(store, organization, { permissions });
  return { ...principal, token: await createToken(store, principal) };
}

const operator: Permissions = {
  media_buys: ['read'],
  sellers: ['read'],
  reports: ['read'],
  principals: ['read'],
};
const buyer: Permissions = { media_buys: ['read'] };

const touch = (ids: readonly string[], text: string) =>
  store.inTenant({ organizationId }, (client) => client.query(text, [ids]));
const pause = (mediaBuyId: string) =>
  touch([mediaBuyId], `update media_buy set revision = revision + 1 where id = any($1)`);

describe('GET /v1/changes', () => {
  it('delivers every change once, while writers hold transactions open and the connection is cut repeatedly', async () => {
    const { token } = await principalWith(operator);
    const random = seededRandom(Number(process.env['E2E_SEED'] ?? 7));
    const written = new Set<string>();
    let client = await listen(token);
    const [seen, first] = [new Array<string>(), client.events[0]?.id ?? ''];
    const writers = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 12; round += 1) {
        const id = randomUUID();
        await store.inTenant({ organizationId }, async (tenant) => {
          await tenant.query(
            `insert into alarm (id, organization_id, kind, subject, detail, first_at, last_at)
             values ($1::uuid, $2, 'spec', $1::text, '{}', now(), now())`,
            [id, organizationId],
          );
          await tenant.query('select pg_sleep($1)', [random.between(0, 60) / 1_000]);
        });
        written.add(`alarm ${id}`);
      }
    });
    const all = Promise.all(writers).then(() => pauseAlarm());
    let last = first;
    for (let cuts = 0; !seen.includes('alarm end'); cuts += 1) {
      await client.until((events) => events.some(({ event }) => event === 'change'));
      await client.cut();
      seen.push(...client.changed());
      last = client.events.at(-1)?.id ?? last;
      // One kind of client says it in the header, the other in the address; the header is the newer.
      client =
        cuts % 2 === 0
          ? await listen(token, `?after=${first}`, { 'last-event-id': last })
          : await listen(token, `?after=${last}`);
    }
    await all;
    await client.cut();
    expect(seen.length).toBe(new Set(seen).size);
    expect(new Set(seen)).toEqual(new Set([...written, 'alarm end']));

    /** Written when nobody else writes: the last that there is. */
    async function pauseAlarm(): Promise<void> {
      await touch(
        ['end'],
        `insert into change_event (organization_id, kind, object_id, action)
         select current_setting('switchyard.organization_id')::uuid, 'alarm', id, 'created' from unnest($1::text[]) as id`,
      );
    }
  });

  it('shows changes to their owner and to readers of everything, and not to a colleague or another organization', async () => {
    const own = await principalWith(buyer);
    const { mediaBuyId } = await createBookedBuy(store, organizationId, { packages: ['a'] });
    await touch(
      [mediaBuyId, own.id],
      `update media_buy set principal_id = ($1::text[])[2]::uuid where id = ($1::text[])[1]`,
    );
    const foreign = await principalWith(operator, (await createOrganization(store)).id);
    const [whole, colleague] = [await principalWith(operator), await principalWith(buyer)];
    const clients = await Promise.all([own, whole, colleague, foreign].map(({ token }) => listen(token)));
    await pause(mediaBuyId);
    const expected = `media_buy ${mediaBuyId}`;
    const [mine, all, theirs, outside] = clients;
    for (const client of [mine, all]) await client?.until(() => client.changed().includes(expected));
    // What comes later to everybody shows that nothing else came before it.
    for (const item of [colleague, foreign])
      await store.inTenant(item, (client) =>
        client.query(
          `insert into change_event (organization_id, kind, object_id, action, principal_id)
           values ($1, 'media_buy', 'later', 'updated', $2)`,
          [item.organizationId, item.id],
        ),
      );
    for (const client of [theirs, outside]) {
      await client?.until(() => client.changed().length > 0);
      expect(client?.changed()).toEqual(['media_buy later']);
    }
    expect(mine?.events.find(({ event }) => event === 'change')?.data).toEqual({
      kind: 'media_buy',
      id: mediaBuyId,
      action: 'updated',
      at: expect.stringMatching(/Z$/),
    });
    await Promise.all(clients.map((client) => client.cut()));
  });

  it('lets a caller follow the kinds whose lists it may read, and refuses a caller who may read none', async () => {
    const { token } = await principalWith(buyer);
    expect(await refusedWith(token, '?kind=principal')).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(await refusedWith((await principalWith({})).token)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(await refusedWith(token, '?kind=nothing')).toEqual([422, 'VALIDATION_ERROR']);
    expect(await refusedWith(token, '?after=yesterday')).toEqual([422, 'VALIDATION_ERROR']);
    expect((await fetch(`${http.url}/v1/changes`)).status).toBe(401);
  });

  it('sends reset to a client that returns too late, and continues from there', async () => {
    const { token } = await principalWith(operator);
    const client = await listen(token);
    const first = client.events[0]?.id ?? '';
    await client.cut();
    const alarm = (id: string) =>
      touch(
        [id],
        `insert into change_event (organization_id, kind, object_id, action)
         select current_setting('switchyard.organization_id')::uuid, 'alarm', id, 'created' from unnest($1::text[]) as id`,
      );
    for (const id of ['one', 'two', 'three']) await alarm(id);
    await touch([], `update change_event set at = '2026-01-01' where object_id <> all($1::text[])`);
    expect(await changeLog(store).forget(Date.UTC(2026, 5, 1))).toBeGreaterThan(2);
    const late = await listen(token, `?after=${first}`);
    await late.until((events) => events.some(({ event }) => event === 'reset'));
    await alarm('four');
    await late.until(() => late.changed().length > 0);
    expect(late.events.map(({ event }) => event)).toEqual(['reset', 'change']);
    expect(late.changed()).toEqual(['alarm four']);
    await late.cut();
  });

  it('refuses streams above the limit of one caller and one process, and accepts again once one has ended', async () => {
    const [one, other] = [await principalWith(buyer), await principalWith(buyer)];
    const clients: Client[] = [];
    for (const { token } of [one, one, one, other, other]) clients.push(await listen(token));
    expect(await refusedWith(one.token)).toEqual([429, 'RATE_LIMITED']);
    // A part of the places is for organizations that have few.
    expect(await refusedWith(other.token)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const third = await principalWith(buyer, (await createOrganization(store)).id);
    clients.push(await listen(third.token));
    expect(await refusedWith(third.token)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const flood = await Promise.all(Array.from({ length: 50 }, () => refusedWith(one.token)));
    expect(new Set(flood.map(String))).toEqual(new Set(['429,RATE_LIMITED']));
    await Promise.all(clients.slice(0, 2).map((client) => client.cut()));
    let again: Client | undefined;
    while (again === undefined) again = await listen(one.token).catch(() => undefined);
    await Promise.all([...clients, again].map((client) => client.cut()));
  });

  it.each([
    ['switched off', `update principal set disabled_at = now() where id = any($1::uuid[])`],
    [
      'stopped',
      `insert into emergency_stop (organization_id, kind, subject, target, stopped_by, stopped_at)
       select organization_id, 'principal', id, 'principal:one', 'a person', now() from principal where id = any($1::uuid[])`,
    ],
  ])('ends only the streams of a caller that is %s', async (_, change) => {
    const [one, other] = [await principalWith(buyer), await principalWith(buyer)];
    const [ended, stays] = [await listen(one.token), await listen(other.token)];
    await touch([one.id], change);
    await ended.ended;
    expect(ended.answer.complete).toBe(true);
    expect(stays.answer.destroyed).toBe(false);
    await stays.cut();
  });

  it('ends the stream of a token that has expired', async () => {
    const clock = testClock(systemClock.now());
    streams = newStreams(clock);
    const client = await listen((await principalWith(buyer)).token);
    ahead = Date.UTC(2101, 0, 1);
    clock.advance(15_000);
    await client.ended;
    ahead = 0;
    expect(client.answer.complete).toBe(true);
  });

  it('queries the database only while somebody listens', async () => {
    let reads = 0;
    const log = changeLog(store);
    const { token } = await principalWith(buyer);
    streams = new ChangeStreams({
      log: { ...log, since: (places) => ((reads += 1), log.since(places)) },
      clock: systemClock,
      onUnexpected: (error) => unexpected.push(error),
      most: 6,
      mostPerPrincipal: 3,
    });
    const client = await listen(token);
    while (reads < 3) await new Promise((resolve) => setImmediate(resolve));
    await client.cut();
    const idle = newStreams();
    streams = idle;
    const later = await listen(token);
    await pause((await createBookedBuy(store, organizationId, { packages: ['a'] })).mediaBuyId);
    const before = reads;
    await later.until((events) => events.length > 0);
    expect(reads - before).toBeLessThanOrEqual(1);
    streams.close();
    await later.ended;
    expect(later.answer.complete).toBe(true);
    expect(await refusedWith(token)).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});
