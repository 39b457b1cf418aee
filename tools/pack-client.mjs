/**
 * `node tools/pack-client.mjs FOLDER`
 *
 * Writes `@switchyard/client` as a file for npm into FOLDER: one module without dependencies, with its types. Prints the
 * name of the file. It publishes nothing.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'libs/adapters/client');
const target = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-client-'));

function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

try {
  await build({
    entryPoints: [join(source, 'src/index.ts')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  });
  run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...[
      join(source, 'src/index.ts'),
      '--outDir',
      folder,
      '--declaration',
      '--emitDeclarationOnly',
      '--strict',
    ],
    ...[
      '--target',
      'es2022',
      '--lib',
      'es2023',
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
      '--skipLibCheck',
    ],
    ...['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')],
  ]);
  mkdirSync(join(folder, 'generated'), { recursive: true });
  copyFileSync(join(source, 'src/generated/routes.d.ts'), join(folder, 'generated/routes.d.ts'));
  for (const name of ['README.md', '../../../LICENSE', '../../../NOTICE'])
    copyFileSync(join(source, name), join(folder, name.split('/').at(-1)));
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  const manifest = {
    ...{ name, version, description, license, type: 'module', sideEffects: false },
    engines: { node: '>=20.19' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  mkdirSync(target, { recursive: true });
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', target], folder));
  console.log(join(target, filename));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
