import { hashOfBeside, type OpenStream, type StreamVerdict } from '@switchyard/journal';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { FindSigner } from './find-signer.js';
import { readAnchors, type SignedHead } from './read-anchors.js';
import type { Signer } from './verdict.js';

/** A head that somebody signed, and who that is. A signed statement names one too. */
export interface JudgedHead {
  readonly number: bigint;
  readonly hash: string;
  readonly signer: Signer;
}

/** The heads that a chain is held against. */
export interface ChainHeads {
  readonly heads: readonly JudgedHead[];
  readonly faults: readonly string[];
  /** The domain that the export names. */
  readonly organization?: string;
}

/**
 * Reads the signed heads in an export and those that were noted elsewhere, and finds out who signed them. A head that was
 * signed with what is beside the chain also says whether that was changed.
 */
export async function headsOf(
  { head, beside = {} }: OpenStream,
  elsewhere: readonly SignedHead[],
  find: FindSigner,
): Promise<ChainHeads> {
  const inside = beside['anchors'] === undefined ? undefined : await readAnchors(listIn(beside['anchors']));
  const organization = textIn(beside['organization']);
  const faults = [...(inside?.faults ?? [])];
  const heads: JudgedHead[] = [];
  for (const { anchor, key } of [...(inside?.heads ?? []), ...elsewhere]) {
    if (anchor.stream !== head.stream)
      faults.push(`A signed head is of ${anchor.stream}, and not of ${head.stream}.`);
    else heads.push({ ...anchor, signer: await find(key, organization) });
  }
  const besideHash = hashOfBeside(beside);
  for (const { anchor } of inside?.heads ?? [])
    if (anchor.besideHash !== undefined && anchor.besideHash !== besideHash)
      faults.push('What is beside the chain is not what was signed with it.');
  return { heads, faults, ...(organization !== undefined && { organization }) };
}

/**
 * Who signed a chain that is whole: whoever signed its last head, if that is known. Blocks after the last head of a known
 * signer may be anybody's.
 */
export function signerOfChain(
  heads: readonly JudgedHead[],
  chain: StreamVerdict & { readonly ok: true },
): Signer | undefined {
  const known = heads.filter(({ signer }) => signer.found !== undefined);
  const last = known.toSorted((a, b) => Number(b.number - a.number))[0];
  if (last === undefined) return heads.toSorted((a, b) => Number(b.number - a.number))[0]?.signer;
  if (last.number === chain.head.number) return last.signer;
  const { found: _found, ...signer } = last.signer;
  return {
    ...signer,
    says: `A known signer vouches for the blocks up to ${last.number} alone, and the chain has ${chain.head.number}.`,
  };
}

const listIn = (value: JsonValue): JsonValue => (Array.isArray(value) ? value : [value]);
const textIn = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value.length <= 2_048 ? value : undefined;

/** The keys of senders in an export of a ledger, by sender and key id. */
export function senderKeysIn({ beside = {} }: OpenStream): ReadonlyMap<string, readonly JsonObject[]> {
  const keys = new Map<string, JsonObject[]>();
  for (const row of Array.isArray(beside['keys']) ? beside['keys'] : []) {
    if (!isJsonObject(row) || !isJsonObject(row['jwk'])) continue;
    const name = senderName(textIn(row['sender']) ?? '', textIn(row['keyid']) ?? '');
    keys.set(name, [...(keys.get(name) ?? []), row['jwk']]);
  }
  return keys;
}

/** One name of a sender and its key id. */
export const senderName = (sender: string, keyid: string): string => JSON.stringify([sender, keyid]);
