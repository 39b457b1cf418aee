import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { judgeLegacySecret } from './legacy-secret.js';

describe('judgeLegacySecret', () => {
  it('accepts two thousand random texts in three alphabets', () => {
    for (let seed = 0; seed < 2_000; seed += 1) {
      const bytes = createHash('sha256').update(String(seed)).digest();
      for (const alphabet of ['base64url', 'base64', 'hex'] as const) {
        const secret = bytes.toString(alphabet);
        expect([secret, judgeLegacySecret(secret, 'bearer').ok]).toEqual([secret, true]);
      }
    }
  });

  it.each([
    ['', 'too_short'],
    ['nWq7-vT2k_pX9c4LzR8mYb3JdH6sGf1', 'too_short'],
    ['0'.repeat(64), 'repeated'],
    ['ab'.repeat(20), 'repeated'],
    ['k3Jq9ZpWk3Jq9ZpWk3Jq9ZpWk3Jq9ZpW', 'repeated'],
    ['nWq7-vT2k_pX9c4LzR8maaaaaaaaaaaa', 'repeated'],
    ['changeme-changeme-and-some-more-x', 'placeholder'],
    ['your-webhook-secret-goes-in-here-1', 'placeholder'],
    ['<a secret of thirty-two letters or more>', 'placeholder'],
    ['shared_secret_of_at_least_32_chars', 'placeholder'],
    ['${WEBHOOK_TOKEN_FROM_ENVIRONMENT_1}', 'placeholder'],
    ['{{ some.values.webhookCredential }}', 'placeholder'],
    ['0123456789abcdefghijklmnopqrstuvwxyz', 'placeholder'],
    ['nWq7-vT2k_pX9c4LzR8mYb3J\u0000dH6sGf1A', 'unprintable'],
  ])('refuses %j: %s', (secret, expected) => {
    expect(judgeLegacySecret(secret, 'hmac-sha256')).toEqual({ ok: false, error: expected });
  });

  it('accepts a phrase as a shared secret, not as a credential of a header', () => {
    const phrase = 'vier Kühe grasen am Ufer der Elbe entlang';
    expect(judgeLegacySecret(phrase, 'hmac-sha256').ok).toBe(true);
    expect(judgeLegacySecret(phrase, 'bearer')).toEqual({ ok: false, error: 'unprintable' });
  });
});
