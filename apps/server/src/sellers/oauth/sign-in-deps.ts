import type { Egress } from '@switchyard/sellers';
import type { Vault } from '@switchyard/vault';
import type { Secret } from '@switchyard/values';
import type { RenewDeps } from './renew-token.js';

export interface SignInDeps extends RenewDeps {
  readonly vault: Pick<Vault, 'prepare' | 'lease' | 'put' | 'revoke' | 'withSecret' | 'setEnd'>;
  readonly egress: Pick<Egress, 'request' | 'checkUrl'>;
  readonly randomBytes: (size: number) => Buffer;
}

/** What an admin asks for about the sign-in at a seller. */
export interface AskedSignIn {
  /** In the name of a person, who consents in a browser. */
  readonly consents?: true;
  /** Our client there, as the seller gave it. */
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  /** The issuer that the admin trusts with it. */
  readonly issuer?: string;
}
