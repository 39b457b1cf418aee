import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const bin = join(import.meta.dirname, '../bin/switchyard.mjs');
const program = 'export const main = () => Promise.resolve(0);';
const written = new Date('2026-03-01T10:00:00.123Z');
let checkout: string;

/** A checkout in small: one package, and a builder that leaves a note that it was called, and a bundle. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'switchyard-checkout-'));
  for (const folder of ['libs/domain', 'libs/adapters', 'apps/e2e'])
    mkdirSync(join(checkout, folder), { recursive: true });
  mkdirSync(join(checkout, 'apps/cli/bin'), { recursive: true });
  cpSync(bin, join(checkout, 'apps/cli/bin/switchyard.mjs'));
  put(
    'tools/build.mjs',
    `import { writeFileSync } from 'node:fs';
     writeFileSync('called', '');
     writeFileSync('apps/cli/bundle/index.js', '${program}');`,
  );
  put('apps/cli/src/index.ts', '');
  put('apps/cli/dist/index.js', '');
  put('apps/cli/bundle/index.js', program);
});

afterEach(() => {
  rmSync(checkout, { recursive: true });
});

function put(path: string, text: string, at = written): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
  utimesSync(join(checkout, path), at, at);
}

/** Runs the command; whether it had anything built first. */
function startsABuild(): boolean {
  const ran = spawnSync(process.execPath, [join(checkout, 'apps/cli/bin/switchyard.mjs')], {
    encoding: 'utf8',
  });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return existsSync(join(checkout, 'called'));
}

describe('The command in a checkout', () => {
  it.each([
    {
      what: 'runs what is built where every output carries the time of its source',
      at: written,
      builds: false,
    },
    { what: 'has a newer source built', at: new Date(written.getTime() + 5_000), builds: true },
    { what: 'has a source built that an older one was put in the place of', at: new Date(0), builds: true },
  ])('$what', ({ at, builds }) => {
    // The client is made of the schema, and is current when it is the newer of the two.
    put('prisma/schema.prisma', '', new Date(0));
    put('libs/adapters/store/src/generated/client.ts', '');
    put('libs/adapters/store/dist/generated/client.js', '');
    put('libs/domain/one/src/noun.ts', '', at);
    put('libs/domain/one/dist/noun.js', '');
    expect(startsABuild()).toBe(builds);
  });

  it('builds a source that has no output', () => {
    put('libs/adapters/store/src/generated/client.ts', '');
    put('libs/adapters/store/dist/generated/client.js', '');
    put('libs/domain/one/src/noun.ts', '');
    expect(startsABuild()).toBe(true);
  });

  it('bundles everything again if a builder removed the bundle and died', () => {
    put('libs/adapters/store/src/generated/client.ts', '');
    put('libs/adapters/store/dist/generated/client.js', '');
    rmSync(join(checkout, 'apps/cli/bundle/index.js'));
    expect(startsABuild()).toBe(true);
  });
});

describe('The text of a bundle that is loaded with compiled code', () => {
  it.each(['cli', 'sandbox'])('is ASCII, as its loader reads it: %s', (app) => {
    const folder = join(import.meta.dirname, '../..', app, 'bundle');
    const texts = readdirSync(folder).filter((name) => name.endsWith('.cjs'));
    expect(texts).not.toEqual([]);
    for (const name of texts) {
      const bytes = readFileSync(join(folder, name));
      const at = bytes.findIndex((byte) => byte > 0x7f);
      expect([name, bytes.subarray(at - 40, at < 0 ? 0 : at + 40).toString()]).toEqual([name, '']);
    }
  });
});
