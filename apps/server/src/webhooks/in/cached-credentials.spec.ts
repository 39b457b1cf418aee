import { describe, expect, it } from '@jest/globals';
import type { WebhookRegistration } from '@switchyard/events';
import type { Connection } from '@switchyard/sellers';
import { testClock } from '@switchyard/testing';
import { ok, Secret } from '@switchyard/values';
import type { CredentialStore, Vault } from '@switchyard/vault';
import { localCredentials } from './local-credentials.js';
import { webhookSecrets } from './webhook-secrets.js';

const connection = { id: 'c', organizationId: 'o', slug: 'acme', credentialId: 'k' } as Connection;
const settled = () => new Promise((resolve) => setImmediate(resolve));
const textOf = (secret: Secret | undefined) => secret?.useText((text) => text);
const wiped = '\0'.repeat('a-long-token'.length);

/** Hands out a secret of its own for each lease, and remembers them. */
function leases() {
  const handed: Secret[] = [];
  const next = (): Secret => {
    const secret = new Secret(Buffer.from('a-long-token'));
    handed.push(secret);
    return secret;
  };
  return { handed, next };
}

describe('a secret that was decrypted for webhooks', () => {
  it('is wiped a minute after the last webhook if it also authenticates calls to the seller', async () => {
    const clock = testClock();
    const { handed, next } = leases();
    const own = localCredentials(
      () =>
        Promise.resolve(
          ok(new Map([['c', { credential: { id: 'k', version: 1, scheme: 'bearer', secret: next() } }]])),
        ),
      clock,
      () => 'operation',
    );
    expect(await own(connection)).toContain('a-long-token');
    clock.advance(50_000);
    expect(await own(connection)).toContain('a-long-token');
    clock.advance(59_000);
    await settled();
    expect(handed.map(textOf)).toEqual(['a-long-token']);
    clock.advance(1_000);
    await settled();
    expect(handed.map(textOf)).toEqual([wiped]);
    expect(await own(connection)).toContain('a-long-token');
    clock.advance(30_000);
    await own(connection);
    clock.advance(30_000);
    // The next lease takes its place, and nobody needs the one before it.
    await own(connection);
    await settled();
    clock.advance(60_000);
    await settled();
    expect(handed.map(textOf)).toEqual([wiped, wiped, wiped]);
  });

  it('is wiped a minute after it was decrypted if it only verifies webhooks', async () => {
    const clock = testClock();
    const { handed, next } = leases();
    const lease = (() =>
      Promise.resolve(
        ok(new Map([['w', ok({ credentialId: 'w', version: 1, kind: 'webhook', secret: next() })]])),
      )) as unknown as Vault['lease'];
    const current = (() => Promise.resolve([{ version: 1 }])) as unknown as CredentialStore['current'];
    const secrets = webhookSecrets({ lease }, { current }, clock);
    const registration = { credentialId: 'w', organizationId: 'o' } as WebhookRegistration;
    expect(textOf(await secrets(registration, connection))).toBe('a-long-token');
    clock.advance(44_000);
    expect(textOf(await secrets(registration, connection))).toBe('a-long-token');
    expect(handed).toHaveLength(1);
    clock.advance(16_000);
    await settled();
    expect(handed.map(textOf)).toEqual([wiped]);
  });
});
