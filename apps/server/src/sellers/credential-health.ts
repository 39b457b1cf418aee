import type { SellerTarget, ConnectionDirectory } from '@switchyard/sellers';
import { type Vault, destinationOf } from '@switchyard/vault';
import type { Clock, Instant } from '@switchyard/values';
import type { InstanceNotes, Organizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';

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

interface CredentialHealth {
  /** A seller accepted our credential, or refused it with this HTTP status. Returns at once. */
  judged(target: SellerTarget, refusedWith?: number): void;
  /** Resolves once everything in progress is written. */
  settled(): Promise<void>;
}

/** How often an unchanged state is written again, in milliseconds: another process may have written the opposite. */
const againMs = 60_000;
/** The most credentials remembered. */
const rememberedAtMost = 5_000;

/**
 * Stores the last refusal of each credential on its row. A change is written at once, an unchanged state once a minute:
 * a refusal that another process saw is cleared within a minute of the first call that the seller accepts here.
 */
export function credentialHealth(deps: {
  readonly vault: () => Pick<Vault, 'noteError'> | undefined;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}): CredentialHealth {
  const known = new Map<string, { readonly status: number | undefined; readonly at: Instant }>();
  const underWay = new Set<Promise<void>>();
  return {
    judged: ({ organizationId, credential }, status) => {
      const vault = deps.vault();
      if (credential === undefined || vault === undefined) return;
      const { id: credentialId, version } = credential;
      const name = `${credentialId}/${version}`;
      const at = deps.clock.now();
      const before = known.get(name);
      if (before !== undefined && before.status === status && at - before.at < againMs) return;
      if (known.size >= rememberedAtMost) known.clear();
      known.set(name, { status, at });
      const error = status === undefined ? undefined : { at, code: `http_${status}` };
      const work = vault
        .noteError({ organizationId }, { credentialId, version }, error)
        .then(() => undefined)
        .catch((failure: unknown) => deps.onUnexpected(failure, 'the last error of a credential'))
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
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
