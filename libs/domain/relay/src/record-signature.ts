import { Buffer } from 'node:buffer';
import { verifyBase } from '@switchyard/signing';
import { isJsonObject, parseStrictJson, type JsonObject } from '@switchyard/values';

/** What one record of an exported chain says, as far as a verification needs it. */
export interface RecordFacts {
  readonly id: string;
  readonly operationId?: string;
  readonly keyid?: string;
  /**
   * Of the brand's signature in the record: `verified` with the public key that the record holds, `wrong`, or `absent`: the
   * request was not signed, not accepted, or recorded before records held what was signed.
   */
  readonly signature: 'verified' | 'wrong' | 'absent';
}

/** Reads a record's text, and verifies the signature in it. Undefined if the text is no record. */
export function readRecordFacts(body: string): RecordFacts | undefined {
  const parsed = parseStrictJson(Buffer.from(body, 'utf8'));
  const record = parsed.ok ? parsed.value.value : null;
  if (!isJsonObject(record)) return undefined;
  const { id, operationId, arrived } = record;
  if (typeof id !== 'string' || !isJsonObject(arrived)) return undefined;
  const { keyid } = arrived;
  return {
    id,
    ...(typeof operationId === 'string' && { operationId }),
    ...(typeof keyid === 'string' && { keyid }),
    signature: signatureOf(arrived),
  };
}

function signatureOf({ signedBase: base, publicKey: jwk, signature, bodyHash, keyid }: JsonObject) {
  if (base === undefined || jwk === undefined) return 'absent';
  if (typeof base !== 'string' || typeof signature !== 'string' || !isJsonObject(jwk)) return 'wrong';
  const verified = verifyBase({ base, signature, jwk });
  return verified !== undefined && verified.bodyHash === bodyHash && jwk['kid'] === keyid
    ? 'verified'
    : 'wrong';
}
