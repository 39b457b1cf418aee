type DatabaseFailureCode =
  | 'unreachable'
  | 'edited_migration'
  | 'unknown_migration'
  | 'failed_migration'
  | 'no_owner'
  | 'role_refused'
  | 'pooled'
  | 'settings'
  | 'embedded'
  | 'not_running'
  | 'dump';

/** Why the database cannot be used, as a text for the person who started the server. Never contains a URL, which has a password. */
export interface DatabaseFailure {
  readonly code: DatabaseFailureCode;
  readonly message: string;
}
