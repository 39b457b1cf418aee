import { beforeEach, describe, expect, it } from '@jest/globals';
import { createMediaBuy, getMediaBuys, updateMediaBuy, type Form } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { callbackErrors, placeholderFindings, anonymousCallbackErrors } from './callback-errors.js';
import { readCallbacks, registerCallbacks } from './read-callbacks.js';
import type { PrincipalCaller } from '../call/task-call.js';

const caller = {
  kind: 'principal',
  organizationId: 'o1',
  principalId: 'p1',
  name: 'buyer',
  principalKind: 'buyer',
  permissions: {},
  transitional: false,
  legacy: false,
} as const satisfies PrincipalCaller;
const signedBy = { keyid: 'k', agentUrl: 'https://buyer.example/', dialect: 'adcp' } as const;
const secret = 'kq8Zr2vN5xW1mT7cY4pJ9sL3dF6hB0gA';
const url = 'https://buyer.example/hook';
let denied: readonly string[] = [];
beforeEach(() => {
  denied = [];
});

interface Options {
  readonly legacy?: boolean;
  readonly signed?: boolean;
  readonly local?: boolean;
  readonly form?: Form;
  readonly a2aPush?: JsonObject;
  readonly spec?: typeof createMediaBuy | typeof getMediaBuys | typeof updateMediaBuy;
}

async function refused(args: JsonObject, options: Options = {}): Promise<readonly (string | undefined)[]> {
  const { legacy = false, signed = false, form = '3.1', a2aPush, spec = createMediaBuy, local } = options;
  const errors = await callbackErrors(
    {
      refuseCallback: (requested) =>
        Promise.resolve(denied.includes(requested) ? 'It is denied.' : undefined),
      takesPlaceholderSecrets: local === true,
    },
    {
      principal: { ...caller, legacy, ...(signed ? { signedBy } : {}) },
      spec,
      profile: { dialect: 'adcp', form },
    },
    readCallbacks({ task: spec.name, ...(a2aPush === undefined ? {} : { a2aPush }) }, args),
  );
  expect(errors.every((error) => error.code === 'INVALID_REQUEST')).toBe(true);
  return errors.map((error) => error.field);
}

const push = (more: JsonObject = {}): JsonObject => ({
  push_notification_config: { url, operation_id: 'op-1', ...more },
});
const block = (scheme: string, credentials = secret): JsonObject => ({
  authentication: { schemes: [scheme], credentials },
});

describe('a callback', () => {
  it('is accepted if valid, on each of the three channels', async () => {
    expect(
      await refused(
        { ...push(), reporting_webhook: { url, reporting_frequency: 'daily' } },
        { a2aPush: { url } },
      ),
    ).toEqual([]);
  });

  it('needs an operation_id if the form has one, and one that an envelope can carry', async () => {
    const without = { push_notification_config: { url } };
    const field = 'push_notification_config.operation_id';
    expect(await refused(without)).toEqual([field]);
    expect(await refused(without, { form: 'service' })).toEqual([field]);
    expect(await refused(without, { form: '3.0' })).toEqual([]);
    expect(await refused(push({ operation_id: 'with a space' }))).toEqual([field]);
  });

  it('is refused at a denied address, on every channel', async () => {
    denied = [url];
    expect(await refused({ ...push(), reporting_webhook: { url } }, { a2aPush: { url } })).toEqual([
      'push_notification_config.url',
      'configuration.pushNotificationConfig.url',
      'reporting_webhook.url',
    ]);
  });

  it('is refused by a task that answers at once', async () => {
    expect(await refused(push(), { spec: getMediaBuys })).toEqual(['push_notification_config']);
    expect(await refused({}, { spec: getMediaBuys, a2aPush: { url } })).toEqual([
      'configuration.pushNotificationConfig',
    ]);
  });
});

describe('a callback of a caller without credentials', () => {
  const received = (args: JsonObject, mayBeAsync: boolean) =>
    anonymousCallbackErrors({ mayBeAsync }, readCallbacks({ task: 'get_products' }, args)).map(
      ({ code, field }) => [code, field],
    );

  it('is refused for its missing credentials, or for a task that answers at once; members that only a buy reads are ignored', () => {
    expect(received(push(), true)).toEqual([['AUTH_MISSING', 'push_notification_config']]);
    expect(received(push(), false)).toEqual([['INVALID_REQUEST', 'push_notification_config']]);
    expect(received({ reporting_webhook: { url } }, true)).toEqual([]);
  });
});

describe('a legacy block', () => {
  it('is refused from a caller not marked legacy, on every channel', async () => {
    expect(
      await refused(
        { ...push(block('HMAC-SHA256')), reporting_webhook: { url, ...block('Bearer') } },
        { a2aPush: { url, ...block('Bearer') } },
      ),
    ).toEqual([
      'push_notification_config.authentication',
      'configuration.pushNotificationConfig.authentication',
      'reporting_webhook.authentication',
    ]);
  });

  it('is accepted in a signed request of any caller', async () => {
    expect(await refused(push(block('HMAC-SHA256')), { signed: true })).toEqual([]);
  });

  it('is accepted from a caller marked legacy, with a strong secret', async () => {
    expect(await refused(push(block('HMAC-SHA256')), { legacy: true })).toEqual([]);
    for (const credentials of ['short', 'change-me-change-me-change-me-change-me', 'a'.repeat(40)])
      expect(await refused(push(block('HMAC-SHA256', credentials)), { legacy: true })).toEqual([
        'push_notification_config.authentication.credentials',
      ]);
  });

  it('may have a placeholder for a secret only in the local profile, with a finding, and a short one nowhere', async () => {
    const given = push(block('HMAC-SHA256', 'media-buy-seller-webhook-secret-token'));
    expect(await refused(given, { legacy: true, local: true })).toEqual([]);
    const findings = placeholderFindings(readCallbacks({}, given));
    expect(findings).toMatchObject([{ field: 'push_notification_config.authentication.credentials' }]);
    expect(JSON.stringify(findings)).not.toContain('media-buy-seller');
    expect(placeholderFindings(readCallbacks({}, push(block('HMAC-SHA256'))))).toEqual([]);
    const short = push(block('HMAC-SHA256', 'short'));
    expect(await refused(short, { legacy: true, local: true })).toHaveLength(1);
  });

  it('names one scheme', async () => {
    const field = 'push_notification_config.authentication.schemes';
    expect(await refused(push(block('Basic')), { legacy: true })).toEqual([field]);
    const two = { authentication: { schemes: ['Bearer', 'HMAC-SHA256'], credentials: secret } };
    expect(await refused(push(two), { legacy: true })).toEqual([field]);
  });

  it('may be Bearer for reports, and never for a task that changes something', async () => {
    expect(await refused(push(block('Bearer')), { legacy: true })).toEqual([
      'push_notification_config.authentication.schemes',
    ]);
    expect(await refused({ reporting_webhook: { url, ...block('Bearer') } }, { legacy: true })).toEqual([]);
  });

  it('is ignored while it is empty', async () => {
    expect(await refused(push({ authentication: {} }))).toEqual([]);
  });
});

describe('an address among the updates of a buy', () => {
  const updates = (more: JsonObject) => ({ updates: more });
  const change = { spec: updateMediaBuy, form: 'service' } as const;

  it('is checked like one beside them, and named by its place', async () => {
    denied = [url];
    expect(await refused(updates({ ...push(), reporting_webhook: { url } }), change)).toEqual([
      'updates.push_notification_config.url',
      'updates.reporting_webhook.url',
    ]);
    denied = [];
    expect(await refused(updates({ push_notification_config: { url } }), change)).toEqual([
      'updates.push_notification_config.operation_id',
    ]);
    expect(await refused(updates({ reporting_webhook: { url, ...block('HMAC-SHA256') } }), change)).toEqual([
      'updates.reporting_webhook.authentication',
    ]);
  });

  it('is one address if it is also beside them', () => {
    const reported = readCallbacks(
      { task: 'update_media_buy' },
      { ...push(), ...updates({ ...push(), reporting_webhook: { url } }) },
    );
    expect(reported.map(({ field, buyerOperationId }) => [field, buyerOperationId])).toEqual([
      ['updates.push_notification_config', 'op-1'],
      ['updates.reporting_webhook', 'op-1'],
    ]);
  });

  it('is ignored by a task that updates no buy', () => {
    const args = updates({ ...push(), reporting_webhook: { url } });
    expect(readCallbacks({ task: 'create_media_buy' }, args)).toEqual([]);
  });
});

describe('a registration', () => {
  const owner = {
    organizationId: 'o1',
    principalId: 'p1',
    operationId: 'ours',
    profile: { dialect: 'adcp', form: '3.1' },
  } as const;
  const args = { ...push({ token: 'a-token' }), reporting_webhook: { url, reporting_frequency: 'hourly' } };
  let counter = 0;
  const parts = (sealed: string | undefined) =>
    ({
      ports: { clock: { now: () => 7 }, ids: { uuid: () => `id-${++counter}` } },
      sealCallback: () => Promise.resolve(sealed),
    }) as unknown as Parameters<typeof registerCallbacks>[0];

  it('stores secrets only in the vault', async () => {
    const made = await registerCallbacks(
      parts('c1'),
      { ...owner, mediaBuyId: 'mb_1' },
      readCallbacks({}, args),
    );
    expect(made).toMatchObject({
      ok: true,
      value: [
        { channel: 'task', buyerOperationId: 'op-1', credentialId: 'c1', mediaBuyId: 'mb_1', mode: 'signed' },
        { channel: 'report', buyerOperationId: 'op-1', frequency: 'hourly' },
      ],
    });
    expect(JSON.stringify(made)).not.toContain('a-token');
  });

  it('of an update belongs to its buy if it is among the updates, and else to this task only', async () => {
    const own = { push_notification_config: { url: 'https://buyer.example/task', operation_id: 'op-2' } };
    const args = { ...own, updates: { ...push(), reporting_webhook: { url } } };
    const made = await registerCallbacks(
      parts('c1'),
      { ...owner, mediaBuyId: 'mb_1' },
      readCallbacks({ task: 'update_media_buy' }, args),
    );
    const shown = made.ok
      ? made.value.map(({ url: at, channel, mediaBuyId }) => [at, channel, mediaBuyId])
      : [];
    expect(shown).toEqual([
      ['https://buyer.example/task', 'task', undefined],
      [url, 'task', 'mb_1'],
      [url, 'report', 'mb_1'],
    ]);
  });

  it('fails completely when the vault fails', async () => {
    expect(await registerCallbacks(parts(undefined), owner, readCallbacks({}, args))).toMatchObject({
      ok: false,
      error: [{ code: 'SERVICE_UNAVAILABLE' }],
    });
  });

  it('has no reports without a media buy', async () => {
    const made = await registerCallbacks(parts('c1'), owner, readCallbacks({}, args));
    expect(made.ok && made.value.map((item) => item.channel)).toEqual(['task']);
  });
});
