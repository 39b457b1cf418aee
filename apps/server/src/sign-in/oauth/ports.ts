import type { OAuthStore } from '@switchyard/store';
import type { Egress } from '@switchyard/sellers';
import type { OAuthKeys } from './signing-keys.js';

/** The dependencies of the authorization server. */
export interface OAuthPorts {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  /** Fetches metadata documents of clients whose id is a URL. */
  readonly egress: Pick<Egress, 'fetchLike'>;
}
