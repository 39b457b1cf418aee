import { Buffer } from 'node:buffer';

const half = 32;

/**
 * Converts an ECDSA P-256 signature from the DER of key services to the form that is sent: r followed by s (IEEE P1363,
 * 64 bytes). Returns `undefined` if `der` is not exactly one such signature.
 */
export function p1363OfDer(der: Buffer): Buffer | undefined {
  if (der.length < 8 || der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const r = integerAt(der, 2);
  if (r === undefined) return undefined;
  const s = integerAt(der, r.end);
  if (s?.end !== der.length) return undefined;
  return Buffer.concat([r.value, s.value]);
}

/** Reads a positive DER integer of at most 256 bits, in its shortest form, and pads it to 32 bytes. */
function integerAt(der: Buffer, at: number): { readonly value: Buffer; readonly end: number } | undefined {
  const length = der[at + 1];
  if (der[at] !== 0x02 || length === undefined || length === 0 || length > half + 1) return undefined;
  const end = at + 2 + length;
  if (end > der.length) return undefined;
  const [first = 0, second = 0] = der.subarray(at + 2, end);
  const isNegative = first >= 0x80;
  const isPadded = first === 0 && length > 1;
  if (isNegative || (isPadded && second < 0x80) || (length === half + 1 && !isPadded)) return undefined;
  const digits = der.subarray(isPadded ? at + 3 : at + 2, end);
  return { value: Buffer.concat([Buffer.alloc(half - digits.length), digits]), end };
}
