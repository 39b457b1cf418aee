import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { TokenMatch } from './principal-directory.js';
import type { Principal } from './principal.js';
import { withFewerPermissions } from './roles.js';

const prefix = 'sy_';
/** The letter of a cell stands before the random part. Without it the token was made where no letter was set. */
const shape = /^sy_(?:[a-z]-)?[A-Za-z0-9_-]{43}$/;

/**
 * Lifetime of a token that the command line creates: 24 hours, in milliseconds
 * (docs/protocol/signing.md#unsigned-changes).
 */
export const tokenLifetimeMs = 24 * 60 * 60 * 1000;

export interface NewToken {
  /** Shown once to the requester, and never stored. */
  readonly text: string;
  /** The stored form. */
  readonly hash: Buffer;
}

/**
 * Makes a token of 32 random bytes, with the letter of the cell that makes it where there is one
 * (docs/growth.md#cells). Throws `RangeError` on any other length.
 */
export function newToken(random32: Uint8Array, cell?: string): NewToken {
  if (random32.length !== 32) throw new RangeError('A token is made of exactly 32 random bytes.');
  const text = prefix + cellMark(cell) + Buffer.from(random32).toString('base64url');
  return { text, hash: hashToken(text) };
}

/** What stands before the random part of a token or an id, so that a proxy finds its cell: `a-` in the cell `a`. */
export function cellMark(cell: string | undefined): string {
  return cell === undefined ? '' : `${cell}-`;
}

/**
 * Returns the SHA-256 of a token's text. A token has 256 random bits, so a fast hash without salt cannot be searched,
 * and a look-up by hash needs no comparison in constant time.
 */
export function hashToken(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/**
 * Returns the hash of a name and a password. It never equals the hash of a bearer token, so neither can be presented as
 * the other. Our passwords have as many random bits as a token, see `hashToken`.
 */
export function hashPair(name: string, password: string): Buffer {
  return hash('sha256', `basic\0${name}\0${password}`, 'buffer');
}

/** Returns the hash of another kind of secret. Such a secret cannot be presented as a secret of another scheme. */
export function hashOfScheme(scheme: 'session' | 'link' | 'invitation' | 'scim', text: string): Buffer {
  return hash('sha256', `${scheme}\0${text}`, 'buffer');
}

/** Whether a text has the form of our tokens. Other texts are refused without a database read. */
export function isTokenText(text: string): boolean {
  return shape.test(text);
}

type TokenRefusal = 'unknown' | 'expired' | 'revoked' | 'disabled';

/**
 * Decides whether a token may be used at `at`; it is expired from `expiresAt` on. Returns its principal, limited to the
 * permissions of the token.
 */
export function admitToken(match: TokenMatch | undefined, at: Instant): Result<Principal, TokenRefusal> {
  if (match === undefined) return err('unknown');
  if (match.disabledAt !== undefined && match.disabledAt <= at) return err('disabled');
  if (match.token.revokedAt !== undefined && match.token.revokedAt <= at) return err('revoked');
  if (match.token.expiresAt <= at) return err('expired');
  const { principal, token } = match;
  if (token.permissions === undefined) return ok(principal);
  return ok(withFewerPermissions(principal, token.permissions));
}
