import { Buffer } from 'node:buffer';
import {
  egressCaps,
  type BoundedFetch,
  type ClientCertificate,
  type EgressFailure,
} from '@switchyard/sellers';
import { nextTurn, type Result } from '@switchyard/values';
import { BufferedResponse } from './buffered-response.js';
import type { Answer, ExchangeLimits, StreamedAnswer } from './exchange.js';
import { EgressError } from './failure.js';

export interface OutboundCall {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly certificate?: ClientCertificate;
}

export type Send = (
  call: OutboundCall,
  limits: ExchangeLimits,
) => Promise<Result<Answer | StreamedAnswer, EgressFailure>>;

/** In bytes. */
const longAnswer = 64 * 1024;

/** The `fetch` for client libraries: the same guard, buffered answers, event streams as streams. */
export function fetchOver(send: Send): BoundedFetch {
  return async (input, init) => {
    const call = await callOf(input, init);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const certificate = init?.certificate;
    const outcome = await send(
      { ...call, ...(certificate && { certificate }) },
      {
        maxBytes: Math.min(init?.maxBytes ?? egressCaps.taskAnswer, egressCaps.taskAnswer),
        streams: 'events',
        ...(signal === undefined ? {} : { signal }),
      },
    );
    if (!outcome.ok) throw new EgressError(outcome.error);
    const answer = outcome.value;
    if (answer.body instanceof Buffer) {
      // The reader parses the answer at once: each of fifty long answers gets its own turn of the event loop.
      if (answer.body.length > longAnswer) await nextTurn();
      return new BufferedResponse({ ...answer, body: answer.body }, call.url) as unknown as Response;
    }
    return new Response(answer.body, {
      status: answer.status,
      statusText: answer.statusText,
      headers: headersOf(answer),
    });
  };
}

async function callOf(input: string | URL | Request, init: RequestInit | undefined): Promise<OutboundCall> {
  const request = input instanceof Request ? input : undefined;
  const headers = { ...plainHeaders(request?.headers), ...plainHeaders(init?.headers) };
  const body =
    init?.body === undefined || init.body === null
      ? await requestBody(request)
      : bufferOf(init.body, headers);
  return {
    method: init?.method ?? request?.method ?? 'GET',
    url: input instanceof Request ? input.url : input.toString(),
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

async function requestBody(request: Request | undefined): Promise<Buffer | undefined> {
  if (request?.body == null) return undefined;
  return Buffer.from(await request.arrayBuffer());
}

function bufferOf(body: NonNullable<RequestInit['body']>, headers: Record<string, string>): Buffer {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (body instanceof URLSearchParams) {
    headers['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8';
    return Buffer.from(body.toString(), 'utf8');
  }
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError('this fetch sends text and bytes only');
}

function plainHeaders(headers: RequestInit['headers'] | undefined): Record<string, string> {
  const plain: Record<string, string> = {};
  if (headers === undefined) return plain;
  const pairs = headers instanceof Headers || Array.isArray(headers) ? headers : Object.entries(headers);
  for (const [name, value] of pairs as Iterable<readonly [string, string]>) plain[name.toLowerCase()] = value;
  return plain;
}

function headersOf(answer: StreamedAnswer | Answer): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const item of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, item);
  }
  return headers;
}
