import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal, sendAnswer } from '../door-answer.js';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerMcp } from './answer-mcp.js';

const onlyPost = refusal(
  { code: 'METHOD_NOT_ALLOWED', message: 'This endpoint keeps no session and opens no stream: POST only.' },
  { allow: 'POST' },
);

/** `POST /mcp`: streamable HTTP without sessions. */
@Controller('mcp')
export class McpController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Post()
  post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerMcp(request, reply, this.doors);
  }

  @Get()
  get(@Res() reply: FastifyReply): void {
    sendAnswer(reply, onlyPost);
  }

  @Delete()
  remove(@Res() reply: FastifyReply): void {
    sendAnswer(reply, onlyPost);
  }
}
