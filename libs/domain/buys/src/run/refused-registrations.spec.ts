import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { reportModeAfter, type Connection } from '@switchyard/sellers';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { BuysPorts } from '../model/ports.js';
import { storeObservation } from './store-observation.js';

const wanted = {
  code: 'VALIDATION_ERROR',
  message: "must have required property 'authentication'",
  field: '/reporting_webhook/authentication',
  issues: [{ pointer: '/reporting_webhook/authentication', keyword: 'required' }],
};

/** A harness whose one seller keeps what its refusals teach, as a connection does. */
async function openHarness(first: Partial<Connection> = {}) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  let known: Connection = { ...harness.connection('acme'), keyCredentialId: 'key-1', ...first };
  const connections = {
    list: () => Promise.resolve([known]),
    byId: () => Promise.resolve(known),
  };
  const learnReports: NonNullable<BuysPorts['learnReports']> = (_scope, _connection, refused) => {
    const reportRegistration = reportModeAfter(known, refused);
    if (reportRegistration === undefined) return Promise.resolve(undefined);
    known = { ...known, reportRegistration };
    return Promise.resolve(known);
  };
  return {
    harness,
    ports: { ...harness.ports, connections, learnReports },
    learnt: () => known.reportRegistration,
  };
}

const unsigned = (harness: BuyingHarness): Partial<Connection> => ({
  capabilities: { ...harness.connection('acme').capabilities!, webhookSigning: false },
});

/** How each request to buy asked for reports. */
function requested(harness: BuyingHarness): readonly unknown[] {
  return harness
    .seller('acme')
    .received.filter(({ tool }) => tool === 'create_media_buy')
    .map(({ args }) => {
      const reports = args['reporting_webhook'] as JsonObject | undefined;
      return reports === undefined
        ? 'none'
        : ((reports['authentication'] as JsonObject | undefined)?.['schemes'] ?? 'signed');
    });
}

const addressesOf = (harness: BuyingHarness) =>
  [...harness.store.rowsOf(harness.scope).registrations.values()]
    .filter(({ kind }) => kind === 'report')
    .map(({ mode }) => mode);

describe('the registration of reports in a buy', () => {
  it('requests a signature if the seller declares that it signs, and else sends a shared secret', async () => {
    const signing = await openHarness();
    await createMediaBuy(signing.ports, signing.harness.request(['acme']));
    expect([requested(signing.harness), addressesOf(signing.harness)]).toEqual([['signed'], ['signed']]);

    const other = await openHarness(unsigned(signing.harness));
    await createMediaBuy(other.ports, other.harness.request(['acme']));
    expect([requested(other.harness), addressesOf(other.harness)]).toEqual([
      [['HMAC-SHA256']],
      ['hmac-sha256'],
    ]);
  });

  it('that alone was refused is remembered, and the buy is sent once more with the other one', async () => {
    const { harness, ports, learnt } = await openHarness();
    harness.seller('acme').fate('create_media_buy', { says: { errors: [wanted] } });
    const made = await createMediaBuy(ports, harness.request(['acme']));
    const [leg] = made.ok ? made.value.state.legs : [];
    expect([leg?.status, leg?.errors, harness.seller('acme').buys.length]).toEqual(['completed', [], 1]);
    expect([requested(harness), learnt()]).toEqual([['signed', ['HMAC-SHA256']], 'hmac-sha256']);
    // An address has one mode: the second one is another address.
    expect(addressesOf(harness)).toEqual(['signed', 'hmac-sha256']);
    expect(JSON.stringify([...harness.store.rowsOf(harness.scope).legs.values()])).toContain(
      '[webhook-secret:key-1/',
    );

    await createMediaBuy(ports, harness.request(['acme'], { idempotency_key: 'another-key-0123456' }));
    expect(requested(harness)).toEqual(['signed', ['HMAC-SHA256'], ['HMAC-SHA256']]);
  });

  it('is omitted, and the seller polled, if the seller refuses both', async () => {
    const { harness, ports, learnt } = await openHarness();
    const refusal = { says: { errors: [wanted] } };
    harness.seller('acme').fate('create_media_buy', refusal, refusal);
    const made = await createMediaBuy(ports, harness.request(['acme']));
    const [leg] = made.ok ? made.value.state.legs : [];
    expect([leg?.status, leg?.refusedAttempts?.length, learnt()]).toEqual(['completed', 2, 'none']);
    await createMediaBuy(ports, harness.request(['acme'], { idempotency_key: 'another-key-0123456' }));
    expect(requested(harness)).toEqual(['signed', ['HMAC-SHA256'], 'none', 'none']);
    expect(harness.seller('acme').buys).toHaveLength(2);
  });

  it('is named in an error to the buyer, who did not write it, by the words of the seller alone', async () => {
    const { harness, ports } = await openHarness({ legacyWebhooks: 'hmac-sha256' });
    harness.seller('acme').fate('create_media_buy', { says: { errors: [wanted] } });
    const made = await createMediaBuy(ports, harness.request(['acme']));
    const [leg] = made.ok ? made.value.state.legs : [];
    expect(leg?.errors).toMatchObject([{ code: 'CONFIGURATION_ERROR', details: { seller: 'acme' } }]);
    expect(leg?.errors[0]?.field).toBeUndefined();
    expect(leg?.errors[0]?.message).toContain(`VALIDATION_ERROR: ${wanted.message}`);
  });

  it('is also learned from a seller that accepted the buy and refuses it later', async () => {
    const { harness, ports, learnt } = await openHarness();
    harness.seller('acme').fate('create_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    const made = await createMediaBuy(ports, harness.request(['acme']));
    const leg = made.ok ? made.value.state.legs[0]! : undefined;
    const reply = { status: 'failed' as const, replayed: false, payload: {}, errors: [wanted] };
    await storeObservation(ports, harness.scope, leg!, {
      source: 'poll',
      at: harness.clock.now() + 1_000,
      reply,
    });
    const [now] = [...harness.store.rowsOf(harness.scope).legs.values()];
    expect([now?.status, learnt()]).toEqual(['failed', 'hmac-sha256']);
    expect(now?.errors[0]?.suggestion).toMatch(/under another idempotency_key/);
  });

  it('is not changed if something else was also refused, and the refusal is reported unchanged', async () => {
    const { harness, ports, learnt } = await openHarness();
    const errors = [wanted, { code: 'BUDGET_TOO_LOW', message: 'No.' }];
    harness.seller('acme').fate('create_media_buy', { says: { errors } });
    const made = await createMediaBuy(ports, harness.request(['acme']));
    const [leg] = made.ok ? made.value.state.legs : [];
    expect([leg?.errors.map(({ code }) => code), learnt()]).toEqual([
      ['VALIDATION_ERROR', 'BUDGET_TOO_LOW'],
      undefined,
    ]);
  });
});

describe('a seller that takes no webhook address of ours', () => {
  const loopback = 'push_notification_config.url must not be a loopback address.';
  const sent = (harness: BuyingHarness) =>
    harness
      .seller('acme')
      .received.filter(({ tool }) => tool === 'create_media_buy')
      .map(({ args }) => ['push_notification_config' in args, 'reporting_webhook' in args]);

  it.each([
    ['a field', { code: 'INVALID_REQUEST', message: loopback, field: 'push_notification_config.url' }],
    ['the message alone', { code: 'VALIDATION_ERROR', message: loopback }],
    [
      'the address of reports',
      { code: 'INVALID_REQUEST', message: 'Private host.', field: 'reporting_webhook.url' },
    ],
  ])('gets the buy without one, under another key, and is polled: named by %s', async (_by, refusal) => {
    const { harness, ports } = await openHarness();
    const noticed: string[] = [];
    const notice: BuysPorts['notice'] = ({ code, seller, message }) => {
      noticed.push(`${code} ${seller} ${message}`);
    };
    harness.seller('acme').fate('create_media_buy', { says: { errors: [refusal] } });
    const made = await createMediaBuy({ ...ports, notice }, harness.request(['acme']));
    const [leg] = made.ok ? made.value.state.legs : [];
    expect([leg?.status, leg?.errors, harness.seller('acme').buys.length]).toEqual(['completed', [], 1]);
    expect(sent(harness)).toEqual([
      [true, true],
      [false, false],
    ]);
    const keys = harness.seller('acme').received.map(({ args }) => args['idempotency_key']);
    expect(new Set(keys.filter((key) => key !== undefined)).size).toBe(2);
    // The words of the seller: to the buyer, in the record, and in the log.
    expect(leg?.findings.find(({ code }) => code === 'SENT_WITHOUT_WEBHOOK')?.message).toContain(
      refusal.message,
    );
    expect(leg?.refusedAttempts?.[0]?.errors).toMatchObject([refusal]);
    expect(noticed).toContain(`CALLBACK_REFUSED acme ${refusal.code}: ${refusal.message}`);
  });
});
