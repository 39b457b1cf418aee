import { Buffer } from 'node:buffer';

const urlAlphabet = /^[A-Za-z0-9_-]*$/;
const standardAlphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The bytes of one token that is wholly in the URL alphabet without padding, or wholly in the standard one; otherwise
 * undefined. Decided for each token by itself (ruling 25). Left-over bits must be zero, so that a value has only one
 * spelling in each alphabet.
 */
export function decodeBase64Token(token: string): Buffer | undefined {
  const isUrl = urlAlphabet.test(token);
  if (!isUrl && !standardAlphabet.test(token)) return undefined;
  if (token.includes('=') && token.length % 4 !== 0) return undefined;
  const bare = token.replace(/=+$/, '');
  if (bare.length % 4 === 1) return undefined;
  const bytes = Buffer.from(bare, isUrl ? 'base64url' : 'base64');
  const spelling = isUrl ? bytes.toString('base64url') : bytes.toString('base64').replace(/=+$/, '');
  return spelling === bare ? bytes : undefined;
}
