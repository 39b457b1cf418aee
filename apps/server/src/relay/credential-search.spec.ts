import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { credentialSearch } from './credential-search.js';

const credential = (scheme: 'bearer' | 'basic', text: string) => ({
  id: 'c',
  version: 1,
  scheme,
  secret: new Secret(Buffer.from(text)),
});
const seen = (of: ReturnType<typeof credential> | undefined, ...pieces: readonly string[]): boolean => {
  const own = credentialSearch(of);
  return pieces.some((piece) => own.isIn(Buffer.from(piece)));
};

describe('our credential in an answer', () => {
  const token = credential('bearer', 'tok_0123456789abcdef');

  it('is found in one chunk, and across several chunks', () => {
    expect(seen(token, 'Bad token: Bearer tok_0123456789abcdef')).toBe(true);
    expect(seen(token, 'x tok_01234', '56789abcdef y')).toBe(true);
    expect(seen(token, ...'... tok_0123456789abcdef ...'.split(''))).toBe(true);
  });

  it('is not found in similar text', () => {
    expect(seen(token, 'tok_0123456789abcde', 'g')).toBe(false);
    expect(seen(token, 'tok_0123456789', ' abcdef')).toBe(false);
    expect(seen(undefined, 'anything')).toBe(false);
    // Too short to be distinguished from ordinary text.
    expect(seen(credential('bearer', 'price'), 'the price is 5')).toBe(false);
  });

  it('of scheme basic is found in its header form, and as the password alone', () => {
    const pair = credential('basic', 'agency:s3cret-s3cret');
    expect(seen(pair, Buffer.from('agency:s3cret-s3cret').toString('base64'))).toBe(true);
    expect(seen(pair, 'wrong password s3cret-s3cret')).toBe(true);
    expect(seen(pair, 'no such account: agency')).toBe(false);
  });
});
