import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dueWork, instanceNotes, type DueKind } from '@switchyard/store';
import { verifyKeyCheck } from '@switchyard/vault';
import { storedKeyCheck } from '../master-keys.js';
import { fine, noDatabase, skipped, warning, wrong, type Check } from './check.js';

const dayMs = 86_400_000;
const toleratedClockMs = 10_000;
/** Work that should never wait for long: what comes in, what goes out, what follows a purchase. */
const urgent: readonly DueKind[] = ['inbox', 'outbox', 'legs', 'jobs', 'jobs_at_sellers', 'jobs_with_files'];
const lateMs = 10 * 60_000;

/** Checks of the database and of what the organizations have in it. */
export const databaseChecks: readonly Check[] = [
  {
    id: 'database',
    what: 'the database answers, and is PostgreSQL 15 or newer',
    remedy: 'Start it, correct DATABASE_URL, or upgrade PostgreSQL.',
    run: async ({ facts, dataDir }) => {
      const read = await facts();
      if (!read.ok) {
        const { code, message } = read.error;
        if (code !== 'not_running') return wrong(message);
        return existsSync(join(dataDir, 'postgres')) ? warning(message) : skipped(message);
      }
      const { version } = read.value;
      const text = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
      return version >= 150_000 ? fine(text) : wrong(`${text} is too old.`);
    },
  },
  {
    id: 'migrations',
    what: 'the tables are those of this version',
    remedy: 'Run `switchyard migrate`, or start the version that the tables belong to.',
    run: async ({ facts }) => {
      const read = await facts();
      if (!read.ok) return noDatabase;
      const { pendingMigrations: pending, newerMigrations: newer, migrationFault } = read.value;
      if (migrationFault !== undefined) return wrong(migrationFault);
      if (pending.length > 0)
        return wrong(`${pending.length} are missing, the first is ${pending[0] ?? ''}.`);
      return newer.length > 0
        ? warning(`They are of a newer version: ${newer.join(', ')}.`)
        : fine('up to date');
    },
  },
  {
    id: 'clock',
    what: 'the clocks of this machine and of the database agree',
    remedy: 'Synchronize both (chrony, systemd-timesyncd).',
    run: async ({ facts }) => {
      const read = await facts();
      if (!read.ok) return noDatabase;
      const { clockAheadMs } = read.value;
      const text = `They differ by ${Math.abs(clockAheadMs / 1_000).toFixed(1)} s.`;
      return Math.abs(clockAheadMs) > toleratedClockMs ? wrong(text) : fine(text);
    },
  },
  {
    id: 'connections',
    what: 'the database has connections left for one more process',
    remedy: 'Raise max_connections of PostgreSQL, lower SWITCHYARD_DATABASE_CONNECTIONS, or use a pooler.',
    run: async ({ facts, configuration }) => {
      const read = await facts();
      if (!read.ok) return noDatabase;
      const { maxConnections: most, usedConnections: used } = read.value;
      const wanted = configuration.ok ? configuration.value.settings.SWITCHYARD_DATABASE_CONNECTIONS : 12;
      const text = `${used} of ${most} are used.`;
      return most - used < wanted ? warning(text) : fine(text);
    },
  },
  {
    id: 'transactions',
    what: 'no transaction is open for more than ten minutes',
    remedy: 'Find it in pg_stat_activity and end it: it keeps vacuum from removing dead rows.',
    run: async ({ facts }) => {
      const read = await facts();
      if (!read.ok) return noDatabase;
      const seconds = read.value.oldestTransactionSeconds;
      return seconds > 600 ? warning(`One is open for ${seconds} s.`) : fine(`the oldest: ${seconds} s`);
    },
  },
  {
    id: 'vacuum',
    what: 'autovacuum keeps up with the large tables',
    remedy: 'Run `vacuum analyze` on them, and lower autovacuum_vacuum_scale_factor.',
    run: async ({ facts }) => {
      const read = await facts();
      if (!read.ok) return noDatabase;
      const { bloatedTables: names } = read.value;
      return names.length > 0
        ? warning(`More than a fifth is dead in ${names.join(', ')}.`)
        : fine('it does');
    },
  },
  {
    id: 'keys',
    what: 'the master keys are those of this database',
    remedy: 'Copy the keyring.json of this installation into place, or name its KMS key.',
    run: async ({ keys, store }) => {
      const database = await store();
      if (!database.ok) return noDatabase;
      const stored = await storedKeyCheck(instanceNotes(database.value));
      if (stored === undefined) return skipped('Nothing is sealed yet.');
      const opened = await keys();
      if (!opened.ok) return wrong(opened.error.message);
      const began = performance.now();
      const verified = await verifyKeyCheck(opened.value, stored);
      const took = `${(performance.now() - began).toFixed(1)} ms`;
      return verified.ok
        ? fine(`${opened.value.currentKeyId()} opens in ${took}`)
        : wrong(verified.error.message);
    },
  },
  {
    id: 'old_keys',
    what: 'every secret is sealed under the current master key',
    remedy: 'Run `switchyard credentials rewrap --to KEYID`; until then keep the old keys.',
    run: async ({ keys, tenants }) => {
      const read = await tenants();
      if (!read.ok) return noDatabase;
      if (read.value.keyIds.length === 0) return skipped('Nothing is sealed yet.');
      const opened = await keys();
      if (!opened.ok) return skipped(opened.error.message);
      const others = read.value.keyIds.filter((id) => id !== opened.value.currentKeyId());
      return others.length > 0 ? warning(`Some are under ${others.join(', ')}.`) : fine('they are');
    },
  },
  {
    id: 'ledger',
    what: 'each ledger was verified within a week',
    remedy: 'Run `switchyard ledger verify` for each organization, once a day by a timer.',
    run: async ({ tenants }) => {
      const read = await tenants();
      if (!read.ok) return noDatabase;
      const { unverifiedLedgers: late } = read.value;
      return late > 0
        ? warning(`${late} were not.`)
        : fine(
            `${read.value.organizations} ${read.value.organizations === 1 ? 'organization' : 'organizations'}`,
          );
    },
  },
  {
    id: 'sellers',
    what: 'sellers answer and accept our credentials',
    remedy: 'See `switchyard sellers list`; rotate what was refused.',
    run: async ({ tenants }) => {
      const read = await tenants();
      if (!read.ok) return noDatabase;
      const { failingSellers: failing, refusedCredentials: refused } = read.value;
      const text = `${failing} do not answer, ${refused} credentials were refused.`;
      return failing + refused > 0 ? warning(text) : fine(text);
    },
  },
  {
    id: 'sign_ins_at_sellers',
    what: 'no sign-in at a seller ends within 14 days, or waits for a person',
    remedy: 'See `switchyard sellers list`, and sign in at the seller again.',
    run: async ({ tenants }) => {
      const read = await tenants();
      if (!read.ok) return noDatabase;
      const { endingSignIns: ending } = read.value;
      return ending > 0 ? warning(`${ending} do.`) : fine('none');
    },
  },
  {
    id: 'quarantine',
    what: 'no webhook waits in quarantine',
    remedy: 'See `switchyard events list --state quarantined`, and admit or dismiss each.',
    run: async ({ tenants }) => {
      const read = await tenants();
      if (!read.ok) return noDatabase;
      const { quarantinedEvents: waiting } = read.value;
      return waiting > 0 ? warning(`${waiting} wait.`) : fine('none');
    },
  },
  {
    id: 'work',
    what: 'no urgent work is due for more than ten minutes',
    remedy: 'Start a process with the role workers, and look into its log.',
    run: async ({ store, now }) => {
      const database = await store();
      if (!database.ok) return noDatabase;
      const late = await dueWork(database.value).find(
        Object.fromEntries(urgent.map((kind) => [kind, now - lateMs])),
      );
      const kinds = [...new Set(late.map(({ kind }) => kind))];
      return kinds.length > 0 ? warning(`Late: ${kinds.join(', ')}.`) : fine('none is');
    },
  },
  {
    id: 'jobs',
    what: 'every job is taken by a worker, and moves on',
    remedy: 'See `switchyard jobs list --state running`, and `waiting`; cancel and repeat what stands still.',
    run: async ({ tenants }) => {
      const read = await tenants();
      if (!read.ok) return noDatabase;
      const { stuckJobs: stuck } = read.value;
      return stuck > 0 ? warning(`${stuck} have not for half an hour.`) : fine('they do');
    },
  },
  {
    id: 'backup',
    what: 'the last backup is at most two days old',
    remedy: 'Run `switchyard backup --to FOLDER` by a timer.',
    run: async ({ store, now, configuration }) => {
      const database = await store();
      if (!database.ok) return noDatabase;
      const note = await instanceNotes(database.value).get('backup');
      const at = typeof note === 'string' ? Date.parse(note) : NaN;
      const isPractice = configuration.ok && configuration.value.http.profile === 'local';
      if (Number.isNaN(at))
        return isPractice ? skipped('none was made') : warning('None was made by `switchyard backup`.');
      const text = `The last one was made at ${new Date(at).toISOString()}.`;
      return now - at > 2 * dayMs ? warning(text) : fine(text);
    },
  },
  {
    id: 'drill',
    what: 'a backup was restored for trial within a month',
    remedy: 'Run `switchyard backup --drill` by a timer.',
    run: async ({ store, now, configuration }) => {
      const database = await store();
      if (!database.ok) return noDatabase;
      const note = await instanceNotes(database.value).get('drill');
      const at = typeof note === 'string' ? Date.parse(note) : NaN;
      const isPractice = configuration.ok && configuration.value.http.profile === 'local';
      if (Number.isNaN(at)) return isPractice ? skipped('none was') : warning('None was.');
      const text = `The last one on ${new Date(at).toISOString()}.`;
      return now - at > 31 * dayMs ? warning(text) : fine(text);
    },
  },
  {
    id: 'restored',
    what: 'the instance is not paused after a restore',
    remedy: 'Run `switchyard resume` when this database shall call sellers and send webhooks.',
    run: async ({ store }) => {
      const database = await store();
      if (!database.ok) return noDatabase;
      const note = await instanceNotes(database.value).get('restored');
      return note === undefined || note === null ? fine('it is not') : warning('It is: nothing is sent.');
    },
  },
];
