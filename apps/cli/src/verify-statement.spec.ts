import { createHash, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { statementDigest, statementDocument, statementFileFormat } from '@switchyard/ledger';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { canonicalJson, type JsonObject } from '@switchyard/values';
import { verifyStatement, verifyStatementFile } from './verify-statement.js';

const pair = generateSigningKey('k1');
const key = publicJwk(pair, []);
const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

function signed(statement: JsonObject, header: JsonObject = {}): JsonObject {
  const of = { alg: 'EdDSA', kid: 'k1', typ: 'switchyard-statement+jws', ...header };
  const bytes = `${encoded(JSON.stringify(of))}.${encoded(canonicalJson(statement))}`;
  const signature = sign(null, Buffer.from(bytes), pair.privateKey).toString('base64url');
  return { statement, digest: statementDigest(statement), jws: `${bytes}.${signature}`, key };
}

const statement = statementDocument({
  organization: 'agency.example',
  period: '2026-09',
  scope: { kind: 'organization', id: '' },
  madeAt: '2026-10-05T00:00:00.000Z',
  state: 'closed',
  lines: [
    { seller: 'acme', currency: 'USD', spendMicros: 12_500_000n },
    { seller: 'other', currency: 'USD', spendMicros: 1n },
  ],
  breaks: [],
  invoices: [],
  head: { number: '3', hash: 'aa' },
});

describe('a statement', () => {
  it('is valid with its signature and its sums, and its key is in the published set', async () => {
    expect(statement['totals']).toEqual([{ currency: 'USD', spend: '12.500001' }]);
    expect(await verifyStatement(signed(statement))).toEqual([]);
    expect(await verifyStatement(signed(statement), { keys: [key] })).toEqual([]);
    expect(await verifyStatement(signed(statement), { keys: [] })).toHaveLength(1);
  });

  it('is invalid once a member is changed, even if the digest is computed again', async () => {
    const forged = { ...statement, period: '2026-08' };
    const file = { ...signed(statement), statement: forged, digest: statementDigest(forged) };
    expect(await verifyStatement(file)).toEqual(['The signature is not valid.']);
  });

  it('is invalid if its sums differ from its lines, even if they were signed', async () => {
    const wrong = { ...statement, totals: [{ currency: 'USD', spend: '12' }] };
    expect(await verifyStatement(signed(wrong))).toEqual(['The total in USD is not the sum of its lines.']);
  });

  it('is invalid with another algorithm, another type or no signature', async () => {
    for (const header of [{ alg: 'none' }, { alg: 'HS256' }, { typ: 'JWT' }])
      expect(await verifyStatement(signed(statement, header))).toContain('The signature is not valid.');
    expect(await verifyStatement({ ...signed(statement), jws: '' })).toContain('The signature is not valid.');
    expect(await verifyStatement({})).toHaveLength(1);
  });
});

describe('a statement as a file with its signature beside it', () => {
  const bytes = Buffer.from('record,seller,spend\nlines,acme,12.5\n');
  const statementFile = {
    format: statementFileFormat,
    media_type: 'text/csv',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    statement_digest: 'aa',
  };
  const beside = (payload: JsonObject, typ = 'switchyard-statement-file+jws'): JsonObject => {
    const head = encoded(JSON.stringify({ alg: 'EdDSA', kid: 'k1', typ }));
    const body = encoded(canonicalJson(payload));
    const signature = sign(null, Buffer.from(`${head}.${body}`), pair.privateKey).toString('base64url');
    return { protected: head, payload: body, header: { jwk: key }, signature };
  };

  it('is valid only with the bytes that were signed', async () => {
    expect(await verifyStatementFile(bytes, beside(statementFile), { keys: [key] })).toEqual([]);
    expect(await verifyStatementFile(bytes, beside(statementFile), { keys: [] })).toHaveLength(1);
    const changed = Buffer.from(bytes.toString().replace('12.5', '13.5'));
    expect(await verifyStatementFile(changed, beside(statementFile))).toEqual([
      'The file is not the signed one: its digest differs.',
    ]);
  });

  it('is invalid with another payload, type or no signature', async () => {
    const forged = {
      ...beside(statementFile),
      payload: encoded(canonicalJson({ ...statementFile, bytes: 1 })),
    };
    expect(await verifyStatementFile(bytes, forged)).toEqual(['The signature is not valid.']);
    expect(await verifyStatementFile(bytes, beside(statementFile, 'switchyard-statement+jws'))).toHaveLength(
      1,
    );
    expect(await verifyStatementFile(bytes, beside({ ...statementFile, format: 'other' }))).toHaveLength(1);
    expect(await verifyStatementFile(bytes, {})).toHaveLength(1);
  });
});
