import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateSigningKey } from '@switchyard/signing';
import { isWholeMatrix, sampled, tellLeftOut } from '@switchyard/testing';
import { senderBound } from './sender-bound.js';
import { applyInbox } from './apply-inbox.js';
import {
  report,
  signed,
  specInbox,
  taskUpdate,
  type Posting,
  type SpecInbox,
  type SpecSeller,
} from '../testkit/inbox.js';

/**
 * Faults of webhooks, one test per class: posted over HTTP to the real endpoints, verified by the real intake, stored in
 * PostgreSQL and applied by the real workers.
 */
let inbox: SpecInbox;
let seller: SpecSeller;
let other: SpecSeller;
const ran = { refused: 0, accepted: 0, effects: 0 };

beforeAll(async () => {
  inbox = await specInbox();
  other = await inbox.seller();
});
afterAll(async () => {
  await inbox.close();
  tellLeftOut();
  process.stdout.write(`webhook fault classes run: ${JSON.stringify(ran)}\n`);
});
beforeEach(async () => {
  seller = await inbox.seller();
  inbox.clock.advance(1);
});

interface Answer {
  readonly status: number;
  /** Of the signature, or of the error in the body. */
  readonly code: string;
}

/** Sends header lines unchanged, repeated ones included. */
function send(url: string, headers: readonly string[], bytes: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const outgoing = request(
      {
        host: target.hostname,
        port: target.port,
        path: target.pathname,
        method: 'POST',
        headers: ['host', target.host, 'content-length', String(bytes.length), ...headers],
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          resolve({
            status: answer.statusCode ?? 0,
            code: codeOf(answer.headers['www-authenticate'], Buffer.concat(chunks).toString()),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

function codeOf(challenge: string | undefined, body: string): string {
  const reported = /error="([^"]+)"/.exec(challenge ?? '')?.[1] ?? /"code":"([^"]+)"/.exec(body)?.[1];
  return reported ?? '';
}

type Change = (
  headers: Record<string, string>,
  bytes: Buffer,
) => { readonly headers?: readonly string[]; readonly bytes?: Buffer };

/** Signs `body` correctly, lets `change` alter the request, and returns the answer. */
function postChanged(body: unknown, change: Change = () => ({}), posting: Posting = {}): Promise<Answer> {
  const made = signed(inbox.url, inbox.clock.now(), seller, body, posting);
  const after = change(made.headers, made.bytes);
  return send(made.url, after.headers ?? Object.entries(made.headers).flat(), after.bytes ?? made.bytes);
}

const headersOf = (headers: Record<string, string>): string[] => Object.entries(headers).flat();
const replaced =
  (name: string, value: (before: string) => string | undefined): Change =>
  (headers) => ({
    headers: Object.entries(headers).flatMap(([each, text]) => {
      if (each.toLowerCase() !== name) return [each, text];
      const now = value(text);
      return now === undefined ? [] : [each, now];
    }),
  });
const twice =
  (name: string): Change =>
  (headers) => ({
    headers: [
      ...headersOf(headers),
      ...Object.entries(headers)
        .filter(([each]) => each.toLowerCase() === name)
        .flat(),
    ],
  });
const text = (raw: string): Buffer => Buffer.from(raw, 'utf8');
const good = () => report(seller);
/** The envelope as text, with members put in front of it. */
const withFront = (front: string): Buffer => text(`{${front},${JSON.stringify(good()).slice(1)}`);
const padded = (size: number): Buffer => {
  const start = JSON.stringify({ ...good(), message: '' });
  return text(start.replace('"message":""', `"message":"${'x'.repeat(size - start.length)}"`));
};

type Expected = readonly [status: number, code?: string];
const refusals: readonly (readonly [name: string, run: () => Promise<Answer>, expected: Expected])[] = [
  ['size 0', () => postChanged(Buffer.alloc(0)), [401, 'webhook_signature_components_incomplete']],
  ['size 1 B', () => postChanged(text('1')), [400, 'missing_envelope_fields']],
  ['size 1 MiB + 1', () => postChanged(padded(1024 * 1024 + 1)), [413]],
  ['gzip body', () => postChanged(gzipSync(text(JSON.stringify(good())))), [401, 'webhook_body_malformed']],
  [
    'content type of a form',
    () =>
      postChanged(
        good(),
        replaced('content-type', () => 'text/plain'),
      ),
    [415],
  ],
  [
    'no content type',
    () =>
      postChanged(
        good(),
        replaced('content-type', () => undefined),
      ),
    [415],
  ],
  ['two content types', () => postChanged(good(), twice('content-type')), [415]],
  [
    'content type changed after signing',
    () =>
      postChanged(
        good(),
        replaced('content-type', (was) => `${was}; charset=utf-8`),
      ),
    [401, 'webhook_signature_invalid'],
  ],
  [
    'two Content-Digest lines',
    () => postChanged(good(), twice('content-digest')),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    'two digests in one Content-Digest',
    () =>
      postChanged(
        good(),
        replaced('content-digest', (was) => `${was}, sha-512=:AAAA:`),
      ),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    "another body's Content-Digest",
    () =>
      postChanged(
        good(),
        replaced('content-digest', () => `sha-256=:${'A'.repeat(43)}:`),
      ),
    [401, 'webhook_signature_invalid'],
  ],
  [
    'two Signature lines',
    () => postChanged(good(), twice('signature')),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    'two Signature-Input lines',
    () => postChanged(good(), twice('signature-input')),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    'Signature without Signature-Input',
    () =>
      postChanged(
        good(),
        replaced('signature-input', () => undefined),
      ),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    'no signature',
    () => postChanged(good(), () => ({ headers: ['content-type', 'application/json'] })),
    [401],
  ],
  [
    'unknown label',
    () =>
      postChanged(
        good(),
        replaced('signature', (was) => was.replace(/^[^=]+/, 'nobody')),
      ),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    'mixed base64 alphabets',
    () =>
      postChanged(
        good(),
        replaced('signature', (was) => was.replace(/:.{4}/, ':+_-/')),
      ),
    [401, 'webhook_signature_header_malformed'],
  ],
  [
    'body changed after signing',
    () => postChanged(good(), (_headers, bytes) => ({ bytes: Buffer.concat([bytes, text(' ')]) })),
    [401, 'webhook_signature_digest_mismatch'],
  ],
  [
    'two byte order marks',
    () => postChanged(Buffer.concat([text('\ufeff\ufeff'), text(JSON.stringify(good()))])),
    [401, 'webhook_body_malformed'],
  ],
  [
    'invalid UTF-8',
    () => postChanged(Buffer.concat([text('{"a":"'), Buffer.from([0xff]), text('"}')])),
    [401, 'webhook_body_malformed'],
  ],
  [
    'duplicate keys at the top level',
    () => postChanged(withFront('"status":"failed"')),
    [401, 'webhook_body_malformed'],
  ],
  [
    'nested duplicate keys',
    () => postChanged(withFront('"x":{"y":[{"z":1,"z":2}]}')),
    [401, 'webhook_body_malformed'],
  ],
  [
    'depth 10,000',
    () => postChanged(withFront(`"x":${'['.repeat(10_000)}${']'.repeat(10_000)}`)),
    [401, 'webhook_body_malformed'],
  ],
  ['1e400', () => postChanged(withFront('"x":1e400')), [401, 'webhook_body_malformed']],
  ['lone surrogate', () => postChanged(withFront('"x":"\\ud800"')), [401, 'webhook_body_malformed']],
  ['trailing bytes', () => postChanged(text(`${JSON.stringify(good())}{}`)), [401, 'webhook_body_malformed']],
  [
    'expired',
    () => postChanged(good(), undefined, { created: -400, expires: -100 }),
    [401, 'webhook_signature_window_invalid'],
  ],
  [
    'created in the future',
    () => postChanged(good(), undefined, { created: 200, expires: 400 }),
    [401, 'webhook_signature_window_invalid'],
  ],
  [
    'window of 301 s',
    () => postChanged(good(), undefined, { created: -1, expires: 300 }),
    [401, 'webhook_signature_window_invalid'],
  ],
  [
    'skew of 61 s',
    () => postChanged(good(), undefined, { created: 61, expires: 100 }),
    [401, 'webhook_signature_window_invalid'],
  ],
  [
    'unknown key',
    () => postChanged(good(), undefined, { key: generateSigningKey('stranger') }),
    [401, 'webhook_signature_key_unknown'],
  ],
  [
    "another seller's key",
    () => postChanged(good(), undefined, { key: other.key }),
    [401, 'webhook_signature_key_unknown'],
  ],
  [
    'known kid with another key',
    () => postChanged(good(), undefined, { key: generateSigningKey(seller.key.kid) }),
    [401, 'webhook_signature_invalid'],
  ],
  [
    'Bearer instead of a signature',
    () =>
      postChanged(good(), () => ({
        headers: ['content-type', 'application/json', 'authorization', 'Bearer x'],
      })),
    [401, 'webhook_mode_mismatch'],
  ],
  [
    'legacy HMAC instead of a signature',
    () =>
      postChanged(good(), () => ({
        headers: [
          'content-type',
          'application/json',
          'x-ads-signature',
          `sha256=${'0'.repeat(64)}`,
          'x-ads-timestamp',
          '1',
        ],
      })),
    [401, 'webhook_mode_mismatch'],
  ],
  [
    'unknown address',
    () => postChanged(good(), undefined, { address: 'whr_nobody' }),
    [404, 'unknown_registration'],
  ],
  ['flat body', () => postChanged(good()['result']), [400, 'missing_envelope_fields']],
  ['no key', () => postChanged({ ...good(), idempotency_key: undefined }), [400, 'missing_idempotency_key']],
  [
    'a status that is none',
    () => postChanged({ ...good(), status: 'active' }),
    [400, 'invalid_envelope_status'],
  ],
  [
    'an A2A envelope at an MCP address',
    () =>
      postChanged({
        kind: 'status-update',
        taskId: 't',
        contextId: 'c',
        status: { state: 'completed' },
        final: true,
      }),
    [400, 'missing_envelope_fields'],
  ],
];

describe('refused, with its code and without an effect', () => {
  it.each(refusals)('%s', async (_name, run, [status, code]) => {
    const received = await run();
    expect([received.status, ...(code === undefined ? [] : [received.code])]).toEqual([
      status,
      ...(code === undefined ? [] : [code]),
    ]);
    await applyInbox(inbox.deps, inbox.scope);
    expect(await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).toEqual([]);
    ran.refused += 1;
  });

  it('10 GiB declared: refused before any byte is read', async () => {
    const { hostname, port } = new URL(inbox.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /webhooks/${seller.reportAddress} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10737418240\r\n\r\n{`,
    );
    const reported = await new Promise<string>((resolve, reject) => {
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      socket.once('error', reject);
    });
    socket.destroy();
    expect(reported).toMatch(/^HTTP\/1\.1 413 /);
    ran.refused += 1;
  });

  it('above the rate limit: Retry-After, and nothing is stored', async () => {
    const intake = inbox.intake({ bound: senderBound(inbox.clock, 1) });
    const statuses: number[] = [];
    for (let sent = 0; sent < 2; sent += 1) {
      const made = signed(inbox.url, inbox.clock.now(), seller, good());
      const { status, headers } = await intake.accept({
        registration: seller.reportAddress,
        method: 'POST',
        rawUrl: new URL(made.url).pathname,
        headers: [['host', new URL(made.url).host], ...Object.entries(made.headers)],
        body: made.bytes,
      });
      statuses.push(status);
      if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([200, 429]);
    expect(await states()).toEqual(['received']);
    await apply();
    ran.refused += 1;
  });

  it.each(['the same process', 'another process'])('a used nonce, at %s', async (where) => {
    const nonce = Buffer.from(`nonce-${seller.legId.slice(0, 10)}`).toString('base64url');
    expect((await postChanged(good(), undefined, { nonce })).status).toBe(200);
    if (where === 'the same process') {
      expect(await postChanged(good(), undefined, { nonce })).toEqual({
        status: 401,
        code: 'webhook_signature_replayed',
      });
    } else {
      const made = signed(inbox.url, inbox.clock.now(), seller, good(), { nonce });
      const second = inbox.intake({});
      const answer = await second.accept({
        registration: seller.reportAddress,
        method: 'POST',
        rawUrl: new URL(made.url).pathname,
        headers: [['host', new URL(made.url).host], ...Object.entries(made.headers)],
        body: made.bytes,
      });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Signature error="webhook_signature_replayed"',
      ]);
    }
    ran.refused += 1;
  });
});

const acceptances: readonly (readonly [name: string, run: () => Promise<Answer>])[] = [
  ['size 1 MiB', () => postChanged(padded(1024 * 1024))],
  [
    'a charset in the content type',
    () => postChanged(good(), undefined, { contentType: 'application/json; charset=utf-8' }),
  ],
  ['unknown members, with -0 and 2^53 + 1', () => postChanged(withFront('"x":-0,"y":9007199254740993'))],
  [
    'a second label beside ours, which is ignored',
    () =>
      postChanged(good(), (headers) => ({
        headers: Object.entries(headers).flatMap(([name, value]) => {
          if (name.toLowerCase() === 'signature') return [name, `${value}, sig2=:AAAA:`];
          if (name.toLowerCase() === 'signature-input') return [name, `${value}, sig2=("@method");keyid="x"`];
          return [name, value];
        }),
      })),
  ],
  ['__proto__ as a member', () => postChanged(withFront('"__proto__":{"status":"failed"}'))],
  ['skew of 59 s', () => postChanged(good(), undefined, { created: 59, expires: 200 })],
  ['expired by 59 s', () => postChanged(good(), undefined, { created: -300, expires: -59 })],
  [
    'the same nonce under another key',
    async () => {
      const nonce = Buffer.from(`shared-${seller.legId.slice(0, 9)}`).toString('base64url');
      await inbox.post(other, report(other), { nonce });
      return postChanged(good(), undefined, { nonce });
    },
  ],
];

describe('accepted, with one effect', () => {
  it.each(acceptances)('%s', async (_name, run) => {
    expect((await run()).status).toBe(200);
    await applyInbox(inbox.deps, inbox.scope);
    const entries = await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId);
    expect(entries).toHaveLength(1);
    ran.accepted += 1;
  });
});

const spend = async () =>
  (await inbox.deps.ledger.deliveredBy(inbox.scope, seller.mediaBuyId)).reduce(
    (sum, delivered) => sum + delivered.spendMicros,
    0n,
  );
const states = async () =>
  (await inbox.admin.list(inbox.caller, { seller: seller.connection.slug }))
    .map(({ state, reason }) => (reason === undefined ? state : `${state}:${reason}`))
    .sort();
const apply = () => applyInbox(inbox.deps, inbox.scope);
const post = async (body: object, posting: Posting = {}) => {
  inbox.clock.advance(1);
  expect((await inbox.post(seller, body, posting)).status).toBe(200);
};

describe('acknowledged, with the correct effect', () => {
  it.each([2, 10, 300, ...(isWholeMatrix ? [1_000] : [])])('%i copies at the same time', async (copies) => {
    const body = good();
    const answers = await Promise.all(Array.from({ length: copies }, () => inbox.post(seller, body)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await apply();
    expect([await spend(), await states()]).toEqual([10_000_000n, ['applied', 'duplicate']]);
    ran.effects += 1;
  });

  it('the same key with another body: the first copy counts, and the mismatch is recorded', async () => {
    const key = `changed-${seller.legId}`;
    await post(report(seller, { key, spend: 10 }));
    await post(report(seller, { key, spend: 700 }));
    await apply();
    expect([await spend(), await states()]).toEqual([10_000_000n, ['applied', 'duplicate:payload_changed']]);
    ran.effects += 1;
  });

  it('the same key from another sender', async () => {
    const key = `shared-key-${seller.legId}`;
    await inbox.post(other, report(other, { key, day: '2026-10-01' }));
    await post(report(seller, { key }));
    await apply();
    expect(await states()).toEqual(['applied']);
    ran.effects += 1;
  });

  it('final before scheduled', async () => {
    await post(
      report(seller, { day: '2026-11-02', type: 'final', sequence: 2, timestamp: '2026-11-21T10:00:00Z' }),
    );
    await post(report(seller, { day: '2026-11-01', sequence: 1, timestamp: '2026-11-21T09:00:00Z' }));
    await apply();
    expect([await spend(), await states()]).toEqual([20_000_000n, ['applied', 'applied']]);
    ran.effects += 1;
  });

  it('a report after the final one', async () => {
    await post(report(seller, { type: 'final', timestamp: '2026-11-21T10:00:00Z' }));
    await post(report(seller, { day: '2026-11-02', sequence: 2 }));
    await apply();
    expect([await spend(), await states()]).toEqual([10_000_000n, ['applied', 'quarantined:after_final']]);
    ran.effects += 1;
  });

  it.each([
    ['totals over all buys', { aggregated_totals: {} }, 'aggregated_totals'],
    ['no period', { reporting_period: undefined }, 'missing_period'],
    ["a currency that is not the buy's", { currency: 'EUR' }, 'currency_mismatch'],
  ])('a report with %s', async (_name, result, reason) => {
    const body = report(seller) as {
      result: { media_buy_deliveries: { by_package: { currency?: string }[] }[] };
    };
    if (reason === 'currency_mismatch')
      for (const row of body.result.media_buy_deliveries[0]!.by_package) row.currency = 'EUR';
    await post({ ...body, result: { ...body.result, ...result } });
    await apply();
    expect([await spend(), await states()]).toEqual([0n, [`quarantined:${reason}`]]);
    ran.effects += 1;
  });

  it('a lower sequence number with a later time', async () => {
    await post(report(seller, { sequence: 5, timestamp: '2026-11-21T10:00:00Z' }));
    await post(report(seller, { sequence: 4, spend: 99, timestamp: '2026-11-21T11:00:00Z' }));
    await apply();
    expect([await spend(), await states()]).toEqual([
      10_000_000n,
      ['applied', 'quarantined:sequence_behind_time'],
    ]);
    ran.effects += 1;
  });

  it('the same report under a new key', async () => {
    const again = report(seller);
    await post(again);
    await post({ ...again, idempotency_key: 'another-key-000000001' });
    await apply();
    expect([await spend(), await states()]).toEqual([10_000_000n, ['applied', 'stale:already_recorded']]);
    ran.effects += 1;
  });

  it.each([
    ['an operation that nobody has', () => 'op-of-nobody'],
    ["another seller's operation", () => other.sellerOperationId],
  ])('a task event with %s', async (_name, operation) => {
    await post(taskUpdate(seller, 'completed', { operation_id: operation() }), {
      address: seller.taskAddress,
    });
    await apply();
    expect(await states()).toEqual(['quarantined:operation_id_unknown']);
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('working');
    ran.effects += 1;
  });

  it('a task event at the address of reports', async () => {
    await post(taskUpdate(seller, 'completed'));
    await apply();
    expect(await states()).toEqual(['quarantined:task_status_at_report_address']);
    ran.effects += 1;
  });

  it('one end of a task under two keys', async () => {
    await post(taskUpdate(seller, 'completed'), { address: seller.taskAddress });
    await apply();
    await post(taskUpdate(seller, 'completed'), { address: seller.taskAddress });
    await apply();
    expect(await states()).toEqual(['applied', 'stale']);
    ran.effects += 1;
  });

  const five = ['submitted', 'working', 'input-required', 'working', 'completed'];
  // Each three of them in every order of the three; `npm run test:matrix` plays all 120 orders of the five.
  const orders = sampled(permutations([0, 1, 2, 3, 4]), 'five statuses', 5);
  it.each(orders.map((order) => [order.join(' '), order] as const))(
    'five statuses in the order %s: the first end remains',
    async (_name, order) => {
      for (const at of order) {
        await post(taskUpdate(seller, five[at] ?? '', { timestamp: `2026-11-21T11:00:0${at}Z` }), {
          address: seller.taskAddress,
        });
        await apply();
      }
      expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('completed');
      expect((await states()).some((state) => state.startsWith('received'))).toBe(false);
      ran.effects += 1;
    },
  );
});

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}
