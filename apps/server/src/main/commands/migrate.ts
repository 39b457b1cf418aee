import { openDatabase } from '@switchyard/store';
import { err, ok, type Result } from '@switchyard/values';
import { loadConnectors } from '../load-connectors.js';
import { prepareQueue } from '../open-adapters.js';
import { readConfiguration } from '../settings/read-configuration.js';
import type { SwitchyardOptions } from '../switchyard-options.js';
import type { StartFailure } from '../../platform/start-failure.js';

/**
 * Applies the migrations that the database lacks and answers their names. A separate step before any process starts;
 * processes that start meanwhile wait for it. Settings with which no process would start are refused first, with the code
 * `settings`: a release is then stopped before its tables are changed.
 */
export async function migrate({
  env,
  dataDir,
}: Pick<SwitchyardOptions, 'env' | 'dataDir'>): Promise<Result<readonly string[], StartFailure>> {
  if ((env['DATABASE_URL'] ?? '') === '')
    return err({
      code: 'settings',
      message:
        'There is no DATABASE_URL. The embedded database is migrated by "switchyard up", which starts it.',
    });
  const configuration = readConfiguration(env);
  if (!configuration.ok) return configuration;
  const connectors = loadConnectors(configuration.value.settings.SWITCHYARD_CONNECTORS ?? [], process.cwd());
  if (!connectors.ok) return connectors;
  const opened = await openDatabase(env, dataDir);
  if (!opened.ok) return opened;
  const prepared = await prepareQueue(opened.value);
  await opened.value.stop();
  return prepared.ok ? ok(opened.value.applied) : prepared;
}
