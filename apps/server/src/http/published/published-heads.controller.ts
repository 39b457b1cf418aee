import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '@switchyard/values';
import { rateLimited, refusal, sendAnswer, type DoorAnswer } from '../door-answer.js';
import { DOORS, type HttpContext } from '../http-context.js';
import { publicKeyOf } from './published-keys.js';

/** Publishes the signed heads of a ledger, to be stored where its owner cannot write (docs/ledger.md#anchors). */
@Controller('.well-known/switchyard/heads')
export class PublishedHeadsController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Get(':organization')
  async heads(
    @Param('organization') organization: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAnswer(reply, await this.answer(organization, this.doors.addressOf(request)));
  }

  private async answer(organization: string, address: string): Promise<DoorAnswer> {
    const wait = this.doors.rates.take(`address:${address}`, 'read');
    if (wait !== undefined) return rateLimited(wait);
    const heads = isUuid(organization) ? await this.doors.publishedHeads(organization) : [];
    // The answer does not tell whether the organization exists.
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
