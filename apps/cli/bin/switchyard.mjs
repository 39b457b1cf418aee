#!/usr/bin/env node
/**
 * The command. Plain JavaScript, so that it runs in a fresh checkout: if something is not built yet, or was changed
 * since, it has it built by a child process (whose memory goes with it) and then runs the built code.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`switchyard needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const builder = join(root, 'tools/build.mjs');
const command = join(root, 'apps/cli/bundle/index.js');
const roots = ['libs/domain', 'libs/adapters', 'libs/connectors', 'libs', 'apps', 'apps/e2e'];

const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** An output carries the time of its source, as the builder puts it there; a file system may drop a fraction of it. */
const isCurrent = (output, source) => Math.abs(modifiedAt(output) - modifiedAt(source)) <= 1;

function isStale(src, dist) {
  return readdirSync(src, { withFileTypes: true }).some((entry) => {
    const from = join(src, entry.name);
    if (entry.isDirectory()) return entry.name !== 'testkit' && isStale(from, join(dist, entry.name));
    if (!entry.name.endsWith('.ts') || /\.(spec|d)\.ts$/.test(entry.name)) return false;
    return !isCurrent(join(dist, entry.name.replace(/\.ts$/, '.js')), from);
  });
}

/** The console is bundled as a whole: it is stale when anything of it is newer than the note of its last build. */
function isConsoleStale() {
  const folder = join(root, 'apps/console');
  if (!existsSync(join(folder, 'vite.config.mjs'))) return false;
  const built = modifiedAt(join(folder, 'dist/made-of.txt'));
  const isNewer = (path) =>
    statSync(path).isDirectory()
      ? readdirSync(path).some((name) => name !== 'generated' && isNewer(join(path, name)))
      : modifiedAt(path) > built;
  return ['src', 'public', 'index.html', 'vite.config.mjs', 'package.json'].some((name) =>
    isNewer(join(folder, name)),
  );
}

function needsBuild() {
  if (!existsSync(command)) return true;
  const schema = join(root, 'prisma/schema.prisma');
  const client = join(root, 'libs/adapters/store/src/generated/client.ts');
  if (modifiedAt(client) <= modifiedAt(schema)) return true;
  if (isConsoleStale()) return true;
  return roots
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((folder) => folder !== join(root, 'apps/console'))
    .some((folder) => existsSync(join(folder, 'src')) && isStale(join(folder, 'src'), join(folder, 'dist')));
}

// Without the builder this is an installation of built code, and what is there is what runs. Suites, which build once
// before they begin, say so: looking at all sources is a third of what a short command costs.
if (process.env['IS_BUILT'] !== 'true' && existsSync(builder) && needsBuild()) {
  const built = spawnSync(process.execPath, [builder], { stdio: ['ignore', 2, 2], cwd: root });
  if (built.status !== 0) {
    console.error('switchyard could not be built; what went wrong stands above.');
    process.exit(1);
  }
}

const { main } = await import('../bundle/index.js');
process.exitCode = await main(process.argv.slice(2));
// What would not close by then keeps nobody waiting.
setTimeout(() => process.exit(), 1_000).unref();
