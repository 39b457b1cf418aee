import type { KmsFailure, KmsFailureCode } from '@switchyard/vault';

/** Error names of AWS KMS and of the SDK's own credential chain, by what they mean for us. */
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
 * Reads an error of the SDK. Whatever is not known counts as unavailable. The error's own text is left out: it is
 * written elsewhere and may quote what was sent.
 */
export function kmsFailureOf(operation: string, error: unknown): KmsFailure {
  const name = error instanceof Error ? error.name : 'unknown error';
  const code = Object.hasOwn(codeByName, name) ? codeByName[name] : undefined;
  return { code: code ?? 'unavailable', message: `AWS KMS refused or failed ${operation} (${name}).` };
}
