import type { ConnectionDirectory } from '@switchyard/sellers';
import type { Organizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { destinationOf, type Vault } from '@switchyard/vault';

export interface BindParts {
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly vault: Pick<Vault, 'unbound' | 'bind'>;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/**
 * Before anybody calls a seller: what was sealed for sellers before destinations were part of the seal is sealed again
 * for the address that its connection has now. One that cannot be bound stays as it is and is not used; the next start
 * tries again. Secrets of buyers' callbacks are many and short-lived, and bound where they are first used.
 */
export async function bindCredentials(parts: BindParts): Promise<void> {
  for (const organizationId of await parts.organizations.ids()) await bindOf(parts, { organizationId });
}

async function bindOf(parts: BindParts, scope: TenantScope): Promise<void> {
  const unbound = await parts.vault.unbound(scope);
  if (!unbound.ok) return parts.onUnexpected(new Error(unbound.error.message), 'binding credentials');
  const waiting = unbound.value.filter(({ kind }) => kind !== 'callback');
  if (waiting.length === 0) return;
  const destinations = new Map<string, string>();
  for (const { credentialId, webhookCredentialId, agentUrl } of await parts.connections.list(scope)) {
    for (const id of [credentialId, webhookCredentialId])
      if (id !== undefined) destinations.set(id, destinationOf(agentUrl));
  }
  for (const { credentialId } of waiting) {
    // Nothing is sent with what no connection names.
    const destination = destinations.get(credentialId);
    if (destination === undefined) continue;
    const bound = await parts.vault.bind(scope, credentialId, destination);
    if (bound.ok && bound.value) continue;
    const why = bound.ok ? 'it was bound before, and its older row is back' : bound.error.message;
    parts.onUnexpected(
      new Error(`The credential ${credentialId} is not bound: ${why}`),
      'binding credentials',
    );
  }
}
