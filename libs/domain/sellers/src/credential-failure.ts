import { findCredential } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { TransportFailure } from './transport.js';

/**
 * Returns a failure if arguments contain a credential outside the callback fields that may have one. Requests of buyers
 * are already checked when they arrive; this check prevents our own code from sending a secret in a payload
 * (docs/protocol/accounts.md#credentials-in-payloads). The message contains only the place.
 */
export function credentialFailure(taskName: string, args: JsonObject): TransportFailure | undefined {
  const place = findCredential(taskName, args);
  if (place === undefined) return undefined;
  return {
    code: 'credential_in_args',
    message: `Not sent: it would have carried a credential at ${place}.`,
    delivered: 'no',
  };
}
