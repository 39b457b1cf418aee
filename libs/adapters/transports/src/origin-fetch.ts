import { Buffer } from 'node:buffer';
import type { TransportFailure } from '@switchyard/sellers';
import { err, fairTurn, inTurns, nextTurn, ok, parseInSlices, type Result } from '@switchyard/values';
import { authorizationOf, certificateOf, signatureOf } from './authorization.js';
import { isTooLarge, longAnswer, type Exchange, type Wires } from './exchange.js';
import { failureOf, failureOfFetch, failureOfStatus } from './failure.js';

/**
 * The `fetch` of one exchange of A2A or of a connector: adds the credential when the request is sent, and records the
 * failure before a library turns it into a message. The credential is sent to the origin of the connection only, whatever
 * URL an agent card or a connector names.
 */
export function originFetch(origin: string, exchange: Exchange, wires: Wires): typeof globalThis.fetch {
  const mostBytes = exchange.maxAnswerBytes ?? wires.maxAnswerBytes;
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    if (new URL(url).origin !== origin) {
      exchange.failure = failureOf('blocked', 'no');
      throw new Error(exchange.failure.message);
    }
    const signed = await signedPost(url, init, exchange);
    if (!signed.ok) {
      exchange.failure = signed.error;
      throw new Error(signed.error.message);
    }
    if (await wires.isStopped(exchange.to)) {
      exchange.failure = failureOf('stopped', 'no');
      throw new Error(exchange.failure.message);
    }
    try {
      const response = await wires.egress.fetchLike(url, {
        ...init,
        ...signed.value,
        headers: { ...signed.value.headers, ...authorizationOf(exchange.credential) },
        ...certificateOf(exchange.credential),
        redirect: 'manual',
        signal: exchange.signal,
        maxBytes: mostBytes,
      });
      if (!response.ok) exchange.failure = failureOfStatus(response);
      const text = await response.text();
      await fairTurn(exchange.to.organizationId);
      if (Buffer.byteLength(text) > mostBytes || isTooLarge(text, exchange))
        exchange.failure = failureOf('too_large', 'maybe');
      if (exchange.wantsText === true) exchange.text = text;
      if (text.length > longAnswer) await nextTurn();
      return answerOf(response, exchange.failure?.code === 'too_large' ? '' : text);
    } catch (error) {
      exchange.failure = failureOfFetch(error, exchange.signal);
      throw error;
    }
  };
}

/** A signed POST. Requests without a task, such as the fetch of a card, are not signed. */
async function signedPost(
  url: string,
  init: RequestInit | undefined,
  exchange: Exchange,
): Promise<Result<{ readonly headers: Record<string, string>; readonly body?: Buffer }, TransportFailure>> {
  const headers = plainHeaders(init?.headers);
  if (exchange.signer === undefined || init?.method !== 'POST') return ok({ headers });
  if (typeof init.body !== 'string') return err(failureOf('not_signed', 'no'));
  const body = Buffer.from(init.body);
  const contentType = headers['content-type'] ?? 'application/json';
  const signature = await signatureOf(exchange, { url, contentType, body });
  return signature.ok
    ? ok({ headers: { ...headers, 'content-type': contentType, ...signature.value }, body })
    : signature;
}

/** The SDK reads status, headers and one body; the streams of a real `Response` would cost more than the call. */
function answerOf(response: Response, text: string): Response {
  const { ok, status, statusText, headers } = response;
  const answer = {
    ok,
    status,
    statusText,
    headers,
    text: () => Promise.resolve(text),
    json: () => inTurns(parseInSlices(text)),
  };
  return answer as unknown as Response;
}

function plainHeaders(headers: RequestInit['headers'] | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(headers).entries());
}
