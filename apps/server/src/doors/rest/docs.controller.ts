import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { sendAnswer } from '../door-answer.js';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { docsPage } from './docs-page.js';
import { openApi } from './openapi.js';

/** The description of `/v1`, for machines and for people. */
@Controller()
export class DocsController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Get('openapi.json')
  description(@Res() reply: FastifyReply): void {
    sendAnswer(reply, { status: 200, body: openApi(this.doors.url(), this.doors.version) });
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    sendPage(reply, docsPage(openApi(this.doors.url(), this.doors.version)));
  }
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
