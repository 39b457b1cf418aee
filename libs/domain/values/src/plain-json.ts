import type { JsonValue } from './json.js';

/** Limits of a document. */
interface PlainJsonLimits {
  readonly maxDepth: number;
  readonly maxMembers: number;
}

/** Every double keeps this many digits, with a decimal point among them. */
const safeDigits = 15;
/** Limit for recursion; deeper documents are read by `JsonReader`. */
const deepest = 100;

const quote = 0x22;
const backslash = 0x5c;

/**
 * The value of a plain document, or `undefined`: then `JsonReader` decides and reports errors. Nothing is accepted here
 * that `JsonReader` would refuse.
 *
 * JSON.parse makes the value, four times as fast as a reader written in JavaScript. Two checks cover what JSON.parse
 * accepts. It drops the first of two equal keys: then the value has fewer members than the text has colons, however the
 * keys are spelled. It rounds long numbers and accepts half surrogates: one pass over the bytes finds both.
 */
export function readPlainJson(
  bytes: Uint8Array,
  text: string,
  limits: PlainJsonLimits,
): JsonValue | undefined {
  const members = countMembers(bytes, limits);
  if (members < 0) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  return membersOf(value) === members ? value : undefined;
}

/** Number of colons outside of texts; below zero where the document is not plain. JSON.parse rejects invalid JSON. */
function countMembers(bytes: Uint8Array, { maxDepth, maxMembers }: PlainJsonLimits): number {
  const levels = Math.min(maxDepth, deepest);
  const end = bytes.length;
  let depth = 0;
  let colons = 0;
  let most = 0;
  for (let at = 0; at < end; at += 1) {
    const code = bytes[at] ?? 0;
    if (code === quote) {
      at = endOfText(bytes, at + 1);
      if (at < 0) return -1;
    } else if (code === 0x3a) colons += 1;
    else if (code === 0x2c) most += 1;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      most += 1;
      if (depth > levels) return -1;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code >= 0x30 && code <= 0x39) {
      at = endOfNumber(bytes, at);
      if (at < 0) return -1;
    }
  }
  // Each object or array has one item more than commas, so commas and opening brackets together are an upper bound.
  return most > maxMembers ? -1 : colons;
}

/** Index of the closing quote; below zero where there is none, or where an escape may be half a surrogate pair. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code === quote) return at;
    if (code !== backslash) continue;
    at += 1;
    if (bytes[at] === 0x75 && ((bytes[at + 1] ?? 0) | 0x20) === 0x64) return -1;
  }
  return -1;
}

/** Index of the last digit; below zero for an exponent or more digits than a double keeps. */
function endOfNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const code = bytes[at] ?? 0;
    if ((code < 0x30 || code > 0x39) && code !== 0x2e) break;
    at += 1;
  }
  const isExponent = ((bytes[at] ?? 0) | 0x20) === 0x65;
  return isExponent || at - from > safeDigits ? -1 : at - 1;
}

/** Number of object members in a value, at every depth. */
function membersOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let members = 0;
    for (const item of value) if (typeof item === 'object' && item !== null) members += membersOf(item);
    return members;
  }
  const keys = Object.keys(value);
  let members = keys.length;
  for (const key of keys) {
    const member = value[key];
    if (typeof member === 'object' && member !== null) members += membersOf(member);
  }
  return members;
}
