/**
 * Checks that the repository explains itself. No file may cite a document that a reader of the repository does not
 * have, every link to a page has to lead to a file and a heading, every path that a page names has to be there, and every
 * numbered rule has to have a test whose name begins with its number.
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

/** Ways to cite a document by its number or its part, which no page of this repository is called by. */
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

/** The anchors of a page, spelled as GitHub spells them. */
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

/** What of a line of code is a comment; a block is taken to begin each of its lines with a star. */
function commentOf(line) {
  return /^\s*(?:\/?\*|#|--).*|(?:\/\/).*/.exec(line)?.[0] ?? '';
}

/** `further` is the line below: a citation may be broken over two lines. */
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

/** In pages: links from where the page is, and paths of files and folders. A `*` stands for any part of a name. */
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
}

for (const file of [...pages, ...code]) {
  if (file === 'tools/lint-fixture/check-documents.mjs') continue;
  const told = file.endsWith('.md') ? (line) => line : commentOf;
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, index, lines) => {
      const place = `${file}:${index + 1}`;
      checkLine(place, told(line), told(lines[index + 1] ?? ''));
      if (file.endsWith('.md')) checkPageLine(file, place, line);
    });
}

/** The rules that the page numbers, and the numbers that names of tests begin with. */
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

if (faults.length > 0) {
  console.error(faults.join('\n'));
  console.error(`${faults.length} citations, links or paths lead nowhere.`);
  process.exit(1);
}
console.log(`The documents hold: ${pages.length} pages and ${code.length} files, no citation leads nowhere.`);
