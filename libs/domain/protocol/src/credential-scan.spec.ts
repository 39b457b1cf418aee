import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { credentialInArgs, findCredential, isCredential } from './credential-scan.js';

const find = (args: JsonValue, task = 'create_media_buy'): string | undefined => findCredential(task, args);

describe('credentials in arguments', () => {
  it('are found by name in any spelling', () => {
    const names = [
      ...'api_key apiKey API-KEY apikey x-api-key client_secret clientSecret secret bearer authorization'.split(
        ' ',
      ),
      ...'Authorization meta_access_token accessToken refresh_token password userPassword jwk jwks jwks_uri'.split(
        ' ',
      ),
      ...'jwksUri private_key privateKey cookie credentials x-ads-auth X-ADCP-Auth proxy_authorization'.split(
        ' ',
      ),
    ];
    expect(names.filter((name) => !isCredential(name))).toEqual([]);
  });

  it('are not seen where there are none', () => {
    const names =
      'key kid pat token idempotency_key next_page_token author authorized tokens governance_context keywords';
    expect(names.split(' ').filter(isCredential)).toEqual([]);
  });

  it('are found at any depth, and named by their path alone', () => {
    expect(find({ api_key: 'x' })).toBe('api_key');
    expect(find({ context: { creds: [{}, { api_key: 'x' }] } })).toBe('context.creds[1].api_key');
    expect(find({ ext: { v: { jwks_uri: 'https://x' } } })).toBe('ext.v.jwks_uri');
    expect(find({ packages: [{ context: { client_secret: null } }] })).toBe(
      'packages[0].context.client_secret',
    );
    expect(find([[{ bearer: 1 }]])).toBe('[0][0].bearer');
    const error = credentialInArgs('get_products', { context: { api_key: 'hunter2' } });
    expect(error).toMatchObject({
      code: 'CREDENTIAL_IN_ARGS',
      recovery: 'terminal',
      field: 'context.api_key',
    });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it('are allowed at the exact places that the protocol gives them, and nowhere else', () => {
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(32) };
    expect(find({ push_notification_config: { authentication } })).toBeUndefined();
    expect(find({ reporting_webhook: { authentication, token: 'x' } })).toBeUndefined();
    expect(find({ reporting_webhook: { authentication } }, 'get_products')).toBe(
      'reporting_webhook.authentication.credentials',
    );
    expect(find({ context: { push_notification_config: { authentication } } })).toBe(
      'context.push_notification_config.authentication.credentials',
    );
    expect(find({ property_list: { auth_token: 'x' } }, 'get_products')).toBeUndefined();
    expect(find({ property_list: { auth_token: 'x' } })).toBe('property_list.auth_token');
  });

  it('behind hostile names and depths are still found, and the path stays fit to print', () => {
    const deep: JsonObject = { password: 1 };
    const nested = Array.from({ length: 60 }).reduce<JsonObject>((inner) => ({ a: inner }), deep);
    expect(find(nested)).toMatch(/password$/);
    expect(find({ ['\u202eevil'.repeat(50)]: { password: 1 } })).toBe('<sanitized:0>.password');
  });
});
