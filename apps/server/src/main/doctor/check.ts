import type { KeyManagement } from '@switchyard/vault';
import type { Egress } from '@switchyard/sellers';
import type { DatabaseFacts, Store, TenantFacts } from '@switchyard/store';
import type { Result } from '@switchyard/values';
import type { Environment } from '../settings/settings.js';
import type { Configuration } from '../settings/read-configuration.js';
import type { StartFailure } from '../../platform/start-failure.js';

/**
 * What a check found. `detail` is one sentence for people, without a secret. A check that could not be made, because what
 * it looks at is not used here or does not run, is `skipped`.
 */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'error' | 'skipped';
  readonly detail: string;
}

/** What the checks look at. Each part is read once, at its first use. */
export interface Patient {
  readonly env: Environment;
  readonly dataDir: string;
  readonly now: number;
  readonly configuration: Result<Configuration, StartFailure>;
  readonly egress: Egress;
  readonly facts: () => Promise<Result<DatabaseFacts, StartFailure>>;
  readonly store: () => Promise<Result<Store, StartFailure>>;
  readonly tenants: () => Promise<Result<TenantFacts, StartFailure>>;
  readonly keys: () => Promise<Result<KeyManagement, StartFailure>>;
}

/** One thing that can be wrong with an installation. Its section in docs/runbooks/operate.md has the heading `doctor: ID`. */
export interface Check {
  readonly id: string;
  readonly what: string;
  /** What to do if it is wrong: one sentence. */
  readonly remedy: string;
  readonly run: (patient: Patient) => Promise<Finding> | Finding;
  /** Mends what can be mended without a decision, and answers what it did. */
  readonly fix?: (patient: Patient) => string | undefined;
}

export const fine = (detail: string): Finding => ({ state: 'ok', detail });
export const warning = (detail: string): Finding => ({ state: 'warning', detail });
export const wrong = (detail: string): Finding => ({ state: 'error', detail });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });

/** The finding of whatever needs the database, where the check `database` says what is wrong with it. */
export const noDatabase: Finding = skipped('The database does not answer.');
