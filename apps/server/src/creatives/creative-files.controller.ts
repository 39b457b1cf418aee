import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimited, refusal, sendAnswer } from '../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { tokenOf } from '../platform/token.js';
import type { CreativeFolder } from './creative-folder.js';

export const CREATIVE_FOLDER = tokenOf<CreativeFolder>('files of creatives');

/**
 * What a file may do in a browser: nothing. It has no origin of ours, runs no script and loads nothing
 * (`sandbox` without a word), so an uploaded page cannot act for whoever opens it.
 */
const guards = {
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cross-origin-resource-policy': 'cross-origin',
  // A name is given once, so what stands under it never changes.
  'cache-control': 'public, max-age=31536000, immutable',
} as const;

/** Uploaded files of creatives, for sellers and previews: without a credential, by an address that nobody guesses. */
@Controller('creative-files/:key/:name')
export class CreativeFilesController {
  constructor(
    @Inject(CREATIVE_FOLDER) private readonly folder: CreativeFolder,
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
  ) {}

  @Get()
  async file(
    @Param('key') key: string,
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wait = this.http.rates.take(`address:${this.http.addressOf(request)}`, 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const found = await this.folder.open(key, name);
    if (found === undefined)
      return sendAnswer(reply, refusal({ code: 'NOT_FOUND', message: 'There is no file at this address.' }));
    await reply
      .status(200)
      .headers({ ...guards, 'content-type': found.type, 'content-length': found.bytes })
      .send(found.content);
  }
}
