import { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { memoryReplayStore, noRevocations } from '@switchyard/signing';
import { err, Secret } from '@switchyard/values';
import { acceptWebhook } from './accept-webhook.js';
import type { WebhookRegistration } from './inbox-port.js';
import type { ProofPorts } from './proof.js';

const at = 1_800_000_000_000;
const now = String(at / 1000);
const secretText = 'pZ4w0Qm8tYc2Lr6Vx9Kb1Nj5Hd7Sg3Fa';

const hmac: WebhookRegistration = {
  id: 'r1',
  organizationId: 'org',
  connectionId: 'con',
  legId: 'leg',
  operationId: 'op',
  kind: 'task',
  mode: 'hmac-sha256',
  credentialId: 'credential',
  sellerOperationId: 'op-at-seller',
  dialect: 'adcp',
  sellerAgentUrl: 'https://seller.example/mcp',
};
const bearer: WebhookRegistration = { ...hmac, kind: 'report', mode: 'bearer' };
const token: WebhookRegistration = {
  ...hmac,
  kind: 'a2a',
  mode: 'token',
  tokenHash: createHash('sha256').update('the-token-of-the-address').digest('hex'),
};

const envelope = {
  idempotency_key: 'key-000000000000001',
  operation_id: 'op-at-seller',
  task_id: 't1',
  task_type: 'create_media_buy',
  protocol: 'media-buy',
  status: 'completed',
  timestamp: '2027-01-15T08:00:00Z',
  result: { media_buy_id: 'mb1', note: 'a b' },
};
const report = {
  ...envelope,
  operation_id: undefined,
  task_type: 'media_buy_delivery',
  result: { notification_type: 'scheduled', media_buy_deliveries: [] },
};

type Headers = readonly (readonly [string, string])[];

function sign(body: string, timestamp = now, secret = secretText): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

function hmacHeaders(body: string, timestamp = now, secret = secretText): Headers {
  return [
    ['X-ADCP-Timestamp', timestamp],
    ['X-ADCP-Signature', sign(body, timestamp, secret)],
  ];
}

function judge(
  registration: WebhookRegistration,
  body: string,
  headers: Headers,
  secret: string | undefined = secretText,
) {
  const ports: ProofPorts = {
    keys: { resolve: () => Promise.resolve(err('key_unknown' as const)) },
    replays: memoryReplayStore(10, () => at),
    revocations: noRevocations,
    secret: () => Promise.resolve(secret === '' ? undefined : new Secret(Buffer.from(secret))),
  };
  const message = {
    method: 'POST',
    url: 'https://buyer.example/webhooks/r1',
    body: Buffer.from(body),
    headers: [['Content-Type', 'application/json'] as const, ...headers],
  };
  return acceptWebhook({ message, registration, newId: 'id' }, ports, at);
}

const body = JSON.stringify(envelope);

describe('a webhook of mode hmac-sha256', () => {
  it('is an event of its connection in the keyspace of the signing seller, with a weaker proof', async () => {
    const accepted = await judge(hmac, body, hmacHeaders(body));
    expect(accepted).toMatchObject({
      ok: true,
      event: {
        sender: 'connection:con',
        keyspace: { owner: hmac.sellerAgentUrl, isWeaker: true },
        idempotencyKey: envelope.idempotency_key,
        kind: 'task_status',
        state: 'received',
        body: Buffer.from(body),
      },
    });
    expect(accepted).not.toHaveProperty('event.keyid');
    expect(accepted).not.toHaveProperty('toSeal');
  });

  it.each<[string, string, Headers, string?]>([
    ['the body re-serialised with spaces', JSON.stringify(envelope, null, 1), hmacHeaders(body)],
    ['the body re-serialised with other escapes', body.replace('a b', 'a\\u0020b'), hmacHeaders(body)],
    ['a byte after the body', `${body}\n`, hmacHeaders(body)],
    ['another secret', body, hmacHeaders(body, now, 'another-secret-of-at-least-32-characters')],
    ['upper-case hex', body, [hmacHeaders(body)[0]!, ['X-ADCP-Signature', sign(body).toUpperCase()]]],
    ['sha256= twice', body, [hmacHeaders(body)[0]!, ['X-ADCP-Signature', `sha256=${sign(body)}`]]],
    [
      'a signature over another timestamp',
      body,
      [['X-ADCP-Timestamp', String(Number(now) - 1)], hmacHeaders(body)[1]!],
    ],
    ['no timestamp', body, [hmacHeaders(body)[1]!]],
    ['the signature twice', body, [...hmacHeaders(body), hmacHeaders(body)[1]!]],
    ['a timestamp with letters', body, hmacHeaders(body, `${now}abc`)],
    ['a timestamp with a sign', body, hmacHeaders(body, `+${now}`)],
    ['a timestamp with a fraction', body, hmacHeaders(body, `${now}.5`)],
    ['301 s ago', body, hmacHeaders(body, String(Number(now) - 301))],
    ['in 301 s', body, hmacHeaders(body, String(Number(now) + 301))],
    ['no proof at all', body, []],
  ])('is refused without a code of the protocol: %s', async (_what, sent, headers) => {
    const refused = await judge(hmac, sent, headers);
    expect(refused).toMatchObject({ httpStatus: 401, wwwAuthenticate: 'HMAC-SHA256' });
    expect(refused).not.toHaveProperty('evidence');
    expect(JSON.stringify(refused)).not.toContain(secretText);
  });

  it.each([-300, 300])('is accepted %i s from now', async (seconds) => {
    const headers = hmacHeaders(body, String(Number(now) + seconds));
    expect(await judge(hmac, body, headers)).toMatchObject({ ok: true });
  });

  it.each<[string, Headers]>([
    [
      'a signature',
      [
        ['Signature', 'sig1=:AAAA:'],
        ['Signature-Input', 'sig1=()'],
      ],
    ],
    ['a signature beside the right proof', [...hmacHeaders(body), ['Signature', 'sig1=:AAAA:']]],
    ['a bearer credential', [['Authorization', `Bearer ${secretText}`]]],
  ])('is a mismatch of modes with %s', async (_what, headers) => {
    expect(await judge(hmac, body, headers)).toMatchObject({
      httpStatus: 401,
      wwwAuthenticate: 'Signature error="webhook_mode_mismatch"',
    });
  });

  it('is proven only by the headers of its dialect', async () => {
    const others: Headers = [
      ['X-ADS-Timestamp', now],
      ['X-ADS-Signature', sign(body)],
    ];
    expect(await judge(hmac, body, others)).toMatchObject({ httpStatus: 401 });
    expect(await judge({ ...hmac, dialect: 'ads' }, body, others)).toMatchObject({ ok: true });
  });

  it('with duplicate JSON keys is refused with its own code, and its bytes are stored', async () => {
    const twice = '{"status":"completed","status":"failed"}';
    expect(await judge(hmac, twice, hmacHeaders(twice))).toMatchObject({
      httpStatus: 401,
      wwwAuthenticate: 'Signature error="webhook_body_malformed"',
      evidence: { sender: 'connection:con', body: Buffer.from(twice) },
    });
  });

  it('is not verified with a secret that is too short or missing', async () => {
    const short = 'short-secret';
    for (const secret of [short, ''])
      expect(await judge(hmac, body, hmacHeaders(body, now, short), secret)).toMatchObject({
        httpStatus: 503,
      });
  });
});

describe('a webhook of mode bearer', () => {
  const right: Headers = [['Authorization', `Bearer ${secretText}`]];

  it('delivers a report, and its credential is not stored', async () => {
    const accepted = await judge(bearer, JSON.stringify(report), right);
    expect(accepted).toMatchObject({
      ok: true,
      event: { sender: 'connection:con', kind: 'delivery_report' },
    });
    expect(JSON.stringify(accepted)).not.toContain(secretText);
  });

  it('is refused at the address of a mutation', async () => {
    expect(await judge({ ...bearer, kind: 'task' }, body, right)).toMatchObject({
      httpStatus: 401,
      code: 'webhook_legacy_bearer_refused',
    });
  });

  it.each<[string, Headers]>([
    ['another credential', [['Authorization', 'Bearer another-secret-of-at-least-32-characters']]],
    ['a prefix of it', [['Authorization', `Bearer ${secretText.slice(0, -1)}`]]],
    ['another scheme', [['Authorization', `Basic ${secretText}`]]],
    ['the credential twice', [...right, ...right]],
    ['nothing', []],
  ])('is refused with %s', async (_what, headers) => {
    expect(await judge(bearer, JSON.stringify(report), headers)).toMatchObject({
      httpStatus: 401,
      wwwAuthenticate: 'Bearer',
    });
  });
});

describe('a native A2A post of mode token', () => {
  const task = {
    kind: 'task',
    id: 'a2a-1',
    status: { state: 'working', timestamp: '2027-01-15T08:00:00Z' },
  };
  const right: Headers = [['X-A2A-Notification-Token', 'the-token-of-the-address']];

  it('is accepted with the token, which is not stored', async () => {
    const accepted = await judge(token, JSON.stringify(task), right);
    expect(accepted).toMatchObject({
      ok: true,
      event: {
        sender: 'connection:con',
        kind: 'task_status',
        idempotencyKey: 'a2a:task:working:2027-01-15T08:00:00Z:a2a-1',
      },
    });
    expect(JSON.stringify(accepted)).not.toContain('the-token-of-the-address');
  });

  it.each<[string, Headers]>([
    ['no token', []],
    ['another token', [['X-A2A-Notification-Token', 'another']]],
    ['the token twice', [...right, ...right]],
  ])('is refused with %s', async (_what, headers) => {
    expect(await judge(token, JSON.stringify(task), headers)).toMatchObject({
      httpStatus: 401,
      code: 'webhook_token_invalid',
    });
  });

  it.each<[string, unknown]>([
    ['the envelope of the protocol', envelope],
    ['a task without a state', { kind: 'task', id: 'a2a-1', status: {} }],
    ['a list', []],
  ])('is refused if its body is %s, and the bytes are stored', async (_what, sent) => {
    expect(await judge(token, JSON.stringify(sent), right)).toMatchObject({
      httpStatus: 400,
      code: 'missing_envelope_fields',
      evidence: { sender: 'connection:con' },
    });
  });

  it('is refused as a native body at an address for envelopes', async () => {
    const sent = JSON.stringify(task);
    expect(await judge(hmac, sent, hmacHeaders(sent))).toMatchObject({
      httpStatus: 400,
      code: 'missing_envelope_fields',
    });
  });
});

describe('a body that contains a shared secret', () => {
  it.each<[string, object]>([
    ['ours, in any member', { ...envelope, message: `sent with ${secretText}` }],
    [
      "somebody's, in an authentication block",
      { ...envelope, context: { authentication: { schemes: ['Bearer'], credentials: 'hunter2' } } },
    ],
  ])('is stored without the secret, and passed on to be sealed: %s', async (_what, sent) => {
    const text = JSON.stringify(sent);
    const accepted = await judge(hmac, text, hmacHeaders(text));
    if (!accepted.ok) throw new Error('It is authentic.');
    const stored = accepted.event.body.toString();
    expect(stored).toContain('[secret]');
    expect(stored).not.toContain(secretText);
    expect(stored).not.toContain('hunter2');
    expect(JSON.parse(stored)).toMatchObject({ idempotency_key: envelope.idempotency_key });
    expect(accepted.toSeal?.toString()).toBe(text);
    expect(accepted.event.bodyHash).toBe(createHash('sha256').update(text).digest('hex'));
  });
});
