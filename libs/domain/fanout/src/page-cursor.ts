import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

/** A position in a stored answer. */
interface PagePlace {
  readonly answerId: string;
  readonly offset: number;
}

const macBytes = 16;
const shape = /^([0-9a-f-]{36})\.(\d{1,7})\.([A-Za-z0-9_-]{22})$/;

/** Writes the position as a cursor with a MAC, which buyers cannot forge. `cursorKey` is the secret of the stored answer. */
export function writeCursor({ answerId, offset }: PagePlace, cursorKey: Uint8Array): string {
  const place = `${answerId}.${offset}`;
  return Buffer.from(`${place}.${macOf(place, cursorKey).toString('base64url')}`).toString('base64url');
}

/** Returns the answer id in a cursor without checking its MAC; `undefined` if the cursor is not ours. */
export function answerIdOf(cursor: string): string | undefined {
  return shape.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
}

/** Returns the position in a cursor; `undefined` if its MAC is wrong. */
export function openCursor(cursor: string, cursorKey: Uint8Array): PagePlace | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, answerId, offset, mac] = shape.exec(text) ?? [];
  if (answerId === undefined || offset === undefined || mac === undefined) return undefined;
  const right = macOf(`${answerId}.${offset}`, cursorKey);
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  return { answerId, offset: Number(offset) };
}

function macOf(place: string, cursorKey: Uint8Array): Buffer {
  return createHmac('sha256', cursorKey).update(place).digest().subarray(0, macBytes);
}

/** An answer that is returned in pages, or read again by its id. */
export interface StoredAnswer {
  readonly id: string;
  /** The caller, and the only principal that may read its pages; absent for the public tier. */
  readonly principalId?: string;
  readonly task: string;
  /** Hash of the request without its page; a request with another hash does not get this answer. */
  readonly requestHash: string;
  /** JSON text, in the form of the request. */
  readonly answer: string;
  /** The key that authenticates cursors into the answer. */
  readonly cursorKey: Uint8Array;
  readonly expiresAt: Instant;
}

/** Stores answers until they expire. */
export interface AnswerCache {
  /** Stores an answer in place of one with its id, and deletes the tenant's answers that expired before `now`. */
  store(scope: TenantScope, answer: StoredAnswer, now: Instant): Promise<void>;
  /** Stores an answer unless one with its id is there that has not expired, and returns whether it did. */
  claim(scope: TenantScope, answer: StoredAnswer, now: Instant): Promise<boolean>;
  /** An answer that has not expired; `undefined` for another tenant's, as for an unknown id. */
  find(scope: TenantScope, id: string, now: Instant): Promise<StoredAnswer | undefined>;
}
