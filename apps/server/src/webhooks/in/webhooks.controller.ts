import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_CONTEXT, type HttpContext } from '../../platform/http/http-context.js';
import { rateLimited, refusal, sendAnswer, type HttpAnswer } from '../../platform/http/http-answer.js';
import { tokenOf } from '../../platform/token.js';
import type { WebhookIntake } from './webhook-post.js';
import { headerList } from '../../platform/http/raw-headers.js';

/** Nest's token of what takes webhooks in. */
export const WEBHOOKS = tokenOf<WebhookIntake>('webhooks');

/** `POST /webhooks/{registration}`: webhooks of sellers. The bytes are passed on unchanged and verified there. */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(WEBHOOKS) private readonly intake: WebhookIntake,
  ) {}

  @Post(':registration')
  post(
    @Param('registration') registration: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return takeIn(registration, request, reply, { http: this.http, intake: this.intake });
  }
}

/**
 * Refuses a sender that has tried too many unknown addresses, before the body is read or the database is queried. Known
 * addresses are admitted.
 */
export function refuseUnknownWebhook(
  request: FastifyRequest,
  intake: Pick<WebhookIntake, 'admit'>,
  http: Pick<HttpContext, 'addressOf'>,
): HttpAnswer | undefined {
  const [, registration] = /^\/webhooks\/([^/?]+)/.exec(request.raw.url ?? '') ?? [];
  if (registration === undefined || request.method !== 'POST') return undefined;
  const wait = intake.admit?.(decoded(registration), http.addressOf(request));
  return wait === undefined ? undefined : rateLimited(wait);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function takeIn(
  registration: string,
  request: FastifyRequest,
  reply: FastifyReply,
  { http, intake }: { readonly http: HttpContext; readonly intake: WebhookIntake },
): Promise<void> {
  try {
    const answer = await intake.accept({
      registration,
      method: request.method,
      from: http.addressOf(request),
      rawUrl: request.raw.url ?? '',
      headers: headerList(request.raw.rawHeaders),
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    });
    sendAnswer(reply, answer.body === '' ? { status: answer.status, headers: answer.headers } : answer);
  } catch (error) {
    // Nothing was acknowledged, so the sender retries the event.
    http.onUnexpected(error, 'webhook');
    sendAnswer(
      reply,
      refusal({
        code: 'SERVICE_UNAVAILABLE',
        message: 'This webhook was not stored. Send it again.',
        retryAfter: 5,
      }),
    );
  }
}
