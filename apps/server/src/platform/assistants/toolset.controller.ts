import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import { answerToolset, TOOLSETS, type ToolsetDeps } from './answer-toolset.js';

/** `POST /mcp/finance` and `POST /mcp/admin`: streamable HTTP as at `/mcp`. */
@Controller('mcp')
export class ToolsetController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(TOOLSETS) private readonly deps: ToolsetDeps,
  ) {}

  @Post('finance')
  finance(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerToolset('finance', request, reply, this.http, this.deps);
  }

  @Post('admin')
  admin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerToolset('admin', request, reply, this.http, this.deps);
  }
}
