import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import { ownerOfPid, readPostmasterFile } from '../embedded/postmaster-file.js';
import type { DatabaseFailure } from '../migrate/database-failure.js';
import { readUrls, type DatabaseEnvironment } from '../migrate/open-database.js';

/** A database that is running now. */
export interface LocatedDatabase {
  /** With the owner's rights where they are known. Holds a password: never print it. */
  readonly url: string;
  /** The role that the server uses, if the environment names another one. */
  readonly appUrl?: string;
  readonly embedded: boolean;
}

/**
 * Finds the database of an environment, or the embedded one of a data folder while it runs. Starts and changes nothing:
 * fails with `not_running` if the embedded database does not run.
 */
export function locateDatabase(
  env: DatabaseEnvironment,
  dataDir: string,
): Result<LocatedDatabase, DatabaseFailure> {
  const urls = readUrls(env);
  if (!urls.ok) return urls;
  const { url, ownerUrl } = urls.value;
  if (url !== undefined)
    return ok({ url: ownerUrl ?? url, embedded: false, ...(ownerUrl !== undefined && { appUrl: url }) });
  const cluster = join(dataDir, 'postgres/pg');
  const found = readPostmasterFile(cluster);
  // In another container's view of the processes it may look like a stranger: its password decides.
  const isRunning = found?.ready === true && ownerOfPid(cluster, found.pid) !== 'nobody';
  if (!isRunning || found.port === undefined)
    return err({ code: 'not_running', message: `The embedded database of ${dataDir} does not run.` });
  try {
    const secret = readFileSync(join(dataDir, 'postgres/superuser.secret'), 'utf8').trim();
    return ok({
      url: `postgresql://switchyard:${secret}@127.0.0.1:${found.port}/switchyard`,
      embedded: true,
    });
  } catch {
    return err({ code: 'embedded', message: `${dataDir}/postgres/superuser.secret cannot be read.` });
  }
}
