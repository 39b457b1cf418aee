/** What a file is by its first bytes, whatever its name says. Sizes are pixels. */
export interface Media {
  readonly extension: keyof typeof mediaTypes;
  readonly width?: number;
  readonly height?: number;
}

/** The kinds of files that creatives are made of. */
export const mediaTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  webm: 'video/webm',
  html: 'text/html; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const;

/** So many bytes of a text are looked at, to find out what it is. */
const looked = 4_096;
/** So many segments of a JPEG are passed in the search for its size. */
const mostSegments = 200;

/** Undefined for a file of another kind, and for a picture whose size cannot be read. */
export function mediaOf(bytes: Buffer): Media | undefined {
  const ascii = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n' && bytes.length >= 24)
    return sized('png', bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  if (/^GIF8[79]a/.test(ascii(0, 6)) && bytes.length >= 10)
    return sized('gif', bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpegOf(bytes);
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP' && bytes.length >= 30) return webpOf(bytes);
  if (ascii(4, 8) === 'ftyp') return { extension: 'mp4' };
  if (bytes.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))) return { extension: 'webm' };
  return textOf(bytes);
}

const sized = (extension: Media['extension'], width: number, height: number): Media | undefined =>
  width > 0 && height > 0 && width <= 65_535 && height <= 65_535 ? { extension, width, height } : undefined;

/** The size stands in the frame header (ITU-T T.81, B.2.2), behind any number of other segments. */
function jpegOf(bytes: Buffer): Media | undefined {
  let at = 2;
  for (let count = 0; count < mostSegments && at + 9 < bytes.length; count += 1) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized('jpg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The three forms of the WebP container (RFC 9649, sections 2.5 to 2.7). */
function webpOf(bytes: Buffer): Media | undefined {
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8X') return sized('webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
  if (form === 'VP8 ') return sized('webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (form !== 'VP8L') return undefined;
  const packed = bytes.readUInt32LE(21);
  return sized('webp', (packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1);
}

/** VAST and HTML are UTF-8 texts that begin so. */
function textOf(bytes: Buffer): Media | undefined {
  const start = bytes
    .toString('utf8', 0, looked)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start.includes('\uFFFD') || start.includes('\0')) return undefined;
  if (/^(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,1000}-->\s*)?<(?:VAST|VMAP|vmap:VMAP)\b/.test(start))
    return { extension: 'xml' };
  return /^<(?:!doctype html|html|head|body|div|a|script|style|meta)\b/i.test(start)
    ? { extension: 'html' }
    : undefined;
}
