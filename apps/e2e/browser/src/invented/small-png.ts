import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

interface Image {
  readonly width: number;
  readonly height: number;
  /** Three bytes for each pixel. */
  readonly pixels: Buffer;
}

/**
 * A picture of a page with at most 256 colours: half the bytes, and no difference that a person sees. Reads what Chromium
 * writes: 8 bits a channel, RGB or RGBA, not interlaced (PNG specification, third edition, 9 and 11).
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = read(png);
  const palette = paletteOf(pixels);
  const places = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const color = pixels.readUIntBE((y * width + x) * 3, 3);
      let place = places.get(color);
      if (place === undefined) places.set(color, (place = nearest(palette, color)));
      rows[y * (width + 1) + 1 + x] = place;
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

function read(png: Buffer): Image {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 3];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR')
      [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9] === 6 ? 4 : 3];
    if (name === 'IDAT') parts.push(data);
    at += length + 12;
  }
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width, height, channels) };
}

/** Takes the filters of the rows away (PNG specification, third edition, 9.2), and the opacity. */
function unfiltered(data: Buffer, width: number, height: number, channels: number): Buffer {
  const size = width * channels;
  const rows = Buffer.alloc(size * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (size + 1)];
    for (let x = 0; x < size; x += 1) {
      const at = y * size + x;
      const left = x < channels ? 0 : (rows[at - channels] ?? 0);
      const above = y === 0 ? 0 : (rows[at - size] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (rows[at - size - channels] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0;
      rows[at] = ((data[y * (size + 1) + 1 + x] ?? 0) + guess) & 255;
    }
  }
  if (channels === 3) return rows;
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) rows.copy(pixels, at * 3, at * 4, at * 4 + 3);
  return pixels;
}

function paeth(left: number, above: number, corner: number): number {
  const sum = left + above - corner;
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** The colours that occur most, no two of them almost the same. */
function paletteOf(pixels: Buffer): readonly number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const color = pixels.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).map(([color]) => color);
  const palette: number[] = [];
  for (const tooNear of [200, 0])
    for (const color of sorted) {
      if (palette.length >= 256) return palette;
      // The colours of surfaces and texts are kept exactly; shades between them need not be.
      const isExact = palette.length < 48;
      if (palette.includes(color)) continue;
      if (isExact || palette.every((known) => distance(known, color) > tooNear)) palette.push(color);
    }
  return palette;
}

const distance = (a: number, b: number): number =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Infinity];
  for (const [place, known] of palette.entries()) {
    const far = distance(known, color);
    if (far < least) [best, least] = [place, far];
  }
  return best;
}
