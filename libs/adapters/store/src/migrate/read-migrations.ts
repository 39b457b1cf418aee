import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  /** Name of the folder: sorts by time. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal, as in Prisma's migration table. */
  readonly checksum: string;
  /**
   * `-- runs with: NAME` in the file: versions of the product whose newest migration is NAME or a later one still work
   * after this migration. Absent: only versions that have this migration do.
   */
  readonly runsWith?: string;
  /**
   * `-- replaces all until: NAME` in the file: it is one of those that replace NAME and all before it. A database with
   * NAME already has what they would make.
   */
  readonly replaces?: string;
  /** `-- outside a transaction` in the file: its statements only build or drop indexes concurrently. */
  readonly isConcurrent?: boolean;
}

/** All migrations of prisma/migrations, oldest first. */
export function readMigrations(folder: string = migrationsFolder()): readonly Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name, 'migration.sql'));
      const sql = bytes.toString('utf8');
      return {
        name,
        sql,
        checksum: createHash('sha256').update(bytes).digest('hex'),
        ...readDirectives(sql),
      };
    });
}

/** Reads the directives in the comments of a migration. */
export function readDirectives(sql: string): Pick<Migration, 'runsWith' | 'replaces' | 'isConcurrent'> {
  const runsWith = /^-- runs with: (\S+)$/m.exec(sql)?.[1];
  const replaces = /^-- replaces all until: (\S+)$/m.exec(sql)?.[1];
  return {
    ...(runsWith === undefined ? {} : { runsWith }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(/^-- outside a transaction$/m.test(sql) ? { isConcurrent: true } : {}),
  };
}

/** Searches upwards from this file, because it runs from src in tests and from dist otherwise. */
function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'prisma/migrations'))) {
    if (dirname(folder) === folder) throw new Error('prisma/migrations is not above the store library.');
    folder = dirname(folder);
  }
  return join(folder, 'prisma/migrations');
}
