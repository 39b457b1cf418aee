import type { SellerTarget } from '@switchyard/sellers';
import type { Vault } from '@switchyard/vault';
import type { Clock, Instant } from '@switchyard/values';

export interface CredentialHealth {
  /** A seller has judged our credential: with the HTTP status that refused it, or it was taken. Returns at once. */
  judged(target: SellerTarget, refusedWith?: number): void;
  /** Resolves once everything that was under way is written. */
  settled(): Promise<void>;
}

/** How often what stands already is written again, in milliseconds: another process may have written the contrary. */
const againMs = 60_000;
/** Credentials that are remembered at a time. */
const rememberedAtMost = 5_000;

/**
 * Keeps the last refusal of each credential on its row. A change is written at once, and what stays as it is once a minute:
 * a refusal that another process saw is cleared within a minute of the first call that the seller takes here.
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
