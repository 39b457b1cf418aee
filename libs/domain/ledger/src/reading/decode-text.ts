import { atOnce } from '@switchyard/values';

/** The encodings that a person can choose for a file without a mark of its own. */
export const chosenEncodings = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'iso-8859-15',
  'utf-8',
] as const;

/** The text of a file, and how its encoding was found. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
  /** `bom`: a byte order mark. `zeros`: every second byte is zero. `strict`: all of it is UTF-8. */
  readonly by: 'bom' | 'zeros' | 'strict' | 'rule' | 'person';
  /** Whether it holds characters that no document has: the encoding is probably another one. */
  readonly isDoubtful: boolean;
}

/** Bytes that are looked at for zeros. */
const firstBytes = 4_096;

/** `decodingWork` without a pause. */
export const decodeText = (bytes: Buffer, chosen?: string): DecodedText =>
  atOnce(decodingWork(bytes, chosen));

/**
 * Decodes a text file of unknown encoding: by its byte order mark, by zeros in every second byte, as UTF-8 if all of it is
 * UTF-8, and else as windows-1252. `chosen` is the encoding that a person named. Pauses between steps.
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
  return (yield* strictly(bytes)) ?? (yield* decoded(bytes, 'windows-1252', 'rule'));
}

/** As UTF-8; undefined if one byte of it is not. */
function* strictly(bytes: Buffer): Generator<void, DecodedText | undefined> {
  try {
    return yield* decoded(bytes, 'utf-8', 'strict', true);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return undefined;
    throw error;
  }
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
const stepBytes = 4_194_304;

/** Throws a `TypeError` for a byte that is not of the encoding, if it is `fatal`. */
function* decoded(
  bytes: Buffer,
  encoding: string,
  by: DecodedText['by'],
  fatal = false,
): Generator<void, DecodedText> {
  const decoder = new TextDecoder(encoding, { fatal });
  const parts: string[] = [];
  let isDoubtful = false;
  for (let at = 0; at < bytes.length; at += stepBytes) {
    const step = bytes.subarray(at, at + stepBytes);
    const isLast = at + stepBytes >= bytes.length;
    const part = encoding === 'windows-1252' ? windows1252(step) : decoder.decode(step, { stream: !isLast });
    isDoubtful ||= doubtful.test(part);
    parts.push(part);
    if (!isLast) yield;
  }
  return { text: parts.join(''), encoding, by, isDoubtful };
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
