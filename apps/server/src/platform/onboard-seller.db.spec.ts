import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectionDirectory, credentialStore, openStore, type Store } from '@switchyard/store';
import {
  createOrganization,
  memoryKeyManagement,
  startPostgres,
  testClock,
  type TestDatabase,
} from '@switchyard/testing';
import { err, ok } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import type { SellerDraft } from '../application/admin.js';
import { leaseSecretsFrom } from './lease-secrets.js';
import { onboardSeller, type OnboardingParts } from './onboard-seller.js';

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await startPostgres();
  store = openStore(database.appUrl);
});
afterAll(async () => {
  await store.close();
  await database.stop();
});

/** A tenant that adds one seller, which cannot be reached: what is sealed for it does not wait for that. */
async function tenant() {
  const scope = { organizationId: (await createOrganization(store)).id };
  const clock = testClock();
  const newId = () => randomUUID();
  const kms = memoryKeyManagement();
  const vault = createVault({ kms, store: credentialStore(store), clock, newId, randomBytes });
  const parts: OnboardingParts = {
    connections: connectionDirectory(store),
    vault,
    lease: leaseSecretsFrom(vault),
    transport: {
      call: () =>
        Promise.resolve(err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const)),
      listTools: () =>
        Promise.resolve(err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const)),
      forget: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    egress: { checkUrl: (url) => Promise.resolve(ok(new URL(url)) as never) },
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
    const added = await onboardSeller(parts, scope, draft, false);
    if (!added.ok) throw new Error(added.error.message);
    return added.value;
  };
  const open = async (connection: Awaited<ReturnType<typeof add>>, credentialId: string) => {
    const request = { credentialId, kind: 'webhook', connectionId: connection.id, seller: 'acme' } as const;
    const opened = await vault.withSecret(scope, request, { purpose: 'spec', actor: 'spec' }, (secret) =>
      Promise.resolve(secret.useText((text) => text)),
    );
    return opened.ok ? opened.value : undefined;
  };
  return { add, open };
}

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

  it('is kept as long as the mark stays, whatever else is said of the seller', async () => {
    const { add, open } = await tenant();
    const first = await add('hmac-sha256');
    const before = await open(first, first.webhookCredentialId ?? '');
    const again = await add('bearer');
    expect(again.webhookCredentialId).toBe(first.webhookCredentialId);
    expect(await open(again, again.webhookCredentialId ?? '')).toBe(before);
  });

  it('goes with the mark, and comes back as another; what was given out before keeps its own', async () => {
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

  it('is not made for a seller that signs', async () => {
    const { add } = await tenant();
    expect((await add()).webhookCredentialId).toBeUndefined();
  });
});
