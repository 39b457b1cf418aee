import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Grant } from './reach.js';

/** A buyer's agent, a brand's own agent, a person at the console or the command line, or a service key. */
export type PrincipalKind = 'buyer' | 'brand' | 'person' | 'service';

/** Which kinds of permission a principal holds in which area. What is not named is not held. */
export type Permissions = Readonly<Partial<Record<PermissionArea, readonly PermissionKind[]>>>;

/** Who is calling, once authenticated. The organization is the tenant, and comes from here alone. */
export interface Principal {
  /** UUID. */
  readonly id: string;
  /** UUID. */
  readonly organizationId: string;
  readonly name: string;
  readonly kind: PrincipalKind;
  /** All that it may do somewhere: its own permissions, and those of its roles. */
  readonly permissions: Permissions;
  /** Where each permission holds; absent where no role was given: then its own permissions alone decide. */
  readonly grants?: readonly Grant[];
  /** Of a brand's own agent: the brand's domain, lower case. */
  readonly brandDomain?: string;
  /** May mutate unsigned although it speaks 3.1 (docs/protocol/signing.md#unsigned-changes). */
  readonly transitional: boolean;
  /**
   * May register legacy webhook authentication in an unsigned request
   * (docs/protocol/webhooks-out.md#registration-by-buyers).
   */
  readonly legacy: boolean;
}
