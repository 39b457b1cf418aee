import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BodyTooLarge, tooLarge } from './body-caps.js';
import {
  refusal,
  sendAnswer,
  unexpectedFault,
  type HttpAnswer,
  type HttpErrorCode,
  rateLimited,
} from './http-answer.js';
import type { HttpContext } from './http-context.js';
import { rateKeyOf } from '../caller/rate-limits.js';
import { authenticate } from './access/auth.js';
import { relayRefusal } from '../../relay/relay-refusal.js';

const codeOfStatus: Readonly<Record<number, readonly [HttpErrorCode, string]>> = {
  404: ['NOT_FOUND', 'There is nothing at this address.'],
  405: ['METHOD_NOT_ALLOWED', 'This address does not support that method.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large for this address.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON.'],
};

/** The seller and the protocol in the address of a relayed request. */
const relayPath = /^\/relay\/([^/?]+)\/(mcp|a2a)(?:\?|$)/;

/** Answers thrown errors with a status and a code, never with a stack or the thrown text. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(private readonly http: HttpContext) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const status = statusOfError(error);
    if (status >= 500) this.http.onUnexpected(error, 'http');
    if (reply.sent) return;
    // The relay records what it refuses, also if the body was never read.
    if (status === 413 && isRelayed(request))
      return void answerOversized(request, reply, this.http, answerOfStatus(status));
    if (error instanceof BodyTooLarge) return sendAnswer(reply, refusal(tooLarge(error.bytes)));
    sendAnswer(reply, status === 500 ? refusal(unexpectedFault(error)) : answerOfStatus(status));
  }
}

function isRelayed(request: FastifyRequest): boolean {
  return request.raw.url?.startsWith('/relay/') === true;
}

/**
 * Refuses a sealed request whose body is too large, and stores a record of it: its caller is known without the body.
 * Nothing of the body is stored or hashed. An unknown caller gets `plain`, which has no record.
 */
async function answerOversized(
  request: FastifyRequest,
  reply: FastifyReply,
  http: HttpContext,
  plain: HttpAnswer,
): Promise<void> {
  const [, seller, protocol] = relayPath.exec(request.raw.url ?? '') ?? [];
  if (seller === undefined || request.method !== 'POST') return sendAnswer(reply, plain);
  try {
    const caller = await authenticate(request, http, { aliases: false, signaturesAreForSeller: true });
    if (!caller.ok) return sendAnswer(reply, caller.error);
    if (caller.value.kind === 'public') return sendAnswer(reply, plain);
    const wait = http.rates.take(rateKeyOf(caller.value), 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const declared = Number(request.headers['content-length']);
    const answer = await http.relay.tooLarge({
      caller: caller.value,
      seller: decoded(seller),
      protocol: protocol === 'a2a' ? 'a2a' : 'mcp',
      ...(Number.isSafeInteger(declared) ? { declaredBytes: declared } : {}),
    });
    sendAnswer(reply, relayRefusal(answer, Buffer.alloc(0)));
  } catch (error) {
    http.onUnexpected(error, 'relay');
    if (!reply.sent) sendAnswer(reply, plain);
  }
}

function decoded(seller: string): string {
  try {
    return decodeURIComponent(seller);
  } catch {
    return seller;
  }
}

export function answerOfStatus(status: number): HttpAnswer {
  const [code, message] =
    codeOfStatus[status] ??
    (status >= 400 && status < 500
      ? (['INVALID_REQUEST', 'The request is malformed.'] as const)
      : (['INTERNAL_ERROR', 'Something went wrong on our side.'] as const));
  return { ...refusal({ code, message }), status: status >= 400 && status < 600 ? status : 500 };
}

function statusOfError(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
