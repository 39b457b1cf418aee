import type { LeaseSecrets, LegSecrets } from '@switchyard/buys';
import { findTask } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Lease, LeaseRequest, Vault } from '@switchyard/vault';
import { err, ok } from '@switchyard/values';

/**
 * Leases what the legs of one operation need, in one call to the vault and so behind one audit insert. A secret that
 * does not open costs its own leg; only a vault that cannot record anything refuses them all.
 */
export function leaseSecretsFrom(vault: Pick<Vault, 'lease'>): LeaseSecrets {
  return async (scope, connections, use) => {
    const withKeys = findTask(use.purpose)?.kind === 'mutation';
    const requests = connections.flatMap((connection) => requestsOf(connection, withKeys));
    if (requests.length === 0) return ok(new Map());
    const leased = await vault.lease(scope, requests, { ...use, actor: 'fanout' });
    if (!leased.ok) return err({ code: leased.error.code, message: 'The vault handed out nothing.' });
    const lease = (id: string | undefined): Lease | undefined => {
      const found = id === undefined ? undefined : leased.value.get(id);
      return found?.ok === true ? found.value : undefined;
    };
    return ok(
      new Map(
        connections.map((connection): [string, LegSecrets] => [
          connection.id,
          secretsOf(lease(connection.credentialId), lease(connection.keyCredentialId)),
        ]),
      ),
    );
  };
}

function requestsOf(connection: Connection, withKeys: boolean): readonly LeaseRequest[] {
  const of = { connectionId: connection.id, seller: connection.slug };
  const { credentialId, keyCredentialId } = connection;
  return [
    ...(credentialId === undefined ? [] : [{ credentialId, kind: 'bearer' as const, ...of }]),
    ...(withKeys && keyCredentialId !== undefined
      ? [{ credentialId: keyCredentialId, kind: 'idempotency' as const, ...of }]
      : []),
  ];
}

function secretsOf(credential: Lease | undefined, key: Lease | undefined): LegSecrets {
  return {
    ...(credential === undefined
      ? {}
      : {
          credential: {
            id: credential.credentialId,
            version: credential.version,
            scheme: 'bearer' as const,
            secret: credential.secret,
          },
        }),
    ...(key === undefined ? {} : { keySecret: key.secret }),
  };
}
