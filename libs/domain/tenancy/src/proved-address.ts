import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/**
 * How an address was proved: its holder accepted an invitation to it, or the sign-in provider vouched for it. A mailed
 * code would be a third way.
 */
export type AddressProof = 'invitation' | 'provider';

/** A person of one organization. */
export interface AddressHolder extends TenantScope {
  readonly principalId: string;
}

/**
 * E-mail addresses that people have proved. An address that somebody has set and not proved matches nobody and blocks
 * nobody (docs/security/model.md#people-who-sign-in). The port that `adapters/store` implements. Methods reject when the
 * database cannot be reached.
 */
export interface AddressDirectory {
  /** Looks up without a tenant: everybody who has proved the address (lower case) and is not disabled. */
  holders(email: string): Promise<readonly AddressHolder[]>;
  /** Looks up without a tenant: the organizations that have proved one of the domains. */
  owners(
    domains: readonly string[],
  ): Promise<readonly { readonly organizationId: string; readonly domain: string }[]>;
  /** Proving an address again changes nothing. */
  prove(
    scope: TenantScope,
    proved: {
      readonly principalId: string;
      readonly email: string;
      readonly by: AddressProof;
      readonly at: Instant;
    },
  ): Promise<void>;
  /** Removes every proof of a principal. */
  forget(scope: TenantScope, principalId: string): Promise<void>;
}

/**
 * The organizations that own an address: those that have proved its domain, or the longest domain above it. `undefined`
 * if nobody has: then any organization may match it.
 */
export async function ownersOfAddress(
  addresses: Pick<AddressDirectory, 'owners'>,
  email: string,
): Promise<ReadonlySet<string> | undefined> {
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.');
  const domains = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
  const found = await addresses.owners(domains);
  const longest = Math.max(...found.map(({ domain }) => domain.length));
  const owners = found.filter(({ domain }) => domain.length === longest);
  return owners.length === 0 ? undefined : new Set(owners.map(({ organizationId }) => organizationId));
}
