import { Buffer } from 'node:buffer';
import type { BinarySpelling } from './profile.js';

const urlAlphabet = /^[A-Za-z0-9_-]*$/;
const standardAlphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns the bytes of one token in the required spelling, or `undefined`. Each token is decoded alone
 * (docs/protocol/signing.md#encoding): a token that mixes the alphabets is invalid. Unused bits must be zero, so that a
 * value has only one spelling in each alphabet.
 */
export function decodeBase64Token(token: string, spelling: BinarySpelling = 'either'): Buffer | undefined {
  const isUrl = spelling === 'either' && urlAlphabet.test(token);
  if (!isUrl && !standardAlphabet.test(token)) return undefined;
  if ((spelling === 'standard' || token.includes('=')) && token.length % 4 !== 0) return undefined;
  const bare = token.replace(/=+$/, '');
  if (bare.length % 4 === 1) return undefined;
  const bytes = Buffer.from(bare, isUrl ? 'base64url' : 'base64');
  const again = isUrl ? bytes.toString('base64url') : bytes.toString('base64').replace(/=+$/, '');
  return again === bare ? bytes : undefined;
}
