/**
 * Checks the licence of every package of the lock file. What ships must be one that Apache-2.0 software may contain; what
 * only builds or tests may also be under a licence that binds its own files alone.
 */
import { readFileSync } from 'node:fs';

const shipped = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'OFL-1.1',
  'CC0-1.0',
]);
const tools = new Set([...shipped, 'MPL-2.0', 'Python-2.0', 'CC-BY-4.0']);

/** Packages that say it otherwise, and why they are here. */
const decided = {
  'png-js': 'its LICENSE file is the MIT licence; comes with pdfkit',
  'seq-queue': 'its LICENSE file is the MIT licence; comes with the tools of Prisma, and does not ship',
  elkjs: 'EPL-2.0; comes with the tools of Prisma, and does not ship',
};

/** Whether a licence expression (SPDX) can be satisfied: one part of an OR, every part of an AND. */
function isAllowed(expression, allowed) {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (/ or /i.test(text)) return text.split(/ or /i).some((part) => isAllowed(part.trim(), allowed));
  return text.split(/ and /i).every((part) => allowed.has(part.trim()));
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const faults = [];
const used = new Set();
for (const [path, { license, link, dev }] of Object.entries(packages)) {
  const name = path.split('node_modules/').at(-1);
  if (link) continue;
  if (!path.includes('node_modules/')) {
    if (license !== 'Apache-2.0') faults.push(`${path || '.'}/package.json: ${license ?? 'no licence'}`);
  } else if (name in decided) used.add(name);
  else if (license === undefined || !isAllowed(license, dev ? tools : shipped))
    faults.push(`${name}: ${license ?? 'no licence'}`);
}
for (const name of Object.keys(decided))
  if (!used.has(name)) faults.push(`${name} is not installed any more`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
