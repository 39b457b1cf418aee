import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '@switchyard/values';
import { rateLimited, sendAnswer } from '../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { tokenOf } from '../platform/token.js';
import type { KeySetState } from './key-set.js';
import { publicKeyOf } from './public-key.js';

/** The public halves of our keys, each with its owner: those that sign, and retired ones that signed documents. */
export type PublishedKeys = (state: KeySetState) => Promise<readonly JsonObject[]>;

/** Nest's token of them. */
export const PUBLISHED_KEYS = tokenOf<PublishedKeys>('published keys');

/** Publishes our identity and the keys that verify our signatures. */
@Controller('.well-known')
export class PublishedKeysController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(PUBLISHED_KEYS) private readonly published: PublishedKeys,
  ) {}

  @Get('brand.json')
  brand(@Res() reply: FastifyReply): void {
    answerBrand(reply, this.http);
  }

  @Get('jwks.json')
  current(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.keySet('current', request, reply);
  }

  /** A document of its own, so that verifiers of requests do not read keys that grow in number over the years. */
  @Get('switchyard/retired-keys.json')
  retired(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.keySet('retired', request, reply);
  }

  private async keySet(state: KeySetState, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const wait = this.http.rates.take(`address:${this.http.addressOf(request)}`, 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const keys = (await this.published(state)).map(publicKeyOf);
    sendAnswer(reply, { status: 200, headers, body: { keys } });
  }
}

/** Others may cache these documents for this time, in seconds: much less than a published key waits before it signs. */
const headers = { 'cache-control': 'public, max-age=300' };

/** Our agents and the address of their keys. The addresses are exactly those that callers use. */
function brandDocument(url: string): JsonObject {
  const jwksUri = `${url}/.well-known/jwks.json`;
  const agent = (id: string, path: string): JsonObject => ({
    type: 'buying',
    id,
    url: `${url}/${path}`,
    jwks_uri: jwksUri,
  });
  return { agents: [agent('switchyard_mcp', 'mcp'), agent('switchyard_a2a', 'a2a')] };
}

function answerBrand(reply: FastifyReply, http: HttpContext): void {
  sendAnswer(reply, { status: 200, headers, body: brandDocument(http.url()) });
}
