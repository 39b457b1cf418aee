import { Buffer } from 'node:buffer';
import type { BinarySpelling } from './profile.js';

/** Thrown by the reader and caught by its caller: it never leaves this library. */
export class MalformedField extends Error {}

const quote = 0x22;
const backslash = 0x5c;

/** Lower-case letters and `*`; after the first character also digits, `_`, `-` and `.`. */
function isKeyCharacter(code: number, isFirst: boolean): boolean {
  if ((code >= 0x61 && code <= 0x7a) || code === 0x2a) return true;
  if (isFirst) return false;
  return (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d || code === 0x2e;
}

/** Reads one structured field from start to end, without backtracking. */
export class FieldReader {
  readonly #text: string;
  readonly #binary: BinarySpelling;
  #at = 0;

  constructor(text: string, binary: BinarySpelling) {
    this.#text = text;
    this.#binary = binary;
  }

  dictionary(): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    this.#skipSpaces();
    while (this.#at < this.#text.length) {
      const label = this.#key();
      if (members.has(label)) throw new MalformedField();
      members.set(label, this.#member());
      this.#skip(/[ \t]*/y);
      if (this.#at === this.#text.length) return members;
      this.#take(/,[ \t]*/y);
      if (this.#at === this.#text.length) throw new MalformedField();
    }
    if (members.size === 0) throw new MalformedField();
    return members;
  }

  #member(): Member {
    if (!this.#eat('=')) return { item: { type: 'boolean', value: true }, params: this.#parameters() };
    return this.#peek() === '(' ? this.#innerList() : this.#item();
  }

  #innerList(): InnerList {
    const start = this.#at;
    this.#at += 1;
    this.#skipSpaces();
    const items: Item[] = [];
    while (!this.#eat(')')) {
      items.push(this.#item());
      if (this.#peek() === ')') continue;
      if (this.#peek() !== ' ') throw new MalformedField();
      this.#skipSpaces();
    }
    const params = this.#parameters();
    return { items, params, text: this.#text.slice(start, this.#at) };
  }

  #item(): Item {
    const item = this.#bareItem();
    return { item, params: this.#parameters() };
  }

  #parameters(): Parameters {
    const params = new Map<string, BareItem>();
    while (this.#eat(';')) {
      this.#skipSpaces();
      const name = this.#key();
      if (params.has(name)) throw new MalformedField();
      params.set(name, this.#eat('=') ? this.#bareItem() : { type: 'boolean', value: true });
    }
    return params;
  }

  #bareItem(): BareItem {
    const first = this.#peek();
    if (first === '"') return this.#string();
    if (first === ':') return this.#bytes();
    if (first === '?') return { type: 'boolean', value: this.#take(/\?[01]/y) === '?1' };
    if (first === '-' || (first >= '0' && first <= '9')) return this.#number();
    return { type: 'token', value: this.#take(/[A-Za-z*][A-Za-z0-9!#$%&'*+\-.^_`|~:/]*/y) };
  }

  /** Read without a pattern, as keys and byte sequences are: patterns take most of the time of reading a signature. */
  #string(): BareItem {
    const start = this.#at + 1;
    let hasEscape = false;
    for (let at = start; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        const inner = this.#text.slice(start, at);
        return { type: 'string', value: hasEscape ? inner.replace(/\\(["\\])/g, '$1') : inner };
      }
      if (code < 0x20 || code > 0x7e) break;
      if (code !== backslash) continue;
      hasEscape = true;
      at += 1;
      const escaped = this.#text.charCodeAt(at);
      if (escaped !== quote && escaped !== backslash) break;
    }
    throw new MalformedField();
  }

  #bytes(): BareItem {
    const end = this.#text.indexOf(':', this.#at + 1);
    const value = end < 0 ? undefined : decodeBase64Token(this.#text.slice(this.#at + 1, end), this.#binary);
    if (value === undefined) throw new MalformedField();
    this.#at = end + 1;
    return { type: 'bytes', value };
  }

  #key(): string {
    const start = this.#at;
    let at = start;
    while (at < this.#text.length && isKeyCharacter(this.#text.charCodeAt(at), at === start)) at += 1;
    if (at === start) throw new MalformedField();
    this.#at = at;
    return this.#text.slice(start, at);
  }

  #number(): BareItem {
    const start = this.#at;
    const sign = this.#eat('-') ? 1 : 0;
    const whole = this.#digits();
    const fraction = this.#eat('.') ? this.#digits() : 0;
    const text = this.#text.slice(start, this.#at);
    const isDecimal = text.length > sign + whole;
    if (whole === 0 || whole > (isDecimal ? 12 : 15)) throw new MalformedField();
    if (!isDecimal) return { type: 'integer', value: Number(text) };
    if (fraction === 0 || fraction > 3) throw new MalformedField();
    return { type: 'decimal', value: Number(text) };
  }

  /** Skips digits and returns their number. */
  #digits(): number {
    const start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= 0x30 && code <= 0x39)) return this.#at - start;
      this.#at += 1;
    }
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #eat(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === 0x20) this.#at += 1;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    pattern.test(this.#text);
    this.#at = pattern.lastIndex;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined || found === '') throw new MalformedField();
    this.#at += found.length;
    return found;
  }
}

const urlAlphabet = /^[A-Za-z0-9_-]*$/;
const standardAlphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns the bytes of one token in the required spelling, or `undefined`. Each token is decoded alone
 * (docs/protocol/signing.md#encoding): a token that mixes the alphabets is invalid. Unused bits must be zero, so that a
 * value has only one spelling in each alphabet.
 */
function decodeBase64Token(token: string, spelling: BinarySpelling = 'either'): Buffer | undefined {
  const isUrl = spelling === 'either' && urlAlphabet.test(token);
  if (!isUrl && !standardAlphabet.test(token)) return undefined;
  if ((spelling === 'standard' || token.includes('=')) && token.length % 4 !== 0) return undefined;
  const bare = token.replace(/=+$/, '');
  if (bare.length % 4 === 1) return undefined;
  const bytes = Buffer.from(bare, isUrl ? 'base64url' : 'base64');
  const again = isUrl ? bytes.toString('base64url') : bytes.toString('base64').replace(/=+$/, '');
  return again === bare ? bytes : undefined;
}

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
