import { Buffer } from 'node:buffer';
import { canonicalJson, err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { PlatformKeys } from '../../keys/index.js';
import type { AdminFailure } from '../../platform/failure.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';

export interface SignDeps {
  readonly documentKeys: Pick<PlatformKeys, 'signDocument'>;
}

/** Signs the canonical text of a document as a compact JWS (RFC 7515) with the organization's key for statements. */
export async function signDocument(
  { documentKeys }: SignDeps,
  caller: PrincipalCaller,
  document: JsonObject,
  typ: string,
): Promise<Result<{ readonly jws: string; readonly key: JsonObject }, AdminFailure>> {
  const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');
  const payload = encoded(canonicalJson(document));
  const made = await documentKeys.signDocument(
    { organizationId: caller.organizationId },
    { purpose: 'statement' },
    (kid, alg) => Buffer.from(`${encoded(JSON.stringify({ alg, kid, typ }))}.${payload}`),
  );
  if (!made.ok)
    return err({
      code: 'UNAVAILABLE',
      message: 'The document cannot be signed now: the key is not available.',
    });
  const { bytes, signature, publicJwk } = made.value;
  return ok({ jws: `${bytes.toString('utf8')}.${signature.toString('base64url')}`, key: publicJwk });
}
