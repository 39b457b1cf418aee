import { FieldReader, MalformedField, type InnerList, type Member } from './field-reader.js';
import type { BinarySpelling } from './profile.js';

export function isInnerList(member: Member): member is InnerList {
  return 'items' in member;
}

/**
 * Parses a dictionary of RFC 8941, for the three headers of a signature. Returns `undefined` if it is malformed.
 * Stricter than the RFC where two readers could otherwise read two messages: a repeated label or parameter is refused,
 * while the RFC takes the last one. Less strict where the profile requires it: byte sequences may use either base64
 * alphabet.
 */
export function parseDictionary(
  text: string,
  binary: BinarySpelling = 'either',
): ReadonlyMap<string, Member> | undefined {
  try {
    return new FieldReader(text, binary).dictionary();
  } catch (error) {
    if (error instanceof MalformedField) return undefined;
    throw error;
  }
}
