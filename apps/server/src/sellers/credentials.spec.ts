import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { memoryCredentialStore, memoryKeyManagement, testClock } from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { createVault, type CredentialKind } from '@switchyard/vault';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { credentialRoutes, viewOf, type CredentialsDeps } from './credentials.routes.js';

const admin: PrincipalCaller = {
  kind: 'principal',
  organizationId: randomUUID(),
  principalId: randomUUID(),
  name: 'admin',
  principalKind: 'person',
  permissions: { sellers: ['read', 'write', 'delete'] },
  transitional: false,
  legacy: false,
};

function openVault() {
  const clock = testClock();
  const store = memoryCredentialStore();
  const vault = createVault({ kms: memoryKeyManagement(), store, clock, newId: randomUUID, randomBytes });
  // The routes of a refusal use nothing else.
  const call = callRoutes(credentialRoutes, { vault, clock } as unknown as CredentialsDeps);
  const put = async (kind: CredentialKind): Promise<string> => {
    const secret = new Secret(Buffer.from('s'.repeat(32)));
    const to = kind === 'idempotency' || kind === 'evidence' ? {} : { destination: 'https://a.example' };
    const sealed = must(await vault.put(admin, { kind, secret, ...to }));
    return sealed.credentialId;
  };
  return { vault, call, put };
}

describe('a credential that no seller issued', () => {
  it('is listed as one that cannot be rotated', async () => {
    const { vault, put } = openVault();
    for (const kind of ['bearer', 'basic', 'idempotency', 'callback'] as const) await put(kind);
    const listed = await vault.list(admin);
    const views = listed.ok ? listed.value.map(viewOf) : [];
    expect(Object.fromEntries(views.map(({ kind, can_rotate: can }) => [kind, can]))).toEqual({
      ...{ bearer: true, basic: true },
      ...{ idempotency: false, callback: false },
    });
  });

  it.each(['rotate_credential', 'revoke_credential'])(
    'is refused by %s, which names its kind',
    async (route) => {
      const { call, put } = openVault();
      const params = { id: await put('idempotency') };
      expect(await call(admin, route, { params, body: { secret: 'new' } })).toMatchObject({
        error: { code: 'CONFLICT', message: expect.stringContaining('of the kind idempotency'), field: 'id' },
      });
      const hidden = { params: { id: await put('evidence') }, body: { secret: 'new' } };
      expect(await call(admin, route, hidden)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    },
  );
});
