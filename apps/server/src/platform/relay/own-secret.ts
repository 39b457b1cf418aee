import { Buffer } from 'node:buffer';
import type { LegSecrets } from '@switchyard/buys';
import { authorizationOf } from '@switchyard/transports';

/** Shorter ones would be found in the words of honest answers. */
const shortest = 8;

/** Looks for our credential in what a seller answers, piece by piece. */
export interface OwnSecret {
  /** True once the pieces so far hold it, also where it lies over two of them. */
  seen(piece: Uint8Array): boolean;
}

/**
 * Our credential as a seller may echo it, say in the page of a failed request: the token, or of a name and a password
 * the header's text and the password. It opens the account for everybody that buys here, so it reaches nobody who asked.
 * A seller that wants to hand it out has other ways; this is for one that does so unawares.
 */
export function ownSecret(credential: LegSecrets['credential']): OwnSecret {
  const wanted = formsOf(credential).map((text) => Buffer.from(text, 'utf8'));
  const overlap = Math.max(1, ...wanted.map(({ length }) => length)) - 1;
  let tail: Uint8Array = Buffer.alloc(0);
  return {
    seen: (piece) => {
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

function formsOf(credential: LegSecrets['credential']): readonly string[] {
  if (credential === undefined) return [];
  const shown = authorizationOf(credential)['authorization']?.replace(/^\w+ /, '') ?? '';
  if (credential.scheme === 'bearer') return [shown].filter(isLong);
  const password = credential.secret.useText((pair) => pair.slice(pair.indexOf(':') + 1));
  return [shown, password].filter(isLong);
}

function isLong(text: string): boolean {
  return text.length >= shortest;
}
