import type { RegisteredSigner } from '@switchyard/tenancy';
import type { Clock, Instant } from '@switchyard/values';
import { type Jwks, readJwks } from './fetch-key-documents.js';

/** A registered signer, with its parsed keys if it registered a key set document. */
export interface Listed {
  readonly signer: RegisteredSigner;
  /** Keys of a registered document. An unchanged document keeps the same objects. */
  readonly keys?: Jwks;
}

/** Returns the list of signers, read again once it is older than `maxAgeMs`. Each registered key set is parsed once. */
export function rememberedSigners(
  signers: () => Promise<readonly RegisteredSigner[]>,
  clock: Clock,
): (maxAgeMs: number) => Promise<readonly Listed[]> {
  let known: readonly Listed[] = [];
  let readAt: Instant | undefined;
  return async (maxAgeMs) => {
    if (readAt !== undefined && clock.now() - readAt < maxAgeMs) return known;
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
