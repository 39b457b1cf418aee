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
  /**
   * `-- runs with: NAME` in the file: versions of the product whose newest migration is NAME or a later one go on working
   * after this one. Absent: only versions that know this migration do.
   */
  readonly runsWith?: string;
  /**
   * `-- replaces all until: NAME` in the file: it is one of those that stand for NAME and all before it. A database that
   * has NAME has what they would make.
   */
  readonly replaces?: string;
  /** `-- outside a transaction` in the file: its statements build or drop indexes concurrently, and do nothing else. */
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

/** What the comments of a migration tell the runner. */
export function readDirectives(sql: string): Pick<Migration, 'runsWith' | 'replaces' | 'isConcurrent'> {
  const runsWith = /^-- runs with: (\S+)$/m.exec(sql)?.[1];
  const replaces = /^-- replaces all until: (\S+)$/m.exec(sql)?.[1];
  return {
    ...(runsWith === undefined ? {} : { runsWith }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(/^-- outside a transaction$/m.test(sql) ? { isConcurrent: true } : {}),
  };
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
