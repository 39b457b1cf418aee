import type { Result } from '@switchyard/values';

/** The subject of a verified token. */
export interface IssuedTo {
  readonly issuer: string;
  readonly subject: string;
}

/** Verifies JSON Web Tokens of the issuers that this installation trusts. */
export interface IssuedTokens {
  /** Accepted issuers, by their own names; absent if there are none. */
  readonly issuers?: readonly string[];
  /** The names of the token's bearer, or, as text for the caller, why it is not valid. */
  verify(token: string): Promise<Result<IssuedTo, string>>;
}
