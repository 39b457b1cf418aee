import type { Buffer } from 'node:buffer';
import { decodeBase64Token } from './base64-token.js';
import type { BinarySpelling } from './profile.js';

/** A bare item of RFC 8941, with its type kept: a token is not a string. */
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
  /** The exact text of the list and its parameters: what `@signature-params` has to repeat. */
  readonly text: string;
}

export type Member = Item | InnerList;

export function isInnerList(member: Member): member is InnerList {
  return 'items' in member;
}

/**
 * A dictionary of RFC 8941, for the three headers of a signature.
 *
 * Stricter than the RFC where leniency would let two readers see two messages: a label or a parameter that comes
 * twice is refused instead of the last one winning. More lenient in one thing, where the profile wants it: byte
 * sequences may be in either base64 alphabet. Undefined for anything that does not parse.
 */
export function parseDictionary(
  text: string,
  binary: BinarySpelling = 'either',
): ReadonlyMap<string, Member> | undefined {
  try {
    return new Reader(text, binary).dictionary();
  } catch (error) {
    if (error instanceof MalformedField) return undefined;
    throw error;
  }
}

class MalformedField extends Error {}

class Reader {
  readonly #text: string;
  readonly #binary: BinarySpelling;
  #at = 0;

  constructor(text: string, binary: BinarySpelling) {
    this.#text = text;
    this.#binary = binary;
  }

  dictionary(): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    this.#skip(/ */y);
    while (this.#at < this.#text.length) {
      const label = this.#take(/[a-z*][a-z0-9_\-.*]*/y);
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
    this.#take(/\( */y);
    const items: Item[] = [];
    while (!this.#eat(')')) {
      items.push(this.#item());
      if (this.#peek() !== ')') this.#take(/ +/y);
      else continue;
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
      this.#skip(/ */y);
      const name = this.#take(/[a-z*][a-z0-9_\-.*]*/y);
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
    if (/^[-0-9]$/.test(first)) return this.#number();
    return { type: 'token', value: this.#take(/[A-Za-z*][A-Za-z0-9!#$%&'*+\-.^_`|~:/]*/y) };
  }

  #string(): BareItem {
    const quoted = this.#take(/"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y);
    return { type: 'string', value: quoted.slice(1, -1).replace(/\\(["\\])/g, '$1') };
  }

  #bytes(): BareItem {
    const value = decodeBase64Token(this.#take(/:[^:]*:/y).slice(1, -1), this.#binary);
    if (value === undefined) throw new MalformedField();
    return { type: 'bytes', value };
  }

  #number(): BareItem {
    const text = this.#take(/-?[0-9]+(?:\.[0-9]+)?/y);
    const [whole = '', fraction] = text.replace('-', '').split('.');
    if (fraction === undefined) {
      if (whole.length > 15) throw new MalformedField();
      return { type: 'integer', value: Number(text) };
    }
    if (whole.length > 12 || fraction.length > 3) throw new MalformedField();
    return { type: 'decimal', value: Number(text) };
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #eat(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
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
