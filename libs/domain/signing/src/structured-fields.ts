import type { Buffer } from 'node:buffer';
import { FieldReader, MalformedField } from './field-reader.js';
import type { BinarySpelling } from './profile.js';

/** A bare item of RFC 8941 with its type: a token is not a string. */
export type BareItem =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'token'; readonly value: string }
  | { readonly type: 'integer'; readonly value: number }
  | { readonly type: 'decimal'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'bytes'; readonly value: Buffer };

export type Parameters = ReadonlyMap<string, BareItem>;

export interface Item {
  readonly item: BareItem;
  readonly params: Parameters;
}

export interface InnerList {
  readonly items: readonly Item[];
  readonly params: Parameters;
  /** The exact text of the list and its parameters, for `@signature-params`. */
  readonly text: string;
}

export type Member = Item | InnerList;

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
