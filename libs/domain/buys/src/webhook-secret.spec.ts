import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { nativeChannel } from './native-channel.js';
import { wantedWebhookSecret, webhookSecretPlace, withWebhookSecret } from './webhook-secret.js';

const stored = {
  reporting_webhook: {
    url: 'https://relay.example/webhooks/1',
    authentication: { schemes: ['HMAC-SHA256'], credentials: webhookSecretPlace('credential-1') },
  },
  context: { authentication: { credentials: 'not-ours' } },
};

describe('the secret of older webhooks', () => {
  it('has a place in the stored arguments that says which one belongs there', () => {
    expect(wantedWebhookSecret(stored)).toBe('credential-1');
    expect(wantedWebhookSecret({ ...stored, reporting_webhook: { url: 'u' } })).toBeUndefined();
  });

  it('is put in for one send, and nothing else is touched', () => {
    const sent = withWebhookSecret(stored, new Secret(Buffer.from('the-secret')));
    expect(sent).toEqual({
      ...stored,
      reporting_webhook: {
        ...stored.reporting_webhook,
        authentication: { schemes: ['HMAC-SHA256'], credentials: 'the-secret' },
      },
    });
    expect(JSON.stringify(stored)).not.toContain('the-secret');
  });
});

describe('nativeChannel', () => {
  it('is the same for a leg whenever it is asked for, and another for every other leg or connection', () => {
    const secret = () => new Secret(Buffer.from('one connection'));
    const channel = nativeChannel(secret(), 'leg-1');
    expect(nativeChannel(secret(), 'leg-1')).toEqual(channel);
    expect(nativeChannel(secret(), 'leg-2').id).not.toBe(channel.id);
    expect(nativeChannel(new Secret(Buffer.from('another')), 'leg-1').token).not.toBe(channel.token);
    expect(channel.token).not.toBe(channel.id.slice(4));
  });
});
