import { findCredential } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { TransportFailure } from './transport.js';

/**
 * Why arguments may not leave: they hold a credential outside the callback blocks that the protocol gives one to.
 * What buyers send is looked through at the doors already; this is the wire that trips when something of ours would
 * carry a secret into a seller's payload (docs/protocol/accounts.md#credentials-in-payloads). It names the place alone.
 */
export function heldBackCredential(taskName: string, args: JsonObject): TransportFailure | undefined {
  const place = findCredential(taskName, args);
  if (place === undefined) return undefined;
  return {
    code: 'credential_in_args',
    message: `Not sent: it would have carried a credential at ${place}.`,
    delivered: 'no',
  };
}
