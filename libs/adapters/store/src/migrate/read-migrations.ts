import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  /** The folder's name: sorts by time. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal, as Prisma's own ledger keeps it. */
  readonly checksum: string;
}

/** All migrations of prisma/migrations, oldest first. */
export function readMigrations(folder: string = migrationsFolder()): readonly Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name, 'migration.sql'));
      return {
        name,
        sql: bytes.toString('utf8'),
        checksum: createHash('sha256').update(bytes).digest('hex'),
      };
    });
}

/** Looks upwards from this file, because it runs from src in tests and from dist otherwise. */
function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'prisma/migrations'))) {
    if (dirname(folder) === folder) throw new Error('prisma/migrations is not above the store library.');
    folder = dirname(folder);
  }
  return join(folder, 'prisma/migrations');
}
