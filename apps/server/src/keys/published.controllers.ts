import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid, type JsonObject } from '@switchyard/values';
import type { KeySetState } from './key-set.js';
import { rateLimited, refusal, sendAnswer, type HttpAnswer } from '../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { resourceMetadata } from '../platform/http/access/schemes.js';

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

/** Publishes our identity and the keys that verify our signatures. */
@Controller('.well-known')
export class PublishedKeysController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

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
    const keys = (await this.http.publishedKeys(state)).map(publicKeyOf);
    sendAnswer(reply, { status: 200, headers, body: { keys } });
  }
}

/** Publishes the signed heads of a ledger, to be stored where its owner cannot write (docs/ledger.md#anchors). */
@Controller('.well-known/switchyard/heads')
export class PublishedHeadsController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

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
    const heads = isUuid(organization) ? await this.http.publishedHeads(organization) : [];
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

const publicMembers = [
  'kid',
  'kty',
  'crv',
  'alg',
  'use',
  'key_ops',
  'ads_use',
  'adcp_use',
  'x',
  'y',
  'switchyard',
];

/** Only public members, selected by name: other members of a stored key are never sent. */
function publicKeyOf(jwk: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => publicMembers.includes(name)));
}

function answerBrand(reply: FastifyReply, http: HttpContext): void {
  sendAnswer(reply, { status: 200, headers, body: brandDocument(http.url()) });
}
