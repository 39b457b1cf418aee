import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { madeDocuments, type Store } from '@switchyard/store';
import { pageHtml, type PageDocument } from '@switchyard/tables';
import { isUuid, isoOf, type Clock } from '@switchyard/values';
import { CLOCK, STORE } from '../../platform/capability-tokens.js';
import { rateLimited, sendAnswer } from '../../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../../platform/http/http-context.js';
import { tokenOf } from '../../platform/token.js';
import { dayText } from './day-text.js';
import { openHeaders } from './open-headers.js';

/** Names the organization of a document. */
export interface OrganizationName {
  readonly domainOf: (scope: { readonly organizationId: string }) => Promise<string>;
}
export const ORGANIZATION_NAME = tokenOf<OrganizationName>('name of an organization');

/**
 * Whether a document was made by an organization, for whoever holds it and without sign-in: its digest is printed on it, and
 * nobody who lacks the document can guess it.
 */
@Controller('verified/:organization/:digest')
export class VerifiedDocumentsController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(STORE) private readonly store: Store,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ORGANIZATION_NAME) private readonly names: OrganizationName,
  ) {}

  @Get()
  async page(
    @Param('organization') organizationId: string,
    @Param('digest') digest: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wait = this.http.rates.take(`address:${this.http.addressOf(request)}`, 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const isDigest = isUuid(organizationId) && /^[0-9a-f]{64}$/.test(digest);
    const found = isDigest ? await madeDocuments(this.store).find({ organizationId }, digest) : undefined;
    const by = found === undefined ? undefined : await this.names.domainOf({ organizationId });
    const shown =
      found === undefined || by === undefined ? unknown(this.clock.now()) : known(found, by, digest);
    await reply
      .status(found === undefined ? 404 : 200)
      .headers({ ...openHeaders, 'content-type': 'text/html; charset=utf-8' })
      .send(pageHtml(shown));
  }
}

const known = (
  { title, madeAt }: { readonly title: string; readonly madeAt: number },
  by: string,
  digest: string,
): PageDocument => ({
  language: 'en',
  from: by,
  title: 'This document is genuine',
  subtitle: title,
  madeAt: isoOf(madeAt),
  facts: [
    ['Made by', by],
    ['Document', title],
    ['Made on', `${dayText(isoOf(madeAt))}, ${isoOf(madeAt).slice(11, 16)} UTC`],
  ],
  tables: [],
  notes: [
    'It is the one that you have if the digest below stands on it, and its figures are those of the text that was signed.',
  ],
  proof: [`SHA-256 of the text of the document (RFC 8785): ${digest}`],
});

const unknown = (now: number): PageDocument => ({
  language: 'en',
  from: 'Switchyard',
  title: 'No such document is known here',
  madeAt: isoOf(now),
  facts: [],
  tables: [],
  notes: [
    'Nobody here has made a document with this digest. Compare the address with what is printed on the document.',
  ],
  proof: [],
});
