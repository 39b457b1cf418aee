import { createHash, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  anchorDocument,
  anchorType,
  emptyStream,
  hashOfBeside,
  sealBlock,
  type Block,
  type StreamHead,
} from '@switchyard/journal';
import {
  createEntry,
  ledgerExport,
  statementDigest,
  statementDocument,
  type LedgerEntry,
} from '@switchyard/ledger';
import { custodyEntry, custodyExport, type CustodyRecord } from '@switchyard/relay';
import {
  generateSigningKey,
  keyThumbprint,
  proofPurpose,
  publicJwk,
  type SigningKey,
} from '@switchyard/signing';
import { canonicalJson, must, type JsonObject } from '@switchyard/values';

const at = Date.UTC(2026, 9, 5);
const encoded = (value: string): string => Buffer.from(value, 'utf8').toString('base64url');

export const sha256 = (value: string): string => createHash('sha256').update(value).digest('hex');

/** Somebody with a key for proofs, and the key set that an installation publishes for it. */
export function proofSigner(organization: string | undefined, kid = 'k1') {
  const pair = generateSigningKey(kid);
  const key = publicJwk(pair, ['ads_use', 'adcp_use'], proofPurpose);
  const owner = { ...(organization !== undefined && { organization }), signs: ['proofs'] };
  return {
    pair,
    key,
    fingerprint: keyThumbprint(key),
    keySet: { keys: [{ ...key, switchyard: owner }] },
  };
}

export type ProofSigner = ReturnType<typeof proofSigner>;

/** A compact JWS. */
export function jwsOf(pair: SigningKey, payload: string, typ: string, header: JsonObject = {}): string {
  const bytes = `${encoded(JSON.stringify({ alg: 'EdDSA', kid: pair.kid, typ, ...header }))}.${encoded(payload)}`;
  return `${bytes}.${sign(null, Buffer.from(bytes), pair.privateKey).toString('base64url')}`;
}

/** The statement of September 2026, with these lines and where the ledger stood. */
export function statementOf(
  organization: string,
  lines: readonly { readonly seller: string; readonly buy: string; readonly micros: bigint }[],
  head: Pick<StreamHead, 'number' | 'hash'>,
): JsonObject {
  return statementDocument({
    organization,
    period: '2026-09',
    scope: { kind: 'organization', id: '' },
    madeAt: '2026-10-05T00:00:00.000Z',
    state: 'closed',
    lines: lines.map(({ seller, buy, micros }) => ({
      seller,
      media_buy_id: buy,
      currency: 'USD',
      spendMicros: micros,
    })),
    names: { scope: 'All clients', sellers: {} },
    zones: [],
    days: [],
    breaks: [],
    invoices: [],
    head: { number: head.number.toString(), hash: head.hash },
  });
}

export function signedStatement(
  { pair, key }: Pick<ProofSigner, 'pair' | 'key'>,
  statement: JsonObject,
  header: JsonObject = {},
): JsonObject {
  const jws = jwsOf(pair, canonicalJson(statement), 'switchyard-statement+jws', header);
  return { statement, digest: statementDigest(statement), jws, key };
}

/** An entry that books spend on a day of September 2026. */
export function spendEntry(number: number, seller: string, buy: string, micros: bigint): LedgerEntry {
  const id = `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`;
  const posting = (account: 'media_spend' | 'seller_payable', amountMicros: bigint) =>
    ({ account, day: '2026-09-10', currency: 'USD', amountMicros }) as const;
  return must(
    createEntry({
      id,
      kind: 'delivery',
      operationId: id,
      mediaBuyId: buy,
      seller,
      occurredAt: at,
      postings: [posting('media_spend', micros), posting('seller_payable', -micros)],
      facts: { message: { sha256: sha256(`message ${number}`) } },
    }),
  );
}

export function sealed(stream: string, blocksOf: readonly (readonly { body: string; hash: string }[])[]) {
  const blocks: Block[] = [];
  let head = emptyStream(stream);
  for (const entries of blocksOf) {
    const next = sealBlock(head, entries, at);
    blocks.push(next.block);
    head = next.head;
  }
  return { blocks, head };
}

/** What an export contains beside its chain: the name of the organization, and this head signed with it. */
export function besideOf(
  { pair, key }: Pick<ProofSigner, 'pair' | 'key'>,
  head: StreamHead,
  organization: string,
  more: JsonObject = {},
): JsonObject {
  const beside = { organization, ...more };
  const document = anchorDocument({ head, madeAt: at, besideHash: hashOfBeside(beside) });
  return { ...beside, anchors: [{ jws: jwsOf(pair, canonicalJson(document), anchorType), key }] };
}

type Exported = Parameters<typeof ledgerExport>[0];
export const ledgerText = (stream: Exported): Promise<string> => text(ledgerExport(stream));
export const custodyText = (stream: Exported): Promise<string> => text(custodyExport(stream));

export const custodyChain = (records: readonly CustodyRecord[]) =>
  sealed(
    'custody:p',
    records.map((record) => [custodyEntry(record)]),
  );

/** Writes a file and answers its name. */
export function written(folder: string, name: string, content: string | JsonObject): string {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}
