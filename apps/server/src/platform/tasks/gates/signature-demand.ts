import {
  type AnyTaskSpec,
  type CallerVersion,
  hasFeature,
  taskError,
  type TaskError,
} from '@switchyard/protocol';
import { registersLegacyWebhook } from '@switchyard/signing';
import type { JsonValue } from '@switchyard/values';
import type { Caller } from '../call/task-call.js';

/**
 * The error of an unsigned request, if it needs a signature (docs/protocol/signing.md#unsigned-changes and
 * docs/protocol/webhooks-out.md#registration-by-buyers). A caller of 3.1 signs its changes, unless it is marked
 * transitional; a request that contains a secret for webhooks must be signed, unless its caller is marked legacy,
 * because no other credential proves its bytes.
 */
export function signatureError(
  caller: Caller,
  spec: Pick<AnyTaskSpec, 'kind'>,
  { profile }: Pick<CallerVersion, 'profile'>,
  args: JsonValue,
): TaskError | undefined {
  if (caller.kind === 'principal' && caller.signedBy !== undefined) return undefined;
  const isLegacy = caller.kind === 'principal' && caller.legacy;
  if (!isLegacy && caller.kind === 'principal' && registersLegacyWebhook(args)) {
    return required('A request that registers legacy webhook authentication must be signed.');
  }
  const isTransitional = caller.kind === 'principal' && caller.transitional;
  if (spec.kind === 'mutation' && hasFeature(profile.form, 'signedChanges') && !isTransitional) {
    return required('From release 3.1 on, requests that change something are signed (RFC 9421).');
  }
  return undefined;
}

function required(message: string): TaskError {
  return taskError('request_signature_required', message, {
    suggestion: 'Sign the request with a key of an agent that is registered with us.',
  });
}
