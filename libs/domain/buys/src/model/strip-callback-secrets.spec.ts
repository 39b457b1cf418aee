import { describe, expect, it } from '@jest/globals';
import { stripCallbackSecrets } from './webhook-secret.js';

const address = (name: string) => ({
  url: `https://buyer.example/${name}`,
  operation_id: name,
  token: `token-of-${name}`,
  authentication: { schemes: ['HMAC-SHA256'], credentials: `secret-of-${name}` },
});

describe('a stored request', () => {
  const args = {
    media_buy_id: 'm',
    push_notification_config: address('task'),
    reporting_webhook: address('reports'),
    updates: {
      status: 'paused',
      push_notification_config: address('buy'),
      reporting_webhook: address('later'),
    },
  };

  it('has no secret of an address, beside the updates of a buy or among them', () => {
    const stored = JSON.stringify(stripCallbackSecrets(args));
    expect(stored).not.toMatch(/token-of|secret-of/);
    expect(stripCallbackSecrets(args)).toMatchObject({
      media_buy_id: 'm',
      push_notification_config: { operation_id: 'task', authentication: { schemes: ['HMAC-SHA256'] } },
      updates: { status: 'paused', reporting_webhook: { url: 'https://buyer.example/later' } },
    });
  });

  it('is otherwise unchanged, and so is the original', () => {
    const plain = { media_buy_id: 'm', updates: { status: 'paused' } };
    expect(stripCallbackSecrets(plain)).toEqual(plain);
    expect(args.updates.reporting_webhook.token).toBe('token-of-later');
  });
});
