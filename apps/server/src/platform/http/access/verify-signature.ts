import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from '@switchyard/values';
import type { ClaimedBy, RequestSignerFound } from '../../caller/request-signatures.js';
import type { HttpAnswer } from '../http-answer.js';
import type { HttpContext } from '../http-context.js';
import { headerList } from '../raw-headers.js';

/**
 * Verifies a request that has both signature headers, whether or not its task needs one. The URL is built from our own
 * address and the path as received: values of a proxy or of `Host` are compared with it, never used.
 */
export async function verifyRequestSignature(
  request: FastifyRequest,
  http: Pick<HttpContext, 'signatures' | 'url'>,
  claimed: ClaimedBy | undefined,
): Promise<Result<RequestSignerFound, HttpAnswer>> {
  const message = {
    method: request.method,
    url: `${http.url()}${request.raw.url ?? ''}`,
    headers: headerList(request.raw.rawHeaders),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
  const found = await http.signatures.verify(message, claimed);
  return found.ok ? ok(found.value) : err(signatureRefused(found.error));
}

/** The challenge holds only the code: the failed step is for our own records. */
export function signatureRefused(
  code: string,
  message = 'The signature of this request is not valid.',
): HttpAnswer {
  return {
    status: 401,
    headers: { 'www-authenticate': `Signature error="${code}"` },
    body: { error: { code, message } },
  };
}
