/**
 * Checks that an assembled folder has every package that its bundles load from node_modules, by loading each of them.
 * The bundler wrote their list (`packages.json`, tools/bundle.mjs).
 *
 *   node docker/lazy-packages.mjs FOLDER
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** Nobody installs these: what names them does without them. A line here is a decision. */
const optional = new Set([
  'pg-native',
  'class-transformer',
  'class-validator',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@valkey/valkey-glide',
]);

const packageOf = (name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

const folder = resolve(process.argv[2] ?? '');
const missing = [];
let loaded = 0;
for (const program of ['apps/cli', 'apps/sandbox']) {
  const list = join(folder, program, 'bundle/packages.json');
  if (!existsSync(list)) continue;
  const load = createRequire(list);
  for (const name of JSON.parse(readFileSync(list, 'utf8'))) {
    if (optional.has(packageOf(name))) continue;
    try {
      load(name);
      loaded += 1;
    } catch (error) {
      missing.push(`${program} loads ${name}: ${error.message.split('\n')[0]}`);
    }
  }
}
for (const line of missing) console.error(line);
console.log(`${loaded} packages are loaded from node_modules, ${missing.length} of them are missing.`);
process.exit(missing.length === 0 && loaded > 0 ? 0 : 1);
