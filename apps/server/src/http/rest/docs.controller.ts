import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizeInstancePage } from '../access/auth.js';
import { sendAnswer } from '../door-answer.js';
import { DOORS, type HttpContext } from '../http-context.js';
import { docsPage } from './docs-page.js';
import { openApi } from './openapi.js';

/** The description of `/v1`, for machines and for people. */
@Controller()
export class DocsController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Get('openapi.json')
  description(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return toAllowed(request, reply, this.doors, () => {
      sendAnswer(reply, { status: 200, body: openApi(this.doors.url(), this.doors.version) });
    });
  }

  @Get('docs')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return toAllowed(request, reply, this.doors, () => {
      sendPage(reply, docsPage(openApi(this.doors.url(), this.doors.version)));
    });
  }
}

async function toAllowed(
  request: FastifyRequest,
  reply: FastifyReply,
  doors: HttpContext,
  send: () => void,
): Promise<void> {
  const refused = await authorizeInstancePage(request, doors);
  if (refused === undefined) send();
  else sendAnswer(reply, refused);
}

function sendPage(reply: FastifyReply, html: string): void {
  void reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .send(html);
}
