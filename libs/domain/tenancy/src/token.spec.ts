import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { admitToken, hashToken, isTokenText, newToken } from './token.js';
import type { TokenMatch } from './principal-directory.js';

const at = Date.UTC(2026, 0, 1);
const match: TokenMatch = {
  principal: {
    id: 'p',
    organizationId: 'o',
    name: 'agency',
    kind: 'buyer',
    permissions: {},
    transitional: true,
    legacy: true,
  },
  token: {
    id: 't',
    principalId: 'p',
    scheme: 'bearer',
    hash: Buffer.alloc(32),
    label: '',
    createdAt: at,
    expiresAt: at + 1_000,
  },
};

describe('a token', () => {
  it('is found again by the hash of its text, and its text is nowhere in the hash', () => {
    const { text, hash } = newToken(randomBytes(32));
    expect(isTokenText(text)).toBe(true);
    expect(hashToken(text).equals(hash)).toBe(true);
    expect(hash).toHaveLength(32);
    expect(hash.includes(Buffer.from(text.slice(3), 'base64url'))).toBe(false);
  });

  it('is made of 32 bytes and nothing less', () => {
    expect(() => newToken(randomBytes(31))).toThrow(RangeError);
    expect(newToken(Buffer.alloc(32, 1)).text).not.toBe(newToken(Buffer.alloc(32, 2)).text);
  });

  it('has the letter of its cell before the random part, and one without a letter goes on working', () => {
    const { text, hash } = newToken(Buffer.alloc(32, 1), 'b');
    expect(text).toBe(newToken(Buffer.alloc(32, 1)).text.replace('sy_', 'sy_b-'));
    expect(isTokenText(text)).toBe(true);
    expect(hashToken(text).equals(hash)).toBe(true);
  });

  it('is distinguished from other texts before any lookup', () => {
    const { text } = newToken(randomBytes(32));
    for (const other of [
      text.replace('sy_', 'sy_B-'),
      text.replace('sy_', 'sy_ab-'),
      text.replace('sy_', 'sy_-'),
      '',
      'sy_',
      `${text}x`,
      text.slice(0, -1),
      text.toUpperCase(),
      ` ${text}`,
      `${text}\n`,
    ]) {
      expect(isTokenText(other)).toBe(false);
    }
  });
});

describe('admitToken', () => {
  it('admits a live token until its last millisecond, and not at it', () => {
    expect(admitToken(match, at + 999)).toEqual({ ok: true, value: match.principal });
    expect(admitToken(match, at + 1_000)).toEqual({ ok: false, error: 'expired' });
  });

  it('refuses what is unknown, revoked or of a disabled principal, from that moment on', () => {
    expect(admitToken(undefined, at)).toEqual({ ok: false, error: 'unknown' });
    const revoked = { ...match, token: { ...match.token, revokedAt: at + 5 } };
    expect(admitToken(revoked, at + 4).ok).toBe(true);
    expect(admitToken(revoked, at + 5)).toEqual({ ok: false, error: 'revoked' });
    expect(admitToken({ ...match, disabledAt: at }, at)).toEqual({ ok: false, error: 'disabled' });
  });
});
