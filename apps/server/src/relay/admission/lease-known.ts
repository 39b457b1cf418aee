import type { LegSecrets } from '@switchyard/buys';
import type { KnownAdmission } from '@switchyard/relay';
import type { Metrics } from '@switchyard/telemetry';
import { destinationOf, type CredentialUse, type Vault } from '@switchyard/vault';
import { schemeOf } from '../../keys/index.js';
import type { KnownPath } from './known-paths.js';

/** Writes the audit row of a use in one statement with other rows; false if nothing was written. */
type RecordUse = (use: KnownAdmission['use']) => Promise<boolean>;

/**
 * Leases the seller's credential of a known path. `record` writes the audit row, in the statement that admits the
 * request, and the vault opens nothing before its commit. Rejects if the database did.
 */
export type LeaseKnown = (
  path: KnownPath,
  use: { readonly recordId: string; readonly purpose: string },
  record: RecordUse,
) => Promise<LegSecrets | 'not_as_known' | 'unavailable'>;

const actor = 'fanout';

export function leaseKnownFrom(
  vault: Pick<Vault, 'lease'>,
  metrics?: Pick<Metrics, 'vaultLeases'>,
): LeaseKnown {
  return async ({ scope, connection, sealed }, { recordId, purpose }, record) => {
    if (sealed === undefined) return (await record(undefined)) ? {} : 'not_as_known';
    const seen = watched(record);
    const { credentialId, kind } = sealed;
    const destination = destinationOf(connection.agentUrl);
    const leased = await vault.lease(
      scope,
      [{ credentialId, kind, connectionId: connection.id, seller: connection.slug, destination }],
      { operationId: recordId, purpose, actor },
      {
        usable: () => Promise.resolve([{ ...sealed, state: 'current' }]),
        recordUses: (_scope, uses) => seen.record(uses),
      },
    );
    if (seen.failure !== undefined) throw seen.failure;
    if (!seen.recorded) return 'not_as_known';
    const lease = leased.ok ? leased.value.get(credentialId) : undefined;
    metrics?.vaultLeases.inc({ outcome: lease?.ok === true ? 'leased' : 'refused' });
    if (lease?.ok !== true) return 'unavailable';
    const { version, secret } = lease.value;
    return { credential: { id: credentialId, version, scheme: schemeOf(kind), secret } };
  };
}

/** The vault turns a rejection of its store into a code; the caller needs the original one. */
function watched(record: RecordUse) {
  const seen: {
    recorded: boolean;
    failure: Error | undefined;
    record: (uses: readonly CredentialUse[]) => Promise<void>;
  } = {
    recorded: false,
    failure: undefined,
    record: async ([use]) => {
      if (use === undefined) throw new Error('A lease of one credential is one use.');
      try {
        const { credentialId, credentialVersion: version } = use;
        seen.recorded = await record({ credentialId, version, actor: use.actor });
      } catch (error) {
        seen.failure = error instanceof Error ? error : new Error('The admission failed.');
      }
      if (!seen.recorded) throw new Error('Nothing was recorded.');
    },
  };
  return seen;
}
