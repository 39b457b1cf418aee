import { Buffer } from 'node:buffer';
import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { memoryKeyManagement } from '@switchyard/testing';
import { must, ok, Secret, type Result } from '@switchyard/values';
import { deriveKeys } from './derive-keys.js';
import { contextBytes, encryptionContextOf } from './encryption-context.js';
import type { KeyManagement } from './key-management.js';
import { checkCredential, openCredential } from './open-credential.js';
import { sealCredential } from './seal-credential.js';
import { sealingScheme, type CredentialIdentity, type SealedCredential } from './sealed-credential.js';

const kms = memoryKeyManagement();
const text = 'canary-of-the-sealed-record';

async function seal(identity: CredentialIdentity, secret = text): Promise<SealedCredential> {
  const dataKey = must(await kms.generateDataKey(encryptionContextOf(identity)));
  const bytes = new Secret(Buffer.from(secret));
  return sealCredential({ identity, secret: bytes, dataKey, nonce: randomBytes(12), at: 0 });
}

async function verdict(sealed: SealedCredential, keys: KeyManagement = kms): Promise<string> {
  const opened = await openCredential(keys, sealed);
  return opened.ok ? opened.value.useText((value) => `opened: ${value}`) : opened.error.code;
}

function identity(at: number): CredentialIdentity {
  return {
    credentialId: randomUUID(),
    version: 1 + (at % 3),
    organizationId: randomUUID(),
    connectionId: randomUUID(),
    seller: `seller-${String(at)}`,
    kind: 'bearer',
    destination: `https://seller-${String(at)}.example`,
  };
}

describe('a sealed credential', () => {
  let sealed: SealedCredential;
  beforeAll(async () => {
    sealed = await seal(identity(0));
  });

  it('opens as it was sealed, at any length', async () => {
    for (const length of [0, 1, 15, 16, 17, 4_096]) {
      const secret = 'x'.repeat(length);
      expect(await verdict(await seal(identity(length), secret))).toBe(`opened: ${secret}`);
    }
  });

  it('never repeats: one secret sealed twice under one identity shares no bytes', async () => {
    const same = identity(1);
    const [a, b] = [await seal(same), await seal(same)];
    for (const field of ['wrappedKey', 'nonce', 'ciphertext', 'tag', 'commitment'] as const) {
      expect(a[field].equals(b[field])).toBe(false);
    }
  });

  it('does not open with any single bit of its bytes flipped', async () => {
    let flips = 0;
    for (const field of ['wrappedKey', 'nonce', 'ciphertext', 'tag', 'commitment'] as const) {
      for (let bit = 0; bit < sealed[field].length * 8; bit += 1) {
        const bytes = Buffer.from(sealed[field]);
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(await verdict({ ...sealed, [field]: bytes })).not.toContain('opened');
        flips += 1;
      }
    }
    expect(flips).toBeGreaterThan(1_000);
  });

  it('does not open with any single character of its texts changed', async () => {
    for (const field of [
      'credentialId',
      'organizationId',
      'connectionId',
      'seller',
      'kind',
      'scheme',
      'kmsKeyId',
    ] as const) {
      const value = String(sealed[field]);
      for (let at = 0; at < value.length; at += 1) {
        const changed =
          value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1);
        expect(await verdict({ ...sealed, [field]: changed })).not.toContain('opened');
      }
    }
  });

  it('does not open with bytes cut off, added or emptied', async () => {
    for (const field of ['wrappedKey', 'nonce', 'ciphertext', 'tag', 'commitment'] as const) {
      for (const bytes of [
        sealed[field].subarray(1),
        Buffer.concat([sealed[field], Buffer.of(0)]),
        Buffer.alloc(0),
      ]) {
        expect(await verdict({ ...sealed, [field]: bytes })).not.toContain('opened');
      }
    }
  });

  it('does not open under any other identity, member by member', async () => {
    const { connectionId: _c, ...withoutConnection } = sealed;
    const { seller: _s, ...withoutSeller } = sealed;
    const others: SealedCredential[] = [
      { ...sealed, organizationId: randomUUID() },
      { ...sealed, connectionId: randomUUID() },
      { ...sealed, seller: 'another' },
      { ...sealed, seller: '' },
      { ...sealed, credentialId: randomUUID() },
      { ...sealed, version: sealed.version + 1 },
      { ...sealed, version: sealed.version - 1 },
      { ...sealed, kind: 'basic' },
      withoutConnection,
      withoutSeller,
    ];
    for (const other of others) expect(await verdict(other)).toBe('key_management');
  });

  it('does not open with any one, two or three of its parts taken from another record', async () => {
    const parts = ['kmsKeyId', 'wrappedKey', 'nonce', 'ciphertext', 'tag', 'commitment', 'version'] as const;
    const rows = await Promise.all(Array.from({ length: 8 }, (_, at) => seal(identity(at))));
    kms.addKey();
    rows.push(...(await Promise.all(Array.from({ length: 4 }, (_, at) => seal(identity(at))))));
    let opened = 0;
    for (const [from, into] of pairsOf(rows)) {
      for (const chosen of subsetsOf(parts)) {
        const swapped = { ...into, ...Object.fromEntries(chosen.map((part) => [part, from[part]])) };
        const unchanged = chosen.every((part) => from[part] === into[part]);
        if (!unchanged && (await verdict(swapped)).startsWith('opened')) opened += 1;
      }
    }
    expect(opened).toBe(0);
  });

  it('does not open as a newer version when an old record is put in its place', async () => {
    const old = await seal({ ...identity(0), version: 1 });
    expect(await verdict({ ...old, version: 2 })).toBe('key_management');
    expect(await verdict({ ...old, version: 1 })).toContain('opened');
  });

  it('is refused before the key service is called when its scheme is unknown', async () => {
    const before = kms.unwraps;
    expect(await verdict({ ...sealed, scheme: 'sy-vault-0' })).toBe('unknown_scheme');
    expect(kms.unwraps).toBe(before);
  });

  /** A key service that ignores the context is no longer a barrier: the record itself must be. */
  it('does not open elsewhere even if the key service unwraps its data key for any context', async () => {
    const careless: KeyManagement = {
      ...kms,
      unwrap: ({ keyId, wrapped }) => kms.unwrap({ keyId, wrapped, context: encryptionContextOf(sealed) }),
    };
    expect(await verdict(sealed, careless)).toContain('opened');
    expect(await verdict({ ...sealed, organizationId: randomUUID() }, careless)).toBe('commitment_mismatch');
    expect(await verdict({ ...sealed, version: 9 }, careless)).toBe('commitment_mismatch');
  });

  it('is refused by its commitment, before anything is decrypted, when another data key comes back', async () => {
    const confused: KeyManagement = {
      ...kms,
      unwrap: () => Promise.resolve(ok(new Secret(randomBytes(32)))),
    };
    expect(await verdict(sealed, confused)).toBe('commitment_mismatch');
    expect(await checkCredential(confused, sealed)).toMatchObject({ error: { code: 'commitment_mismatch' } });
  });

  it('is refused by GCM if key and commitment match and another sender made the message', async () => {
    const dataKey = randomBytes(32);
    const knowing: KeyManagement = {
      ...kms,
      unwrap: () => Promise.resolve<Result<Secret, never>>(ok(new Secret(Buffer.from(dataKey)))),
    };
    const aad = contextBytes(encryptionContextOf(sealed));
    const { encryption, commitment } = deriveKeys(new Secret(dataKey), aad, sealingScheme);
    const cipher = createCipheriv('aes-256-gcm', encryption, sealed.nonce);
    const ciphertext = Buffer.concat([cipher.update('forged'), cipher.final()]);
    const forged = { ...sealed, ciphertext, tag: cipher.getAuthTag(), commitment };
    expect(await verdict(forged, knowing)).toBe('tampered');
  });
});

function pairsOf<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((a) => items.filter((b) => b !== a).map((b): [T, T] => [a, b]));
}

function subsetsOf<T>(items: readonly T[]): T[][] {
  const all = Array.from({ length: 2 ** items.length }, (_, mask) =>
    items.filter((_item, at) => (mask & (1 << at)) !== 0),
  );
  return all.filter((subset) => subset.length >= 1 && subset.length <= 3);
}
