import type { LeaseSecrets, LegSecrets } from '@switchyard/buys';
import { servingTask } from '@switchyard/protocol';
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
import { defined, err, ok, type Result } from '@switchyard/values';

/** Gets another token for a connection whose own has ended; false if there is none to get. */
export type RenewDead = (scope: TenantScope, connection: Connection) => Promise<boolean>;

type Leased = Result<ReadonlyMap<string, Result<Lease, VaultFailure>>, VaultFailure>;
type CredentialScheme = Extract<CredentialKind, 'bearer' | 'basic' | 'oauth_access' | 'client_cert'>;

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
  renew?: RenewDead,
): LeaseSecrets {
  // A credential keeps its kind for life. The connection does not store the kind; the first mismatch reveals it.
  const schemes = new Map<string, CredentialScheme>();
  return async (scope, connections, use) => {
    const reason = { ...use, actor: 'fanout' };
    const withKeys = servingTask(use.purpose)?.kind === 'mutation' || use.purpose === forAddress;
    const requests = connections.flatMap((connection) => requestsOf(connection, withKeys, schemes));
    if (requests.length === 0) return ok(new Map());
    const first = await leaseAll(vault, scope, { requests, reason, schemes });
    const leased = await withRenewed(first, {
      connections,
      renew: (connection) => renew?.(scope, connection) ?? Promise.resolve(false),
      again: (ids) =>
        leaseAll(vault, scope, {
          requests: requests.filter(({ credentialId }) => ids.has(credentialId)),
          reason,
          schemes,
        }),
    });
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
            ...secretsOf(
              lease(connection.credentialId),
              lease(connection.keyCredentialId),
              connection.login?.clientId,
            ),
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
      : [
          {
            credentialId,
            kind: schemes.get(credentialId) ?? ('bearer' as const),
            ...of,
            ...defined({ clientId: connection.login?.clientId }),
          },
        ]),
    ...(withKeys && keyCredentialId !== undefined
      ? [{ credentialId: keyCredentialId, kind: 'idempotency' as const, ...of }]
      : []),
    ...(withKeys && webhookCredentialId !== undefined
      ? [{ credentialId: webhookCredentialId, kind: 'webhook' as const, ...of }]
      : []),
  ];
}

/** Leases again, as another kind, what turned out not to be a pasted token. */
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
  let all = first.value;
  for (const kind of ['basic', 'oauth_access', 'client_cert'] as const) {
    const others = requests
      .filter((request) => request.kind === 'bearer' && isMismatch(all.get(request.credentialId)))
      .map((request) => ({ ...request, kind }));
    if (others.length === 0) break;
    const next = await vault.lease(scope, others, reason);
    if (!next.ok) return next;
    for (const [id, lease] of next.value) if (lease.ok) schemes.set(id, kind);
    all = new Map([...all, ...next.value]);
  }
  return ok(all);
}

/** Leases again what was not there because its token has ended, once there is another one. */
async function withRenewed(
  leased: Leased,
  {
    connections,
    renew,
    again,
  }: {
    readonly connections: readonly Connection[];
    readonly renew: (connection: Connection) => Promise<boolean>;
    readonly again: (credentialIds: ReadonlySet<string>) => Promise<Leased>;
  },
): Promise<Leased> {
  if (!leased.ok) return leased;
  const isGone = ({ credentialId }: Connection): boolean => {
    const lease = credentialId === undefined ? undefined : leased.value.get(credentialId);
    return lease?.ok === false && lease.error.code === 'not_found';
  };
  const renewed = new Set<string>();
  await Promise.all(
    connections.filter(isGone).map(async (connection) => {
      if (await renew(connection)) renewed.add(connection.credentialId ?? '');
    }),
  );
  if (renewed.size === 0) return leased;
  const second = await again(renewed);
  return second.ok ? ok(new Map([...leased.value, ...second.value])) : second;
}

function isMismatch(lease: Result<Lease, VaultFailure> | undefined): boolean {
  return lease?.ok === false && lease.error.code === 'mismatch';
}

function secretsOf(
  credential: Lease | undefined,
  key: Lease | undefined,
  forClient: string | undefined,
): LegSecrets {
  return {
    ...(credential === undefined
      ? {}
      : {
          credential: {
            ...credentialOf(credential),
            ...defined({ forClient }),
            ...(credential.isCandidate && { isCandidate: true as const }),
            ...(credential.instead && { instead: credentialOf(credential.instead) }),
          },
        }),
    ...(key === undefined ? {} : { keySecret: key.secret }),
  };
}

/** How a secret of a kind is shown to a seller. */
export function schemeOf(kind: CredentialKind): 'bearer' | 'basic' | 'certificate' {
  if (kind === 'client_cert') return 'certificate';
  return kind === 'basic' ? 'basic' : 'bearer';
}

function credentialOf({ credentialId: id, version, kind, secret }: Lease) {
  const scheme = schemeOf(kind);
  return { id, version, scheme, secret, ...(kind === 'oauth_access' && { renews: true as const }) };
}

function webhookSecretOf(lease: Lease | undefined): Pick<LegSecrets, 'webhookSecret'> {
  if (lease === undefined) return {};
  return { webhookSecret: { credentialId: lease.credentialId, secret: lease.secret } };
}
