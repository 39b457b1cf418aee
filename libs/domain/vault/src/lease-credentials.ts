import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import { queryStore, unbound, type VaultFailure } from './vault-failure.js';
import type { CredentialUse, UsableCredential } from './credential-store.js';
import { openCredential } from './open-credential.js';
import { sealingScheme, sentKinds, type SealedCredential } from './sealed-credential.js';
import type { SecretCache } from './secret-cache.js';
import type { Lease, LeaseReason, LeaseRequest, LeaseSource, VaultDeps } from './vault.js';

type LeasingDeps = Pick<VaultDeps, 'kms' | 'clock'> & {
  readonly store: LeaseSource;
  readonly cache: SecretCache;
};
type Leases = ReadonlyMap<string, Result<Lease, VaultFailure>>;

/** What became of the rows of a request: which versions are opened, and why the others are not. */
interface Judged {
  readonly toOpen: ReadonlyMap<string, readonly UsableCredential[]>;
  readonly refused: ReadonlyMap<string, Result<Lease, VaultFailure>>;
}

/**
 * Opens the versions of the requested credentials that a call may use: reads the rows, writes one audit INSERT for all that
 * will be opened, then opens the secrets in parallel. No secret is opened before its audit row is committed. Rows that are
 * as they were at the last lease are not read again: the INSERT itself makes sure of it.
 */
export async function leaseCredentials(
  deps: LeasingDeps,
  scope: TenantScope,
  requests: readonly LeaseRequest[],
  reason: LeaseReason,
): Promise<Result<Leases, VaultFailure>> {
  const wanted = groupById(requests);
  if (wanted.size === 0) return ok(new Map());
  const judged = await recordedAsKnown(deps, scope, wanted, reason);
  if (judged !== undefined) return ok(await opened(deps, judged));
  const rows = await queryStore(() => deps.store.usable(scope, [...wanted.keys()]));
  if (!rows.ok) return rows;
  const read = judgeRows(scope, rows.value, wanted);
  if (read.toOpen.size === 0) return ok(read.refused);
  const recorded = await queryStore(
    () => deps.store.recordUses(scope, usesOf(deps, read, reason)),
    'audit_unavailable',
  );
  return recorded.ok ? ok(await opened(deps, read)) : recorded;
}

/** The same with the rows of the last lease; undefined if they have changed since, and nothing is recorded then. */
async function recordedAsKnown(
  deps: LeasingDeps,
  scope: TenantScope,
  wanted: ReadonlyMap<string, readonly LeaseRequest[]>,
  reason: LeaseReason,
): Promise<Judged | undefined> {
  const known: { judged?: Judged } = {};
  const recorded = await queryStore(async () =>
    deps.store.recordKnown?.(scope, [...wanted.keys()], (rows) => {
      known.judged = judgeRows(scope, rows, wanted);
      return usesOf(deps, known.judged, reason);
    }),
  );
  return recorded.ok && recorded.value === true ? known.judged : undefined;
}

function judgeRows(
  scope: TenantScope,
  rows: readonly UsableCredential[],
  wanted: ReadonlyMap<string, readonly LeaseRequest[]>,
): Judged {
  const refused = new Map<string, Result<Lease, VaultFailure>>();
  const toOpen = new Map<string, readonly UsableCredential[]>();
  const found = groupById(rows);
  for (const [id, requested] of wanted) {
    const [first, ...others] = found.get(id) ?? [];
    const judged = judgeRow(scope, first, requested);
    if (!judged.ok) refused.set(id, judged);
    else toOpen.set(id, [judged.value, ...others.filter((row) => judgeRow(scope, row, requested).ok)]);
  }
  return { toOpen, refused };
}

async function opened(deps: LeasingDeps, { toOpen, refused }: Judged): Promise<Leases> {
  const outcomes = new Map(refused);
  await Promise.all(
    [...toOpen].map(async ([id, versions]) => outcomes.set(id, await openVersions(deps, versions))),
  );
  return outcomes;
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

function groupById<T extends { readonly credentialId: string }>(
  items: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.credentialId);
    if (group === undefined) groups.set(item.credentialId, [item]);
    else group.push(item);
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

/** The audit rows of all versions that will be opened. */
function usesOf({ clock }: LeasingDeps, { toOpen }: Judged, reason: LeaseReason): readonly CredentialUse[] {
  const usedAt = clock.now();
  return [...toOpen.values()].flat().map((row) => ({
    credentialId: row.credentialId,
    credentialVersion: row.version,
    ...(reason.operationId === undefined ? {} : { operationId: reason.operationId }),
    purpose: reason.purpose,
    actor: reason.actor,
    usedAt,
  }));
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
