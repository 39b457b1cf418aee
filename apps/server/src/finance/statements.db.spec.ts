import { createHash, randomUUID, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Grant } from '@switchyard/tenancy';
import { err, ok, type JsonObject } from '@switchyard/values';
import { openFinance, textIn } from './testkit/finance.js';

const { pair, finance } = await openFinance();

describe('a statement', () => {
  it('is refused for an unknown name, which may be mistyped', async () => {
    const { run, buy } = await finance(0);
    const of = (scope: string) => run('make_statement', { body: { period: '2026-09', scope } });
    const names = ['seller:nope', 'brand:nope.example', `client:${randomUUID()}`, `campaign:${randomUUID()}`];
    for (const scope of names)
      expect(await of(scope)).toMatchObject(err({ code: 'NOT_FOUND', field: 'scope' }));
    expect(await of(`seller:${buy.seller}`)).toMatchObject({ ok: true });
  });

  it('of a client’s campaign and brand needs read access to that client', async () => {
    const { anna, call, read } = await finance(0);
    const idOf = async (id: string, member: string, body: JsonObject): Promise<string> =>
      textIn(await read(id, { body }), member);
    const [client, other] = [
      await idOf('add_client', 'client_id', { name: 'Nova' }),
      await idOf('add_client', 'client_id', { name: 'Other' }),
    ];
    await read('add_brand', { body: { domain: 'nova.example', client_id: client } });
    const campaign = await idOf('add_campaign', 'campaign_id', {
      name: 'Autumn',
      client_id: client,
      brand: 'nova.example',
      budget: '100',
      currency: 'EUR',
      from: '2026-09-01',
      to: '2026-09-30',
    });
    const ofClient = (id: string) => ({
      ...anna,
      grants: [{ permissions: { ledger: ['read'] }, scope: { kind: 'client', id } }] as readonly Grant[],
    });
    for (const scope of [`campaign:${campaign}`, 'brand:nova.example', `client:${client}`]) {
      const body = { period: '2026-09', scope };
      expect(await call(ofClient(client), 'make_statement', { body })).toMatchObject({ ok: true });
      expect(await call(ofClient(other), 'make_statement', { body })).toMatchObject(
        err({ code: 'INSUFFICIENT_PERMISSIONS' }),
      );
    }
  });

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
