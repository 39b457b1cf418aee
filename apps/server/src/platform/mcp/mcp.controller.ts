import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import { answerMcp } from './answer-mcp.js';

/** `POST /mcp`: streamable HTTP without sessions and without streams of its own, so there is no GET or DELETE. */
@Controller('mcp')
export class McpController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Post()
  post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerMcp(request, reply, this.http);
  }
}
