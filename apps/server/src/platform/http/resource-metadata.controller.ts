import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { refusal, sendAnswer } from './http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from './http-context.js';
import { resourceMetadata } from './access/schemes.js';

/** Tells a refused client which issuers are trusted (RFC 9728). */
@Controller('.well-known/oauth-protected-resource')
export class ResourceMetadataController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Get(':agent')
  metadata(@Param('agent') agent: string, @Res() reply: FastifyReply): void {
    const body = resourceMetadata(this.http.url(), `/${agent}`, this.http.schemes);
    const missing = refusal({ code: 'NOT_FOUND', message: 'There is nothing at this address.' });
    const headers = { 'cache-control': 'public, max-age=60' };
    sendAnswer(reply, body === undefined ? missing : { status: 200, headers, body });
  }
}
