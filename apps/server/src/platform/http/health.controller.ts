import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizeInstancePage } from './access/auth.js';
import { refusal, sendAnswer } from './http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from './http-context.js';

/** Health, readiness and metrics of the process. */
@Controller()
export class HealthController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Get('healthz')
  alive(@Res() reply: FastifyReply): void {
    sendAnswer(reply, { status: 200, body: { status: 'ok', version: this.http.version } });
  }

  @Get('readyz')
  ready(@Res() reply: FastifyReply): Promise<void> {
    return answerReady(reply, this.http);
  }

  @Get('metrics')
  metrics(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerMetrics(request, reply, this.http);
  }
}

async function answerReady(reply: FastifyReply, http: HttpContext): Promise<void> {
  const { ready, parts } = await http.ready.check();
  sendAnswer(reply, { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not_ready', parts } });
}

async function answerMetrics(request: FastifyRequest, reply: FastifyReply, http: HttpContext): Promise<void> {
  if (http.metrics.isElsewhere === true) {
    sendAnswer(reply, refusal({ code: 'NOT_FOUND', message: 'The management port has this page.' }));
    return;
  }
  const refused = await authorizeInstancePage(request, http);
  if (refused !== undefined) {
    sendAnswer(reply, refused);
    return;
  }
  const page = await http.metrics.render();
  void reply.header('content-type', http.metrics.contentType).send(page);
}
