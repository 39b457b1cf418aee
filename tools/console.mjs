import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const madeOf = ['src', 'public', 'index.html', 'vite.config.mjs', 'package.json'];

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== 'generated' && !/\.spec\.tsx?$/.test(name))
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

/** The inputs of a build: its sources, the versions of all packages, and this file. */
function fingerprint(root, folder) {
  const hash = createHash('sha256');
  const sources = madeOf.flatMap((name) => filesOf(join(folder, name)));
  for (const file of [...sources, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)])
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/**
 * Builds the console with Vite into `apps/console/dist`, unless the existing build has the same inputs. A build is put
 * in place atomically, so that a server never serves half of one, and two builders do not disturb each other.
 */
export async function buildConsole(root) {
  const folder = join(root, 'apps/console');
  const dist = join(folder, 'dist');
  const note = join(dist, 'made-of.txt');
  if (!existsSync(join(folder, 'vite.config.mjs'))) return;
  const wanted = fingerprint(root, folder);
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) {
    // The command compares only times: this spares it another check.
    const now = new Date();
    utimesSync(note, now, now);
    return;
  }
  const { build } = await import('vite');
  const draft = join(folder, `dist.${process.pid}.${randomUUID()}`);
  try {
    await build({ configFile: join(folder, 'vite.config.mjs'), build: { outDir: draft } });
    const reference = join(root, 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js');
    // Packages that were installed before it was taken do not hold it: then there is no page /reference.
    if (existsSync(reference)) copyFileSync(reference, join(draft, 'reference.js'));
    writeFileSync(join(draft, 'made-of.txt'), wanted);
    const old = `${draft}.old`;
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(draft, dist);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
    for (const left of readdirSync(dirname(dist)).filter((name) => name.startsWith(`dist.${process.pid}.`)))
      rmSync(join(folder, left), { recursive: true, force: true });
  }
}
