import { describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk } from './jwk.js';

describe('publicJwk', () => {
  it.each(['ed25519', 'ecdsa-p256-sha256'] as const)(
    'publishes an %s key without its private half',
    (alg) => {
      const key = generateSigningKey('k1', alg);
      const jwk = publicJwk(key, ['ads_use', 'adcp_use']);
      expect(jwk).toMatchObject({
        kid: 'k1',
        use: 'sig',
        key_ops: ['verify'],
        ads_use: 'request-signing',
        adcp_use: 'request-signing',
      });
      const { d } = key.privateKey.export({ format: 'jwk' });
      expect(JSON.stringify(jwk)).not.toContain(String(d));
      expect(() => publicJwk({ ...key, publicKey: key.privateKey }, ['ads_use'])).toThrow('not a public key');
    },
  );
});
