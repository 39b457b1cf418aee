import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../api/client.js';
import { canonical, verdictOf, verifyStatement, verifyStatementFile } from './verify-statement.js';

const statement = {
  format: 'switchyard.statement.1',
  organization: 'agency.example',
  totals: [{ currency: 'USD', spend: '3.3' }],
  lines: [
    { currency: 'USD', spend: '1.1', seller: 'a' },
    { currency: 'USD', spend: '2.2', seller: 'ü "b"' },
  ],
};

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const keyOf = ({ publicKey }: Pair): JsonObject => ({
  ...(publicKey.export({ format: 'jwk' }) as JsonObject),
  kid: 'k1',
});

function signedText(payload: string, typ: string, { privateKey }: Pair, alg: string): string {
  const text = (value: string): string => Buffer.from(value).toString('base64url');
  const signed = `${text(JSON.stringify({ alg, kid: 'k1', typ }))}.${text(payload)}`;
  const signature =
    alg === 'EdDSA'
      ? sign(null, Buffer.from(signed), privateKey)
      : sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function fileOf(document: JsonObject, pair: Pair, alg: string): JsonObject {
  return {
    statement: document,
    digest: createHash('sha256').update(canonical(document)).digest('hex'),
    jws: signedText(canonical(document), 'switchyard-statement+jws', pair, alg),
    key: keyOf(pair),
  };
}

const verdicts = async (file: JsonObject, published?: JsonObject): Promise<JsonObject> =>
  Object.fromEntries(
    (await verifyStatement(JSON.stringify(file), published)).map(({ name, holds }) => [name, holds ?? null]),
  );

function pairOf(alg: 'EdDSA' | 'ES256') {
  const publicKeyEncoding = { type: 'spki', format: 'der' } as const;
  const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const;
  const made =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding })
      : generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding });
  return {
    publicKey: createPublicKey({ key: made.publicKey, type: 'spki', format: 'der' }),
    privateKey: createPrivateKey({ key: made.privateKey, type: 'pkcs8', format: 'der' }),
  };
}

const pairs = [
  ['EdDSA', pairOf('EdDSA')],
  ['ES256', pairOf('ES256')],
] as const;

describe('verifying a statement in the browser', () => {
  it.each(pairs)(
    'is valid by %s only with a published key set that says that the key is the organization’s',
    async (alg, pair) => {
      const file = fileOf(statement, pair, alg);
      const whole = { Signature: true, Digest: true, Sums: true };
      const set = (owner: JsonValue): JsonObject => ({ keys: [{ ...keyOf(pair), switchyard: owner }] });
      const owner = { organization: 'agency.example', signs: ['proofs'] };
      const verdict = async (published?: JsonObject) =>
        verdictOf(await verifyStatement(JSON.stringify(file), published));
      expect(await verdicts(file)).toEqual({ ...whole, Signer: null });
      expect(await verdicts(file, set(owner))).toEqual({ ...whole, Signer: true });
      expect([await verdict(), await verdict(set(owner))]).toEqual(['consistent', 'valid']);
      for (const other of [
        { keys: [] },
        set(null),
        set({ signs: ['proofs'] }),
        set({ ...owner, signs: ['requests'] }),
        set({ ...owner, organization: 'another.example' }),
      ])
        expect([await verdicts(file, other), await verdict(other)]).toEqual([
          { ...whole, Signer: null },
          'consistent',
        ]);
    },
  );

  it.each(pairs)('refuses a changed amount, signature, key or algorithm (%s)', async (alg, pair) => {
    const file = fileOf(statement, pair, alg);
    const changed = { ...statement, totals: [{ currency: 'USD', spend: '3.4' }] };
    expect(await verdicts({ ...file, statement: changed })).toMatchObject({
      Signature: false,
      Digest: false,
      Sums: false,
    });
    const [head = '', payload = '', signature = ''] = (file['jws'] as string).split('.');
    const turned = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    expect(await verdicts({ ...file, jws: `${head}.${payload}.${turned}` })).toMatchObject({
      Signature: false,
    });
    const other = pairOf(alg);
    const foreign = { ...(other.publicKey.export({ format: 'jwk' }) as JsonObject), kid: 'k1' };
    expect(await verdicts({ ...file, key: foreign })).toMatchObject({ Signature: false });
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'k1', typ: 'switchyard-statement+jws' }));
    expect(await verdicts({ ...file, jws: `${none.toString('base64url')}.${payload}.` })).toMatchObject({
      Signature: false,
    });
  });

  it.each(pairs)(
    'holds for a file and the signature beside it, until a byte changes (%s)',
    async (alg, pair) => {
      const bytes = new TextEncoder().encode('%PDF-1.7');
      const hash = createHash('sha256').update(bytes).digest('hex');
      const organization = 'agency.example';
      const statementFile = {
        format: 'switchyard.statement-file.1',
        organization,
        sha256: hash,
        bytes: bytes.length,
      };
      const beside = (payload: JsonObject, typ = 'switchyard-statement-file+jws'): string => {
        const [head, body, signature] = signedText(JSON.stringify(payload), typ, pair, alg).split('.');
        return JSON.stringify({ protected: head, payload: body, signature, header: { jwk: keyOf(pair) } });
      };
      const published = {
        ...keyOf(pair),
        switchyard: { organization: 'agency.example', signs: ['proofs'] },
      };
      const check = async (file: Uint8Array<ArrayBuffer>, signature: string) =>
        verdictOf(await verifyStatementFile(file, signature, { keys: [published] }));
      expect(await check(bytes, beside(statementFile))).toBe('valid');
      expect(await check(new TextEncoder().encode('%PDF-1.8'), beside(statementFile))).toBe('invalid');
      expect(await check(bytes, beside({ ...statementFile, format: 'another' }))).toBe('invalid');
      expect(await check(bytes, beside(statementFile, 'switchyard-statement+jws'))).toBe('invalid');
      expect(await check(bytes, beside({ ...statementFile, organization: 'b.example' }))).toBe('consistent');
      expect(await check(bytes, '{}')).toBe('invalid');
    },
  );

  it('says that a file is no statement', async () => {
    for (const text of ['', '[]', '{"statement":{}}', 'null'])
      expect(await verifyStatement(text)).toMatchObject([{ name: 'File', holds: false }]);
  });
});
