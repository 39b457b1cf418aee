import {
  type AnyTaskSpec,
  type CallerVersion,
  hasFeature,
  taskError,
  type TaskError,
} from '@switchyard/protocol';
import { registersLegacyWebhook } from '@switchyard/signing';
import type { JsonValue } from '@switchyard/values';
import type { Caller } from '../task-call.js';

/**
 * What is wrong with a request that carries no signature, if anything is (docs/protocol/signing.md#unsigned-changes and
 * docs/protocol/webhooks-out.md#registration-by-buyers). A caller that speaks 3.1 signs what it changes, unless it is
 * marked transitional; a request that hands out a secret for webhooks is signed whoever sends it, unless it is marked
 * legacy, because no other credential says that these bytes are its own.
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
    return required('A request that registers legacy webhook authentication has to be signed.');
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
