import type { LeaseSecrets, LegSecrets } from '@switchyard/buys';
import { findTask } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Metrics } from '@switchyard/telemetry';
import type { TenantScope } from '@switchyard/tenancy';
import {
  destinationOf,
  type CredentialKind,
  type Lease,
  type LeaseReason,
  type LeaseRequest,
  type Vault,
  type VaultFailure,
} from '@switchyard/vault';
import { err, ok, type Result } from '@switchyard/values';

type Leased = Result<ReadonlyMap<string, Result<Lease, VaultFailure>>, VaultFailure>;
type CredentialScheme = Extract<CredentialKind, 'bearer' | 'basic'>;

/** The purpose of a lease for making the address that a seller calls back. */
export const forAddress = 'relay.address';

/**
 * Leases what the legs of one operation need, in one call to the vault and so with one audit insert. A secret for a
 * seller opens only for the current address of its connection. A secret that does not open fails only its own leg; a
 * vault that cannot write audit rows refuses all.
 *
 * Each secret is the caller's own copy. A read of the market wipes it after its leg's call; warm sessions keep a copy
 * of their own until they end.
 */
export function leaseSecretsFrom(
  vault: Pick<Vault, 'lease'>,
  metrics?: Pick<Metrics, 'vaultLeases'>,
): LeaseSecrets {
  // A credential keeps its kind for life. The connection does not store the kind; the first mismatch reveals it.
  const schemes = new Map<string, CredentialScheme>();
  return async (scope, connections, use) => {
    const reason = { ...use, actor: 'fanout' };
    const withKeys = findTask(use.purpose)?.kind === 'mutation' || use.purpose === forAddress;
    const requests = connections.flatMap((connection) => requestsOf(connection, withKeys, schemes));
    if (requests.length === 0) return ok(new Map());
    const leased = await leaseAll(vault, scope, { requests, reason, schemes });
    metrics?.vaultLeases.inc({ outcome: leased.ok ? 'leased' : 'refused' }, requests.length);
    if (!leased.ok) return err({ code: leased.error.code, message: 'The vault handed out nothing.' });
    const lease = (id: string | undefined): Lease | undefined => {
      const found = id === undefined ? undefined : leased.value.get(id);
      return found?.ok === true ? found.value : undefined;
    };
    return ok(
      new Map(
        connections.map((connection): [string, LegSecrets] => [
          connection.id,
          {
            ...secretsOf(lease(connection.credentialId), lease(connection.keyCredentialId)),
            ...webhookSecretOf(lease(connection.webhookCredentialId)),
          },
        ]),
      ),
    );
  };
}

function requestsOf(
  connection: Connection,
  withKeys: boolean,
  schemes: ReadonlyMap<string, CredentialScheme>,
): readonly LeaseRequest[] {
  const destination = destinationOf(connection.agentUrl);
  const of = { connectionId: connection.id, seller: connection.slug, destination };
  const { credentialId, keyCredentialId, webhookCredentialId } = connection;
  return [
    ...(credentialId === undefined
      ? []
      : [{ credentialId, kind: schemes.get(credentialId) ?? ('bearer' as const), ...of }]),
    ...(withKeys && keyCredentialId !== undefined
      ? [{ credentialId: keyCredentialId, kind: 'idempotency' as const, ...of }]
      : []),
    ...(withKeys && webhookCredentialId !== undefined
      ? [{ credentialId: webhookCredentialId, kind: 'webhook' as const, ...of }]
      : []),
  ];
}

/** Leases again, as the other kind, what turned out not to be a bearer token. */
async function leaseAll(
  vault: Pick<Vault, 'lease'>,
  scope: TenantScope,
  {
    requests,
    reason,
    schemes,
  }: {
    readonly requests: readonly LeaseRequest[];
    readonly reason: LeaseReason;
    readonly schemes: Map<string, CredentialScheme>;
  },
): Promise<Leased> {
  const first = await vault.lease(scope, requests, reason);
  if (!first.ok) return first;
  const others = requests
    .filter(({ kind, credentialId }) => kind === 'bearer' && isMismatch(first.value.get(credentialId)))
    .map((request) => ({ ...request, kind: 'basic' as const }));
  if (others.length === 0) return first;
  const second = await vault.lease(scope, others, reason);
  if (!second.ok) return second;
  for (const [id, lease] of second.value) if (lease.ok) schemes.set(id, 'basic');
  return ok(new Map([...first.value, ...second.value]));
}

function isMismatch(lease: Result<Lease, VaultFailure> | undefined): boolean {
  return lease?.ok === false && lease.error.code === 'mismatch';
}

function secretsOf(credential: Lease | undefined, key: Lease | undefined): LegSecrets {
  return {
    ...(credential === undefined
      ? {}
      : {
          credential: {
            ...credentialOf(credential),
            ...(credential.isCandidate && { isCandidate: true as const }),
            ...(credential.instead && { instead: credentialOf(credential.instead) }),
          },
        }),
    ...(key === undefined ? {} : { keySecret: key.secret }),
  };
}

function credentialOf({ credentialId: id, version, kind, secret }: Lease) {
  return { id, version, scheme: kind === 'basic' ? ('basic' as const) : ('bearer' as const), secret };
}

function webhookSecretOf(lease: Lease | undefined): Pick<LegSecrets, 'webhookSecret'> {
  if (lease === undefined) return {};
  return { webhookSecret: { credentialId: lease.credentialId, secret: lease.secret } };
}
