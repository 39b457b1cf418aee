import type { SellerTarget } from '@switchyard/sellers';
import type { Vault } from '@switchyard/vault';
import type { Clock, Instant } from '@switchyard/values';

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
