import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { credentialIn, credentialInArgs, findCredential, isCredential } from './credential-scan.js';

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
      ...'ttdAccessToken meta-access-token METAACCESSTOKEN OAuthToken X-Auth-Token idToken authTokens'.split(
        ' ',
      ),
      ...'partner_token clientsecret APIKey api_key_2 X-API-Key-Id AWSSecret app_secrets db_passwd passphrase'.split(
        ' ',
      ),
      ...'JWKSUri publicJwk signing_jwks platform_credentials Set-Cookie Proxy-Authorization api_\u212Aey'.split(
        ' ',
      ),
    ];
    expect(names.filter((name) => !isCredential(name))).toEqual([]);
  });

  it('are not reported if there are none', () => {
    const names =
      'key kid pat token idempotency_key next_page_token author authorized tokens governance_context keywords';
    expect(names.split(' ').filter(isCredential)).toEqual([]);
    const ofTheProtocol =
      'authorization_url authorization_type require_operator_auth signature_id session_id tokens keyid hmac_header ' +
      'idempotency_key pricing_option_id buyer_ref context_id task_id secretary bearers cookies_policy paid_tokens';
    expect(ofTheProtocol.split(' ').filter(isCredential)).toEqual([]);
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

  it('are allowed at the exact places that the protocol defines, and nowhere else', () => {
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(32) };
    expect(find({ push_notification_config: { authentication } })).toBeUndefined();
    expect(find({ reporting_webhook: { authentication, token: 'x' } })).toBeUndefined();
    expect(find({ reporting_webhook: { authentication } }, 'get_products')).toBe(
      'reporting_webhook.authentication.credentials',
    );
    expect(find({ context: { push_notification_config: { authentication } } })).toBe(
      'context.push_notification_config.authentication.credentials',
    );
    expect(find({ push_notification_config: { authentication: { credentials: { api_key: 'x' } } } })).toBe(
      'push_notification_config.authentication.credentials.api_key',
    );
    expect(find({ push_notification_config: { credentials: 'x' } })).toBe(
      'push_notification_config.credentials',
    );
    for (const block of ['push_notification_config', 'reporting_webhook']) {
      const updates = { [block]: { authentication } };
      const found = `updates.${block}.authentication.credentials`;
      expect(find({ updates }, 'update_media_buy')).toBeUndefined();
      expect(find({ updates })).toBe(found);
      expect(find({ updates: { updates } }, 'update_media_buy')).toBe(`updates.${found}`);
    }
    expect(find({ property_list: { auth_token: 'x' } }, 'get_products')).toBeUndefined();
    expect(find({ property_list: { auth_token: 'x' } })).toBe('property_list.auth_token');
  });

  it('are allowed at the places of the published schemas, by task, and never beside them', () => {
    const list = { auth_token: 'x' };
    const inPackages = (name: string, member: string) => ({
      [name]: [{ targeting_overlay: { [member]: list } }],
    });
    for (const member of ['property_list', 'collection_list', 'collection_list_exclude']) {
      expect(find(inPackages('packages', member))).toBeUndefined();
      expect(find(inPackages('new_packages', member), 'update_media_buy')).toBeUndefined();
      expect(find(inPackages('new_packages', member))).toBe(
        `new_packages[0].targeting_overlay.${member}.auth_token`,
      );
      expect(find(inPackages('packages', member), 'sync_creatives')).toBeDefined();
    }
    expect(find({ 'packages[]': { targeting_overlay: { property_list: list } } })).toBeDefined();
    expect(find({ packages: { targeting_overlay: { property_list: list } } })).toBeDefined();
    expect(find({ packages: [{ 'targeting_overlay.property_list': list }] })).toBeDefined();
    const asset = { reference_authorization: { status: 'authorized' }, security: { api_key_header: 'X' } };
    const creatives = (assets: JsonObject) => ({ creatives: [{ assets }] });
    expect(find(creatives({ hook: asset, 'odd.name[]': asset }), 'sync_creatives')).toBeUndefined();
    expect(find(creatives({ hooks: [asset] }), 'sync_creatives')).toBeUndefined();
    expect(find({ packages: [creatives({ hook: asset })] })).toBeUndefined();
    expect(find(creatives({ a: { b: asset } }), 'sync_creatives')).toBe(
      'creatives[0].assets.a.b.reference_authorization',
    );
    expect(find(creatives({ a: { api_key: 1 } }), 'sync_creatives')).toBe('creatives[0].assets.a.api_key');
    const notified = { accounts: [{ notification_configs: [{ authentication: { credentials: 'x' } }] }] };
    expect(find(notified, 'sync_accounts')).toBeUndefined();
    expect(find(notified, 'list_accounts')).toBeDefined();
  });

  it('have no exception by default', () => {
    expect(
      credentialIn({ push_notification_config: { authentication: { credentials: 'x' } } }),
    ).toBeDefined();
    expect(
      credentialIn({ params: { _meta: { progressToken: 1 } } }, ['params._meta.progressToken']),
    ).toBeUndefined();
  });

  it('behind hostile names and depths are found, and the path stays printable', () => {
    const deep: JsonObject = { password: 1 };
    const nested = Array.from({ length: 60 }).reduce<JsonObject>((inner) => ({ a: inner }), deep);
    expect(find(nested)).toMatch(/password$/);
    const deepest = Array.from({ length: 5_000 }).reduce<JsonObject>((inner) => ({ a: inner }), deep);
    expect(find(deepest)).toMatch(/^a\.a\.a/);
    expect(find(deepest)?.length).toBeLessThanOrEqual(300);
    const crowded = Array.from({ length: 600_000 }, (_, at) => at);
    expect(find({ crowded, nested: crowded.map(() => ({})), password: 1 })).toBe('password');
    expect(find({ ['\u202eevil'.repeat(50)]: { password: 1 } })).toBe('<sanitized:0>.password');
  });

  it('are detected by name the same the second time, and after more names than the cache holds', () => {
    const names = [
      'apiKey',
      'page_token',
      'brief',
      'constructor',
      '__proto__',
      `${'long_'.repeat(20)}secret`,
    ];
    const first = names.map(isCredential);
    expect(first).toEqual([true, false, false, false, false, true]);
    expect(names.map(isCredential)).toEqual(first);
    for (let at = 0; at < 2_500; at += 1) expect(isCredential(`member_${at}`)).toBe(false);
    expect(names.map(isCredential)).toEqual(first);
  });
});
