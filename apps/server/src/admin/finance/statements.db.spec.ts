import { createHash, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ok } from '@switchyard/values';
import { openFinance } from './testkit/finance.js';

const { pair, finance } = await openFinance();

describe('a statement', () => {
  it('is signed as one document whose sums are those of its lines', async () => {
    const { run } = await finance(2);
    const made = await run('make_statement', { body: { period: '2026-09' } });
    expect(made).toMatchObject(
      ok({ statement: { organization: 'agency.example', totals: [{ currency: 'EUR', spend: '20' }] } }),
    );
  });

  it.each(['csv', 'xlsx', 'pdf'])('%s is signed over its digest', async (format) => {
    const { read } = await finance(2);
    const made = await read('make_statement', { body: { period: '2026-09', format } });
    const { file, jws, digest } = made as unknown as {
      file: { content: string; sha256: string };
      jws: string;
      digest: string;
    };
    const bytes = Buffer.from(file.content, 'base64');
    const [head = '', payload = '', signature = ''] = jws.split('.');
    const { publicKey } = pair;
    expect(
      verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url')),
    ).toBe(true);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).toMatchObject({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      statement_digest: digest,
    });
  });
});
