import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendAnswer } from '../door-answer.js';
import { DOORS, type HttpContext } from '../http-context.js';
import { agentCard } from './agent-card.js';
import { answerA2a } from './answer-a2a.js';

/** A2A over JSON-RPC, both generations on one address, and the card that announces them. */
@Controller()
export class A2aController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Post('a2a')
  post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerA2a(request, reply, this.doors);
  }

  @Get(['.well-known/agent-card.json', 'a2a/.well-known/agent-card.json'])
  card(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendAnswer(reply, agentCard(request.raw.rawHeaders, this.doors));
  }
}
