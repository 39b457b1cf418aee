// Counts, from the files as they are, how the house is built. `npm run figures` prints them; docs/architecture.md has those of
// the last run beside the goals. What the lint refuses (imports against the table, circles of files) is not counted again.
import { readFileSync } from 'node:fs';
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

const models = /\b(?:models|tx|client)\.\w+\.(?:find\w+|create\w*|update\w*|upsert|delete\w*|count)\(/g;
const inModels = store.filter(({ text }) => text.includes('inTenantModels') || text.includes('.models'));
const byPrisma =
  count(store, models) +
  count(inModels, /(?<!models)\b[a-z]+_?[a-z]*\.(?:findFirst|findMany|createMany|upsert)\(/g);
const declared = store.filter(({ file }) => file.endsWith('.list.ts')).length;
const texts = count(store, /[`'(]\s*(?:select|insert into|update|delete from|with)\s/g);

const rows = [
  ['Capabilities of the server, each with what it may import', Object.keys(mayImport).length],
  ['Modules of Nest', modules.length],
  [
    'Admin rows, each served by a controller of Nest',
    count(rowFiles, /\broute\(\{/g) + count(rowFiles, /\bresource\(/g),
  ],
  ['Transactions of a tenant opened in the server', count(server, /\binTenant\(/g)],
  ['Declared lists', declared],
  ['Statements by Prisma (calls)', byPrisma],
  ['Statements by text (at most)', texts],
  ['Casts of a row to a model', count(store, /\bas unknown as\b/g)],
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
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${String(value).padStart(8)}`);
