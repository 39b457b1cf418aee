type EmbeddedFailureCode =
  | 'no_binaries'
  | 'no_secret'
  | 'no_setpriv'
  | 'no_user'
  | 'wrong_owner'
  | 'init_failed'
  | 'start_failed';

/** Why the embedded PostgreSQL does not run, as a text for the person who started it. */
export interface EmbeddedFailure {
  readonly code: EmbeddedFailureCode;
  readonly message: string;
}
