/**
 * The bytes of a file. A `Buffer` is one. A large file may be packed in memory: it unpacks the part that is asked for, and
 * a part is as large as the caller wants it.
 */
export interface FileBytes {
  readonly length: number;
  /** As of a `Buffer`, without negative places. */
  subarray(from?: number, to?: number): Buffer;
  /** An empty file of the same kind, for the same text in another encoding. */
  another?(): GrowingBytes;
}

export interface GrowingBytes extends FileBytes {
  add(part: Buffer): void;
}

/** A text as bytes in which commas, quotation marks and ends of lines are single ones. Without byte order mark. */
export interface WrittenText {
  readonly bytes: FileBytes;
  readonly charset: 'utf-8' | 'windows-1252';
}

/** The bytes behind the first ones, such as a byte order mark. */
export function bytesBehind(bytes: FileBytes, first: number): FileBytes {
  if (first === 0) return bytes;
  if (Buffer.isBuffer(bytes)) return bytes.subarray(first);
  const length = Math.max(0, bytes.length - first);
  return {
    length,
    subarray: (from = 0, to = length) => bytes.subarray(from + first, Math.min(to, length) + first),
    ...(bytes.another !== undefined && { another: () => (bytes as Required<FileBytes>).another() }),
  };
}

/** Bytes of one look: a power of two, as the parts of packed files are. */
export const windowBytes = 262_144;

/** Looks at single bytes and short texts, one after another: those around the last one are at hand. */
export class ByteWindow {
  private part: Buffer = Buffer.alloc(0);
  private start = 0;
  private end = 0;

  constructor(private readonly of: WrittenText) {}

  /** The byte at a place; undefined behind the last one. */
  at(place: number): number | undefined {
    if (place < this.start || place >= this.end) this.look(place);
    return this.part[place - this.start];
  }

  text(from: number, to: number): string {
    const { bytes, charset } = this.of;
    if (from < this.start || to > this.end) this.look(from);
    return to > this.end
      ? textOfPart(bytes.subarray(from, to), charset, 0, to - from)
      : textOfPart(this.part, charset, from - this.start, to - this.start);
  }

  private look(place: number): void {
    const { bytes } = this.of;
    if (place >= bytes.length) return;
    this.start = place - (place % windowBytes);
    this.part = bytes.subarray(this.start, Math.min(bytes.length, this.start + windowBytes));
    this.end = this.start + this.part.length;
  }
}

export const textOfPart = (part: Buffer, charset: WrittenText['charset'], from: number, to: number): string =>
  charset === 'utf-8' ? part.toString('utf8', from, to) : windows1252(part.toString('latin1', from, to));

/** The characters of the bytes 0x80 to 0x9F; a blank stands for a byte that has none. */
const upper = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Node.js 20 decodes the bytes 0x80 to 0x9F of windows-1252 as control characters (nodejs/node#56542). */
const windows1252 = (latin1: string): string =>
  latin1.replaceAll(/[\u0080-\u009F]/g, (control) => {
    const character = upper[control.charCodeAt(0) - 0x80];
    return character === undefined || character === ' ' ? control : character;
  });
