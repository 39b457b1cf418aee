import type { RelayAnswer } from './relay.js';
import type { HttpAnswer } from '../platform/http/http-answer.js';
import { idOf, rpcError } from '../platform/http/json-rpc.js';

/** JSON-RPC reserves this range for servers; callers use the code in `data`. */
const refusedByRelay = -32_000;

/**
 * A refusal for both readers: a status and a challenge for HTTP, and for JSON-RPC an error with the request's own id,
 * so that a client library settles the call instead of waiting for it.
 */
export function relayRefusal(refused: Extract<RelayAnswer, { kind: 'refused' }>, body: Buffer): HttpAnswer {
  const { code, message, field, recordId, status } = refused;
  const fault = { code, message, ...(field === undefined ? {} : { field }) };
  const isSignature = code.startsWith('request_signature_') || code === 'RELAY_SIGNATURE_MISSING';
  const challenge = code === 'RELAY_SIGNATURE_MISSING' ? 'request_signature_required' : code;
  return {
    status,
    headers: {
      [custodyHeader]: recordId,
      ...(isSignature ? { 'www-authenticate': `Signature error="${challenge}"` } : {}),
    },
    body: rpcError(idOf(body), refusedByRelay, message, { custody_record: recordId, errors: [fault] }),
  };
}

/** The id of the record in the chain of custody, which its principal may read. */
export const custodyHeader = 'switchyard-custody-record';
