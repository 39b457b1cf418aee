// Writes the list of common passwords from the file passwords.json of @zxcvbn-ts/language-common (MIT), most common first:
//   npm pack @zxcvbn-ts/language-common@4.1.3 && tar xzf *.tgz
//   node tools/common-passwords.mjs package/src/passwords.json
// Only the first four bytes of the SHA-256 of each stand in it: one in 200,000 other passwords is refused by mistake.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const all = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const kept = new Set(
  [...all.slice(0, 20_000), ...all.filter((text) => text.length >= 12)].filter((text) => text.length >= 4),
);
const starts = [...kept].map((text) =>
  createHash('sha256').update(text.toLowerCase()).digest().subarray(0, 4),
);
const sorted = starts.toSorted(Buffer.compare);
writeFileSync(
  'libs/domain/tenancy/src/common-password-hashes.ts',
  `/** Written by tools/common-passwords.mjs: the first four bytes of the SHA-256 of each common password, in base64. */
export const commonPasswordHashes =
  '${Buffer.concat(sorted).toString('base64')}';
`,
);
