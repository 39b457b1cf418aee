/**
 * Writes the next migration, or reports whether one is missing.
 *
 *   node tools/migrate/author.mjs NAME   writes prisma/migrations/<UTC time>_NAME/migration.sql
 *   node tools/migrate/author.mjs        the drift check: exits 2 and prints the SQL that is missing
 *
 * `--prisma DIR` names another folder than prisma/.
 *
 * It needs no server and no network: the existing migrations run in an in-memory PostgreSQL, and Prisma's schema engine
 * (its WebAssembly build) compares the result with prisma/schema.prisma. The engine compares only tables, columns,
 * indexes and keys, so policies, grants and functions written by hand are never reported as drift.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { databaseAfter } from './applied.mjs';
import { loadSchemaEngine } from './schema-engine.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values, positionals } = parseArgs({
  options: { prisma: { type: 'string' } },
  allowPositionals: true,
});
const prismaFolder = resolve(values.prisma ?? join(root, 'prisma'));
const schemaPath = join(prismaFolder, 'schema.prisma');
const migrationsFolder = join(prismaFolder, 'migrations');
const [name] = positionals;

if (name !== undefined && !/^[a-z][a-z0-9_]{2,60}$/.test(name)) {
  console.error('A migration is named in lower case words joined by underscores, for example: add_invoice');
  process.exit(2);
}

/** Here the statements of a file run together, as one transaction; there are no concurrent sessions. */
function withoutConcurrently(sql) {
  return /^-- outside a transaction$/m.test(sql) ? sql.replace(/\bindex concurrently\b/gi, 'index') : sql;
}

async function missingSql() {
  const migrations = readdirSync(migrationsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name: folder }) => folder)
    .sort()
    .map((folder) => ({
      name: folder,
      sql: withoutConcurrently(readFileSync(join(migrationsFolder, folder, 'migration.sql'), 'utf8')),
    }));
  const database = await databaseAfter(migrations).catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  const content = readFileSync(schemaPath, 'utf8');
  const engine = await loadSchemaEngine(content, schemaPath, new PrismaPGlite(database));
  const schema = { files: [{ path: schemaPath, content }] };
  const difference = await engine.diff({
    from: { tag: 'schemaDatasource', ...schema, configDir: root },
    to: { tag: 'schemaDatamodel', ...schema },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  await database.close();
  return difference.exitCode === 0 ? '' : (difference.stdout ?? '');
}

const sql = await missingSql();
if (name === undefined) {
  if (sql === '') console.error('schema.prisma and the migrations agree');
  else {
    console.error('schema.prisma and the migrations differ; the missing SQL:');
    console.log(sql);
    process.exit(2);
  }
} else {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(migrationsFolder, `${stamp}_${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'migration.sql'), sql === '' ? '-- Written by hand.\n' : sql);
  writeFileSync(join(migrationsFolder, 'migration_lock.toml'), 'provider = "postgresql"\n');
  console.error(`${join(folder, 'migration.sql')}${sql === '' ? ' (empty: the schema did not change)' : ''}`);
}
