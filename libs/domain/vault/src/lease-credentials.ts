import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import { queryStore, unbound, type VaultFailure } from './vault-failure.js';
import type { UsableCredential } from './credential-store.js';
import { openCredential } from './open-credential.js';
import { sealingScheme, sentKinds, type SealedCredential } from './sealed-credential.js';
import type { SecretCache } from './secret-cache.js';
import type { Lease, LeaseReason, LeaseRequest, LeaseSource, VaultDeps } from './vault.js';

type LeasingDeps = Pick<VaultDeps, 'kms' | 'clock'> & {
  readonly store: LeaseSource;
  readonly cache: SecretCache;
};
type Leases = ReadonlyMap<string, Result<Lease, VaultFailure>>;

/**
 * Opens the versions of the requested credentials that a call may use: reads the rows, writes one audit INSERT for all that
 * will be opened, then opens the secrets in parallel. No secret is opened before its audit row is committed.
 */
export async function leaseCredentials(
  deps: LeasingDeps,
  scope: TenantScope,
  requests: readonly LeaseRequest[],
  reason: LeaseReason,
): Promise<Result<Leases, VaultFailure>> {
  const wanted = groupById(requests);
  if (wanted.size === 0) return ok(new Map());
  const rows = await queryStore(() => deps.store.usable(scope, [...wanted.keys()]));
  if (!rows.ok) return rows;

  const outcomes = new Map<string, Result<Lease, VaultFailure>>();
  const toOpen = new Map<string, readonly UsableCredential[]>();
  for (const [id, requested] of wanted) {
    const [first, ...others] = rows.value.filter(({ credentialId }) => credentialId === id);
    const judged = judgeRow(scope, first, requested);
    if (!judged.ok) outcomes.set(id, judged);
    else toOpen.set(id, [judged.value, ...others.filter((row) => judgeRow(scope, row, requested).ok)]);
  }
  if (toOpen.size === 0) return ok(outcomes);

  const recorded = await recordUses(deps, scope, [...toOpen.values()].flat(), reason);
  if (!recorded.ok) return recorded;
  await Promise.all(
    [...toOpen].map(async ([id, versions]) => outcomes.set(id, await openVersions(deps, versions))),
  );
  return ok(outcomes);
}

/** Opens the versions of one credential. One that does not open leaves its place to the other. */
async function openVersions(
  deps: LeasingDeps,
  [first, second]: readonly UsableCredential[],
): Promise<Result<Lease, VaultFailure>> {
  if (first === undefined)
    return err({ code: 'not_found', message: 'There is no live credential of this id.' });
  const [lease, other] = await Promise.all([
    openLease(deps, first),
    second === undefined ? undefined : openLease(deps, second),
  ]);
  if (other?.ok !== true) return lease;
  if (!lease.ok) return other;
  const { secret } = lease.value;
  const release = (): void => {
    secret.wipe();
    other.value.secret.wipe();
  };
  return ok({ ...lease.value, instead: other.value, release });
}

function groupById(requests: readonly LeaseRequest[]): ReadonlyMap<string, readonly LeaseRequest[]> {
  const groups = new Map<string, LeaseRequest[]>();
  for (const request of requests) {
    const group = groups.get(request.credentialId);
    if (group === undefined) groups.set(request.credentialId, [request]);
    else group.push(request);
  }
  return groups;
}

/** Checks that the row is the requested one. The store is not trusted to separate tenants. */
function judgeRow(
  scope: TenantScope,
  row: UsableCredential | undefined,
  wanted: readonly LeaseRequest[],
): Result<UsableCredential, VaultFailure> {
  if (row === undefined)
    return err({ code: 'not_found', message: 'There is no live credential of this id.' });
  const fits =
    row.organizationId === scope.organizationId &&
    wanted.every(
      (request) =>
        row.kind === request.kind &&
        row.connectionId === request.connectionId &&
        row.seller === request.seller &&
        row.clientId === request.clientId,
    );
  if (!fits) return err({ code: 'mismatch', message: 'The stored credential is not the requested one.' });
  const fault = wanted.some(({ isSent }) => isSent !== false) ? destinationFault(row, wanted) : undefined;
  return fault === undefined ? ok(row) : err(fault);
}

/** A secret that is sent opens only for its own destination. Opening authenticates the destination in the row. */
function destinationFault(row: SealedCredential, wanted: readonly LeaseRequest[]): VaultFailure | undefined {
  if (!sentKinds.has(row.kind)) return undefined;
  if (row.scheme !== sealingScheme) return unbound;
  const fits = wanted.every(
    ({ isSent, destination }) =>
      isSent === false || (destination !== undefined && destination === row.destination),
  );
  return fits
    ? undefined
    : { code: 'wrong_destination', message: 'The credential may be used only at another address.' };
}

function recordUses(
  deps: LeasingDeps,
  scope: TenantScope,
  rows: readonly SealedCredential[],
  reason: LeaseReason,
): Promise<Result<void, VaultFailure>> {
  const usedAt = deps.clock.now();
  const uses = rows.map((row) => ({
    credentialId: row.credentialId,
    credentialVersion: row.version,
    ...(reason.operationId === undefined ? {} : { operationId: reason.operationId }),
    purpose: reason.purpose,
    actor: reason.actor,
    usedAt,
  }));
  return queryStore(() => deps.store.recordUses(scope, uses), 'audit_unavailable');
}

async function openLease(
  { kms, cache }: LeasingDeps,
  sealed: UsableCredential,
): Promise<Result<Lease, VaultFailure>> {
  const cached = cache.get(sealed);
  if (cached !== undefined) return ok(leaseOf(sealed, cached));
  const opened = await openCredential(kms, sealed);
  if (!opened.ok) return opened;
  cache.put(sealed, opened.value);
  return ok(leaseOf(sealed, opened.value));
}

function leaseOf({ credentialId, version, kind, state }: UsableCredential, secret: Secret): Lease {
  const release = (): void => secret.wipe();
  return {
    credentialId,
    version,
    kind,
    secret,
    release,
    ...(state === 'candidate' && { isCandidate: true }),
  };
}
