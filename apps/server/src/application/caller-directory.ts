import type { Buffer } from 'node:buffer';
import type { Result } from '@switchyard/values';
import type { PrincipalCaller } from './task-call.js';

/** Whom an opaque bearer token belongs to. Only hashes of tokens are known on the other side. */
export interface CallerDirectory {
  /** `tokenHash` is the SHA-256 of the token's UTF-8 bytes. */
  findByTokenHash(tokenHash: Buffer): Promise<Result<PrincipalCaller, 'unknown' | 'expired'>>;
}
