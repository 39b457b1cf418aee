import { describe, expect, it } from '@jest/globals';
import {
  taskTable,
  type CallerVersion,
  type Dialect,
  type Form,
  type GetCapabilitiesRequest,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import type { Caller, PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { getCapabilities } from './get-capabilities.js';

const principal: PrincipalCaller = {
  kind: 'principal',
  organizationId: 'o',
  principalId: 'p',
  name: 'buyer',
  principalKind: 'buyer',
  permissions: {},
  transitional: false,
  legacy: false,
};
const signedBy = { keyid: 'k', agentUrl: 'https://buyer.example/', dialect: 'ads' } as const;

/** What an installation at an address without sellers says of itself. */
async function answer(
  caller: Caller,
  { form = '3.1', dialect = 'adcp' }: { form?: Form; dialect?: Dialect } = {},
  base = 'https://us.example',
  request: GetCapabilitiesRequest = {},
  sellers: readonly object[] = [],
  declareOnFirstUse = false,
): Promise<JsonObject> {
  const parts = {
    ports: { connections: { list: () => Promise.resolve(sellers) }, callbackBase: () => base },
    declareOnFirstUse,
  } as unknown as HandlerDeps;
  const handled = await getCapabilities(parts, {
    call: { caller },
    scope: { organizationId: 'o' },
    spec: taskTable.getCapabilities,
    version: { profile: { form, dialect } } as CallerVersion,
    args: {},
    request,
  } as unknown as HandledCall<object>);
  if (handled.kind !== 'done') throw new Error('It was refused.');
  return handled.payload;
}

describe('a query for some protocols only', () => {
  const askedFor = (...protocols: string[]) => answer(principal, {}, 'https://us.example', { protocols });

  it('is answered without members of the others, and lists the available ones', async () => {
    expect(await answer(principal)).toHaveProperty('media_buy');
    expect(await askedFor('media_buy', 'signals')).toHaveProperty('media_buy');
    const other = await askedFor('signals');
    expect(other).not.toHaveProperty('media_buy');
    expect(other).toMatchObject({ supported_protocols: ['media_buy'], webhook_signing: { supported: true } });
  });
});

describe('our declared capabilities', () => {
  it('have the lifetime of keys and of requests in progress, the billed party, and the ways to get accounts', async () => {
    expect(await answer(principal)).toMatchObject({
      adcp: { idempotency: { supported: true, replay_ttl_seconds: 86_400, in_flight_max_seconds: 120 } },
      account: {
        require_operator_auth: false,
        required_for_products: false,
        supported_billing: ['operator'],
      },
    });
  });

  it('name a sandbox only in the local profile', async () => {
    const at = (isLocal: boolean) => answer(principal, {}, undefined, {}, [], isLocal);
    expect(await at(false)).toMatchObject({ account: { sandbox: false } });
    expect(await at(true)).toMatchObject({ account: { sandbox: true } });
  });

  it('have refinements, proposals, channels and countries only if a live seller declares them', async () => {
    const of = (media_buy: object) => ({
      ...{ state: 'live', kinds: ['sales'], agentUrl: 'https://seller.example' },
      capabilities: { publisherDomains: ['news.example'], original: { media_buy } },
    });
    const portfolio = { primary_channels: ['ctv'], primary_countries: ['DE'] };
    const able = of({ buying_modes: ['brief', 'refine'], supports_proposals: true, portfolio });
    const received = async (seller: object) =>
      (await answer(principal, {}, undefined, {}, [seller]))['media_buy'] as JsonObject;
    expect(await received(able)).toMatchObject({
      buying_modes: ['brief', 'wholesale', 'refine'],
      supports_proposals: true,
      portfolio,
    });
    const plain = await received(of({ buying_modes: ['brief'] }));
    expect(plain).toMatchObject({ buying_modes: ['brief', 'wholesale'] });
    expect(plain).not.toHaveProperty('supports_proposals');
    expect(plain['portfolio']).toEqual({ publisher_domains: ['news.example'] });
  });

  it('have in 3.0 none of the members of 3.1', async () => {
    const membersOf = async (form: Form, block: string) =>
      Object.keys(((await answer(principal, { form }))[block] ?? {}) as JsonObject);
    const added = ['protocol_methods_supported_for', 'buying_modes', 'propagation_surfaces'];
    const both = async (form: Form) => [
      ...(await membersOf(form, 'request_signing')),
      ...(await membersOf(form, 'media_buy')),
    ];
    expect(await both('3.1')).toEqual(expect.arrayContaining(added));
    expect((await both('3.0')).filter((name) => added.includes(name))).toEqual([]);
  });

  it('have only the features of live sellers', async () => {
    const of = (state: string, kind: string, specialism: string) => ({
      ...{ state, kinds: [kind], agentUrl: `https://${kind}.example` },
      capabilities: {
        ...{ pricingModels: [state === 'live' ? 'cpm' : 'cpc'], publisherDomains: [`${state}.example`] },
        original: { specialisms: [specialism] },
      },
    });
    const live = of('live', 'sales', 'sales-guaranteed');
    const others = ['onboarding', 'failed', 'disabled'].map((state) =>
      of(state, 'signals', 'signal-marketplace'),
    );
    const document = await answer(principal, {}, undefined, {}, [live, ...others]);
    expect(document).toMatchObject({
      supported_protocols: ['media_buy'],
      specialisms: ['sales-guaranteed'],
      media_buy: {
        supported_pricing_models: ['cpm'],
        portfolio: { publisher_domains: ['live.example'] },
      },
    });
    expect(document).not.toHaveProperty('signals');
  });
});

describe('our declared signatures and events', () => {
  it('have our coalescence windows: a minute, and none for fraud and brand safety', async () => {
    expect(await answer(principal)).toMatchObject({
      ext: {
        switchyard: { coalescence_window_seconds: { impairment: 60, impairment_latency_sensitive: 0 } },
      },
    });
  });

  it.each<[string, Caller, boolean]>([
    ['of a caller that is marked legacy', { ...principal, legacy: true }, true],
    ['of one that signs: the signature says whose secret it is', { ...principal, signedBy }, true],
    ['not of another principal', principal, false],
    ['not of the public', { kind: 'public', organizationId: 'o' }, false],
  ])('say that an HMAC secret is accepted %s', async (_whose, caller, expected) => {
    expect(await answer(caller)).toMatchObject({ webhook_signing: { legacy_hmac_fallback: expected } });
  });

  it.each([
    ['ads', 'ads/webhook-signing/v1'],
    ['adcp', 'adcp/webhook-signing/v1'],
  ] as const)('name the profile of the dialect %s', async (dialect, profile) => {
    expect(await answer(principal, { dialect })).toMatchObject({
      webhook_signing: { supported: true, profile, algorithms: ['ed25519', 'ecdsa-p256-sha256'] },
    });
  });

  it('link to our keys, each of one principal, if others can trust our address', async () => {
    expect((await answer(principal))['identity']).toEqual({
      brand_json_url: 'https://us.example/.well-known/brand.json',
      per_principal_key_isolation: true,
      key_origins: { request_signing: 'https://us.example', webhook_signing: 'https://us.example' },
    });
    expect((await answer(principal, {}, 'http://127.0.0.1:8080'))['identity']).toEqual({
      per_principal_key_isolation: true,
    });
  });

  it('require a signature for every task that changes something, except of migrating callers', async () => {
    const wanted = (document: JsonObject): unknown =>
      (document['request_signing'] as JsonObject | undefined)?.['required_for'];
    expect(wanted(await answer(principal))).toEqual(
      expect.arrayContaining(['create_media_buy', 'cancel_task']),
    );
    expect(wanted(await answer(principal))).not.toContain('get_products');
    expect(wanted(await answer({ ...principal, transitional: true }))).toEqual([]);
    expect((await answer(principal))['request_signing']).toMatchObject({
      supported: true,
      covers_content_digest: 'required',
    });
  });
});
