import { relayFaults, type RelayFaultCode } from '@switchyard/relay';
import type { RelayAnswer } from './relay.js';

/** A refusal with the relay's text, or with the verifier's own code if the signature is refused. */
export function refusedAnswer(
  recordId: string,
  code: string,
  field?: string,
): Extract<RelayAnswer, { kind: 'refused' }> {
  const known = Object.hasOwn(relayFaults, code) ? relayFaults[code as RelayFaultCode] : undefined;
  return {
    kind: 'refused',
    recordId,
    code,
    status: known?.status ?? 401,
    message: known?.message ?? 'The signature of this request is not valid.',
    ...(field === undefined ? {} : { field }),
  };
}
