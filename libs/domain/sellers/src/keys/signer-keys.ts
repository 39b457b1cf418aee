import type { KeyFailure } from '@switchyard/signing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type JsonObject, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from './cached-fetch.js';
import { fetchJwks, type Jwks } from './fetch-key-documents.js';
import { readJwks } from './read-jwks.js';

/** A registered signer and the key that it published under the kid that was asked for. */
export interface SignerKey {
  readonly signer: RegisteredSigner;
  readonly jwk: JsonObject;
}

export interface SignerKeys {
  /**
   * The one registered signer that has this key. Fails with `key_unknown` also where several have it: whose request
   * it is could then be chosen by whoever registered last. `principalId` narrows the search, where another
   * credential has told who is calling.
   */
  find(keyid: string, principalId?: string): Promise<Result<SignerKey, KeyFailure>>;
}

export interface SignerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly signers: () => Promise<readonly RegisteredSigner[]>;
}

const minute = 60_000;
/** How long the list of signers is used: a removed one is gone after this. Milliseconds. */
const listMs = 5_000;
/** Addresses asked again for one unknown kid at most: a stranger's kid must not set a thousand fetches off. */
const refetchedAtOnce = 50;

/** Finds the keys of those who sign requests to us: what was handed in, or what stands at the registered address. */
export function createSignerKeys({ egress, clock, signers }: SignerKeysOptions): SignerKeys {
  const keySets = new CachedFetch<Jwks, KeyFailure>(
    (url, before) => fetchJwks(egress, url, before),
    { good: 5 * minute, bad: minute / 2, cooldown: minute / 2 },
    clock,
  );
  const list = rememberedList(signers, clock);
  return {
    find: async (keyid, principalId) => {
      const all = await list();
      const asked =
        principalId === undefined ? all : all.filter((one) => one.signer.principalId === principalId);
      const known = await findIn(keySets, asked, keyid, 'get');
      if (known.keys.length > 0) return only(known.keys);
      if (known.failure !== 'key_unknown') return err(known.failure);
      const again = await findIn(keySets, asked.slice(0, refetchedAtOnce), keyid, 'refetch');
      return again.keys.length > 0 ? only(again.keys) : err(again.failure);
    },
  };
}

interface Listed {
  readonly signer: RegisteredSigner;
  /** Of a key set that was handed in. The same objects as long as the document is the same. */
  readonly keys?: Jwks;
}

async function findIn(
  keySets: CachedFetch<Jwks, KeyFailure>,
  asked: readonly Listed[],
  keyid: string,
  how: 'get' | 'refetch',
): Promise<{ readonly keys: readonly SignerKey[]; readonly failure: KeyFailure }> {
  const found: SignerKey[] = [];
  let failure: KeyFailure = 'key_unknown';
  const outcomes = await Promise.all(
    asked.map(async (listed) => [listed, await keysOf(keySets, listed, how)] as const),
  );
  for (const [{ signer }, keys] of outcomes) {
    if (keys === undefined) continue;
    const jwk = keys.ok ? keys.value.get(keyid) : undefined;
    if (jwk !== undefined) found.push({ signer, jwk });
    // An outage of somebody's key set says something of this key only where nobody else can have it.
    if (!keys.ok && asked.length === 1) failure = keys.error;
  }
  return { keys: found, failure };
}

/** Several are as bad as none, also where one of them cannot be asked just now: nothing is looked up again. */
function only(keys: readonly SignerKey[]): Result<SignerKey, KeyFailure> {
  const [first] = keys;
  return first === undefined || keys.length > 1 ? err('key_unknown') : ok(first);
}

async function keysOf(
  keySets: CachedFetch<Jwks, KeyFailure>,
  { signer, keys }: Listed,
  how: 'get' | 'refetch',
): Promise<Result<Jwks, KeyFailure> | undefined> {
  if (signer.keys.kind === 'document') return keys === undefined ? undefined : ok(keys);
  const { jwksUri } = signer.keys;
  return how === 'get' ? (await keySets.get(jwksUri)).outcome : keySets.refetch(jwksUri);
}

/** The list, read again every few seconds; a handed-in key set is parsed once. */
function rememberedList(
  signers: () => Promise<readonly RegisteredSigner[]>,
  clock: Clock,
): () => Promise<readonly Listed[]> {
  let known: readonly Listed[] = [];
  let readAt: Instant | undefined;
  return async () => {
    if (readAt !== undefined && clock.now() - readAt < listMs) return known;
    const at = clock.now();
    const before = new Map(known.map((listed) => [listed.signer.id, listed]));
    known = (await signers()).map((signer): Listed => {
      if (signer.keys.kind !== 'document') return { signer };
      const keys = before.get(signer.id)?.keys ?? readJwks(signer.keys.jwks);
      if (!('ok' in keys)) return { signer, keys };
      return keys.ok ? { signer, keys: keys.value } : { signer };
    });
    readAt = at;
    return known;
  };
}
