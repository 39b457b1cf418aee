import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../api/client.js';
import { verdictOf } from '../finance/verify-statement.js';
import { isChain, verifyChain } from './verify-chain.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const stream = 'custody:o1:p1';

/** A chain with a block for each list of texts, as docs/protocol/relay.md says that it is hashed. */
function chainOf(...texts: readonly (readonly string[])[]) {
  let last = sha256(JSON.stringify(['switchyard.journal.genesis.1', stream]));
  const blocks = texts.map((bodies, at) => {
    const entries = bodies.map((body) => ({ body, hash: sha256(body) }));
    const sealed_at = `2026-11-0${at + 1}T00:00:00.000Z`;
    const members = ['switchyard.journal.block.1', stream, String(at + 1), last, sealed_at];
    const block = { number: String(at + 1), previous_hash: last, sealed_at, entries };
    last = sha256(JSON.stringify([...members, entries.map(({ hash }) => hash)]));
    return { ...block, hash: last };
  });
  const head = { number: String(texts.length), hash: last, entry_total: String(texts.flat().length) };
  return { format: 'switchyard.custody.export.1', stream, head, blocks };
}

const whole = () => chainOf(['{"id":"r1"}', '{"id":"r2"}'], ['{"id":"r3"}']);
const wrong = async (document: unknown): Promise<readonly string[]> =>
  (await verifyChain(document as JsonObject)).filter(({ holds }) => holds === false).map(({ name }) => name);

describe('the check of a custody chain in the browser', () => {
  it('accepts a complete chain, and one without a record', async () => {
    expect(isChain(whole())).toBe(true);
    expect(await wrong(whole())).toEqual([]);
    expect(await wrong(chainOf())).toEqual([]);
  });

  it('takes nobody for its signer without a signed head that the published key set names', async () => {
    const pair = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    });
    const publicKey = createPublicKey({ key: pair.publicKey, type: 'spki', format: 'der' });
    const privateKey = createPrivateKey({ key: pair.privateKey, type: 'pkcs8', format: 'der' });
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' } as JsonObject;
    const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const anchored = ({ number, hash }: JsonObject): JsonObject => {
      const head = text({ alg: 'EdDSA', kid: 'k1', typ: 'switchyard-anchor+jws' });
      const signed = `${head}.${text({ stream, number, hash })}`;
      const signature = sign(null, Buffer.from(signed), privateKey).toString('base64url');
      return { ...whole(), organization: 'a.example', anchors: [{ jws: `${signed}.${signature}`, key }] };
    };
    const set = { keys: [{ ...key, switchyard: { organization: 'a.example', signs: ['proofs'] } }] };
    const verdict = async (document: JsonObject, published?: JsonObject) =>
      verdictOf(await verifyChain(document, published));
    expect(await verdict(whole(), set)).toBe('consistent');
    expect(await verdict(anchored(whole().head))).toBe('consistent');
    expect(await verdict(anchored(whole().head), set)).toBe('valid');
    expect(await verdict(anchored({ ...whole().head, hash: 'f'.repeat(64) }), set)).toBe('invalid');
  });

  it('finds a changed record, and names it', async () => {
    const changed = whole();
    changed.blocks[0]!.entries[1]!.body = '{"id":"r2","outcome":"answered"}';
    expect(await wrong(changed)).toEqual(['Records']);
    const [{ says } = { says: '' }] = await verifyChain(changed);
    expect(says).toContain('r2');
  });

  it('finds a record that was added, removed or moved', async () => {
    const other = '{"id":"r9"}';
    const added = whole();
    added.blocks[0]!.entries.push({ body: other, hash: sha256(other) });
    const taken = whole();
    taken.blocks[0]!.entries.pop();
    const turned = whole();
    turned.blocks[0]!.entries.reverse();
    expect(await Promise.all([added, taken, turned].map(wrong))).toEqual([
      ['Blocks'],
      ['Blocks'],
      ['Blocks'],
    ]);
  });

  it('finds a missing block, and a chain that was cut at its end', async () => {
    const missing = whole();
    missing.blocks.shift();
    const cut = whole();
    cut.blocks.pop();
    expect(await wrong(missing)).toEqual(['Blocks']);
    expect(await wrong(cut)).toEqual(['Head']);
  });
});
