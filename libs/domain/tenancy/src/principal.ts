import type { Grant, Permissions } from './grant.js';

/** A buyer's agent, a brand's own agent, a person at the console or the command line, or a service key. */
export type PrincipalKind = 'buyer' | 'brand' | 'person' | 'service';

/** The authenticated caller. The organization is the tenant and is read only from here. */
export interface Principal {
  /** UUID. */
  readonly id: string;
  /** UUID. */
  readonly organizationId: string;
  readonly name: string;
  readonly kind: PrincipalKind;
  /** The union of its own permissions and those of its roles, in any scope. */
  readonly permissions: Permissions;
  /** The scope of each permission; absent if it has no role: then only its own permissions decide. */
  readonly grants?: readonly Grant[];
  /** True if its own permissions are an operator's, of which its credential has only a part. */
  readonly isNarrowedOperator?: boolean;
  /** For a brand's own agent: the brand's domain, lower case. */
  readonly brandDomain?: string;
  /** The OAuth client id of the program that acts for this person; absent: the principal acts itself. */
  readonly program?: string;
  /** May send changes unsigned although it uses 3.1 (docs/protocol/signing.md#unsigned-changes). */
  readonly transitional: boolean;
  /**
   * May register legacy webhook authentication in an unsigned request
   * (docs/protocol/webhooks-out.md#registration-by-buyers).
   */
  readonly legacy: boolean;
}
