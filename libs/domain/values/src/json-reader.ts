import { sameDecimal } from './decimal-text.js';
import type { JsonObject, JsonValue } from './json.js';
import { jsonPointer, shownPointer, sanitizeKeyName } from './json-pointer.js';

/** Thrown inside the reader only; `parseStrictJson` returns it as a value. */
export class JsonRefusal extends Error {
  constructor(readonly refusal: StrictJsonError) {
    super(refusal.message);
  }
}

const loneSurrogate = /\p{Surrogate}/u;
const numberAt = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Every double keeps this many significant digits. */
const safeDigits = 15;

/** Reads a JSON text in one pass from left to right, in linear time. */
export class JsonReader {
  readonly exact = new Map<string, string>();
  readonly #path: (string | number)[] = [];
  #at = 0;
  #members = 0;

  constructor(
    readonly text: string,
    readonly maxDepth: number,
    readonly maxMembers: number,
    readonly maxWidth = maxMembers,
  ) {}

  document(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.text.length) this.#refuse('malformed', 'something follows the JSON value');
    return value;
  }

  #value(depth: number): JsonValue {
    this.#space();
    switch (this.text[this.#at]) {
      case '{':
        return this.#object(depth + 1);
      case '[':
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonObject {
    this.#open(depth);
    const object: JsonObject = {};
    if (this.#take('}')) return object;
    let width = 0;
    do {
      width += 1;
      if (width > this.maxWidth)
        this.#refuse('too_many_members', `more than ${this.maxWidth} members in one object`);
      this.#space();
      if (this.text[this.#at] !== '"') this.#refuse('malformed', 'a key was expected');
      const key = this.#string();
      if (Object.hasOwn(object, key)) {
        this.#refuse('duplicate_key', `the key "${sanitizeKeyName(key)}" occurs twice in one object`);
      }
      if (!this.#take(':')) this.#refuse('malformed', 'a colon was expected after a key');
      this.#member(key);
      const value = this.#value(depth);
      this.#path.pop();
      // Assigning `__proto__` would change the prototype instead of adding a member.
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      } else object[key] = value;
    } while (this.#take(','));
    if (!this.#take('}')) this.#refuse('malformed', 'a comma or a closing brace was expected');
    return object;
  }

  #array(depth: number): JsonValue[] {
    this.#open(depth);
    const array: JsonValue[] = [];
    if (this.#take(']')) return array;
    do {
      this.#member(array.length);
      array.push(this.#value(depth));
      this.#path.pop();
    } while (this.#take(','));
    if (!this.#take(']')) this.#refuse('malformed', 'a comma or a closing bracket was expected');
    return array;
  }

  #string(): string {
    const from = this.#at;
    let escaped = false;
    for (let at = from + 1; ; at += 1) {
      const code = this.text.charCodeAt(at);
      if (Number.isNaN(code)) this.#refuse('malformed', 'a text is not closed');
      if (code < 0x20) this.#refuse('malformed', 'a control character is not escaped in a text');
      if (code === 0x5c) {
        escaped = true;
        at += 1;
      } else if (code === 0x22) {
        this.#at = at + 1;
        return escaped ? this.#unescaped(from) : this.text.slice(from + 1, at);
      }
    }
  }

  #unescaped(from: number): string {
    let value: string;
    try {
      value = JSON.parse(this.text.slice(from, this.#at)) as string;
    } catch {
      this.#refuse('malformed', 'a text holds an escape that JSON does not know');
    }
    if (loneSurrogate.test(value)) this.#refuse('malformed', 'a text holds half of a surrogate pair');
    return value;
  }

  #number(): number {
    numberAt.lastIndex = this.#at;
    const text = numberAt.exec(this.text)?.[0];
    if (text === undefined) this.#refuse('malformed', 'a value was expected');
    this.#at += text.length;
    const value = Number(text);
    const vanished = value === 0 && /[1-9]/.test(text.replace(/[eE].*$/, ''));
    if (!Number.isFinite(value) || vanished) this.#refuse('number_out_of_range', 'a number is out of range');
    if (text.length > safeDigits && !sameDecimal(text, String(value))) {
      this.exact.set(jsonPointer(this.#path), text);
    }
    return value;
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.#at)) this.#refuse('malformed', 'a value was expected');
    this.#at += word.length;
    return value;
  }

  #open(depth: number): void {
    if (depth > this.maxDepth) this.#refuse('too_deep', `nested deeper than ${this.maxDepth} levels`);
    this.#at += 1;
  }

  #member(step: string | number): void {
    this.#members += 1;
    if (this.#members > this.maxMembers) {
      this.#refuse('too_many_members', `more than ${this.maxMembers} members and items`);
    }
    this.#path.push(step);
  }

  #take(character: string): boolean {
    this.#space();
    if (this.text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #refuse(code: StrictJsonErrorCode, message: string): never {
    throw new JsonRefusal({ code, message, pointer: shownPointer(this.#path) });
  }
}

export type StrictJsonErrorCode =
  | 'malformed'
  | 'duplicate_key'
  | 'too_deep'
  | 'too_many_members'
  | 'too_large'
  | 'number_out_of_range'
  | 'invalid_utf8';
/** What is wrong and where. Contains key names only, never a value of the document. */
export interface StrictJsonError {
  readonly code: StrictJsonErrorCode;
  readonly message: string;
  /** Place of the error, with key names cut and cleaned for printing. */
  readonly pointer: string;
}
