import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { migrate } from './commands/migrate.js';
import { loadConnectors } from './load-connectors.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-connectors-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function load(...texts: readonly string[]) {
  const files = texts.map((text) => {
    const name = `./c${(count += 1)}.cjs`;
    writeFileSync(join(folder, name), text);
    return name;
  });
  return loadConnectors(files, folder);
}
const seller = (protocol: string) =>
  `exports.connectors = [{ kind: 'seller', protocol: '${protocol}', title: 'T', tools: { a: [] }, call() {} }];`;

const notices = (channel: string) =>
  `exports.connectors = [{ kind: 'notices', channel: '${channel}', title: 'C', body: () => ({}) }];`;

it('loads sellers, books and places for notices and files from files of a folder', () => {
  const books = `exports.connectors = [{ kind: 'books', system: 'sage', title: 'S', journal: () => [] }];`;
  const files = `exports.connectors = [{ kind: 'files', scheme: 'webdav', title: 'W', put() {}, get() {}, list() {} }];`;
  const loaded = load(seller('desk'), books, notices('chat'), files);
  expect(loaded).toMatchObject({
    ok: true,
    value: {
      ...{ sellers: [{ protocol: 'desk' }], books: [{ system: 'sage' }] },
      ...{ notices: [{ channel: 'chat' }], files: [{ scheme: 'webdav' }] },
    },
  });
});

it('refuses a start with one that is not there, is no connector, or takes a name that is there', () => {
  const wrong = [
    loadConnectors(['./nothing.cjs'], folder),
    loadConnectors(['no-such-package'], folder),
    load('exports.other = 1;'),
    load('exports.connectors = [];'),
    load('exports.connectors = [{ kind: "seller", protocol: "Desk!", title: "T", tools: {}, call() {} }];'),
    load('throw new Error("at its start");'),
    load(seller('mcp')),
    load(seller('netsuite')),
    load(notices('slack')),
    load(notices('mail')),
    load(`exports.connectors = [{ kind: 'notices', channel: 'chat', title: 'C' }];`),
    load(
      `exports.connectors = [{ kind: 'files', scheme: 's3', title: 'S', put() {}, get() {}, list() {} }];`,
    ),
    load(`exports.connectors = [{ kind: 'files', scheme: 'webdav', title: 'W', put() {} }];`),
    load(seller('desk'), seller('desk')),
  ];
  for (const one of wrong)
    expect(one).toMatchObject({
      ok: false,
      error: { code: 'settings', message: expect.stringMatching(/^SWITCHYARD_CONNECTORS: /) },
    });
});

it('is refused by a migration already, before it reaches the database', async () => {
  const env = {
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
    SWITCHYARD_CONNECTORS: join(folder, 'nothing.cjs'),
  };
  expect(await migrate({ env, dataDir: folder })).toMatchObject({
    error: { code: 'settings', message: expect.stringContaining('nothing.cjs cannot be loaded') },
  });
});
