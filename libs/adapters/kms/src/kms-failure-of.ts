import type { KmsFailure, KmsFailureCode } from '@switchyard/vault';

/** Error names of AWS KMS and of the SDK's credential chain, by our code. */
const codeByName: Readonly<Record<string, KmsFailureCode>> = {
  AccessDeniedException: 'denied',
  CredentialsProviderError: 'denied',
  ExpiredTokenException: 'denied',
  IncompleteSignatureException: 'denied',
  InvalidClientTokenId: 'denied',
  InvalidSignatureException: 'denied',
  MissingAuthenticationTokenException: 'denied',
  UnrecognizedClientException: 'denied',
  LimitExceededException: 'throttled',
  RequestLimitExceeded: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  TooManyRequestsException: 'throttled',
  InvalidArnException: 'unknown_key',
  NotFoundException: 'unknown_key',
  IncorrectKeyException: 'wrong_key',
  InvalidCiphertextException: 'invalid_ciphertext',
};

/**
 * Makes a failure of an error of the SDK. Unknown errors count as unavailable. The error's own text is left out: it may
 * quote what was sent.
 */
export function kmsFailureOf(operation: string, error: unknown): KmsFailure {
  const name = error instanceof Error ? error.name : 'unknown error';
  const code = Object.hasOwn(codeByName, name) ? codeByName[name] : undefined;
  return { code: code ?? 'unavailable', message: `AWS KMS refused or failed ${operation} (${name}).` };
}
