import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { dialects, type Dialect } from '@switchyard/protocol';
import {
  generateSigningKey,
  memoryReplayStore,
  noRevocations,
  publicJwk,
  signRequest,
  type VerifierPorts,
} from '@switchyard/signing';
import { err, ok } from '@switchyard/values';
import { acceptWebhook, type WebhookToJudge } from './accept-webhook.js';
import type { WebhookRegistration } from './inbox-port.js';

const at = 1_800_000_000_000;
const key = generateSigningKey('k1');
const seller = 'https://seller.example/mcp';
const url = 'https://buyer.example/webhooks/r1';

const registration: WebhookRegistration = {
  id: 'r1',
  organizationId: 'org',
  connectionId: 'con',
  legId: 'leg',
  operationId: 'op',
  kind: 'task',
  mode: 'signed',
  sellerOperationId: 'op-at-seller',
  dialect: 'ads',
  sellerAgentUrl: seller,
};
const reportRegistration: WebhookRegistration = { ...registration, kind: 'report' };

const envelope = {
  idempotency_key: 'key-000000000000001',
  operation_id: 'op-at-seller',
  task_id: 't1',
  task_type: 'create_media_buy',
  domain: 'media-buy',
  status: 'completed',
  timestamp: '2027-01-15T08:00:00Z',
  result: { media_buy_id: 'mb1' },
};
const report = {
  ...envelope,
  operation_id: undefined,
  task_type: 'media_buy_delivery',
  result: {
    notification_type: 'scheduled',
    sequence_number: 1,
    currency: 'USD',
    media_buy_deliveries: [{ media_buy_id: 'mb1', status: 'active', totals: { spend: 1 }, by_package: [] }],
  },
};

let nonces = 0;

interface Sending {
  readonly body?: unknown;
  readonly registration?: WebhookRegistration;
  readonly form?: WebhookToJudge['form'];
  readonly headers?: readonly (readonly [string, string])[];
  readonly contentType?: string;
  readonly tagOf?: Dialect;
}

function post({ body = envelope, tagOf = 'ads', contentType = 'application/json', ...more }: Sending = {}) {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  nonces += 1;
  const signature = signRequest({
    method: 'POST',
    url,
    headers: { 'content-type': contentType },
    body: bytes,
    keyid: 'k1',
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: dialects[tagOf].webhookTag,
    created: at / 1000,
    expires: at / 1000 + 300,
    nonce: Buffer.from(String(nonces).padStart(16, '0')).toString('base64url'),
  });
  const webhook: WebhookToJudge = {
    message: {
      method: 'POST',
      url,
      body: bytes,
      headers: more.headers ?? [
        ['Host', 'buyer.example'],
        ['Content-Type', contentType],
        ['Authorization', 'Bearer secret-of-the-seller'],
        ...Object.entries(signature),
      ],
    },
    registration: more.registration ?? registration,
    newId: `id-${nonces}`,
    ...(more.form === undefined ? {} : { form: more.form }),
  };
  return webhook;
}

function ports(agentUrl = seller, keyspace?: string): VerifierPorts {
  const jwk = publicJwk(key, ['ads_use', 'adcp_use']);
  return {
    keys: {
      resolve: () => Promise.resolve(ok({ jwk, agentUrl, ...(keyspace === undefined ? {} : { keyspace }) })),
    },
    replays: memoryReplayStore(1000, () => at),
    revocations: noRevocations,
  };
}

async function judge(sending: Sending = {}, given = ports()) {
  return acceptWebhook(post(sending), given, at);
}

describe('acceptWebhook', () => {
  it('accepts a signed task webhook as an event of its signer, with its bytes as evidence', async () => {
    const accepted = await judge();
    expect(accepted).toMatchObject({
      ok: true,
      event: {
        sender: seller,
        keyid: 'k1',
        idempotencyKey: envelope.idempotency_key,
        kind: 'task_status',
        state: 'received',
        organizationId: 'org',
        registrationId: 'r1',
        bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        body: Buffer.from(JSON.stringify(envelope)),
        receivedAt: at,
      },
      envelope: { operationId: 'op-at-seller', status: 'completed' },
    });
  });

  it('uses a separate keyspace for a key that only one tenant trusts', async () => {
    const accepted = await judge({}, ports(seller, 'org https://seller.example/mcp'));
    expect(accepted).toMatchObject({ ok: true, event: { sender: 'org https://seller.example/mcp' } });
  });

  it('stores no credential from a header', async () => {
    const accepted = await judge();
    expect(JSON.stringify(accepted)).not.toContain('secret-of-the-seller');
  });

  it.each<[string, WebhookRegistration, object, string]>([
    ['a report', reportRegistration, report, 'delivery_report'],
    [
      'a report with status completed at the task address',
      registration,
      { ...report, status: 'completed' },
      'delivery_report',
    ],
    [
      'an impairment',
      reportRegistration,
      { ...report, task_type: 'impairment', result: { impairment_id: 'i1' } },
      'impairment',
    ],
    [
      'another notification',
      reportRegistration,
      { ...report, task_type: 'creative', result: { notification_type: 'creative.status_changed' } },
      'creative_status',
    ],
    [
      'a list change, which has a key and no envelope',
      reportRegistration,
      { idempotency_key: 'key-000000000000002', event: 'property_list_changed', list_id: 'l' },
      'property_list_changed',
    ],
  ])('identifies %s by its members', async (_what, to, body, kind) => {
    expect(await judge({ body, registration: to })).toMatchObject({
      ok: true,
      event: { kind, state: 'received' },
    });
  });

  it.each<[string, WebhookRegistration, object, string]>([
    [
      'a task of another operation',
      registration,
      { ...envelope, operation_id: 'another' },
      'operation_id_unknown',
    ],
    ['a task at the address of reports', reportRegistration, envelope, 'task_status_at_report_address'],
    [
      'a report with another operation id at a task address',
      registration,
      { ...report, operation_id: 'another' },
      'operation_id_unknown',
    ],
  ])('accepts %s into quarantine', async (_what, to, body, reason) => {
    expect(await judge({ body, registration: to })).toMatchObject({
      ok: true,
      event: { state: 'quarantined', reason },
    });
  });

  it('refuses a body over 1 MB and another content type before any other check', async () => {
    const requested: string[] = [];
    const deaf: VerifierPorts = {
      ...ports(),
      keys: { resolve: (keyid) => (requested.push(keyid), Promise.resolve(err('key_unknown' as const))) },
    };
    expect(await judge({ body: Buffer.alloc(1024 * 1024 + 1, 32) }, deaf)).toMatchObject({ httpStatus: 413 });
    for (const contentType of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded']) {
      expect(await judge({ contentType }, deaf)).toMatchObject({ httpStatus: 415 });
    }
    expect(requested).toEqual([]);
    expect(await judge({ contentType: 'application/json; charset=utf-8' })).toMatchObject({ ok: true });
  });

  it.each<[string, readonly (readonly [string, string])[]]>([
    ['a bearer token', [['Authorization', 'Bearer x']]],
    [
      'a legacy signature',
      [
        ['X-ADS-Signature', 'sha256=00'],
        ['X-ADS-Timestamp', '1'],
      ],
    ],
    ['a legacy signature of the other dialect', [['X-ADCP-Signature', 'sha256=00']]],
  ])('never tries another mode: %s at a signed address is a mismatch', async (_what, headers) => {
    const given = await judge({ headers: [['Content-Type', 'application/json'], ...headers] });
    expect(given).toMatchObject({
      httpStatus: 401,
      wwwAuthenticate: 'Signature error="webhook_mode_mismatch"',
    });
  });

  it.each(['hmac-sha256', 'bearer', 'token'] as const)(
    'refuses a validly signed message at an address of mode %s',
    async (mode) => {
      const given = await judge({ registration: { ...registration, mode } });
      expect(given).toMatchObject({
        httpStatus: 401,
        wwwAuthenticate: 'Signature error="webhook_mode_mismatch"',
      });
    },
  );

  it('refuses the tag of the other dialect', async () => {
    const refused = await judge({ tagOf: 'adcp' });
    expect(refused).toMatchObject({
      httpStatus: 401,
      wwwAuthenticate: 'Signature error="webhook_signature_tag_invalid"',
    });
    expect(await judge({ tagOf: 'adcp', registration: { ...registration, dialect: 'adcp' } })).toMatchObject({
      ok: true,
    });
  });

  it('refuses a verified sender that is not the seller of the registration', async () => {
    const refused = await judge({}, ports('https://another.example/mcp'));
    expect(refused).toMatchObject({ httpStatus: 401, code: 'webhook_signature_key_unknown' });
    expect(refused).not.toHaveProperty('evidence');
  });

  it('answers a retryable status when the keys cannot be fetched, because every webhook code is final', async () => {
    const given = { ...ports(), keys: { resolve: () => Promise.resolve(err('jwks_unavailable' as const)) } };
    const refused = await judge({}, given);
    expect(refused).toMatchObject({ httpStatus: 503 });
    expect(refused).not.toHaveProperty('wwwAuthenticate');
  });

  it.each<[string, unknown, string]>([
    ['a report without an envelope', report.result, 'missing_envelope_fields'],
    ['no key', { ...envelope, idempotency_key: undefined }, 'missing_idempotency_key'],
    ['a key that no database holds', { ...envelope, idempotency_key: 'a\u0000b' }, 'missing_idempotency_key'],
    ['a key without end', { ...envelope, idempotency_key: 'k'.repeat(256) }, 'missing_idempotency_key'],
    ['a key that is no text', { ...envelope, idempotency_key: 7 }, 'missing_idempotency_key'],
    ['the status of a buy', { ...envelope, status: 'active' }, 'invalid_envelope_status'],
    ['no operation on a task', { ...envelope, operation_id: undefined }, 'missing_envelope_fields'],
    ['a list', [], 'missing_envelope_fields'],
    ['null', null, 'missing_envelope_fields'],
    ['nothing', {}, 'missing_envelope_fields'],
  ])('refuses %s, and keeps the bytes with the verdict', async (_what, body, code) => {
    expect(await judge({ body })).toMatchObject({
      httpStatus: 400,
      code,
      evidence: {
        code,
        state: 'quarantined',
        kind: code === 'missing_envelope_fields' && body === report.result ? 'delivery_report' : 'other',
        sender: seller,
        keyid: 'k1',
        registrationId: 'r1',
        verdict: { code },
      },
    });
  });

  it('refuses duplicate JSON keys after the signature, and stores the bytes', async () => {
    const body = Buffer.from('{"status":"completed","status":"failed"}');
    expect(await judge({ body })).toMatchObject({
      httpStatus: 401,
      code: 'webhook_body_malformed',
      evidence: { sender: seller, body, state: 'refused' },
    });
  });

  it('stores nothing of an unsigned message', async () => {
    const headers = [
      ['Content-Type', 'application/json'],
      ['Signature', 'sig1=:AAAA:'],
      ['Signature-Input', 'sig1=()'],
    ] as const;
    const refused = await judge({ headers });
    expect(refused).toMatchObject({ httpStatus: 401, code: 'webhook_signature_params_incomplete' });
    expect(refused).not.toHaveProperty('evidence');
  });

  it.each(['2.5', '3.0'] as const)(
    'accepts a task event without an operation id from a seller of %s, whose envelope has none',
    async (form) => {
      const body = { ...envelope, operation_id: undefined };
      expect(await judge({ body, form })).toMatchObject({
        ok: true,
        event: { kind: 'task_status', state: 'received' },
      });
    },
  );

  it.each(['service', '3.1'] as const)(
    'quarantines a task event without an operation id from a seller of %s, whose envelope requires one',
    async (form) => {
      const body = { ...envelope, operation_id: undefined };
      expect(await judge({ body, form })).toMatchObject({ httpStatus: 400, code: 'missing_envelope_fields' });
    },
  );

  it('uses the hash of a 2.5 body as its key', async () => {
    const accepted = await judge({ body: { ...envelope, idempotency_key: undefined }, form: '2.5' });
    expect(accepted).toMatchObject({
      ok: true,
      event: { idempotencyKey: expect.stringMatching(/^body:[0-9a-f]{64}$/) },
    });
  });
});
