// Counts, from the files as they are, how the house is built. `npm run figures` prints them; docs/architecture.md has those of
// the last run beside the goals. `npm run figures -- --run` also counts the files that run for two requests, in a running instance.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { mayImport } from './lint-fixture/server-modules.mjs';

const files = execFileSync('git', ['ls-files', '-z', 'apps', 'libs'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.tsx?$/.test(file));
const isProduct = (file) =>
  !/\.spec\.tsx?$|\/testkit\/|\/conformance\/|^apps\/e2e\/|^libs\/testing\//.test(file);
const product = files.filter(isProduct).map((file) => ({ file, text: readFileSync(file, 'utf8') }));

const under = (folder) => product.filter(({ file }) => file.startsWith(folder));
const count = (parts, pattern) =>
  parts.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
const linesOf = (parts) => count(parts, /\n/g);

const server = under('apps/server/src/');
const store = under('libs/adapters/store/src/');
const rowFiles = server.filter(({ file }) => file.endsWith('.routes.ts'));
const modules = server.filter(({ file }) => file.endsWith('.module.ts'));

// A call is `MODEL.findFirst(...)`, whether the model stands alone or after `models.`. A statement begins its text.
const tables = [...readFileSync('prisma/schema.prisma', 'utf8').matchAll(/^model (\w+)/gm)].map(
  ([, name]) => name,
);
const calls =
  '(?:find(?:First|Many)|create(?:Many(?:AndReturn)?)?|update(?:Many(?:AndReturn)?)?|upsert|delete(?:Many)?|count|aggregate|groupBy)';
const byPrisma = count(store, new RegExp(`\\b(?:${tables.join('|')})\\.${calls}\\(`, 'g'));
const declared = store.filter(({ file }) => file.endsWith('.list.ts')).length;
const texts = count(store, /[`'"]\s*(?:select\b|insert into\s|update\s|delete from\s|with\s\w+ as\b)/g);
/** A declaration without what stands in its braces. */
function withoutMembers(text) {
  const less = text.replaceAll(/\{[^{}]*\}/g, '');
  return less === text ? text : withoutMembers(less);
}

/** Types of rows of statements. One is made of a generated model if it, or a type that it is made of, names the model. */
const rowTypes = new Map();
for (const { file, text } of store.filter((part) => !part.file.includes('/src/core/')))
  for (const [declaration, name] of text.matchAll(
    /^(?:export )?(?:interface (\w*Row)\b[\s\S]*?^\}|type \w*Row\b[^=;]*=[\s\S]*?;$(?!\n +\S|\n\}))/gm,
  )) {
    const own = name ?? /type (\w+)/.exec(declaration)[1];
    rowTypes.set(`${file} ${own}`, { file, own, of: withoutMembers(declaration) });
  }
const isOfModel = ({ file, own, of }) =>
  /Model\b/.test(of) ||
  [...of.matchAll(/\b\w+Row\b/g)].some(([name]) => {
    const found = rowTypes.get(`${file} ${name}`) ?? [...rowTypes.values()].find((one) => one.own === name);
    return name !== own && found !== undefined && isOfModel(found);
  });
const rowsByHand = [...rowTypes.values()].filter((one) => !isOfModel(one)).length;

/** The product's files that each file imports, types too. */
const known = new Set(product.map(({ file }) => file));
const imports = new Map(
  product.map(({ file, text }) => [
    file,
    [...text.matchAll(/\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g)].flatMap(([, plain, late]) => {
      const path = join(dirname(file), plain ?? late).replace(/\.js$/, '');
      return [`${path}.ts`, `${path}.tsx`].filter((target) => known.has(target));
    }),
  ]),
);

/** Circles: groups of files each of which leads to all others of its group (Tarjan). */
function circles() {
  const [order, low, open, found] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    open.push(file);
    for (const next of imports.get(file)) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** Imports of the server against its table of capabilities, or past the `index.ts` of one. */
const capabilityOf = (file) => /^apps\/server\/src\/([^/]+)\//.exec(file)?.[1];
const forbidden = [...imports].flatMap(([file, targets]) => {
  const own = capabilityOf(file);
  if (own === undefined || own === 'main') return [];
  return targets.filter((target) => {
    const other = capabilityOf(target);
    if (other === undefined || other === own || other === 'platform') return false;
    return !(mayImport[own] ?? []).includes(other) || !target.endsWith(`/${other}/index.ts`);
  });
});

/** Files that somebody writes, specs too, and no record that a command writes (`*.txt`), that name one thing. */
const naming = (pattern) => {
  const where = ['apps', 'libs', 'prisma/schema.prisma', ':!*.txt'];
  const found = execFileSync('git', ['grep', '-lE', pattern, '--', ...where], { encoding: 'utf8' });
  return found.split('\n').filter(Boolean).length;
};
const ofLists = declared + count(rowFiles, /\blistPage\(/g);
const share = (part) => `${Math.round((100 * part) / (byPrisma + declared + texts))} %`;

const rows = [
  ['Capabilities of the server, each with what it may import', Object.keys(mayImport).length],
  ['Modules of Nest', modules.length],
  [
    'Admin rows, each served by a controller of Nest',
    count(rowFiles, /\broute\(\{/g) + count(rowFiles, /\bresource\(/g),
  ],
  ['Imports of the server against its table', forbidden.length],
  ['Circles of files', circles().length],
  ['Transactions of a tenant opened in the server', count(server, /\binTenant\(/g)],
  ['Declared lists', declared],
  ['Lists of the admin API, declared and by hand', ofLists],
  ['Statements by Prisma (calls)', byPrisma],
  ['Statements by text', texts],
  ['Shares: Prisma, declared lists, text', [byPrisma, declared, texts].map(share).join(', ')],
  [
    'Files that name one declared list with two acts (endpoints of notices)',
    naming('endpointList|endpointRoutes|notice_endpoint|list_endpoints'),
  ],
  [
    'Files that name one filter of a declared list (domain of brands)',
    naming("domain: \\{ sql: 'b.domain'|^  --domain <domain>$"),
  ],
  ['Types of rows, of these by hand', `${rowTypes.size}, ${rowsByHand}`],
  ['Casts of a row to a model', count(store, /\brows?\b[^;\n]* as unknown as\b/g)],
  ['Lines of product: server', linesOf(server)],
  ['Lines of product: libraries', linesOf(under('libs/'))],
  ['Lines of product: command line', linesOf(under('apps/cli/'))],
  ['Lines of product: console', linesOf(under('apps/console/'))],
  ['Lines of product, all', linesOf(product)],
  [
    'Lines of specs and test helpers',
    files
      .filter((file) => !isProduct(file))
      .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0),
  ],
];
if (process.argv.includes('--rows'))
  for (const one of rowTypes.values()) if (!isOfModel(one)) console.log(one.file, one.own);
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${String(value).padStart(8)}`);

if (process.argv.includes('--run')) await import('./files-run.mjs');
