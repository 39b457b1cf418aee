import type { ConnectionDirectory } from '@switchyard/sellers';
import type { InstanceNotes, Organizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';

export interface BindDeps {
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly vault: Pick<Vault, 'unbound' | 'bind'>;
  readonly notes: Pick<InstanceNotes, 'get' | 'set'>;
  readonly now: Instant;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Set once every organization was looked at and nothing is left: what is sealed since then names its destination. */
const doneNote = 'credentials_bound';

/**
 * Before anybody calls a seller: what was sealed for sellers before destinations were part of the seal is sealed again
 * for the address that its connection has now. One that cannot be bound stays as it is and is not used; the next start
 * tries again. Once none is left, no later start looks. Secrets of buyers' callbacks are many and short-lived, and bound
 * where they are first used.
 */
export async function bindCredentials(deps: BindDeps): Promise<void> {
  if ((await deps.notes.get(doneNote)) === true) return;
  let left = 0;
  for (const organizationId of await deps.organizations.ids()) left += await bindOf(deps, { organizationId });
  if (left === 0) await deps.notes.set(doneNote, true, deps.now);
}

/** How many are left. */
async function bindOf(deps: BindDeps, scope: TenantScope): Promise<number> {
  const unbound = await deps.vault.unbound(scope);
  if (!unbound.ok) {
    deps.onUnexpected(new Error(unbound.error.message), 'binding credentials');
    return 1;
  }
  const waiting = unbound.value.filter(({ kind }) => kind !== 'callback');
  if (waiting.length === 0) return 0;
  const destinations = new Map<string, string>();
  for (const { credentialId, webhookCredentialId, agentUrl } of await deps.connections.list(scope)) {
    for (const id of [credentialId, webhookCredentialId])
      if (id !== undefined) destinations.set(id, destinationOf(agentUrl));
  }
  let left = 0;
  for (const { credentialId } of waiting) {
    // Nothing is sent with what no connection names.
    const destination = destinations.get(credentialId);
    const bound =
      destination === undefined ? undefined : await deps.vault.bind(scope, credentialId, destination);
    if (bound?.ok === true && bound.value) continue;
    left += 1;
    if (bound === undefined) continue;
    const why = bound.ok ? 'it was bound before, and its older row is back' : bound.error.message;
    deps.onUnexpected(
      new Error(`The credential ${credentialId} is not bound: ${why}`),
      'binding credentials',
    );
  }
  return left;
}
