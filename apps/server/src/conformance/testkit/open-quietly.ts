import type { TestDatabase } from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { openSwitchyard, type Switchyard } from '../../main/open-switchyard.js';
import type { SwitchyardOptions } from '../../main/switchyard-options.js';

/** Opens the whole product without a log, on a free port by default. */
export async function openQuietly(
  database: TestDatabase,
  dataDir: string,
  { env = {}, ...more }: Partial<Pick<SwitchyardOptions, 'env' | 'port' | 'role'>> = {},
): Promise<Switchyard> {
  return must(
    await openSwitchyard({
      dataDir,
      env: {
        DATABASE_URL: database.appUrl,
        DATABASE_OWNER_URL: database.ownerUrl,
        SWITCHYARD_LOG_LEVEL: 'silent',
        ...env,
      },
      port: 0,
      version: '0.0.0',
      adminSecret: new Secret(Buffer.from('an admin secret of a suite of conformance')),
      ...more,
    }),
  );
}
