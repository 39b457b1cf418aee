import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BodyTooLarge, tooLarge } from './body-caps.js';
import { refusal, sendAnswer, unexpectedFault, type HttpAnswer, type HttpErrorCode } from './http-answer.js';
import type { HttpContext } from './http-context.js';

const codeOfStatus: Readonly<Record<number, readonly [HttpErrorCode, string]>> = {
  404: ['NOT_FOUND', 'There is nothing at this address.'],
  405: ['METHOD_NOT_ALLOWED', 'This address does not support that method.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large for this address.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON.'],
};

/** Answers a request whose body is too large by itself, and says so; `plain` is the answer otherwise. */
export type AnswerOversized = (request: FastifyRequest, reply: FastifyReply, plain: HttpAnswer) => boolean;

/** Answers thrown errors with a status and a code, never with a stack or the thrown text. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(
    private readonly http: Pick<HttpContext, 'onUnexpected'>,
    private readonly oversized: readonly AnswerOversized[] = [],
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const status = statusOfError(error);
    if (status >= 500) this.http.onUnexpected(error, 'http');
    if (reply.sent) return;
    if (status === 413 && this.oversized.some((answers) => answers(request, reply, answerOfStatus(413))))
      return;
    if (error instanceof BodyTooLarge) return sendAnswer(reply, refusal(tooLarge(error.bytes)));
    sendAnswer(reply, status === 500 ? refusal(unexpectedFault(error)) : answerOfStatus(status));
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
