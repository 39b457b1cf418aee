import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../harness/buy-request.js';
import { ownerView } from '../harness/database.js';
import { frozen, stopped, withoutConnections, type Outage } from '../harness/database-outage.js';

import { callTask, endpointNames } from '../harness/call-task.js';
import { waitUntil } from '../harness/wait-until.js';
import { postSealed, seal, type Addresses } from '../relay/brand-agent.js';
import { relayStage, type Brand, type RelayStage } from '../relay/relay-stage.js';
import { madeBuy } from '../relay/seller-answer.js';

let stage: RelayStage;
let brand: Brand;
let relayed: Addresses;
/** A webhook address of the seller. */
let address: string;

const question: Json = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'x',
  brand: { domain: 'b.example' },
};

const buy = (key: string): Json => ({
  adcp_version: '3.1',
  idempotency_key: key,
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  brand: { domain: 'roaster.example' },
  start_time: 'asap',
  end_time: '2099-01-01T00:00:00Z',
  packages: [{ product_id: 'paper:p1', pricing_option_id: 'cpm', budget: 100 }],
});

const order = (key: string) => callTask('REST', stage.instance(), 'create_media_buy', buy(key));

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' } });
  brand = await stage.brand('bikes', ['paper']);
  relayed = await stage.address('paper', brand);
  stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_first', args));
  await callTask('REST', stage.instance(), 'get_products', question);
  const bought = await order(randomUUID());
  expect(bought.errors).toEqual([]);
  const [row] = await stage.database.rows<{ id: string }>('select id from webhook_registration limit 1');
  address = row?.id ?? '';
  // The first outage would close it.
  await stage.database.close();
});

afterAll(() => stage.close());

/** Sends one request to every endpoint. Returns the answers by name. */
async function knockEverywhere(): Promise<Readonly<Record<string, Answered>>> {
  const instance = stage.instance();
  const requested: [string, Promise<Answered>][] = [
    ...endpointNames.map((endpoint): [string, Promise<Answered>] => [
      endpoint,
      callTask(endpoint, instance, 'get_media_buys', { adcp_version: '3.1' }).then((reply) => ({
        status: reply.httpStatus,
        retryAfter: reply.headers.get('retry-after'),
        codes: reply.errors.map(({ code }) => code),
      })),
    ]),
    ['administration', plain(fetch(`${instance.url}/v1/sellers`, { headers: bearer(instance.token) }))],
    [
      'webhook',
      plain(
        fetch(`${instance.url}/webhooks/${address}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        }),
      ),
    ],
    ['relay', relay()],
  ];
  const answers = await Promise.all(requested.map(([, answer]) => answer));
  return Object.fromEntries(requested.map(([name], at) => [name, answers[at]!]));
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly codes: readonly string[];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function plain(requested: Promise<Response>): Promise<Answered> {
  const answer = await requested;
  const { errors = [] } = (await answer.json()) as { errors?: { code: string }[] };
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    codes: errors.map(({ code }) => code),
  };
}

async function relay(): Promise<Answered> {
  const { status, headers, text } = await postSealed(
    relayed,
    brand.token,
    seal(brand.key, relayed, 'get_products', question),
  );
  const codes = [...text.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code ?? '');
  return { status, retryAfter: headers.get('retry-after'), codes };
}

const health = async (page: string): Promise<number> =>
  (await fetch(`${stage.instance().url}/${page}`)).status;

const kinds: readonly (readonly [string, (data: string) => Outage])[] = [
  ['is stopped', stopped],
  ['stands still', frozen],
  ['gives no connection', withoutConnections],
];

describe.each(kinds)('while the database %s', (_, outageOf) => {
  it('every endpoint answers 503 with a retry time, health answers, and afterwards everything works as before', async () => {
    const outage = outageOf(stage.folder.path);
    await outage.begin();
    try {
      const first = knockEverywhere();
      // During the whole outage.
      expect(await health('healthz')).toBe(200);
      await waitUntil('it is not ready', async () => ((await health('readyz')) === 503 ? true : undefined));
      const refused: Answered = {
        status: 503,
        retryAfter: expect.stringMatching(/^\d+$/) as unknown as string,
        codes: ['SERVICE_UNAVAILABLE'],
      };
      const names = ['REST', 'MCP', 'A2A', 'administration', 'webhook', 'relay'];
      const everywhere = Object.fromEntries(names.map((name) => [name, refused]));
      expect(await knockEverywhere()).toEqual(everywhere);
      expect(await first).toEqual(everywhere);
      expect(await health('readyz')).toBe(503);
    } finally {
      await outage.end();
    }
    await waitUntil('it is ready', async () => ((await health('readyz')) === 200 ? true : undefined));
    const later = await knockEverywhere();
    expect(Object.entries(later).filter(([, { status }]) => status >= 500)).toEqual([]);
    expect([later['REST']?.status, later['relay']?.status]).toEqual([200, 200]);
  });

  it('a buy that a seller has made is not reported as failed, and its key returns the one operation, which continues', async () => {
    const outage = outageOf(stage.folder.path);
    const seller = stage.seller('paper');
    const key = randomUUID();
    seller.says('create_media_buy', async (args) => {
      await outage.begin();
      seller.says('create_media_buy', (again) => madeBuy(`sb_${key}`, again));
      return madeBuy(`sb_${key}`, args);
    });
    const ordered = await Promise.allSettled([order(key)]);
    await outage.end();
    const [settled] = ordered;
    if (settled.status === 'rejected') throw settled.reason;
    const received = settled.value;
    // The outcome is unknown, so the buyer must send the request again.
    expect([received.httpStatus, received.errors.map(({ code }) => code)]).toEqual([
      503,
      ['SERVICE_UNAVAILABLE'],
    ]);
    const again = await waitUntil('the same key brings the operation', async () => {
      const reply = await order(key);
      return reply.httpStatus === 200 ? reply : undefined;
    });
    expect(again.errors).toEqual([]);
    // Either the seller's answer was stored, or the leg is sent again with the seller's own key.
    expect(again.body['media_buy_id'] ?? again.body['task_id']).toEqual(expect.any(String));
    const database = await ownerView(stage.folder.path);
    const legs = await database.rows<{ status: string }>(
      `select l.status from leg l join operation o on o.id = l.operation_id
       where o.request->>'idempotency_key' = $1`,
      [key],
    );
    await database.close();
    expect(legs.map(({ status }) => status === 'failed')).toEqual([false]);
  });
});
