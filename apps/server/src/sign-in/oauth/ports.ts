import type { OAuthStore } from '@switchyard/store';
import type { Egress } from '@switchyard/sellers';
import type { OAuthKeys } from './signing-keys.js';

/** What the authorization server stands on. */
export interface OAuthPorts {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  /** For documents of clients that are named by an address. */
  readonly egress: Pick<Egress, 'fetchLike'>;
}
