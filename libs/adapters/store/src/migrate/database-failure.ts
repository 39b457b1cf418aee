type DatabaseFailureCode =
  | 'unreachable'
  | 'edited_migration'
  | 'unknown_migration'
  | 'failed_migration'
  | 'no_owner'
  | 'role_refused'
  | 'pooled'
  | 'settings'
  | 'embedded';

/** Why the database cannot be used, in words for the person who started us. Never holds a URL, which has a password. */
export interface DatabaseFailure {
  readonly code: DatabaseFailureCode;
  readonly message: string;
}
