import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { connectionDirectory, credentialStore, openStore, organizations } from '@switchyard/store';
import { createOrganization, memoryKeyManagement, openTestStore, testClock } from '@switchyard/testing';
import { allPermissions } from '@switchyard/tenancy';
import { authorizationOf } from '@switchyard/transports';
import { err, must, ok, Secret, type JsonObject } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import type { SellerDraft } from '../../platform/failure.js';
import { createDomainGate } from './domain-gate.js';
import { leaseSecretsFrom } from '../../keys/lease-secrets.js';
import { onboardSeller, type OnboardingDeps } from './onboard-seller.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

/**
 * A tenant that adds one seller. One that says nothing of itself cannot be reached: what is sealed for it does not wait
 * for that.
 */
async function tenant(capabilities?: JsonObject, hasProof = true) {
  const organization = await createOrganization(store);
  if (hasProof) await organizations(store).saveProof(organization, 'dns', organization.createdAt);
  const scope = { organizationId: organization.id };
  const by = { ...scope, kind: 'principal', permissions: allPermissions } as const;
  const clock = testClock();
  const newId = () => randomUUID();
  const kms = memoryKeyManagement();
  const silence = err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const);
  const vault = createVault({ kms, store: credentialStore(store), clock, newId, randomBytes });
  const shown: (string | undefined)[] = [];
  const deps: OnboardingDeps = {
    connections: connectionDirectory(store),
    vault,
    lease: leaseSecretsFrom(vault),
    transport: {
      call: () =>
        Promise.resolve(capabilities === undefined ? silence : ok({ payload: capabilities, isError: false })),
      listTools: (target) => {
        shown.push(target.credential && authorizationOf(target.credential)['authorization']);
        return Promise.resolve(
          capabilities === undefined ? silence : ok({ get_adcp_capabilities: [], get_products: [] }),
        );
      },
      forget: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    egress: { checkUrl: (url) => Promise.resolve(ok(new URL(url)) as never) },
    mayGoLive: createDomainGate(organizations(store)),
    clock,
    newId,
    randomBytes,
  };
  const add = async (legacyWebhooks?: SellerDraft['legacyWebhooks']) => {
    const draft: SellerDraft = {
      slug: 'acme',
      agentUrl: 'https://acme.example/mcp',
      protocol: 'mcp',
      dialect: 'adcp',
      ...(legacyWebhooks === undefined ? {} : { legacyWebhooks }),
    };
    return must(await onboardSeller(deps, by, draft, false));
  };
  const open = async (connection: Awaited<ReturnType<typeof add>>, credentialId: string) => {
    const request = {
      credentialId,
      kind: 'webhook',
      connectionId: connection.id,
      seller: 'acme',
      isSent: false,
    } as const;
    const opened = await vault.withSecret(scope, request, { purpose: 'spec', actor: 'spec' }, (secret) =>
      Promise.resolve(secret.useText((text) => text)),
    );
    return opened.ok ? opened.value : undefined;
  };
  /** Adds it with what it gave out, and says what the last probe showed it. */
  const shows = async (token: string, tokenScheme?: SellerDraft['tokenScheme']) => {
    const draft: SellerDraft = {
      slug: 'acme',
      agentUrl: 'https://acme.example/mcp',
      protocol: 'mcp',
      dialect: 'adcp',
      token: new Secret(Buffer.from(token)),
      ...(tokenScheme === undefined ? {} : { tokenScheme }),
    };
    const added = await onboardSeller(deps, by, draft, false);
    if (!added.ok) throw new Error(added.error.message);
    return shown.at(-1);
  };
  /** What of us there is that a seller is called with, kind by kind. */
  const live = async () => {
    const listed = must(await vault.list(scope));
    return listed
      .filter(({ kind, retiredAt }) => (kind === 'bearer' || kind === 'basic') && retiredAt === undefined)
      .map(({ kind, version }) => `${kind} ${String(version)}`);
  };
  /** What becomes of a seller at an address; the code where it is refused. */
  const addAt = async (agentUrl: string) => {
    const draft: SellerDraft = { slug: 'acme', agentUrl, protocol: 'mcp', dialect: 'adcp' };
    const added = await onboardSeller(deps, by, draft, false);
    return added.ok ? added.value.state : added.error.code;
  };
  /** Revokes everything that the seller is called with. */
  const revokeAll = async () => {
    const listed = await vault.list(scope);
    for (const { credentialId, kind } of listed.ok ? listed.value : [])
      if (kind === 'bearer' || kind === 'basic') await vault.revoke(scope, credentialId);
  };
  return { add, open, shows, live, addAt, revokeAll, organization };
}

describe('an organization that has not proved its domain', () => {
  it('gets no seller beyond this machine, and stores nothing of one, until it has', async () => {
    const { addAt, organization } = await tenant({}, false);
    const scope = { organizationId: organization.id };
    for (const address of ['https://acme.example/mcp', 'https://127.0.0.1.example/', 'https://10.0.0.1/mcp'])
      expect([address, await addAt(address)]).toEqual([address, 'DOMAIN_NOT_PROVED']);
    expect(await connectionDirectory(store).bySlug(scope, 'acme')).toBeUndefined();
    await organizations(store).saveProof(organization, 'brand_json', organization.createdAt);
    expect(await addAt('https://acme.example/mcp')).not.toBe('DOMAIN_NOT_PROVED');
  });

  it('gets sellers on this machine, such as those of the sandbox', async () => {
    for (const address of ['http://127.0.0.1:9/mcp', 'http://[::1]:9/mcp', 'http://seller.localhost:9/mcp'])
      expect(await (await tenant({}, false)).addAt(address)).not.toBe('DOMAIN_NOT_PROVED');
  });
});

describe('a credential that a seller issued', () => {
  it('is sent as a bearer token or, if it is a pair, as a pair', async () => {
    const { shows, live } = await tenant({});
    const pair = `Basic ${Buffer.from('agency:s3cret').toString('base64')}`;
    expect(await shows('first-token')).toBe('Bearer first-token');
    expect(await live()).toEqual(['bearer 1']);
    expect(await shows('agency:s3cret', 'basic')).toBe(pair);
    // A credential of another kind ends the one before it: nobody calls with that any more.
    expect(await live()).toEqual(['basic 1']);
    // A new secret of the same kind takes the place of the old one.
    expect(await shows('agency:other')).toBe(`Basic ${Buffer.from('agency:other').toString('base64')}`);
    expect(await live()).toEqual(['basic 2']);
    expect(await shows('last-token', 'bearer')).toBe('Bearer last-token');
    expect(await live()).toEqual(['bearer 1']);
  });

  it('is replaced by another one of its kind after it was revoked', async () => {
    const { shows, live, revokeAll } = await tenant({});
    for (const kind of ['bearer', 'basic'] as const) {
      await shows('ann:one', kind);
      await revokeAll();
      expect(await live()).toEqual([]);
      await shows('ann:two');
      expect(await live()).toEqual([`${kind} 1`]);
    }
  });
});

describe('the webhook secret of a seller', () => {
  it.each(['hmac-sha256', 'bearer'] as const)('is made with the mark %s, long and random', async (mode) => {
    const { add, open } = await tenant();
    const marked = await add(mode);
    expect(marked.legacyWebhooks).toBe(mode);
    const secret = await open(marked, marked.webhookCredentialId ?? '');
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const another = await tenant();
    const other = await another.add(mode);
    expect(await another.open(other, other.webhookCredentialId ?? '')).not.toBe(secret);
  });

  it('stays while the mark stays, with any other change of the seller', async () => {
    const { add, open } = await tenant();
    const first = await add('hmac-sha256');
    const before = await open(first, first.webhookCredentialId ?? '');
    const again = await add('bearer');
    expect(again.webhookCredentialId).toBe(first.webhookCredentialId);
    expect(await open(again, again.webhookCredentialId ?? '')).toBe(before);
  });

  it('is removed with the mark, and created anew with it; earlier registrations keep their own', async () => {
    const { add, open } = await tenant();
    const first = await add('hmac-sha256');
    const unmarked = await add();
    expect(unmarked).toMatchObject({ legacyWebhooks: false });
    expect(unmarked.webhookCredentialId).toBeUndefined();
    const second = await add('hmac-sha256');
    expect(second.webhookCredentialId).not.toBe(first.webhookCredentialId);
    const [old, fresh] = [first, second].map(({ webhookCredentialId }) => webhookCredentialId ?? '');
    expect(await open(second, old ?? '')).not.toBe(await open(second, fresh ?? ''));
    expect(await open(second, old ?? '')).toBeDefined();
  });

  it('is not created for a seller that signs', async () => {
    const { add } = await tenant();
    expect((await add()).webhookCredentialId).toBeUndefined();
  });
});

describe('the webhook declaration of a seller', () => {
  const declaring = (webhooks: JsonObject | undefined) => ({
    adcp: { major_versions: [3], supported_versions: ['3.1'], idempotency: { supported: false } },
    supported_protocols: ['media_buy'],
    ...(webhooks === undefined ? {} : { webhook_signing: webhooks }),
  });

  it.each<[string, JsonObject | undefined, SellerDraft['legacyWebhooks'], string]>([
    ['signs them', { supported: true, algorithms: ['ed25519'] }, undefined, 'live'],
    ['says nothing', undefined, undefined, 'live'],
    ['sends them unsigned', { supported: false }, undefined, 'failed'],
    ['sends them unsigned, and an admin asks it for HMAC', { supported: false }, 'hmac-sha256', 'live'],
    [
      'signs by an algorithm that is none of the profile',
      { supported: true, algorithms: ['ed25519', 'rsa-v1_5-sha256'] },
      undefined,
      'failed',
    ],
  ])('decides whether it goes live: it %s', async (_what, webhooks, legacy, state) => {
    const { add } = await tenant(declaring(webhooks));
    const added = await add(legacy);
    expect(added.state).toBe(state);
    if (state === 'failed') expect(added.stateReason).toMatch(/--legacy-webhooks/);
  });
});
