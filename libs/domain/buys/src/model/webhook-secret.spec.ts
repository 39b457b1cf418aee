import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import {
  nativeChannel,
  webhookSecretPlace,
  webhookSecretPlaces,
  withWebhookSecrets,
} from './webhook-secret.js';

const stored = {
  reporting_webhook: {
    url: 'https://relay.example/webhooks/1',
    authentication: {
      schemes: ['HMAC-SHA256'],
      credentials: webhookSecretPlace({ credentialId: 'credential-1' }),
    },
  },
  context: { authentication: { credentials: 'not-ours' } },
};

describe('the secret of older webhooks', () => {
  it('has a placeholder in the stored arguments that names it', () => {
    expect(webhookSecretPlaces(stored)).toEqual([{ credentialId: 'credential-1' }]);
    expect(webhookSecretPlaces({ ...stored, reporting_webhook: { url: 'u' } })).toEqual([]);
  });

  it('is inserted for one send, and nothing else changes', () => {
    const webhookSecret = { credentialId: 'credential-1', secret: new Secret(Buffer.from('the-secret')) };
    const sent = withWebhookSecrets(stored, { webhookSecret });
    expect(sent).toEqual({
      ...stored,
      reporting_webhook: {
        ...stored.reporting_webhook,
        authentication: { schemes: ['HMAC-SHA256'], credentials: 'the-secret' },
      },
    });
    expect(JSON.stringify(stored)).not.toContain('the-secret');
  });

  it('differs for each registration if it is derived, and every placeholder is filled', () => {
    const keySecret = new Secret(Buffer.from('one connection'));
    const derived = (registrationId: string, keyCredentialId = 'key-1') => {
      const credentials = webhookSecretPlace({ credentialId: 'key-1', registrationId });
      const args = { reporting_webhook: { url: 'u', authentication: { schemes: [], credentials } } };
      return JSON.stringify(withWebhookSecrets(args, { keyCredentialId, keySecret }));
    };
    expect(derived('whr_1')).toMatch(/"credentials":"[\w-]{43}"/);
    expect(derived('whr_1')).toBe(derived('whr_1'));
    expect(derived('whr_1')).not.toBe(derived('whr_2'));
    expect(derived('whr_1', 'key-2')).toBeUndefined();
  });
});

describe('nativeChannel', () => {
  it('is the same for a leg each time, and differs for every other leg or connection', () => {
    const secret = () => new Secret(Buffer.from('one connection'));
    const channel = nativeChannel(secret(), 'leg-1');
    expect(nativeChannel(secret(), 'leg-1')).toEqual(channel);
    expect(nativeChannel(secret(), 'leg-2').id).not.toBe(channel.id);
    expect(nativeChannel(new Secret(Buffer.from('another')), 'leg-1').token).not.toBe(channel.token);
    expect(channel.token).not.toBe(channel.id.slice(4));
  });
});
