import { Buffer } from 'node:buffer';
import type { LegSecrets } from '@switchyard/buys';
import { credentialForms } from '@switchyard/sellers';

/** Looks for our credential in what a seller answers, piece by piece. */
export interface OwnSecret {
  /** True once the pieces so far hold it, also where it lies over two of them. */
  isIn(piece: Uint8Array): boolean;
}

/**
 * Our credential as a seller may echo it, say in the page of a failed request. It opens the account for everybody that
 * buys here, so it reaches nobody who asked. A seller that wants to hand it out has other ways; this is for one that does
 * so unawares.
 */
export function ownSecret(credential: LegSecrets['credential']): OwnSecret {
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
      if (wanted.some((one) => text.includes(one))) return true;
      tail = overlap === 0 ? tail : Buffer.from(text.subarray(-overlap));
      return false;
    },
  };
}
