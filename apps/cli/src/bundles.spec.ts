import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
let checkout: string;

/** A checkout in small, with the real builder: two programs, a library that one of them runs, a thread, and a package of npm's. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'switchyard-bundles-'));
  for (const tool of ['build.mjs', 'bundle.mjs', 'console.mjs', 'load-compiled.mjs'])
    cpSync(join(root, 'tools', tool), join(checkout, 'tools', tool));
  mkdirSync(join(checkout, 'node_modules/@switchyard'), { recursive: true });
  for (const compiler of ['@swc', 'esbuild', '@esbuild'])
    symlinkSync(join(root, 'node_modules', compiler), join(checkout, 'node_modules', compiler));
  symlinkSync('../../libs/domain/one', join(checkout, 'node_modules/@switchyard/one'));
  install('old package');
  put('package.json', '{ "type": "module" }');
  put('libs/domain/one/package.json', '{ "type": "module", "exports": "./dist/index.js" }');
  put('libs/domain/one/src/index.ts', `export const library: string = 'old library';`);
  put('libs/testing/src/index.ts', 'export const nobody: string = "runs it";');
  put('apps/sandbox/src/main.ts', 'process.exitCode = 0;');
  put(
    'apps/cli/src/index.ts',
    `import { library } from '@switchyard/one';
     import packaged from 'packaged';
     console.log([library, packaged].join(', '));
     if (process.argv[2] === 'later') console.log((await import('./later.js')).later);
     if (process.argv[2] === 'up') console.log((await import('./up/of-server.js')).served);`,
  );
  put('apps/cli/src/up/of-server.ts', `export const served: string = 'old server';`);
  put('libs/adapters/store/src/ledger/verify-worker.ts', 'export {};');
  put('libs/adapters/tables/src/table-worker.ts', 'export {};');
  put('apps/cli/src/later.ts', `export const later: string = 'old later';`);
  build();
});

afterEach(() => {
  rmSync(checkout, { recursive: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

/** As npm leaves it: the package, and then the list of what is installed, which is newer than what was built before. */
function install(says: string, at = new Date(0)): void {
  put('node_modules/packaged/package.json', '{ "main": "index.cjs" }');
  put('node_modules/packaged/index.cjs', `require('node:fs'); module.exports = '${says}';`);
  put('node_modules/.package-lock.json', '{}');
  utimesSync(join(checkout, 'node_modules/.package-lock.json'), at, at);
}

function build(): void {
  const ran = spawnSync(process.execPath, [join(checkout, 'tools/build.mjs')], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
}

function says(...args: readonly string[]): readonly string[] {
  const ran = spawnSync(process.execPath, [join(checkout, 'apps/cli/bundle/index.js'), ...args], {
    encoding: 'utf8',
  });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return ran.stdout.trim().split('\n');
}

describe('The code that a program runs', () => {
  it('comes from the newest sources, including lazy imports and libraries', () => {
    expect(says('later')).toEqual(['old library, old package', 'old later']);
    put('libs/domain/one/src/index.ts', `export const library: string = 'new library';`);
    build();
    expect(says('later')).toEqual(['new library, old package', 'old later']);
    put('apps/cli/src/later.ts', `export const later: string = 'new later';`);
    build();
    expect(says('later')).toEqual(['new library, old package', 'new later']);
  });

  it('uses the packages that were installed last', () => {
    install('new package', new Date(Date.now() + 60_000));
    build();
    expect(says()).toEqual(['old library, new package']);
  });

  it('contains no leftover of an earlier build', () => {
    const before = readdirSync(join(checkout, 'apps/cli/bundle'));
    put('apps/cli/src/later.ts', `export const later: string = 'new later';`);
    build();
    const after = readdirSync(join(checkout, 'apps/cli/bundle'));
    expect(after).toHaveLength(before.length);
    expect(after.filter((name) => !before.includes(name))).toHaveLength(1);
  });

  it('is compiled at the first start, and again when the source changes without changing its length', () => {
    const compiled = (): readonly string[] =>
      readdirSync(join(checkout, 'apps/cli/bundle')).filter((name) => name.endsWith('.compiled'));
    const madeAt = (name: string): number => statSync(join(checkout, 'apps/cli/bundle', name)).mtimeMs;
    expect(compiled()).toEqual([]);
    says('up');
    const [first = ''] = compiled();
    const at = madeAt(first);
    expect(says('up')).toEqual(['old library, old package', 'old server']);
    expect(madeAt(first)).toBe(at);
    put('apps/cli/src/up/of-server.ts', `export const served: string = 'new server';`);
    build();
    expect(compiled()).toEqual([]);
    expect(says('up')).toEqual(['old library, old package', 'new server']);
    expect(compiled()).toHaveLength(1);
  });

  it('is not bundled again after a change to a file that only tests use', () => {
    put('apps/cli/bundle/index.js', 'console.log("still the same");');
    put('libs/testing/src/index.ts', 'export const nobody: string = "runs this either";');
    build();
    expect(says()).toEqual(['still the same']);
  });

  it('comes from the newest sources when another builder changes them during bundling', () => {
    const newest = `export const library: string = 'newest library';`;
    meanwhile('esbuild', 'build', [
      `writeFileSync(${inCheckout('libs/domain/one/src/index.ts')}, ${JSON.stringify(newest)});`,
      `spawnSync(process.execPath, [${inCheckout('tools/build.mjs')}]);`,
    ]);
    put('libs/domain/one/src/index.ts', `export const library: string = 'new library';`);
    build();
    expect(says()).toEqual(['newest library, old package']);
  });

  it('comes from the newest sources when another builder bundles before they are compiled', () => {
    meanwhile('@swc/core', 'transformFile', [
      `const { bundlePrograms } = await import(${inCheckout('tools/bundle.mjs')});`,
      `await bundlePrograms(${inCheckout('.')});`,
    ]);
    put('libs/domain/one/src/index.ts', `export const library: string = 'new library';`);
    build();
    expect(says()).toEqual(['new library, old package']);
  });
});

const inCheckout = (path: string): string => JSON.stringify(join(checkout, path));

/** Lets a tool of the builder give back its first piece of work only after something else has happened. */
function meanwhile(tool: string, work: string, happens: readonly string[]): void {
  rmSync(join(checkout, 'node_modules', tool.split('/')[0] ?? ''));
  const place = join('node_modules', tool);
  put(join(place, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  put(
    join(place, 'index.js'),
    `import { spawnSync } from 'node:child_process';
     import { existsSync, writeFileSync } from 'node:fs';
     import { createRequire } from 'node:module';
     const real = createRequire(${JSON.stringify(join(root, 'package.json'))})(${JSON.stringify(tool)});
     export async function ${work}(...args) {
       const done = await real.${work}(...args);
       if (existsSync(${inCheckout('once')})) return done;
       writeFileSync(${inCheckout('once')}, '');
       ${happens.join('\n')}
       return done;
     }`,
  );
}
