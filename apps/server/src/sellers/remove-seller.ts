import type { Connection, ConnectionDirectory, SellerAccounts, SellerTransport } from '@switchyard/sellers';
import type { SellerLife } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';
import type { EndSignIn } from './oauth/end-sign-in.js';

export interface RemovalDeps {
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly life: SellerLife;
  readonly vault: Pick<Vault, 'revoke'>;
  readonly sellerAccounts: Pick<SellerAccounts, 'logins' | 'logOut'>;
  readonly transport: Pick<SellerTransport, 'forget'>;
  /** Ends its sign-in by OAuth; absent in suites without them. */
  readonly endSignIn?: EndSignIn | undefined;
  readonly clock: Clock;
}

/**
 * Removes a seller at which nothing is live, closes its sessions and revokes its credentials. False if something is
 * live. Credentials are revoked after the row stops naming them: one that the vault could not revoke stays in the list
 * of credentials and can be revoked by hand, and no call finds it.
 */
export async function removeSeller(
  { life, vault, sellerAccounts, transport, endSignIn, clock }: RemovalDeps,
  scope: TenantScope,
  connection: Connection,
): Promise<boolean> {
  if (!(await life.remove(scope, connection.id, clock.now()))) return false;
  await transport.forget(connection.id);
  await endSignIn?.(scope, connection);
  const { credentialId, keyCredentialId, webhookCredentialId } = connection;
  for (const id of [credentialId, keyCredentialId, webhookCredentialId])
    if (id !== undefined) await vault.revoke(scope, id);
  for (;;) {
    const logins = await sellerAccounts.logins(scope, connection.id, { limit: 100 });
    if (logins.length === 0) break;
    for (const { clientId, credentialId: own } of logins) {
      await sellerAccounts.logOut(scope, { connectionId: connection.id, clientId });
      await vault.revoke(scope, own);
    }
  }
  return true;
}

/** Removes the sellers that waited for their last buy, once it is over. Answers how many were removed. */
export async function removeDrained(deps: RemovalDeps): Promise<number> {
  let removed = 0;
  for (const organizationId of await deps.life.drainingTenants()) {
    const scope = { organizationId };
    for (const id of await deps.life.draining(scope)) {
      const connection = await deps.connections.byId(scope, id);
      if (connection !== undefined && (await removeSeller(deps, scope, connection))) removed += 1;
    }
  }
  return removed;
}
