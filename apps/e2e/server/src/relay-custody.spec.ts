import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicJwk } from '@switchyard/signing';
import type { Json } from './harness/buy-request.js';
import { seal, type SealedPost } from './relay/brand-agent.js';
import { sharedRelayStage, untilSealed, type Brand, type RelayStage } from './relay/relay-stage.js';
import { sealedBuy } from './relay/seller-answer.js';

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const passedOn = ['content-digest', 'content-type', 'signature', 'signature-input'];

let stage: RelayStage;
let brand: Brand;

beforeAll(async () => {
  stage = await sharedRelayStage({
    paper: { protocol: 'mcp', wantsSessions: true },
    radio: { protocol: 'a2a' },
    gone: { protocol: 'mcp' },
  });
  brand = await stage.brand('bikes', ['paper', 'radio', 'gone']);
});

afterAll(() => stage.close());

const hashOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const recordOf = async (id: string): Promise<Json> =>
  (await stage.cli<{ record: Json }>('custody', 'show', id)).record;

/** Posts over a connection that adds no headers except those of HTTP itself. */
function post(
  url: string,
  { headers, body }: SealedPost,
  more: Readonly<Record<string, string>>,
): Promise<{ readonly names: readonly string[]; readonly record: string; readonly bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, ...more, 'content-length': String(body.length), connection: 'close' };
    const sent = request(url, { method: 'POST', headers: all }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          names: sent.getRawHeaderNames().map((name) => name.toLowerCase()),
          record: String(answer.headers['switchyard-custody-record']),
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the record of a sealed request', () => {
  it.each(['paper', 'radio'])('has every member with its value, at %s', async (slug) => {
    const to = await stage.address(slug, brand);
    const post1 = await send(slug, sealedBuy());
    const received = stage.seller(slug).received.at(-1);
    const { sealed, answer } = post1;
    await untilSealed(stage, [answer.record]);
    const grants = await stage.cli<readonly Json[]>('delegations', 'list', '--principal', brand.id);
    const delegation = grants.find(({ seller }) => seller === slug);
    const shown = await recordOf(answer.record);
    expect(shown).toEqual({
      id: answer.record,
      kind: 'switchyard.custody.1',
      way: 'sealed',
      principalId: brand.id,
      principal: 'bikes',
      seller: slug,
      task: 'create_media_buy',
      operationId: uuid,
      delegationId: delegation?.['delegation_id'],
      arrived: {
        at: time,
        bodyHash: hashOf(sealed.body),
        bytes: sealed.body.length,
        signature: sealed.headers['Signature'],
        signatureInput: sealed.headers['Signature-Input'],
        contentDigest: sealed.headers['Content-Digest'],
        keyid: brand.key.kid,
        signerAgentUrl: expect.any(String),
        signedBase: expect.stringContaining(`"content-digest": ${sealed.headers['Content-Digest']}`),
        publicKey: publicJwk(brand.key, ['ads_use', 'adcp_use']),
        signedUrl: to.seller_mcp_url ?? to.seller_a2a_url,
        steps: expect.any(Array),
      },
      forwarded: {
        at: time,
        to: to.seller_mcp_url ?? to.seller_a2a_url,
        bodyHash: hashOf(received?.body ?? ''),
        // Headers at the seller that the brand did not sign are all ours; the brand's other headers were not forwarded.
        headersAdded: Object.keys(received?.headers ?? {})
          .filter((name) => !passedOn.includes(name))
          .toSorted(),
        headersRemoved: answer.names.filter((name) => !passedOn.includes(name)).toSorted(),
        credentialId: uuid,
        credentialVersion: 1,
      },
      outcome: 'answered',
      answer: {
        at: time,
        status: 200,
        bodyHash: hashOf(answer.bytes),
        bytes: answer.bytes.length,
        complete: true,
      },
    });
    const { arrived, forwarded } = shown as unknown as {
      arrived: { at: string; steps: readonly Json[] };
      forwarded: { at: string; headersAdded: readonly string[] };
    };
    const { at: answeredAt } = shown['answer'] as { at: string };
    expect([arrived.at, forwarded.at, answeredAt]).toEqual([arrived.at, forwarded.at, answeredAt].toSorted());
    expect(arrived.steps.length).toBeGreaterThan(10);
    for (const step of arrived.steps)
      expect(step).toEqual({
        step: expect.any(String),
        name: expect.any(String),
        ok: true,
        seen: expect.any(String),
      });
    for (const own of slug === 'paper' ? ['mcp-session-id', 'mcp-protocol-version'] : ['a2a-version'])
      expect(forwarded.headersAdded).toContain(own);
  });

  it('says of an unreachable seller that nothing was forwarded', async () => {
    await stage.seller('gone').close();
    const { answer } = await send('gone', sealedBuy());
    expect(answer.bytes.toString()).toContain('RELAY_SELLER_UNREACHABLE');
    await untilSealed(stage, [answer.record]);
    const shown = await recordOf(answer.record);
    expect(shown).toMatchObject({ outcome: 'unreachable', code: 'RELAY_SELLER_UNREACHABLE' });
    expect([shown['forwarded'], shown['answer']]).toEqual([undefined, undefined]);
  });
});

async function send(slug: string, args: Json) {
  const to = await stage.address(slug, brand);
  const sealed = seal(brand.key, to, 'create_media_buy', args);
  const answer = await post(to.relay_mcp_url ?? to.relay_a2a_url ?? '', sealed, {
    authorization: `Bearer ${brand.token}`,
    'x-trace': 'brand-only',
    'mcp-session-id': 'of-the-brand',
  });
  return { sealed, answer };
}
