import { describe, expect, it } from '@jest/globals';
import { credentialFailure } from './credential-forms.js';

const secret = 'sk-live-0123456789';

describe('arguments for a seller', () => {
  it.each([
    ['create_media_buy', { api_key: secret }, 'api_key'],
    [
      'create_media_buy',
      { context: { deep: [{ vendor_access_token: secret }] } },
      'context.deep[0].vendor_access_token',
    ],
    ['get_products', { ext: { vendor: { clientSecret: secret } } }, 'ext.vendor.clientSecret'],
    [
      'sync_creatives',
      { creatives: [{ assets: { tag: { authorization: secret } } }] },
      'creatives[0].assets.tag.authorization',
    ],
    ['get_signals', { jwks_uri: secret }, 'jwks_uri'],
    // A callback that one task allows is not allowed in another task, nor a level deeper.
    [
      'get_products',
      { reporting_webhook: { authentication: { credentials: secret } } },
      'reporting_webhook.authentication.credentials',
    ],
    [
      'create_media_buy',
      { ext: { push_notification_config: { authentication: { credentials: secret } } } },
      'ext.push_notification_config.authentication.credentials',
    ],
  ])(
    'of %s are not sent if they contain a credential, and only its place is reported',
    (task, args, place) => {
      const failure = credentialFailure(task, args);
      expect(failure).toMatchObject({ code: 'credential_in_args', delivered: 'no' });
      expect(failure?.message).toContain(place);
      expect(failure?.message).not.toContain(secret);
    },
  );

  it('are sent with the credentials that the protocol allows for a callback', () => {
    const authentication = { schemes: ['HMAC-SHA256'], credentials: secret };
    const args = {
      push_notification_config: { url: 'https://us.example/w', authentication },
      reporting_webhook: { url: 'https://us.example/w', authentication },
    };
    expect(credentialFailure('create_media_buy', args)).toBeUndefined();
  });
});
