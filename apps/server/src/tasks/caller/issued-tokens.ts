import type { Result } from '@switchyard/values';

/** Whom a verified token of an issuer is about. */
export interface IssuedTo {
  readonly issuer: string;
  readonly subject: string;
}

/** Verifies JSON Web Tokens of the issuers that this installation trusts. */
export interface IssuedTokens {
  /** Whose tokens are taken, as they name themselves; absent where nobody's are. */
  readonly issuers?: readonly string[];
  /** The names of the token's bearer, or in words, fit for the caller, why it does not hold. */
  verify(token: string): Promise<Result<IssuedTo, string>>;
}
