export interface StartFailure {
  readonly code: string;
  readonly message: string;
}
