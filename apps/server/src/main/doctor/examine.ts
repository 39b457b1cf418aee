import { createEgress } from '@switchyard/egress';
import { openKeyManagement } from '@switchyard/kms';
import {
  inspectDatabase,
  inspectTenants,
  instanceNotes,
  locateDatabase,
  openStore,
  type Store,
} from '@switchyard/store';
import { err, ok } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import { chosenKey } from '../master-keys.js';
import { readConfiguration } from '../settings/read-configuration.js';
import type { Environment } from '../settings/settings.js';
import { wrong, type Check, type Finding, type Patient } from './check.js';
import { databaseChecks } from './database-checks.js';
import { machineChecks } from './machine-checks.js';
import { networkChecks } from './network-checks.js';

/** Every check, in the order in which they are shown. */
export const checks: readonly Check[] = [...machineChecks, ...databaseChecks, ...networkChecks];

/** How long one check may take, in milliseconds. */
const deadlineMs = 5_000;

export interface Examined extends Finding {
  readonly id: string;
  readonly what: string;
  readonly remedy: string;
  /** What `--fix` changed before the check. */
  readonly fixed?: string;
}

/**
 * Runs every check on the installation of an environment and a data folder, while it runs or not. Changes nothing, unless
 * `fix` allows what needs no decision.
 */
export async function examine({
  env,
  dataDir,
  fix = false,
}: {
  readonly env: Environment;
  readonly dataDir: string;
  readonly fix?: boolean;
}): Promise<readonly Examined[]> {
  const opened: Store[] = [];
  const patient = patientOf(env, dataDir, opened);
  try {
    const examined: Examined[] = [];
    for (const check of checks) {
      const fixed = fix ? check.fix?.(patient) : undefined;
      const { id, what, remedy } = check;
      examined.push({
        id,
        what,
        remedy,
        ...(await within(check, patient)),
        ...(fixed !== undefined && { fixed }),
      });
    }
    return examined;
  } finally {
    for (const store of opened) await store.close();
    await patient.egress.close();
  }
}

async function within(check: Check, patient: Patient): Promise<Finding> {
  let cancel = (): void => undefined;
  const late = new Promise<Finding>((resolve) => {
    cancel = systemClock.after(deadlineMs, () => resolve(wrong(`No answer within ${deadlineMs / 1_000} s.`)));
  });
  try {
    return await Promise.race([Promise.resolve(check.run(patient)), late]);
  } catch (error) {
    return wrong(`It could not be checked: ${(error as Error).message.replace(/\/\/[^@\s]*@/g, '//')}`);
  } finally {
    cancel();
  }
}

function patientOf(env: Environment, dataDir: string, opened: Store[]): Patient {
  const located = locateDatabase(env, dataDir);
  const configuration = readConfiguration(env);
  const facts = once(async () => (located.ok ? inspectDatabase(located.value.url) : located));
  const store = once(async (): ReturnType<Patient['store']> => {
    const answered = await facts();
    if (!located.ok || !answered.ok) return located.ok ? err({ code: 'away', message: '' }) : located;
    const made = openStore(located.value.url, { connections: 2, waitMs: 4_000, answerMs: 4_500 });
    opened.push(made);
    return ok(made);
  });
  return {
    env,
    dataDir,
    now: systemClock.now(),
    configuration,
    egress: createEgress({ allowLoopback: true }),
    store,
    facts,
    tenants: once(async () => {
      const database = await store();
      return database.ok ? ok(await inspectTenants(database.value, systemClock.now())) : database;
    }),
    keys: once(async () => {
      if (!configuration.ok) return err(configuration.error);
      const database = await store();
      const keys = await openKeyManagement(configuration.value.settings, dataDir, {
        mayMake: false,
        ...(database.ok && { chosen: chosenKey(instanceNotes(database.value)) }),
      });
      if (keys.ok) await keys.value.keys.refresh();
      return keys.ok ? ok(keys.value.keys) : keys;
    }),
  };
}

/** The result of the first call, for every call. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work());
}
