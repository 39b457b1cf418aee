import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken, isTokenText } from '@switchyard/tenancy';
import { quotaFailure } from '../platform/caller/quotas.js';
import { rateKeyOf } from '../platform/caller/rate-limits.js';
import type { Relay, RelayAnswer, SealedCallIn } from './relay.js';
import { authenticate, credentialMissing } from '../platform/http/access/auth.js';
import { callerGone } from '../platform/http/watch-connections.js';
import { certificateNames, readAuthorization } from '../platform/http/access/shown-credentials.js';
import { rateLimited, refusal, sendAnswer, unexpectedFault } from '../platform/http/http-answer.js';
import type { HttpContext } from '../platform/http/http-context.js';
import { headerList } from '../platform/http/raw-headers.js';
import { custodyHeader, relayRefusal } from './relay-refusal.js';

/**
 * Receives one sealed request. Only the relay's own credential identifies the caller, because the signature beside it
 * is for the seller. Everything after that happens in the relay, and is recorded.
 */
export async function answerRelay(
  to: Pick<SealedCallIn, 'seller' | 'protocol'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { http, relay }: { readonly http: HttpContext; readonly relay: Relay },
): Promise<void> {
  const signal = callerGone(reply);
  try {
    const tokenHash = shownToken(request, http);
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const headers = headerList(request.raw.rawHeaders);
    const known = tokenHash && (await relay.passKnown({ ...to, tokenHash, headers, body, signal }));
    if (known !== undefined) return sendRelayed(reply, known, body);

    const caller = await authenticate(request, http, { aliases: false, signaturesAreForSeller: true });
    if (!caller.ok) return sendAnswer(reply, caller.error);
    if (caller.value.kind === 'public') return sendAnswer(reply, credentialMissing());
    const wait = http.rates.take(rateKeyOf(caller.value), 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const over = http.quotas?.take(caller.value.organizationId, 'relays', 1);
    if (over !== undefined)
      return sendAnswer(reply, refusal({ ...quotaFailure(over), code: 'RATE_LIMITED' }));

    const answer = await relay.pass({
      ...to,
      caller: caller.value,
      headers,
      body,
      signal,
      ...(tokenHash === undefined ? {} : { tokenHash }),
    });
    sendRelayed(reply, answer, body);
  } catch (error) {
    http.onUnexpected(error, 'relay');
    if (reply.sent) return;
    sendAnswer(reply, refusal(unexpectedFault(error)));
  }
}

/**
 * The hash of one of our bearer tokens, if the request has no other credential. Requests with other or more credentials
 * are authenticated in full.
 */
function shownToken(request: FastifyRequest, http: HttpContext): Buffer | undefined {
  const secret = readAuthorization(request.raw.rawHeaders, false);
  if (!secret.ok || secret.value?.scheme !== 'bearer' || !isTokenText(secret.value.token)) return undefined;
  const names = certificateNames(request, http.certificateProxies, http.clock.now());
  return names.ok && names.value === undefined ? hashToken(secret.value.token) : undefined;
}

function sendRelayed(reply: FastifyReply, answer: RelayAnswer, body: Buffer): void {
  if (answer.kind === 'refused') return sendAnswer(reply, relayRefusal(answer, body));
  void reply
    .status(answer.status)
    .headers({ 'cache-control': 'no-store', ...answer.headers, [custodyHeader]: answer.recordId });
  if (Buffer.isBuffer(answer.body)) {
    // Without this, bytes without a type would get a default one.
    if (answer.headers['content-type'] === undefined) void reply.header('content-type', '');
    return void reply.send(answer.body);
  }
  void reply.header('x-accel-buffering', 'no').send(Readable.fromWeb(answer.body));
}
