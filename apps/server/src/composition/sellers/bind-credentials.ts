import type { ConnectionDirectory } from '@switchyard/sellers';
import type { InstanceNotes, Organizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';

interface BindDeps {
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly vault: Pick<Vault, 'unbound' | 'bind'>;
  readonly notes: Pick<InstanceNotes, 'get' | 'set'>;
  readonly now: Instant;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Set once every organization was checked and nothing is left: newer credentials name their destination. */
const doneNote = 'credentials_bound';

/**
 * Runs before any call to a seller: seals the seller credentials from before destinations were part of the seal again,
 * for the current address of their connection. One that cannot be bound stays unchanged and unused; the next start
 * tries again. Once none is left, no later start checks. Secrets of buyers' callbacks are many and short-lived, and
 * bound at their first use.
 */
export async function bindCredentials(deps: BindDeps): Promise<void> {
  if ((await deps.notes.get(doneNote)) === true) return;
  let left = 0;
  for (const organizationId of await deps.organizations.ids()) left += await bindOf(deps, { organizationId });
  if (left === 0) await deps.notes.set(doneNote, true, deps.now);
}

/** Answers how many are left. */
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
    // A credential that no connection names is never sent.
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
