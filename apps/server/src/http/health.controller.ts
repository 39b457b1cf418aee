import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizeInstancePage } from './access/auth.js';
import { sendAnswer } from './door-answer.js';
import { DOORS, type HttpContext } from './http-context.js';

/** Health, readiness and metrics of the process. */
@Controller()
export class HealthController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Get('healthz')
  alive(@Res() reply: FastifyReply): void {
    sendAnswer(reply, { status: 200, body: { status: 'ok', version: this.doors.version } });
  }

  @Get('readyz')
  ready(@Res() reply: FastifyReply): Promise<void> {
    return answerReady(reply, this.doors);
  }

  @Get('metrics')
  metrics(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerMetrics(request, reply, this.doors);
  }
}

async function answerReady(reply: FastifyReply, doors: HttpContext): Promise<void> {
  const { ready, parts } = await doors.ready.check();
  sendAnswer(reply, { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not_ready', parts } });
}

async function answerMetrics(
  request: FastifyRequest,
  reply: FastifyReply,
  doors: HttpContext,
): Promise<void> {
  const refused = await authorizeInstancePage(request, doors);
  if (refused !== undefined) {
    sendAnswer(reply, refused);
    return;
  }
  const page = await doors.metrics.render();
  void reply.header('content-type', doors.metrics.contentType).send(page);
}
