import type { AuditLog, OAuthStore, Organizations, SpendingLimits } from '@switchyard/store';
import type { Egress } from '@switchyard/sellers';
import type { OAuthKeys } from './signing-keys.js';

/** The dependencies of the authorization server. */
export interface OAuthPorts {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  /** Fetches metadata documents of clients whose id is a URL. */
  readonly egress: Pick<Egress, 'fetchLike'>;
  /** Limits of programs, which their persons set when they let them in. */
  readonly limits: Pick<SpendingLimits, 'list' | 'set'>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly newId: () => string;
}
