import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { commonPasswordHashes } from './common-password-hashes.js';

/** Words of the context with fewer letters are too short to be what makes a password easy. */
const fewestLetters = 4;
/** Of a common password with signs around it: so many signs do not make it another one. */
const mostSigns = 8;

export type PasswordFault = 'common' | 'context';

let known: ReadonlySet<number> | undefined;

/**
 * Why a password is too easy to guess: it is a common one, also repeated or with a few digits and signs around it, or it
 * contains a word of the context: the names of organization, person and product, and parts of the address. `undefined`
 * if it is neither. The length is checked by whoever reads the request.
 */
export function passwordFault(password: string, context: readonly string[]): PasswordFault | undefined {
  const plain = password.normalize('NFKC').toLowerCase();
  if (isCommon(plain)) return 'common';
  const words = context.flatMap((text) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u),
  );
  return words.some((word) => word.length >= fewestLetters && plain.includes(word)) ? 'context' : undefined;
}

function isCommon(plain: string): boolean {
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const unit = /^(.+?)\1+$/u.exec(plain)?.[1] ?? plain;
  const cores = plain.length - core.length <= mostSigns ? [plain, core, unit] : [plain, unit];
  const isOfFew = new Set(plain).size < 5;
  return isOfFew || unit.length < fewestLetters || isRun(plain) || cores.some(isListed);
}

/** Whether each character follows the one before it, as in 123456789012 or abcdefghijkl, up or down. */
function isRun(plain: string): boolean {
  const codes = Array.from(plain, (sign) => sign.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, at) => code - (codes[at] ?? 0));
  const up = steps.filter((step) => step === 1 || step === -9).length;
  const down = steps.filter((step) => step === -1 || step === 9).length;
  return Math.max(up, down) === steps.length;
}

function isListed(text: string): boolean {
  known ??= hashesIn(Buffer.from(commonPasswordHashes, 'base64'));
  return text !== '' && known.has(createHash('sha256').update(text).digest().readUInt32BE(0));
}

function hashesIn(bytes: Buffer): ReadonlySet<number> {
  const hashes = new Set<number>();
  for (let at = 0; at < bytes.length; at += 4) hashes.add(bytes.readUInt32BE(at));
  return hashes;
}
