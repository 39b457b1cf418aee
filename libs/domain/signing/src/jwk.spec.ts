import { spawnSync } from 'node:child_process';
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

describe('a new key', () => {
  it('is published during garbage collection, and its process continues', () => {
    // In a process of its own, with the built library: a deadlocked process could not end this test.
    const many = `
      import { generateSigningKey, publicJwk } from '@switchyard/signing';
      for (let made = 0; made < 1500; made += 1) {
        const key = generateSigningKey('k');
        for (let times = 0; times < 20; times += 1) publicJwk(key, ['adcp_use']);
      }`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', many], {
      cwd: import.meta.dirname,
      timeout: 60_000,
      encoding: 'utf8',
    });
    expect(ended).toMatchObject({ status: 0, signal: null, stderr: '' });
  });
});
