import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '@switchyard/values';
import { publicKeyOf } from '../keys/index.js';
import { rateLimited, refusal, sendAnswer, type HttpAnswer } from '../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { tokenOf } from '../platform/token.js';
import type { PublishedHead } from './anchor-ledger.js';

/** Signed heads of an organization's ledger, newest first; none if nothing was signed or the id is unknown. */
export type PublishedHeads = (organizationId: string) => Promise<readonly PublishedHead[]>;

/** Nest's token of them. */
export const PUBLISHED_HEADS = tokenOf<PublishedHeads>('published heads');

/** Publishes the signed heads of a ledger, to be stored where its owner cannot write (docs/ledger.md#anchors). */
@Controller('.well-known/switchyard/heads')
export class PublishedHeadsController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(PUBLISHED_HEADS) private readonly published: PublishedHeads,
  ) {}

  @Get(':organization')
  async heads(
    @Param('organization') organization: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAnswer(reply, await this.answer(organization, this.http.addressOf(request)));
  }

  private async answer(organization: string, address: string): Promise<HttpAnswer> {
    const wait = this.http.rates.take(`address:${address}`, 'read');
    if (wait !== undefined) return rateLimited(wait);
    const heads = isUuid(organization) ? await this.published(organization) : [];
    // The answer does not reveal whether the organization exists.
    if (heads.length === 0)
      return refusal({ code: 'NOT_FOUND', message: 'There is nothing at this address.' });
    const anchors = heads.map(({ key, ...head }) => ({ ...head, key: publicKeyOf(key) }));
    return {
      status: 200,
      headers: { 'cache-control': 'public, max-age=300' },
      body: { organization_id: organization, anchors },
    };
  }
}
