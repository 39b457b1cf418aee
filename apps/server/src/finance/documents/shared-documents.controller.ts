import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sharedDocuments, type SharedDocument, type Store } from '@switchyard/store';
import { pageHtml, pageTables, writePage, writeTable, type PageDocument } from '@switchyard/tables';
import { canonicalJson, isUuid, type Clock } from '@switchyard/values';
import { CLOCK, STORE } from '../../platform/capability-tokens.js';
import { rateLimited, refusal, sendAnswer, type HttpAnswer } from '../../platform/http/http-answer.js';
import { openHeaders } from './open-headers.js';
import { HTTP_CONTEXT, type HttpContext } from '../../platform/http/http-context.js';

/** The hash that a link's token is kept under. */
export const shareHash = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');

const files = {
  pdf: 'application/pdf',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** Documents behind links, without sign-in: the page, its files, and the signed text with the key that it verifies with. */
@Controller('shared/:organization/:token')
export class SharedDocumentsController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(STORE) private readonly store: Store,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  async page(
    @Param('organization') organization: string,
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = await this.find(organization, token, request);
    if ('status' in found) return sendAnswer(reply, found);
    const at = `/shared/${organization}/${token}`;
    const links = [
      { name: 'PDF', href: `${at}/pdf` },
      { name: 'Workbook (XLSX)', href: `${at}/xlsx` },
      { name: 'Signed text, to verify', href: `${at}/signed` },
    ];
    const html = pageHtml(pageOf(found), links);
    await reply
      .status(200)
      .headers({ ...openHeaders, 'content-type': 'text/html; charset=utf-8' })
      .send(html);
  }

  @Get('signed')
  async signed(
    @Param('organization') organization: string,
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = await this.find(organization, token, request);
    if ('status' in found) return sendAnswer(reply, found);
    // The members of an answer to `make_statement`: `switchyard verify FILE` takes it.
    const { document, digest, jws, key } = found;
    const body = { statement: document, digest, jws, key };
    sendAnswer(reply, { status: 200, headers: openHeaders, body: canonicalJson(body) });
  }

  @Get(':format')
  async file(
    @Param('organization') organization: string,
    @Param('token') token: string,
    @Param('format') format: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (format !== 'pdf' && format !== 'xlsx') return sendAnswer(reply, nothing);
    const found = await this.find(organization, token, request);
    if ('status' in found) return sendAnswer(reply, found);
    const page = pageOf(found);
    const bytes = format === 'pdf' ? await writePage(page) : await writeTable(pageTables(page), 'xlsx');
    const name = `${found.title.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}.${format}`;
    const more = { 'content-type': files[format], 'content-disposition': `attachment; filename="${name}"` };
    await reply
      .status(200)
      .headers({ ...openHeaders, ...more })
      .send(bytes);
  }

  /** The document, or the answer that says nothing of why there is none. */
  private async find(
    organizationId: string,
    token: string,
    request: FastifyRequest,
  ): Promise<SharedDocument | HttpAnswer> {
    const wait = this.http.rates.take(`address:${this.http.addressOf(request)}`, 'read');
    if (wait !== undefined) return rateLimited(wait);
    if (!isUuid(organizationId) || token.length > 100) return nothing;
    const scope = { organizationId };
    return (await sharedDocuments(this.store).open(scope, shareHash(token), this.clock.now())) ?? nothing;
  }
}

const nothing: HttpAnswer = refusal({ code: 'NOT_FOUND', message: 'There is nothing at this address.' });

/** The stored model of a page: what this server has written. */
const pageOf = ({ page }: SharedDocument): PageDocument => page as PageDocument;
