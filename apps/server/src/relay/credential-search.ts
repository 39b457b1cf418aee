import { Buffer } from 'node:buffer';
import type { LegSecrets } from '@switchyard/buys';
import { credentialForms } from '@switchyard/sellers';

/** Searches a seller's answer for our credential, chunk by chunk. */
export interface CredentialSearch {
  /** True if the credential ends in this chunk; it may begin in the one before. */
  isIn(piece: Uint8Array): boolean;
}

/**
 * Finds our credential in a seller's answer, for example in an error page that echoes the request. The credential opens
 * the account for everybody who buys through us, so it must not reach the caller. This protects against accidents: a
 * seller that wants to leak it could encode it in other ways.
 */
export function credentialSearch(credential: LegSecrets['credential']): CredentialSearch {
  const wanted = credentialForms(credential).map((text) => Buffer.from(text, 'utf8'));
  const overlap = Math.max(1, ...wanted.map(({ length }) => length)) - 1;
  let tail: Uint8Array = Buffer.alloc(0);
  return {
    isIn: (piece) => {
      if (wanted.length === 0) return false;
      const text =
        tail.length === 0
          ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
          : Buffer.concat([tail, piece]);
      if (wanted.some((form) => text.includes(form))) return true;
      tail = overlap === 0 ? tail : Buffer.from(text.subarray(-overlap));
      return false;
    },
  };
}
