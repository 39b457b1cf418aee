import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { TokenMatch } from './principal-directory.js';
import type { Principal } from './principal.js';
import { withFewerPermissions } from './roles.js';

const prefix = 'sy_';
const shape = /^sy_[A-Za-z0-9_-]{43}$/;

/**
 * How long a token that the command line mints is good for: 24 hours, in milliseconds
 * (docs/protocol/signing.md#unsigned-changes).
 */
export const tokenLifetimeMs = 24 * 60 * 60 * 1000;

export interface NewToken {
  /** Shown once to whoever asked for it, and stored nowhere. */
  readonly text: string;
  /** What is stored. */
  readonly hash: Buffer;
}

/** Makes a token of 32 random bytes. Throws on any other length, which would be a mistake of ours. */
export function newToken(random32: Uint8Array): NewToken {
  if (random32.length !== 32) throw new RangeError('A token is made of exactly 32 random bytes.');
  const text = prefix + Buffer.from(random32).toString('base64url');
  return { text, hash: hashToken(text) };
}

/**
 * SHA-256 of a token's text. A token carries 256 random bits, so a fast hash without salt cannot be searched, and
 * a look-up by hash needs no comparison in constant time.
 */
export function hashToken(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/**
 * The hash of a pair of name and password. It is another one than that of any bearer token, so that neither can be
 * presented as the other. A password of ours carries as many random bits as a token, see `hashToken`.
 */
export function hashPair(name: string, password: string): Buffer {
  return hash('sha256', `basic\0${name}\0${password}`, 'buffer');
}

/** The hash of a secret that is neither a bearer token nor a password: it cannot be presented as anything else. */
export function hashOfScheme(scheme: 'session' | 'link' | 'invitation', text: string): Buffer {
  return hash('sha256', `${scheme}\0${text}`, 'buffer');
}

/** Whether a text can be one of our tokens at all: what cannot is refused without asking the database. */
export function isTokenText(text: string): boolean {
  return shape.test(text);
}

export type TokenRefusal = 'unknown' | 'expired' | 'revoked' | 'disabled';

/**
 * Decides whether a token that was looked up may act now, and as what: as its principal, with no more permissions than
 * the token itself was given. It is expired from its last millisecond on. */
export function admitToken(match: TokenMatch | undefined, at: Instant): Result<Principal, TokenRefusal> {
  if (match === undefined) return err('unknown');
  if (match.disabledAt !== undefined && match.disabledAt <= at) return err('disabled');
  if (match.token.revokedAt !== undefined && match.token.revokedAt <= at) return err('revoked');
  if (match.token.expiresAt <= at) return err('expired');
  const { principal, token } = match;
  if (token.permissions === undefined) return ok(principal);
  return ok(withFewerPermissions(principal, token.permissions));
}
