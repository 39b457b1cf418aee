import { Blob } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';

// V8's optimising compiler would take more than half of a check, for code that then runs a second or two.
setFlagsFromString('--liftoff-only');

/** A database is kept for later calls if at least so many migrations had to be applied to it. */
const worthKeeping = 10;
const prefix = `switchyard-applied-${String(process.getuid?.() ?? 0)}-`;
const dayMs = 86_400_000;

/**
 * An in-memory PostgreSQL to which the migrations were applied, in this order. Applying all of them takes most of the time
 * of a check, so the result is kept in the temporary folder, and a later call applies what came after it. Rejects with
 * the name of a migration that cannot be applied.
 */
export async function databaseAfter(migrations) {
  const names = namesAfterEach(migrations);
  const known = names.findLastIndex((name) => isOurs(join(tmpdir(), name)));
  const kept = known < 0 ? undefined : new Blob([readFileSync(join(tmpdir(), names[known]))]);
  const database = await PGlite.create(kept === undefined ? {} : { loadDataDir: kept });
  // As in the runner: functions may call each other in any order.
  await database.exec('set check_function_bodies = off');
  const later = migrations.slice(known + 1);
  for (const { name, sql } of later)
    await database.exec(sql).catch((error) => {
      throw new Error(`${name} cannot be applied: ${error.message}`);
    });
  if (later.length >= worthKeeping) await keep(database, join(tmpdir(), names.at(-1)));
  return database;
}

/** The name of what is kept after each migration: it changes with the text of this one and of all before it. */
function namesAfterEach(migrations) {
  const hash = createHash('sha256').update(
    readFileSync(new URL(import.meta.resolve('@electric-sql/pglite'))),
  );
  return migrations.map(({ name, sql }) => {
    hash.update(`${name}:${String(sql.length)}:${sql}`);
    return `${prefix}${hash.copy().digest('hex').slice(0, 24)}`;
  });
}

/** Complete, and not put there by another user of this machine. */
function isOurs(place) {
  return statSync(place, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? 0);
}

/** Stores it, renamed when it is complete, and removes what is older than two days. */
async function keep(database, place) {
  const draft = mkdtempSync(`${place}-`);
  const dump = await database.dumpDataDir('none');
  writeFileSync(join(draft, 'kept'), Buffer.from(await dump.arrayBuffer()), { mode: 0o600 });
  renameSync(join(draft, 'kept'), place);
  rmSync(draft, { recursive: true });
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const at = statSync(join(tmpdir(), name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - at > 2 * dayMs) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
