import type { TenantScope } from '@switchyard/tenancy';
import { defined, ok, type Result } from '@switchyard/values';
import { queryStore, type VaultFailure } from './vault-failure.js';
import { checkCredential, openCredential } from './open-credential.js';
import { sealFresh } from './put-credential.js';
import { sentKinds, unboundScheme, type SealedCredential } from './sealed-credential.js';
import type { VaultDeps } from './vault.js';

const actor = 'vault';

/**
 * Replaces the seal of a credential of the first scheme by one for its owner's current destination.
 *
 * This happens once per credential: its audit row is written in the transaction that replaces the sealed bytes, and
 * nothing is bound where that row exists. An older copy of the row that is put back is therefore useless. The old bytes
 * are replaced only after the new ones were opened as a test.
 */
export async function bindCredential(
  deps: VaultDeps,
  scope: TenantScope,
  credentialId: string,
  destination: string,
): Promise<Result<boolean, VaultFailure>> {
  const rows = await queryStore(() => deps.store.current(scope, [credentialId]));
  if (!rows.ok) return rows;
  const from = rows.value.find((row) => row.organizationId === scope.organizationId);
  if (from?.scheme !== unboundScheme || !sentKinds.has(from.kind)) return ok(false);
  const use = { credentialId, credentialVersion: from.version, actor, usedAt: deps.clock.now() };
  const recorded = await queryStore(
    () => deps.store.recordUses(scope, [{ ...use, purpose: 'open_to_bind' }]),
    'audit_unavailable',
  );
  if (!recorded.ok) return recorded;
  const to = await sealedAgain(deps, from, destination);
  if (!to.ok) return to;
  return queryStore(() => deps.store.bind(scope, from, to.value, { ...use, purpose: 'bind' }));
}

async function sealedAgain(
  deps: VaultDeps,
  from: SealedCredential,
  destination: string,
): Promise<Result<SealedCredential, VaultFailure>> {
  const opened = await openCredential(deps.kms, from);
  if (!opened.ok) return opened;
  const { credentialId, version, organizationId, connectionId, seller, clientId, kind } = from;
  const identity = {
    credentialId,
    version,
    organizationId,
    kind,
    destination,
    ...defined({ connectionId, seller, clientId }),
  };
  try {
    const sealed = await sealFresh(deps, identity, opened.value);
    if (!sealed.ok) return sealed;
    const proved = await checkCredential(deps.kms, sealed.value);
    return proved.ok ? ok({ ...sealed.value, createdAt: from.createdAt }) : proved;
  } finally {
    opened.value.wipe();
  }
}
