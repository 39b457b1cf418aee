import { isUtf8 } from 'node:buffer';
import { atOnce } from '@switchyard/values';

/** The encodings that a person can choose for a file without a mark of its own. */
export const chosenEncodings = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'iso-8859-15',
  'shift_jis',
  'utf-8',
] as const;

/**
 * The text of a file as bytes, and how its encoding was found. A large file is in memory once: its rows are decoded when
 * they are read.
 */
export interface DecodedText {
  /** UTF-8 or windows-1252, in which commas, quotation marks and ends of lines are single bytes. Without byte order mark. */
  readonly bytes: Buffer;
  readonly charset: 'utf-8' | 'windows-1252';
  /** Of the file. */
  readonly encoding: string;
  /** `bom`: a byte order mark. `zeros`: every second byte is zero. `strict`: all of it is UTF-8. */
  readonly by: 'bom' | 'zeros' | 'strict' | 'rule' | 'person';
  /** Whether it holds characters that no document has: the encoding is probably another one. */
  readonly isDoubtful: boolean;
}

/** Bytes that are looked at for zeros. */
const firstBytes = 4_096;

/** Decodes a short text without a pause. */
export const decodeText = (bytes: Buffer, chosen?: string): string =>
  textOf(atOnce(decodingWork(bytes, chosen)));

/** A part of a text, from byte to byte, both of which begin a character. */
export const textOf = (
  { bytes, charset }: Pick<DecodedText, 'bytes' | 'charset'>,
  from = 0,
  to?: number,
): string => (charset === 'utf-8' ? bytes.toString('utf8', from, to) : windows1252(bytes.subarray(from, to)));

/**
 * Finds the encoding of a text file: by its byte order mark, by zeros in every second byte, as UTF-8 if all of it is
 * UTF-8, and else windows-1252. `chosen` is the encoding that a person named. Pauses between steps.
 */
export function* decodingWork(bytes: Buffer, chosen?: string): Generator<void, DecodedText> {
  const known = chosenEncodings.find((name) => name === chosen);
  if (known !== undefined) return yield* decoded(bytes, known, 'person');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return yield* decoded(bytes.subarray(3), 'utf-8', 'bom');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return yield* decoded(bytes.subarray(2), 'utf-16le', 'bom');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return yield* decoded(bytes.subarray(2), 'utf-16be', 'bom');
  const wide = zerosIn(bytes.subarray(0, firstBytes));
  if (wide !== undefined) return yield* decoded(bytes, wide, 'zeros');
  if (yield* isAllUtf8(bytes)) return yield* decoded(bytes, 'utf-8', 'strict');
  return yield* decoded(bytes, 'windows-1252', 'rule');
}

/** Whether all of it is UTF-8. */
function* isAllUtf8(bytes: Buffer): Generator<void, boolean> {
  for (let at = 0; at < bytes.length;) {
    const end = endOfStep(bytes, at);
    if (!isUtf8(bytes.subarray(at, end))) return false;
    at = end;
    yield;
  }
  return true;
}

/** Whether a text has characters that only some encodings write in this way. */
export const isBeyondAscii = (text: string): boolean => /[\u0080-\uFFFF]/.test(text);

/** The replacement character, and control characters that stand in no document. */
const doubtful = /[\uFFFD\u0080-\u009F]/;

function zerosIn(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.floor(bytes.length / 2);
  if (pairs < 2) return undefined;
  let [first, second] = [0, 0];
  for (let at = 0; at < pairs * 2; at += 2) {
    if (bytes[at] === 0) first += 1;
    if (bytes[at + 1] === 0) second += 1;
  }
  if (second * 2 > pairs && first * 8 < pairs) return 'utf-16le';
  return first * 2 > pairs && second * 8 < pairs ? 'utf-16be' : undefined;
}

/** Bytes that are decoded in one step. */
const stepBytes = 262_144;

/** The end of a step: no character of UTF-8 is cut there. */
function endOfStep(bytes: Buffer, from: number): number {
  let end = Math.min(bytes.length, from + stepBytes);
  for (let back = 0; back < 4 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80; back += 1)
    end -= 1;
  return end;
}

function* decoded(written: Buffer, encoding: string, by: DecodedText['by']): Generator<void, DecodedText> {
  const charset = encoding === 'windows-1252' ? encoding : 'utf-8';
  const bytes = charset === encoding ? written : yield* asUtf8(written, encoding);
  let isDoubtful = false;
  for (let at = 0; at < bytes.length && !isDoubtful;) {
    const end = endOfStep(bytes, at);
    isDoubtful = doubtful.test(textOf({ bytes, charset }, at, end));
    at = end;
    yield;
  }
  return { bytes, charset, encoding, by, isDoubtful };
}

function* asUtf8(bytes: Buffer, encoding: string): Generator<void, Buffer> {
  const decoder = new TextDecoder(encoding);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += stepBytes) {
    const isLast = at + stepBytes >= bytes.length;
    parts.push(Buffer.from(decoder.decode(bytes.subarray(at, at + stepBytes), { stream: !isLast }), 'utf8'));
    yield;
  }
  return Buffer.concat(parts);
}

/** The characters of the bytes 0x80 to 0x9F; a blank stands for a byte that has none. */
const upper = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Node.js 20 decodes the bytes 0x80 to 0x9F of windows-1252 as control characters (nodejs/node#56542). */
function windows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[\u0080-\u009F]/g, (control) => {
    const character = upper[control.charCodeAt(0) - 0x80];
    return character === undefined || character === ' ' ? control : character;
  });
}
