import { isUtf8 } from 'node:buffer';
import { atOnce } from '@switchyard/values';
import { bytesBehind, textOfPart, windowBytes, type FileBytes, type WrittenText } from './file-bytes.js';

/** The encodings that a person can choose for a file without a mark of its own. */
export const chosenEncodings = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'iso-8859-15',
  'shift_jis',
  'gb18030',
  'euc-kr',
  'utf-8',
] as const;

/** The text of a file as bytes, and how its encoding was found. Its rows are decoded when they are read. */
export interface DecodedText extends WrittenText {
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
export const decodeText = (bytes: FileBytes, chosen?: string): string =>
  textOf(atOnce(decodingWork(bytes, chosen)));

/** A part of a text, from byte to byte, both of which begin a character. */
export const textOf = ({ bytes, charset }: WrittenText, from = 0, to?: number): string => {
  const part = bytes.subarray(from, to);
  return textOfPart(part, charset, 0, part.length);
};

/**
 * Finds the encoding of a text file: by its byte order mark, by zeros in every second byte, as UTF-8 if all of it is
 * UTF-8, and else windows-1252. `chosen` is the encoding that a person named. Pauses between steps.
 */
export function* decodingWork(bytes: FileBytes, chosen?: string): Generator<void, DecodedText> {
  const known = chosenEncodings.find((name) => name === chosen);
  if (known !== undefined) return yield* decoded(bytes, known, 'person');
  const start = bytes.subarray(0, firstBytes);
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf)
    return yield* decoded(bytesBehind(bytes, 3), 'utf-8', 'bom');
  if (start[0] === 0xff && start[1] === 0xfe) return yield* decoded(bytesBehind(bytes, 2), 'utf-16le', 'bom');
  if (start[0] === 0xfe && start[1] === 0xff) return yield* decoded(bytesBehind(bytes, 2), 'utf-16be', 'bom');
  const wide = zerosIn(start);
  if (wide !== undefined) return yield* decoded(bytes, wide, 'zeros');
  if (yield* isAllUtf8(bytes)) return yield* decoded(bytes, 'utf-8', 'strict');
  return yield* decoded(bytes, 'windows-1252', 'rule');
}

/** Whether all of it is UTF-8. */
function* isAllUtf8(bytes: FileBytes): Generator<void, boolean> {
  for (const part of stepsOf(bytes)) {
    if (!isUtf8(part)) return false;
    yield;
  }
  return true;
}

/** The place of the first byte that is not ASCII; -1 if there is none. */
export function* firstBeyondAscii(bytes: FileBytes): Generator<void, number> {
  let before = 0;
  for (const part of stepsOf(bytes)) {
    const at = part.findIndex((byte) => byte > 0x7f);
    if (at >= 0) return before + at;
    before += part.length;
    yield;
  }
  return -1;
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

/** The bytes in steps of one window. No character of UTF-8 is cut between them. */
function* stepsOf(bytes: FileBytes): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const part = bytes.subarray(at, Math.min(bytes.length, at + windowBytes));
    let { length } = part;
    // A character has four bytes at most: its first one is not far behind.
    if (at + length < bytes.length)
      for (let back = 1; back <= 4 && length === part.length; back += 1) {
        const byte = part[part.length - back] ?? 0;
        if (byte < 0x80) break;
        if (byte >= 0xc0) length = part.length - back;
      }
    yield part.subarray(0, length);
    at += length;
  }
}

function* decoded(written: FileBytes, encoding: string, by: DecodedText['by']): Generator<void, DecodedText> {
  const charset = encoding === 'windows-1252' ? encoding : 'utf-8';
  const bytes = charset === encoding ? written : yield* asUtf8(written, encoding);
  let isDoubtful = false;
  for (const part of stepsOf(bytes)) {
    isDoubtful = doubtful.test(textOfPart(part, charset, 0, part.length));
    if (isDoubtful) break;
    yield;
  }
  return { bytes, charset, encoding, by, isDoubtful };
}

/** Systems with these encodings show the sign of their currency for a backslash. */
const signOfBackslash: Readonly<Record<string, string>> = { shift_jis: '¥', 'euc-kr': '₩' };

function* asUtf8(bytes: FileBytes, encoding: string): Generator<void, FileBytes> {
  const decoder = new TextDecoder(encoding);
  const sign = signOfBackslash[encoding];
  const parts: Buffer[] = [];
  const made = bytes.another?.();
  for (let at = 0; at < bytes.length; at += windowBytes) {
    const end = Math.min(bytes.length, at + windowBytes);
    const read = decoder.decode(bytes.subarray(at, end), { stream: end < bytes.length });
    const text = sign === undefined ? read : read.replaceAll('\\', sign);
    const part = Buffer.from(text, 'utf8');
    if (made === undefined) parts.push(part);
    else made.add(part);
    yield;
  }
  return made ?? Buffer.concat(parts);
}
