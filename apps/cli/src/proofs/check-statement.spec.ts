import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { statementDigest, statementFileFormat } from '@switchyard/ledger';
import { canonicalJson, type JsonObject } from '@switchyard/values';
import { jwsOf, proofSigner, signedStatement, statementOf } from '../testkit/signed-files.js';
import { cell } from '../plain.js';
import { checkStatement, checkStatementFile } from './check-statement.js';
import type { FindSigner } from './find-signer.js';

const signer = proofSigner('agency.example');
const find: FindSigner = (key, organization) =>
  Promise.resolve({ kid: cell(key['kid']), fingerprint: 'f', organization: organization ?? '' });

const lines = [
  { seller: 'acme', buy: 'mb_1', micros: 12_500_000n },
  { seller: 'other', buy: 'mb_2', micros: 1n },
];
const statement = statementOf('agency.example', lines, { number: 3n, hash: 'aa' });
const signed = (document: JsonObject, header: JsonObject = {}) => signedStatement(signer, document, header);
const faults = async (document: JsonObject) => (await checkStatement('s.json', document, find)).faults;

describe('a statement', () => {
  it('is without faults with its signature and its sums', async () => {
    expect(statement['totals']).toEqual([{ currency: 'USD', spend: '12.500001' }]);
    expect(await checkStatement('s.json', signed(statement), find)).toMatchObject({
      faults: [],
      signer: { organization: 'agency.example' },
      head: { number: 3n, hash: 'aa' },
    });
  });

  it('is broken once a member is changed, even if the digest is computed again', async () => {
    const forged = { ...statement, period: '2026-08' };
    const file = { ...signed(statement), statement: forged, digest: statementDigest(forged) };
    expect(await faults(file)).toEqual(['The signature is not valid.']);
  });

  it('is broken if its sums differ from its lines, even if they were signed', async () => {
    const wrong = { ...statement, totals: [{ currency: 'USD', spend: '12' }] };
    expect(await faults(signed(wrong))).toEqual(['The total in USD is not the sum of its lines.']);
  });

  it('is broken with another algorithm, another type or no signature', async () => {
    for (const header of [{ alg: 'none' }, { alg: 'HS256' }, { typ: 'JWT' }])
      expect(await faults(signed(statement, header))).toContain('The signature is not valid.');
    expect(await faults({ ...signed(statement), jws: '' })).toContain('The signature is not valid.');
    expect(await faults({})).toHaveLength(1);
  });
});

describe('a statement as a file with its signature beside it', () => {
  const bytes = Buffer.from('record,seller,spend\nlines,acme,12.5\n');
  const statementFile = {
    format: statementFileFormat,
    organization: 'agency.example',
    media_type: 'text/csv',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    statement_digest: 'aa',
  };
  const beside = (payload: JsonObject, typ = 'switchyard-statement-file+jws'): JsonObject => {
    const [head = '', body = '', signature = ''] = jwsOf(signer.pair, canonicalJson(payload), typ).split('.');
    return { protected: head, payload: body, header: { jwk: signer.key }, signature };
  };
  const faultsOf = async (file: Uint8Array, signature: JsonObject) =>
    (await checkStatementFile('s.csv', file, signature, find)).faults;

  it('is without faults only with the bytes that were signed', async () => {
    expect(await faultsOf(bytes, beside(statementFile))).toEqual([]);
    const changed = Buffer.from(bytes.toString().replace('12.5', '13.5'));
    expect(await faultsOf(changed, beside(statementFile))).toEqual([
      'The file is not the signed one: its digest differs.',
    ]);
  });

  it('is broken with another payload, type or no signature', async () => {
    const forged = {
      ...beside(statementFile),
      payload: Buffer.from(canonicalJson({ ...statementFile, bytes: 1 })).toString('base64url'),
    };
    expect(await faultsOf(bytes, forged)).toEqual(['The signature is not valid.']);
    expect(await faultsOf(bytes, beside(statementFile, 'switchyard-statement+jws'))).toHaveLength(1);
    expect(await faultsOf(bytes, beside({ ...statementFile, format: 'other' }))).toHaveLength(1);
    expect(await faultsOf(bytes, {})).toHaveLength(1);
  });
});
