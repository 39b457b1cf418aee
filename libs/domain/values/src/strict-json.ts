import { isUtf8 } from 'node:buffer';
import { JsonReader, JsonRefusal, type StrictJsonError, type StrictJsonErrorCode } from './json-reader.js';
import type { JsonValue } from './json.js';
import { readPlainJson } from './plain-json.js';
import { err, ok, type Result } from './result.js';

export interface StrictJsonLimits {
  /** Levels of objects and arrays; the outermost is the first. */
  readonly maxDepth?: number;
  /** Object members and array items of the whole document together. */
  readonly maxMembers?: number;
  readonly maxBytes?: number;
}

export interface StrictJson {
  readonly value: JsonValue;
  /** Text of numbers that a double cannot hold, by JSON pointer. */
  readonly exact: ReadonlyMap<string, string>;
}

const nothingLong: ReadonlyMap<string, string> = new Map();
const defaults = { maxDepth: 64, maxMembers: 1_000_000, maxBytes: 16 * 1024 * 1024 };

/** Limits for documents of peers, such as a webhook, a key set or a `brand.json`. Usual documents are far smaller. */
export const peerJsonLimits = { maxMembers: 100_000 } as const;

/** The byte order mark in UTF-8. */
const mark = [0xef, 0xbb, 0xbf];

/**
 * Reads a JSON document strictly: rejects everything that two parsers could read differently.
 *
 * Rejects duplicate keys (compared decoded, so `"a"` and `"\u0061"` collide), a byte order mark, invalid UTF-8, half
 * surrogates, text after the value, and numbers beyond the range of a double in either direction. `__proto__` is an
 * ordinary own key. The time is linear in the bytes.
 */
export function parseStrictJson(
  bytes: Uint8Array,
  limits: StrictJsonLimits = {},
): Result<StrictJson, StrictJsonError> {
  const { maxDepth, maxMembers, maxBytes } = { ...defaults, ...limits };
  if (bytes.byteLength > maxBytes) return refused('too_large', `more than ${maxBytes} bytes`);
  if (!isUtf8(bytes)) return refused('invalid_utf8', 'the bytes are not UTF-8');
  // A reader may leave out a byte order mark (RFC 8259, section 8.1): some programs write one.
  const bare = mark.every((byte, at) => bytes[at] === byte) ? bytes.subarray(mark.length) : bytes;
  const text = Buffer.from(bare.buffer, bare.byteOffset, bare.byteLength).toString('utf8');
  const plain = readPlainJson(bare, text, { maxDepth, maxMembers });
  if (plain !== undefined) return ok({ value: plain, exact: nothingLong });
  const reader = new JsonReader(text, maxDepth, maxMembers);
  try {
    return ok({ value: reader.document(), exact: reader.exact });
  } catch (error) {
    if (error instanceof JsonRefusal) return err(error.refusal);
    throw error;
  }
}

function refused(code: StrictJsonErrorCode, message: string): Result<StrictJson, StrictJsonError> {
  return err({ code, message, pointer: '' });
}
