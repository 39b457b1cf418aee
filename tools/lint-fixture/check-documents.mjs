/**
 * Checks the documents of the repository. No file may cite a document that its reader does not have, every link to a
 * page must lead to a file and a heading, every path, every TypeScript file and every suite in a table that a page names
 * must exist, and every numbered rule needs a test whose name begins with its number.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const pages = tracked.filter((file) => file.endsWith('.md'));
const code = tracked.filter((file) =>
  /\.(ts|tsx|mjs|js|sql|prisma|sh|yml|yaml|css)$|Dockerfile$|^\.ci\//.test(file),
);
const pageNames = new Set(pages.map((file) => basename(file)));

/** Forms of citing a document by its number or part, which no page of this repository has. */
const citations = [
  /\brulings? \d/i,
  /\b(?:tasks|service|signing-webhooks|anchors|spikes|stack|design|house),? (?:section )?\d+\.\d/,
  /\(tasks \d/,
  /\bsigning-webhooks\b/,
  /\bservice description/,
  /\b(?:issues?|decisions?) \d/i,
  /^(?!.*(?:RFC|A2A)).*\bsections? \d+\.\d/,
];

const faults = [];
const headings = new Map();

/** The anchors of a page, in GitHub's spelling. */
function anchorsOf(page) {
  if (!headings.has(page)) {
    const titles = readFileSync(page, 'utf8').matchAll(/^#+ +(.+)$/gm);
    const slug = (title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
    headings.set(page, new Set([...titles].map(([, title]) => slug(title))));
  }
  return headings.get(page);
}

function checkLink(place, target, anchor) {
  if (!existsSync(target)) faults.push(`${place}: there is no ${target}`);
  else if (anchor && target.endsWith('.md') && !anchorsOf(target).has(anchor)) {
    faults.push(`${place}: ${target} has no heading #${anchor}`);
  }
}

/** The comment in a line of code; in a block each line is assumed to begin with a star. */
function commentOf(line) {
  return /^\s*(?:\/?\*|#|--).*|(?:\/\/).*/.exec(line)?.[0] ?? '';
}

/** `further` is the next line: a citation may be broken over two lines. */
function checkLine(place, line, further) {
  const both = `${line} ${further.replace(/^\s*(?:\*|\/\/+|#|--)\s*/, '')}`;
  for (const citation of citations) {
    const found = citation.exec(both);
    if (found && found.index < line.length)
      faults.push(`${place}: cites "${found[0].trim()}", which is not in the repository`);
  }
  for (const [, target, anchor] of line.matchAll(/(?<![\w/.-])(docs\/[\w/.-]+\.md)(?:#([\w-]+))?/g)) {
    checkLink(place, target, anchor);
  }
  for (const [name] of line.matchAll(/(?<![\w/.-])[\w-]+\.md\b/g)) {
    if (!pageNames.has(name)) faults.push(`${place}: there is no page ${name}`);
  }
}

/** In tables whose last column is `Suite`: each name in it is that of a test file, `name.spec.ts` or `name.db.spec.ts`. */
function checkSuites(file, lines) {
  let isSuites = false;
  for (const [index, line] of lines.entries()) {
    isSuites = line.startsWith('|') && (isSuites || /\| Suite +\|$/.test(line));
    if (!isSuites) continue;
    for (const [, name] of line
      .split('|')
      .at(-2)
      .matchAll(/`([\w.-]+)`/g)) {
      const isSuite = (path) => new RegExp(`^${name}(?:\\.db)?\\.spec\\.tsx?$`).test(basename(path));
      if (!code.some(isSuite)) faults.push(`${file}:${index + 1}: there is no suite ${name}`);
    }
  }
}

/** In pages: links relative to the page, and paths of files and folders. A `*` matches any part of a name. */
function checkPageLine(page, place, line) {
  for (const [, target, anchor] of line.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
    checkLink(place, target === '' ? page : normalize(join(dirname(page), target)), anchor);
  }
  for (const [path] of line.matchAll(
    /(?<![@\w/.-])(?:apps|libs|tools(?!\/call|\/list)|prisma|docker)\/[\w./*-]*\w/g,
  )) {
    const part = path.split('*')[0].replace(/\/[^/]*$/, '');
    if (!existsSync(path.includes('*') ? part : path)) faults.push(`${place}: there is no ${path}`);
  }
  for (const [, name] of line.matchAll(/`([\w./-]+\.tsx?)`/g)) {
    if (!code.some((file) => `/${file}`.endsWith(`/${name}`))) faults.push(`${place}: there is no ${name}`);
  }
}

for (const file of [...pages, ...code]) {
  if (file === 'tools/lint-fixture/check-documents.mjs') continue;
  const told = file.endsWith('.md') ? (line) => line : commentOf;
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.forEach((line, index) => {
    const place = `${file}:${index + 1}`;
    checkLine(place, told(line), told(lines[index + 1] ?? ''));
    if (file.endsWith('.md')) checkPageLine(file, place, line);
  });
  if (file.endsWith('.md')) checkSuites(file, lines);
}

/** The page with numbered rules, and the numbers that test names begin with. */
const rulesPage = 'docs/protocol/reconciliation.md';
const rules = [...readFileSync(rulesPage, 'utf8').matchAll(/^\| R(\d+) +\|/gm)].map(([, number]) => number);
const tested = new Set(
  code
    .filter((file) => file.endsWith('.spec.ts'))
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^\s*(?:\bit\b.*\(|\))?\(?\s*['"`]R(\d+): /gm),
    ])
    .map(([, number]) => number),
);
if (rules.length === 0) faults.push(`${rulesPage}: numbers no rules`);
for (const [at, number] of rules.entries()) {
  if (Number(number) !== at + 1) faults.push(`${rulesPage}: R${number} stands where R${at + 1} is expected`);
  if (!tested.has(number)) faults.push(`${rulesPage}: no test has a name that begins with "R${number}: "`);
}
for (const number of tested)
  if (!rules.includes(number)) faults.push(`${rulesPage}: has no R${number}, and a test is named by it`);

/** The page of security requirements names for each the tests that show it, by file and title. */
const standard = 'docs/security/asvs.md';
readFileSync(standard, 'utf8')
  .split('\n')
  .forEach((line, index) => {
    const place = `${standard}:${index + 1}`;
    const row = /^\| ([\d.]+) +\| (\d) +\| [^|]+\| ([^|]+?) *\| ([^|]*)\|$/.exec(line);
    if (/^\| \d/.test(line) && row === null) faults.push(`${place}: is no row of a requirement`);
    const [, , , state = '', tests = ''] = row ?? [];
    if (row !== null && !/^(?:met(?:$|: .)|not met: .|does not apply: .)/.test(state))
      faults.push(`${place}: has no state, or no reason for it`);
    const named = [...tests.matchAll(/`([^`]+\.spec\.ts)` "([^"]+)"/g)];
    if (state.startsWith('met') && named.length === 0) faults.push(`${place}: names no test`);
    for (const [, file, title] of named) {
      const text = existsSync(file) ? readFileSync(file, 'utf8').replaceAll(String.raw`\'`, "'") : '';
      if (!text.includes(title)) faults.push(`${place}: ${file} has no test "${title}"`);
    }
  });

if (faults.length > 0) {
  console.error(faults.join('\n'));
  console.error(`${faults.length} citations, links or paths lead nowhere.`);
  process.exit(1);
}
console.log(`The documents hold: ${pages.length} pages and ${code.length} files, no citation leads nowhere.`);
