/**
 * Compiles every package's `src` into its `dist`, file by file, if the source differs from the one that its output was
 * made from: an output has the modification time of its source from before it was read.
 *
 * It does not check types (`npm run typecheck` does): one SWC pass over the whole workspace takes well under a second,
 * so the command line can run it before every start. Outputs without a source are removed, because a stale file in
 * `dist` could still be imported. Changed programs are then bundled.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areBundlesCurrent, bundlePrograms, dropBundles } from './bundle.mjs';
import { buildConsole } from './console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tolerant = process.argv.includes('--tolerant');
const packageFolders = [
  'libs/domain/*',
  'libs/adapters/*',
  'libs/connectors/*',
  'libs/testing',
  'apps/server',
  'apps/sandbox',
  'apps/cli',
  'apps/e2e/*',
];
const swcOptions = {
  swcrc: false,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};

function foldersOf(pattern) {
  if (!pattern.endsWith('/*')) return existsSync(join(root, pattern)) ? [pattern] : [];
  const parent = pattern.slice(0, -2);
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(parent, entry.name));
}

function filesBelow(folder, wanted, found = []) {
  if (!existsSync(folder)) return found;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) filesBelow(path, wanted, found);
    else if (wanted(entry.name)) found.push(path);
  }
  return found;
}

/** Code for tests alone is in no bundle. */
const isOfPrograms = (source) => !/^(libs\/testing|apps\/e2e)\//.test(relative(root, source));

const modifiedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Prisma's client is generated again when the schema is newer. The CLI requires an engine binary that it never runs. */
function generateClient() {
  const schema = join(root, 'prisma/schema.prisma');
  const output = join(root, 'libs/adapters/store/src/generated/client.ts');
  if (!existsSync(schema) || modifiedAt(output) > modifiedAt(schema)) return;
  const run = spawnSync(process.execPath, [join(root, 'node_modules/prisma/build/index.js'), 'generate'], {
    cwd: root,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`prisma generate failed:\n${run.stdout}\n${run.stderr}`);
}

/**
 * The routes' types in the client, the console and the pictures, and the commands of lists, are generated from the server's own
 * description. Returns true if they were written.
 */
function generateRoutes(sources) {
  const output = join(root, 'libs/adapters/client/src/generated/routes.d.ts');
  const copies = ['apps/console', 'apps/e2e/browser'].map((of) =>
    join(root, of, 'src/generated/routes.d.ts'),
  );
  const lists = join(root, 'apps/cli/src/generated/lists.ts');
  const describes = /^(apps\/server|libs\/adapters\/store|libs\/domain\/(protocol|tenancy))\//;
  const isCurrent =
    existsSync(output) &&
    modifiedAt(lists) > modifiedAt(join(root, 'tools/client.mjs')) &&
    copies.every((copy) => existsSync(copy)) &&
    !sources.some((source) => describes.test(relative(root, source)));
  if (isCurrent || !existsSync(join(root, 'apps/server/dist/main/openapi.js'))) return false;
  const run = spawnSync(process.execPath, [join(root, 'tools/client.mjs')], { cwd: root, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`The routes could not be described:\n${run.stdout}\n${run.stderr}`);
  for (const copy of copies) {
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(output, copy);
  }
  return true;
}

/** Links packages of this workspace that came after npm has installed: without its link a package is not found. */
function linkPackages() {
  const folder = join(root, 'node_modules/@switchyard');
  if (!existsSync(folder)) return;
  for (const path of packageFolders.flatMap(foldersOf)) {
    const manifest = join(root, path, 'package.json');
    if (!existsSync(manifest)) continue;
    const name = JSON.parse(readFileSync(manifest, 'utf8')).name?.split('/')[1];
    if (name === undefined) continue;
    const link = join(folder, name);
    if (!existsSync(link)) symlinkSync(relative(folder, join(root, path)), link);
  }
}

async function compile() {
  const { transformFile } = await import('@swc/core');
  const jobs = [];
  for (const folder of packageFolders.flatMap(foldersOf)) {
    const src = join(root, folder, 'src');
    const dist = join(root, folder, 'dist');
    const sources = filesBelow(
      src,
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.endsWith('.d.ts'),
    ).filter((file) => !file.includes('/testkit/'));
    const outputs = new Set();
    for (const source of sources) {
      const output = join(dist, relative(src, source)).replace(/\.ts$/, '.js');
      outputs.add(output);
      outputs.add(`${output}.map`);
      const made = modifiedAt(source);
      if (Math.abs(modifiedAt(output) - made) > 1) jobs.push({ source, output, made });
    }
    for (const stale of filesBelow(dist, (name) => name.endsWith('.js') || name.endsWith('.map'))) {
      if (!outputs.has(stale)) rmSync(stale);
    }
  }
  const isForPrograms = jobs.some(({ source }) => isOfPrograms(source));
  if (isForPrograms) dropBundles(root);
  await Promise.all(
    jobs.map(async ({ source, output, made }) => {
      const { code, map } = await transformFile(source, { ...swcOptions, filename: source });
      mkdirSync(dirname(output), { recursive: true });
      if (map) writeFileSync(`${output}.map`, map);
      // Written atomically, with the modification time of the source as read: a source that is written meanwhile is
      // then newer or older than its output, never equal, and is compiled again.
      const draft = `${output}.${process.pid}`;
      writeFileSync(draft, `${code}\n//# sourceMappingURL=${output.split('/').pop()}.map\n`);
      utimesSync(draft, made / 1000, made / 1000);
      renameSync(draft, output);
    }),
  );
  if (isForPrograms) dropBundles(root);
  return jobs.map(({ source }) => source);
}

try {
  generateClient();
  linkPackages();
  if (!process.argv.includes('--generate-only')) {
    const compiled = await compile();
    if (generateRoutes(compiled)) await compile();
    if (!areBundlesCurrent(root)) await bundlePrograms(root);
    await buildConsole(root);
    if (process.stdout.isTTY && compiled.length > 0) console.error(`built ${compiled.length} files`);
  }
} catch (error) {
  // `npm ci --omit=dev` runs `prepare` without the compilers: then the earlier build is used.
  if (tolerant && error?.code === 'ERR_MODULE_NOT_FOUND') process.exit(0);
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
